"""A product of matrices by the BLAS that NumPy calls, in compiled code. Needs Numba.

    arguments = [m, n, k, out, lead, x, x_lead, x_transposed, y, y_lead, y_transposed]
    call_gemm(builder, arguments, *GEMM[32])

`m`, `n` and `k` are extents of the product. Each array is told by its address and by how far its
rows lie apart, one entry or more (`at_least_one`), a factor also by whether it is transposed.
"""

from __future__ import annotations

from typing import Any

from srcad.kernels.numba_adapter import binding, cgutils, ir, pointee
from srcad.kernels.products.blas import AS_IS, BY_ROWS, TRANSPOSED, find_gemm
from srcad.kernels.products.registers import LONG, SHORT


def known_gemm() -> dict[int, tuple[str, int]]:
    """Symbol and width of integers by the width of floats; machine code knows the symbols."""
    known = {}
    for letter, (address, bits) in find_gemm().items():
        symbol = f"srcad_{letter}gemm_{bits}"
        binding.add_symbol(symbol, address)
        known[32 if letter == "s" else 64] = (symbol, bits)
    return known


GEMM = known_gemm()


def call_gemm(builder: ir.IRBuilder, args: Any, symbol: str, bits: int) -> None:
    """A product by BLAS."""
    m, n, k, out, lead, x, x_lead, x_transposed, y, y_lead, y_transposed = args
    integer, number = ir.IntType(bits), pointee(out.type)
    orders = [SHORT(BY_ROWS)]
    for transposed in (x_transposed, y_transposed):
        orders.append(builder.select(transposed, SHORT(TRANSPOSED), SHORT(AS_IS)))
    sizes = (m, n, k, x_lead, y_lead, lead)
    if bits < LONG.width:
        sizes = tuple(builder.trunc(size, integer) for size in sizes)
    m, n, k, x_lead, y_lead, lead = sizes
    one, zero = ir.Constant(number, 1.0), ir.Constant(number, 0.0)
    given = [*orders, m, n, k, one, x, x_lead, y, y_lead, zero, out, lead]
    shape = ir.FunctionType(ir.VoidType(), [value.type for value in given])
    builder.call(cgutils.get_or_insert_function(builder.module, shape, symbol), given)


def at_least_one(builder: Any, n: ir.Value) -> ir.Value:
    """The distance of rows of `n` entries; BLAS wants a positive one of empty arrays too."""
    one = ir.Constant(n.type, 1)
    return builder.select(builder.icmp_signed("<", n, one), one, n)


__all__ = ["GEMM", "at_least_one", "call_gemm"]
