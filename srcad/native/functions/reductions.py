"""Sums, products, extrema in loops that are vectorised though their caller has no `fastmath`.

A loop `total += x[i]` stays scalar: additions of floats may not be reordered. The steps here give
that leave to one addition, and to nothing else in the loop:

    for i in range(x.size):
        total = add(total, x[i] * exp(y[i]))     # several partial sums, added at the end

The same program on the same machine always adds in the same order. Partial sums are some dozens,
so that a sum of n terms carries the errors of n / 32 or fewer additions; a loop over millions of
float32 does well to add blocks of some thousands (`contiguous` does).

`larger` and `smaller` are `np.maximum` and `np.minimum` of two: NaN where one is NaN.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from srcad.kernels.numba_adapter import binding, ir

__all__ = ["add", "larger", "multiply", "smaller"]

# Older ones, up to Numba 0.61, end the process at `llvm.maximum`; their loops stay scalar.
KNOWS_MAXIMUM = binding.llvm_version_info[0] >= 18


def fold(builder: Any, name: str, a: ir.Value, b: ir.Value) -> ir.Value:
    """One step of a reduction: an instruction, or a call of LLVM's function of that name."""
    if name in ("fadd", "fmul"):
        return getattr(builder, name)(a, b, flags=("reassoc", "nsz"))
    if not KNOWS_MAXIMUM:
        ordered = builder.fcmp_ordered(">" if name == "maximum" else "<", a, b)
        chosen = builder.select(ordered, a, b)
        return builder.select(builder.fcmp_unordered("uno", a, b), builder.fadd(a, b), chosen)
    shape = ir.FunctionType(a.type, [a.type, a.type])
    fn = builder.module.declare_intrinsic(f"llvm.{name}", [a.type], shape)
    return builder.call(fn, [a, b])


def reduction_step(name: str) -> Any:
    """A function (total, term) of Numba code; the term is converted to the total's type."""

    def step(typingctx: Any, total: Any, term: Any) -> Any:
        numbers = (types.Float, types.Integer, types.Boolean)
        if not isinstance(total, types.Float) or not isinstance(term, numbers):
            return None

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            return fold(builder, name, values[0], context.cast(builder, values[1], term, total))

        return total(total, term), generate

    return intrinsic(step)


add = reduction_step("fadd")
multiply = reduction_step("fmul")
larger = reduction_step("maximum")
smaller = reduction_step("minimum")
