"""A register full of numbers as a type of Numba: what the compiled convolutions are made of.

    acc = zeros(x)                      eight float32 or four float64: as many samples
    acc = fma(w[t], load(x, at), acc)   acc += w[t] * x[at : at + 8]
    store(y, at, acc)

Numba has no such type, and its accumulators in arrays go through memory. In values of this type
they stay in registers; LLVM splits a register that the machine has not. All arrays are contiguous
and have one axis; nothing checks that `at` is within them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic, models, register_model

BYTES = 32  # of a register: AVX's; wider ones do the same work in the same time, or half of it


class Lanes(types.Type):  # type: ignore[misc]
    """The type: so many numbers of one dtype."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.count = BYTES * 8 // dtype.bitwidth
        super().__init__(name=f"Lanes({dtype})")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, lanes: Lanes) -> None:
        super().__init__(manager, lanes, _vector(lanes.dtype))


def _vector(dtype: Any) -> Any:
    number = ir.FloatType() if dtype == types.float32 else ir.DoubleType()
    return ir.VectorType(number, Lanes(dtype).count)


def _pointer(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    """Where the lanes of an array begin that `load` reads."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), ir.PointerType(_vector(kind.dtype)))


def _read(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    pointer = _pointer(context, builder, kind, array, at)
    return builder.load(pointer, align=kind.dtype.bitwidth // 8)


def _write(context: Any, builder: Any, kind: Any, array: Any, at: Any, lanes: Any) -> None:
    pointer = _pointer(context, builder, kind, array, at)
    builder.store(lanes, pointer, align=kind.dtype.bitwidth // 8)


def _spread(builder: Any, number: Any, vector: Any) -> Any:
    """A number in each lane."""
    blank, first = ir.Constant(vector, ir.Undefined), ir.Constant(ir.IntType(32), 0)
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), None)
    return builder.shuffle_vector(builder.insert_element(blank, number, first), blank, zeros)


@intrinsic  # type: ignore[untyped-decorator]
def width(_: Any, array: Any) -> Any:
    """How many numbers of the array's dtype there are in a register: a constant."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(ir.IntType(64), Lanes(array.dtype).count)

    return types.int64(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def zeros(_: Any, array: Any) -> Any:
    """Zero in each lane, of the array's dtype."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return ir.Constant(_vector(array.dtype), [0.0] * Lanes(array.dtype).count)

    return Lanes(array.dtype)(array), generate


@intrinsic  # type: ignore[untyped-decorator]
def read(_: Any, array: Any, at: Any) -> Any:
    """`array[at]`; `at` never counts from the end, which lets LLVM see what is read in a row."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        return builder.load(builder.gep(data, [args[1]], inbounds=True))

    return array.dtype(array, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def write(_: Any, array: Any, at: Any, number: Any) -> Any:
    """`array[at] = number`, as `read`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = context.make_array(array)(context, builder, args[0]).data
        value = context.cast(builder, args[2], number, array.dtype)
        builder.store(value, builder.gep(data, [args[1]], inbounds=True))
        return context.get_dummy_value()

    return types.none(array, types.intp, number), generate


@intrinsic  # type: ignore[untyped-decorator]
def choose(_: Any, condition: Any, a: Any, b: Any) -> Any:
    """`a if condition else b` without a branch, which the machine would guess wrong."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(*args)

    return a(condition, a, a), generate


@intrinsic  # type: ignore[untyped-decorator]
def load(_: Any, array: Any, at: Any) -> Any:
    """Read the entries at `at` and behind it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _read(context, builder, array, *args)

    return Lanes(array.dtype)(array, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(_: Any, array: Any, at: Any, lanes: Any) -> Any:
    """Write `lanes` to `at` and behind it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        _write(context, builder, array, *args)
        return context.get_dummy_value()

    return types.none(array, types.intp, lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def fma(_: Any, a: Any, b: Any, total: Any) -> Any:
    """`total + a * b`, rounded once where the machine can; `a` is a number or lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        left, right, total = args
        if not isinstance(a, Lanes):
            left = _spread(builder, left, right.type)
        product = builder.fmul(left, right, flags=("contract",))
        return builder.fadd(total, product, flags=("contract",))

    return b(a, b, b), generate


@intrinsic  # type: ignore[untyped-decorator]
def total(_: Any, lanes: Any) -> Any:
    """The sum of the lanes, neighbours first."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        index = ir.IntType(32)
        parts = [builder.extract_element(args[0], index(k)) for k in range(lanes.count)]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=True)
            parts = [builder.fadd(a, b) for a, b in pairs]
        return impl_ret_untracked(context, builder, signature.return_type, parts[0])

    return lanes.dtype(lanes), generate


@intrinsic  # type: ignore[untyped-decorator]
def transpose(_: Any, x: Any, at: Any, step: Any, last: Any, y: Any, to: Any, stride: Any) -> Any:
    """Read a square and write it transposed: `y[to + j * stride + i] = x[at + i * step + j]`.

    Rows `i` of the square are `step` apart and at most the `last`; columns `j` become lanes that
    are `stride` apart.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        source, at, step, last, target, to, stride = args
        rows = []
        for k in range(Lanes(x.dtype).count):
            row = ir.Constant(ir.IntType(64), k)
            within = builder.select(builder.icmp_signed("<", row, last), row, last)
            place = builder.add(at, builder.mul(within, step))
            rows.append(_read(context, builder, x, source, place))
        for k, lanes in enumerate(_transposed(builder, rows)):
            shift = builder.mul(ir.Constant(ir.IntType(64), k), stride)
            _write(context, builder, y, target, builder.add(to, shift), lanes)
        return context.get_dummy_value()

    n = types.int64
    return types.none(x, n, n, n, y, n, n), generate


def _transposed(builder: Any, rows: list[Any]) -> list[Any]:
    """Swap the halves of pairs of rows, then the quarters, and so on."""
    n = len(rows)
    half = n // 2
    while half:
        pick = ir.VectorType(ir.IntType(32), n)
        high = [i & ~half if i & half == 0 else (i & ~half) + n for i in range(n)]
        low = [i | half if i & half == 0 else (i | half) + n for i in range(n)]
        new = list(rows)
        for i in range(n):
            if not i & half:
                a, b = rows[i], rows[i | half]
                new[i] = builder.shuffle_vector(a, b, ir.Constant(pick, high))
                new[i | half] = builder.shuffle_vector(a, b, ir.Constant(pick, low))
        rows, half = new, half // 2
    return rows


__all__ = [
    "BYTES",
    "Lanes",
    "choose",
    "fma",
    "load",
    "read",
    "store",
    "total",
    "transpose",
    "width",
    "write",
    "zeros",
]
