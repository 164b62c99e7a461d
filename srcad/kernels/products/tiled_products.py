"""Products of matrices by loops over tiles (`srcad.kernels.products.tiles`), in one thread.

    for k in range(0, depth, TERMS_AT_ONCE):             so many rows of y stay in the cache
        for j in range(0, n, columns of the widest tile):
            copy y's part, if it lies transposed or many rows of x meet it
            for i in range(0, m, rows of the tile):
                out[i, j] = x[i, k:] @ y[k:, j]          += from the second time on

They are for processors with AVX-512 where OpenBLAS takes its kernels for AVX2, as that of NumPy's
packages does on AMD's Zen 5. There their time is this part of one thread's of OpenBLAS (matrices of
n rows and columns), with its kernels for either:

                             n = 16     32     64    128    256    512
    float32   AVX2             0.67   0.44   0.45   0.46   0.50   0.52
              AVX-512          1.4    1.1    1.0    0.8    0.95   1.0
    float64   AVX2             0.45   0.38   0.42   0.45   0.47   0.51
              AVX-512          1.4    1.1    1.0    0.7    0.8    0.9

Of the time of two threads with kernels for AVX2 it is 0.45 up to n = 64, 0.8 for 128, and 0.9 or
more from 160 on: products of more terms are BLAS's, the fewer the more threads there are. So are
results of less than half a register's columns (1.2 to 1.4). Which factors lie transposed makes no
difference.
"""

from __future__ import annotations

from numba import config

from srcad.kernels.numba_adapter import cgutils, ir
from srcad.kernels.products.blas import openblas_core
from srcad.kernels.products.registers import (
    FLAG,
    LONG,
    Registers,
    has_wide_registers,
    lanes_of,
    moved,
    number_of,
    own_function,
    smaller_of,
    transposed,
)
from srcad.kernels.products.tiles import FEW_ROWS, MOST_VECTORS, ROWS, Tile

TERMS_AT_ONCE = 128  # 32 KiB of the columns of the widest tile
# Rows of x that are worth a copy of y's part: where rows of y are a power of two apart, few of them
# are in the cache at a time.
MANY_ROWS = 5 * ROWS[MOST_VECTORS]
LARGEST_EXTENT = 2**20  # what three of are a number of 64 bits


def has_kernels_for_avx2() -> bool:
    """Whether OpenBLAS multiplies with half of such registers at most."""
    return openblas_core() in ("Haswell", "Zen")


def most_terms() -> int:
    """How many products of numbers tiles are faster for than BLAS and its threads."""
    if not has_wide_registers() or not has_kernels_for_avx2():
        return 0
    threads: int = config.NUMBA_DEFAULT_NUM_THREADS
    return max(2**24 // threads, 2**18)


MOST_TERMS = most_terms()


def are_tiled(
    builder: ir.IRBuilder, bits: int, m: ir.Value, n: ir.Value, k: ir.Value
) -> ir.Value | None:
    """Whether a product is one for tiles; None if none is."""
    if not MOST_TERMS:
        return None
    fits = builder.icmp_unsigned("<", builder.or_(builder.or_(m, n), k), LONG(LARGEST_EXTENT))
    terms = builder.mul(builder.mul(m, n), k)
    fits = builder.and_(fits, builder.icmp_unsigned("<=", terms, LONG(MOST_TERMS)))
    is_wide = builder.icmp_unsigned(">", n, LONG(lanes_of(bits) // 2))
    return builder.and_(fits, is_wide)


class TiledProduct:
    """The function of products by tiles of a module while it is written.

    Its parameters: the extents m, n, k; the result, how far its rows are apart; `x`, its rows, its
    columns; `y`, its rows, its columns; whether to add to what is there.
    """

    def __init__(self, module: ir.Module, bits: int) -> None:
        number = number_of(bits)
        pointer = number.as_pointer()
        kinds = [LONG] * 3 + [pointer, LONG] + [pointer, LONG, LONG] * 2 + [FLAG]
        self.whole = Tile(module, bits, ROWS[MOST_VECTORS], MOST_VECTORS, False).write()
        self.part = {n: Tile(module, bits, ROWS[n], n, True).write() for n in ROWS}
        self.transposed = transposed_panel(module, bits)
        self.copied = copied_panel(module, bits)
        self.few = Tile(module, bits, FEW_ROWS, MOST_VECTORS, True).write()
        self.lanes = lanes_of(bits)
        self.width = self.lanes * MOST_VECTORS
        self.fn = own_function(module, kinds, f"srcad_tiled_product_{bits}")
        self.builder = builder = ir.IRBuilder(self.fn.append_basic_block())
        panel = builder.alloca(ir.ArrayType(number, TERMS_AT_ONCE * self.width))
        panel.align = 64
        self.panel = builder.bitcast(panel, pointer)

    def write(self) -> ir.Function:
        """The function, written."""
        builder = self.builder
        _, n, depth = self.fn.args[:3]
        # One block of no terms too: it writes zeros.
        stop = builder.select(builder.icmp_signed("<", depth, LONG(1)), LONG(1), depth)
        with cgutils.for_range_slice(builder, LONG(0), stop, LONG(TERMS_AT_ONCE)) as (k, _):
            terms = smaller_of(builder, builder.sub(depth, k), LONG(TERMS_AT_ONCE))
            with cgutils.for_range_slice(builder, LONG(0), n, LONG(self.width)) as (j, _):
                self.columns(k, terms, j)
        builder.ret_void()
        return self.fn

    def columns(self, k: ir.Value, terms: ir.Value, j: ir.Value) -> None:
        """Some terms of as many columns as the widest tile has."""
        builder = self.builder
        m, n, _, out, out_row, x, x_row, x_column, y, y_row, y_column, more = self.fn.args
        count = smaller_of(builder, builder.sub(n, j), LONG(self.width))
        y = moved(builder, y, (k, y_row), (j, y_column))
        y, y_row = self.by_rows(y, terms, count)
        x, out = moved(builder, x, (k, x_column)), moved(builder, out, (j, LONG(1)))
        more = builder.or_(more, builder.icmp_signed(">", k, LONG(0)))
        tile, step = self.tile_for(count)
        with cgutils.for_range_slice(builder, LONG(0), m, step) as (i, _):
            last = builder.sub(builder.sub(m, i), LONG(1))
            are_few = builder.icmp_signed("<", last, LONG(FEW_ROWS))
            here = builder.select(are_few, self.few, tile)
            rows = moved(builder, out, (i, out_row)), out_row, moved(builder, x, (i, x_row)), x_row
            builder.call(here, [*rows, x_column, y, y_row, terms, last, count, more])

    def tile_for(self, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The tile for so many columns, and its rows."""
        builder = self.builder
        tile, step = self.whole, LONG(ROWS[MOST_VECTORS])
        for vectors, part in self.part.items():
            fits = builder.icmp_signed("<=", count, LONG(vectors * self.lanes))
            if vectors == MOST_VECTORS:
                fits = builder.icmp_signed("<", count, LONG(self.width))
            tile = builder.select(fits, part, tile)
            step = builder.select(fits, LONG(ROWS[vectors]), step)
        return tile, step

    def by_rows(self, y: ir.Value, terms: ir.Value, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """A part of `y` whose columns lie side by side, and how far its rows are apart."""
        builder = self.builder
        m, (y_row, y_column) = self.fn.args[0], self.fn.args[9:11]
        is_transposed = builder.icmp_signed("!=", y_column, LONG(1))
        is_copied = builder.or_(is_transposed, builder.icmp_signed(">=", m, LONG(MANY_ROWS)))
        with builder.if_then(is_copied):
            copy = builder.select(is_transposed, self.transposed, self.copied)
            distance = builder.select(is_transposed, y_column, y_row)
            builder.call(copy, [self.panel, y, distance, terms, count])
        return (
            builder.select(is_copied, self.panel, y),
            builder.select(is_copied, LONG(self.width), y_row),
        )


def transposed_panel(module: ir.Module, bits: int) -> ir.Function:
    """The function that copies columns to the rows of a panel, as wide as the widest tile.

    Its parameters: the panel; the columns, and how far they are apart; how many terms each has,
    how many they are. The panel has room for more of both, and gets something there.
    """
    pointer, lanes = number_of(bits).as_pointer(), lanes_of(bits)
    kinds = [pointer, pointer, LONG, LONG, LONG]
    fn = own_function(module, kinds, f"srcad_transposed_panel_{bits}")
    panel, y, y_column, terms, count = fn.args
    builder = ir.IRBuilder(fn.append_basic_block())
    registers, zero, step = Registers(builder, bits), LONG(0), LONG(lanes)
    last = builder.sub(count, LONG(1))
    with cgutils.for_range_slice(builder, zero, count, step) as (j, _):
        numbers = [smaller_of(builder, builder.add(j, LONG(i)), last) for i in range(lanes)]
        columns = [moved(builder, y, (number, y_column)) for number in numbers]
        with cgutils.for_range_slice(builder, zero, terms, step) as (k, _):
            mask = registers.mask(0, builder.sub(terms, k))
            square = [registers.load(builder.gep(column, [k]), mask) for column in columns]
            for i, row in enumerate(transposed(builder, square)):
                at = builder.mul(builder.add(k, LONG(i)), LONG(lanes * MOST_VECTORS))
                registers.store(row, builder.gep(panel, [builder.add(at, j)]))
    builder.ret_void()
    return fn


def copied_panel(module: ir.Module, bits: int) -> ir.Function:
    """The function that copies rows to those of a panel, as wide as the widest tile.

    Its parameters: the panel; the rows, and how far they are apart; how many there are, how many
    columns they have. The panel has room for more of these, and gets something there.
    """
    pointer, lanes = number_of(bits).as_pointer(), lanes_of(bits)
    kinds = [pointer, pointer, LONG, LONG, LONG]
    fn = own_function(module, kinds, f"srcad_copied_panel_{bits}")
    panel, y, y_row, terms, count = fn.args
    builder = ir.IRBuilder(fn.append_basic_block())
    registers, zero = Registers(builder, bits), LONG(0)
    firsts = range(0, lanes * MOST_VECTORS, lanes)
    masks = [registers.mask(first, count) for first in firsts]
    with cgutils.for_range_slice(builder, zero, terms, LONG(1)) as (k, _):
        row = moved(builder, y, (k, y_row))
        copy = moved(builder, panel, (k, LONG(lanes * MOST_VECTORS)))
        for first, mask in zip(firsts, masks, strict=True):
            found = registers.load(builder.gep(row, [LONG(first)]), mask)
            registers.store(found, builder.gep(copy, [LONG(first)]))
    builder.ret_void()
    return fn


def tiled_product(module: ir.Module, bits: int) -> ir.Function:
    """The function of products by tiles in a module."""
    known = module.globals.get(f"srcad_tiled_product_{bits}")
    return known or TiledProduct(module, bits).write()
