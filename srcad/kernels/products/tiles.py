"""Tiles of a product of matrices: some rows and vectors of columns of the result, in registers.

    for k in range(...):                        6 rows and 4 vectors, or 12 rows and 2, and so on
        b0, b1, b2, b3 = y[k, j:]
        c00 += x[i, k] * b0;  ...;  c53 += x[i + 5, k] * b3

Each kind of tile is an LLVM function of the module that calls it. Rows that a tile has and the
matrix has not are its last row again: the same numbers are written there twice. Columns that the
matrix has not are masked. An entry is the sum of its terms in order, whatever tile it lies in.
"""

from __future__ import annotations

from typing import Any

from srcad.kernels.numba_adapter import ir
from srcad.kernels.products.registers import (
    FLAG,
    LONG,
    Registers,
    number_of,
    own_function,
    smaller_of,
)

# Rows of tiles by their vectors: up to 24 sums in 32 registers.
ROWS = {4: 6, 3: 8, 2: 12, 1: 12}
MOST_VECTORS = max(ROWS)
FEW_ROWS = 2


class Tile:
    """The function of one kind of tile while it is written.

    Its parameters: the tile in the result, how far rows are apart there; `x`, its rows, its
    columns; `y` and its rows; the number of terms; the last row and the number of columns that
    there are; whether to add to what is there.
    """

    def __init__(self, module: ir.Module, bits: int, rows: int, vectors: int, masked: bool) -> None:
        pointer = number_of(bits).as_pointer()
        kinds = [pointer, LONG, pointer, LONG, LONG, pointer, LONG, LONG, LONG, LONG, FLAG]
        name = f"srcad_tile_{bits}_{rows}_{vectors}" + ("_masked" if masked else "")
        self.fn = own_function(module, kinds, name)
        self.builder = ir.IRBuilder(self.fn.append_basic_block())
        self.registers = Registers(self.builder, bits)
        self.vector = self.registers.vector
        self.places = [(i, j) for i in range(rows) for j in range(vectors)]
        self.rows, self.vectors = rows, vectors
        self.masks: list[Any] = [None] * vectors
        if masked:
            firsts = range(0, vectors * self.registers.lanes, self.registers.lanes)
            self.masks = [self.registers.mask(first, self.fn.args[9]) for first in firsts]

    def write(self) -> ir.Function:
        """The function, written."""
        sums = self.added(self.summed())
        targets = self.targets
        for (i, j), total in zip(self.places, sums, strict=True):
            self.registers.store(total, self.place(targets[i], j), self.masks[j])
        self.builder.ret_void()
        return self.fn

    def summed(self) -> list[ir.Value]:
        """The loop over the terms; zeros if there are none."""
        builder, fn = self.builder, self.fn
        out, out_row, x, x_row, x_column, y, y_row, count, last, _, _ = fn.args
        rows = [smaller_of(builder, LONG(i), last) for i in range(self.rows)]
        self.targets = [builder.gep(out, [builder.mul(row, out_row)]) for row in rows]
        offsets = [builder.mul(row, x_row) for row in rows]
        before, turn, done = builder.block, fn.append_basic_block(), fn.append_basic_block()
        builder.cbranch(builder.icmp_signed(">", count, LONG(0)), turn, done)
        builder.position_at_end(turn)
        at, x_here, y_here = (builder.phi(kind) for kind in (LONG, x.type, y.type))
        totals = [builder.phi(self.vector) for _ in self.places]
        columns = [self.load(y_here, j) for j in range(self.vectors)]
        factors = [
            self.registers.spread(builder.load(builder.gep(x_here, [offset]))) for offset in offsets
        ]
        sums = [
            self.plus(total, builder.fmul(factors[i], columns[j], flags=("contract",)))
            for (i, j), total in zip(self.places, totals, strict=True)
        ]
        following = [builder.add(at, LONG(1))]
        following += [builder.gep(x_here, [x_column]), builder.gep(y_here, [y_row])]
        zeros = [ir.Constant(self.vector, None) for _ in self.places]
        met([at, x_here, y_here, *totals], before, [LONG(0), x, y, *zeros], turn, following + sums)
        builder.cbranch(builder.icmp_signed("<", following[0], count), turn, done)
        builder.position_at_end(done)
        found = [builder.phi(self.vector) for _ in self.places]
        met(found, before, zeros, turn, sums)
        return found

    def added(self, sums: list[ir.Value]) -> list[ir.Value]:
        """The sums, and what is there if they are to be added to it."""
        builder, before = self.builder, self.builder.block
        more, done = self.fn.append_basic_block(), self.fn.append_basic_block()
        builder.cbranch(self.fn.args[-1], more, done)
        builder.position_at_end(more)
        known = [self.load(self.targets[i], j) for i, j in self.places]
        totals = [self.plus(a, b) for a, b in zip(known, sums, strict=True)]
        builder.branch(done)
        builder.position_at_end(done)
        found = [builder.phi(self.vector) for _ in self.places]
        met(found, before, sums, more, totals)
        return found

    def plus(self, a: ir.Value, b: ir.Value) -> ir.Value:
        """A sum, which may be one instruction with the product that it adds."""
        return self.builder.fadd(a, b, flags=("contract",))

    def load(self, start: ir.Value, j: int) -> ir.Value:
        """Vector `j` of a row."""
        return self.registers.load(self.place(start, j), self.masks[j])

    def place(self, start: ir.Value, j: int) -> ir.Value:
        """Where vector `j` of a row lies."""
        return self.builder.gep(start, [LONG(j * self.registers.lanes)])


def met(
    phis: list[Any], block: ir.Block, values: list[Any], other: ir.Block, others: list[Any]
) -> None:
    """Tell what values have that are known by the way the program came."""
    for phi, value, another in zip(phis, values, others, strict=True):
        phi.add_incoming(value, block)
        phi.add_incoming(another, other)
