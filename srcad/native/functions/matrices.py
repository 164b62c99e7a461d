"""Products of matrices in compiled code, without NumPy in between: by the BLAS that NumPy calls, or
by loops over tiles where they are faster (`srcad.kernels.products.tiles`).

    matmul_into(out, x, (i, 0, 0), False, w, (0, 0), True, k)       out[...] = x[i] @ w.T
    matmul_rows(4, 8, out, x, (i, 0, 0), False, w, (0, 0), True, k)         out[4:8] alone

A factor is told by the memory that it is a part of, where in it the part begins, and whether it is
transposed; `k` is the extent that goes. All arrays lie in C's order, so that axes before the last
are rows of one matrix. `out` is overwritten; it shares no memory with the factors.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from srcad.kernels.numba_adapter import cgutils, ir, raise_new
from srcad.kernels.products.gemm import GEMM, at_least_one, call_gemm
from srcad.kernels.products.registers import FLAG, number_of, own_function
from srcad.kernels.products.tiled_products import are_tiled, tiled_product
from srcad.native.functions.waiting import WORD

__all__ = ["matmul_into", "matmul_rows"]


@intrinsic
def matmul_into(
    typingctx: Any, out: Any, x: Any, x_at: Any, x_transposed: Any, y: Any, y_at: Any,
    y_transposed: Any, k: Any,
) -> Any:  # fmt: skip
    """`out[...] = x[x_at:] @ y[y_at:]`, with factors transposed where it is said so."""
    kinds = (out, x, x_at, x_transposed, y, y_at, y_transposed, k)
    if not are_multiplied(out, x, y):
        return None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        write_product(context, builder, kinds, values)
        return context.get_dummy_value()

    return types.void(*kinds), generate


@intrinsic
def matmul_rows(
    typingctx: Any, first: Any, last: Any, out: Any, x: Any, x_at: Any, x_transposed: Any, y: Any,
    y_at: Any, y_transposed: Any, k: Any,
) -> Any:  # fmt: skip
    """The rows from `first` to `last` of what `matmul_into` writes, axes before the last as one."""
    kinds = (out, x, x_at, x_transposed, y, y_at, y_transposed, k)
    if not are_multiplied(out, x, y):
        return None

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        rows = [
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(values[:2], (first, last), strict=True)
        ]
        write_product(context, builder, kinds, values[2:], rows)
        return context.get_dummy_value()

    return types.void(first, last, *kinds), generate


def are_multiplied(*arrays: Any) -> bool:
    """Whether these are arrays in C's order, of one dtype that BLAS has."""
    if not all(isinstance(t, types.Array) and t.layout == "C" for t in arrays):
        return False
    dtypes = {t.dtype for t in arrays}
    return len(dtypes) == 1 and getattr(dtypes.pop(), "bitwidth", 0) in GEMM


def write_product(context: Any, builder: Any, kinds: Any, values: Any, rows: Any = None) -> None:
    """The product, or some of its rows."""
    out, x, x_at, x_transposed, y, y_at, y_transposed, k = kinds
    width = out.dtype.bitwidth
    target = context.make_array(out)(context, builder, values[0])
    sizes = cgutils.unpack_tuple(builder, target.shape, out.ndim)
    m, n, inner = sizes[0], sizes[-1], context.cast(builder, values[7], k, types.intp)
    for size in sizes[1:-1]:
        m = builder.mul(m, size)
    args, factors = [m, n, inner], []
    for i, t, at, transposed in ((1, x, x_at, x_transposed), (4, y, y_at, y_transposed)):
        array = context.make_array(t)(context, builder, values[i])
        start, lead = part_of(context, builder, array, t, at, values[i + 1])
        flag = context.cast(builder, values[i + 2], transposed, types.boolean)
        factors += [start, lead, cgutils.as_bool_bit(builder, flag)]
        args.append(lead)
    refuse_larger(context, builder, args, GEMM[width][1])
    data = target.data
    if rows is not None:
        first, last = rows
        m = builder.sub(last, first)
        start, lead, is_transposed = factors[:3]
        apart = builder.select(is_transposed, WORD(1), lead)
        factors[0] = builder.gep(start, [builder.mul(first, apart)])
        data = builder.gep(data, [builder.mul(first, n)])
    product = product_of_matrices(builder.module, width)
    builder.call(product, [m, n, inner, data, *factors])


def product_of_matrices(module: ir.Module, width: int) -> ir.Function:
    """A module's function of products: of m, n, k, the result, each factor, how far its rows lie
    apart, and whether it is transposed.
    """
    name = f"srcad_product_{width}"
    if name in module.globals:
        return module.globals[name]
    pointer = number_of(width).as_pointer()
    fn = own_function(module, [*[WORD] * 3, pointer, *[pointer, WORD, FLAG] * 2], name)
    builder = ir.IRBuilder(fn.append_basic_block())
    m, n, k, out, x, x_lead, x_transposed, y, y_lead, y_transposed = fn.args
    tiled = are_tiled(builder, width, m, n, k)
    if tiled is not None:
        with builder.if_then(tiled):
            steps = []
            for lead, transposed in ((x_lead, x_transposed), (y_lead, y_transposed)):
                steps.append(builder.select(transposed, WORD(1), lead))
                steps.append(builder.select(transposed, lead, WORD(1)))
            args = [m, n, k, out, n, x, *steps[:2], y, *steps[2:], FLAG(0)]
            builder.call(tiled_product(module, width), args)
            builder.ret_void()
    sizes, factors = [m, n, k, out, at_least_one(builder, n)], fn.args[4:]
    call_gemm(builder, [*sizes, *factors], *GEMM[width])
    builder.ret_void()
    return fn


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


def refuse_larger(context: Any, builder: Any, sizes: list[ir.Value], bits: int) -> None:
    """Refuse extents that BLAS has no integers for."""
    if bits == WORD.width:
        return
    for n in sizes:
        short = builder.trunc(n, ir.IntType(bits))
        with builder.if_then(builder.icmp_signed("!=", builder.sext(short, WORD), n), likely=False):
            message = "an extent that the BLAS has no integers for"
            raise_new(context, builder, ValueError, message)
