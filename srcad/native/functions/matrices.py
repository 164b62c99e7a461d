"""Products of matrices in compiled code: the BLAS that NumPy calls, without NumPy in between.

    matmul_into(out, x, (i, 0, 0), False, w, (0, 0), True, k)       out[...] = x[i] @ w.T

A factor is told by the memory that it is a part of, where in it the part begins, and whether it is
turned; `k` is the extent that goes. All arrays lie in C's order, so that axes before the last are
rows of one matrix. `out` is overwritten; it shares no memory with the factors.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from srcad.native.blas import AS_IS, BY_ROWS, TURNED, find_gemm

__all__ = ["matmul_into"]


def known_gemm() -> dict[int, tuple[str, int]]:
    """Symbol and width of integers by the width of floats; machine code knows the symbols."""
    known = {}
    for letter, (address, bits) in find_gemm().items():
        symbol = f"srcad_{letter}gemm_{bits}"
        binding.add_symbol(symbol, address)
        known[32 if letter == "s" else 64] = (symbol, bits)
    return known


GEMM = known_gemm()


@intrinsic
def matmul_into(
    typingctx: Any, out: Any, x: Any, x_at: Any, x_turned: Any, y: Any, y_at: Any, y_turned: Any,
    k: Any,
) -> Any:  # fmt: skip
    """`out[...] = x[x_at:] @ y[y_at:]`, with factors turned where it is said so."""
    arrays = (out, x, y)
    if not all(isinstance(t, types.Array) and t.layout == "C" for t in arrays):
        return None
    if len({t.dtype for t in arrays}) != 1 or getattr(out.dtype, "bitwidth", 0) not in GEMM:
        return None
    given = types.void(out, x, x_at, x_turned, y, y_at, y_turned, k)

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        symbol, bits = GEMM[out.dtype.bitwidth]
        integer, number = ir.IntType(bits), context.get_value_type(out.dtype)
        target = context.make_array(out)(context, builder, values[0])
        sizes = cgutils.unpack_tuple(builder, target.shape, out.ndim)
        m, n, inner = sizes[0], sizes[-1], context.cast(builder, values[7], k, types.intp)
        for size in sizes[1:-1]:
            m = builder.mul(m, size)
        factors = []
        for i, t, at in ((1, x, x_at), (4, y, y_at)):
            array = context.make_array(t)(context, builder, values[i])
            start, lead = part_of(context, builder, array, t, at, values[i + 1])
            factors.append([start, of_width(context, builder, lead, bits)])
        m, n, inner = (of_width(context, builder, size, bits) for size in (m, n, inner))
        orders = [ir.Constant(ir.IntType(32), BY_ROWS)]
        for i, t in ((3, x_turned), (6, y_turned)):
            flag = context.cast(builder, values[i], t, types.boolean)
            turned, as_is = (ir.Constant(ir.IntType(32), c) for c in (TURNED, AS_IS))
            orders.append(builder.select(cgutils.as_bool_bit(builder, flag), turned, as_is))
        pointer = number.as_pointer()
        kinds = [integer] * 3 + [number, pointer, integer, pointer, integer, number]
        shape = ir.FunctionType(ir.VoidType(), [ir.IntType(32)] * 3 + kinds + [pointer, integer])
        gemm = cgutils.get_or_insert_function(builder.module, shape, symbol)
        one, zero = ir.Constant(number, 1.0), ir.Constant(number, 0.0)
        lead = at_least_one(builder, n)
        builder.call(
            gemm, [*orders, m, n, inner, one, *factors[0], *factors[1], zero, target.data, lead]
        )
        return context.get_dummy_value()

    return given, generate


def part_of(context: Any, builder: Any, array: Any, t: Any, at_type: Any, at: Any) -> Any:
    """Where a part of an array begins, and how far its rows lie apart."""
    shape = cgutils.unpack_tuple(builder, array.shape, t.ndim)
    places = cgutils.unpack_tuple(builder, at, t.ndim)
    offset = ir.Constant(shape[0].type, 0)
    for place, given, size in zip(places, at_type, shape, strict=True):
        place = context.cast(builder, place, given, types.intp)
        from_end = builder.icmp_signed("<", place, ir.Constant(place.type, 0))
        place = builder.select(from_end, builder.add(place, size), place)
        offset = builder.add(builder.mul(offset, size), place)
    return builder.gep(array.data, [offset]), at_least_one(builder, shape[-1])


def at_least_one(builder: Any, n: ir.Value) -> ir.Value:
    """The distance of rows of `n` entries; BLAS wants a positive one of empty arrays too."""
    one = ir.Constant(n.type, 1)
    return builder.select(builder.icmp_signed("<", n, one), one, n)


def of_width(context: Any, builder: Any, n: ir.Value, bits: int) -> ir.Value:
    """An integer as BLAS takes it; one that has no room is refused."""
    if bits == n.type.width:
        return n
    short = builder.trunc(n, ir.IntType(bits))
    with builder.if_then(builder.icmp_signed("!=", builder.sext(short, n.type), n), likely=False):
        message = ("an extent that the BLAS has no integers for",)
        context.call_conv.return_user_exc(builder, ValueError, message)
    return short
