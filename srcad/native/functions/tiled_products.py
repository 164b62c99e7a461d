"""Products of matrices by loops over tiles (`srcad.native.functions.tiles`), in one thread.

    for k in range(0, depth, TERMS_AT_ONCE):             so many rows of y stay in the cache
        for j in range(0, n, columns of the widest tile):
            copy y's part if it lies turned
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
results of less than half a register's columns (1.2 to 1.4), and a turned `y` for few rows (1.5).
"""

from __future__ import annotations

from llvmlite import ir
from numba import config
from numba.core import cgutils

from srcad.native.blas import openblas_core
from srcad.native.functions.tiles import (
    FEW_ROWS,
    FLAG,
    MOST_VECTORS,
    ROWS,
    Tile,
    has_wide_registers,
    lanes_of,
    own_function,
    smaller_of,
)
from srcad.native.functions.waiting import WORD

TERMS_AT_ONCE = 128  # 32 KiB of the columns of the widest tile
LARGEST_EXTENT = 2**20  # what three of are a number of 64 bits
ROWS_TO_TURN_FOR = 32  # less do not pay for a copy


def most_terms() -> int:
    """How many products of numbers tiles are faster for than BLAS and its threads."""
    if not has_wide_registers() or openblas_core() not in ("Haswell", "Zen"):
        return 0
    threads: int = config.NUMBA_DEFAULT_NUM_THREADS
    return max(2**24 // threads, 2**18)


MOST_TERMS = most_terms()


def are_tiled(
    builder: ir.IRBuilder, bits: int, m: ir.Value, n: ir.Value, k: ir.Value, y_turned: ir.Value
) -> ir.Value | None:
    """Whether a product is one for tiles; None if none is."""
    if not MOST_TERMS:
        return None
    fits = builder.icmp_unsigned("<", builder.or_(builder.or_(m, n), k), WORD(LARGEST_EXTENT))
    terms = builder.mul(builder.mul(m, n), k)
    fits = builder.and_(fits, builder.icmp_unsigned("<=", terms, WORD(MOST_TERMS)))
    is_wide = builder.icmp_unsigned(">", n, WORD(lanes_of(bits) // 2))
    pays = builder.icmp_unsigned(">=", m, WORD(ROWS_TO_TURN_FOR))
    is_copied = builder.or_(builder.not_(y_turned), pays)
    return builder.and_(fits, builder.and_(is_wide, is_copied))


class TiledProduct:
    """The function of products by tiles of a module while it is written.

    Its parameters: the extents m, n, k; the result, how far its rows are apart; `x`, its rows, its
    columns; `y`, its rows, its columns; whether to add to what is there.
    """

    def __init__(self, module: ir.Module, bits: int) -> None:
        self.number = ir.FloatType() if bits == 32 else ir.DoubleType()
        pointer = self.number.as_pointer()
        kinds = [WORD] * 3 + [pointer, WORD] + [pointer, WORD, WORD] * 2 + [FLAG]
        self.whole = Tile(module, bits, ROWS[MOST_VECTORS], MOST_VECTORS, False).write()
        self.part = {n: Tile(module, bits, ROWS[n], n, True).write() for n in ROWS}
        self.few = Tile(module, bits, FEW_ROWS, MOST_VECTORS, True).write()
        self.lanes = lanes_of(bits)
        self.width = self.lanes * MOST_VECTORS
        self.fn = own_function(module, kinds, f"srcad_tiled_product_{bits}")
        self.builder = builder = ir.IRBuilder(self.fn.append_basic_block())
        panel = builder.alloca(ir.ArrayType(self.number, TERMS_AT_ONCE * self.width))
        panel.align = 64
        self.panel = builder.bitcast(panel, pointer)

    def write(self) -> ir.Function:
        """The function, written."""
        builder = self.builder
        _, n, depth = self.fn.args[:3]
        # One block of no terms too: it writes zeros.
        stop = builder.select(builder.icmp_signed("<", depth, WORD(1)), WORD(1), depth)
        with cgutils.for_range_slice(builder, WORD(0), stop, WORD(TERMS_AT_ONCE)) as (k, _):
            terms = smaller_of(builder, builder.sub(depth, k), WORD(TERMS_AT_ONCE))
            with cgutils.for_range_slice(builder, WORD(0), n, WORD(self.width)) as (j, _):
                self.columns(k, terms, j)
        builder.ret_void()
        return self.fn

    def columns(self, k: ir.Value, terms: ir.Value, j: ir.Value) -> None:
        """Some terms of as many columns as the widest tile has."""
        builder = self.builder
        m, n, _, out, out_row, x, x_row, x_column, y, y_row, y_column, more = self.fn.args
        count = smaller_of(builder, builder.sub(n, j), WORD(self.width))
        y = self.moved(y, (k, y_row), (j, y_column))
        y, y_row = self.by_rows(y, terms, count)
        x, out = self.moved(x, (k, x_column)), self.moved(out, (j, WORD(1)))
        more = builder.or_(more, builder.icmp_signed(">", k, WORD(0)))
        tile, step = self.tile_for(count)
        with cgutils.for_range_slice(builder, WORD(0), m, step) as (i, _):
            last = builder.sub(builder.sub(m, i), WORD(1))
            are_few = builder.icmp_signed("<", last, WORD(FEW_ROWS))
            here = builder.select(are_few, self.few, tile)
            rows = self.moved(out, (i, out_row)), out_row, self.moved(x, (i, x_row)), x_row
            builder.call(here, [*rows, x_column, y, y_row, terms, last, count, more])

    def tile_for(self, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """The tile for so many columns, and its rows."""
        builder = self.builder
        tile, step = self.whole, WORD(ROWS[MOST_VECTORS])
        for vectors, part in self.part.items():
            fits = builder.icmp_signed("<=", count, WORD(vectors * self.lanes))
            if vectors == MOST_VECTORS:
                fits = builder.icmp_signed("<", count, WORD(self.width))
            tile = builder.select(fits, part, tile)
            step = builder.select(fits, WORD(ROWS[vectors]), step)
        return tile, step

    def by_rows(self, y: ir.Value, terms: ir.Value, count: ir.Value) -> tuple[ir.Value, ir.Value]:
        """A part of `y` whose columns lie side by side, and how far its rows are apart."""
        builder = self.builder
        y_row, y_column = self.fn.args[9:11]
        is_turned = builder.icmp_signed("!=", y_column, WORD(1))
        with (
            builder.if_then(is_turned),
            cgutils.for_range_slice(builder, WORD(0), terms, WORD(1)) as (k, _),
            cgutils.for_range_slice(builder, WORD(0), count, WORD(1)) as (j, _),
        ):
            number = builder.load(self.moved(y, (k, y_row), (j, y_column)))
            to = self.moved(self.panel, (k, WORD(self.width)), (j, WORD(1)))
            builder.store(number, to)
        return (
            builder.select(is_turned, self.panel, y),
            builder.select(is_turned, WORD(self.width), y_row),
        )

    def moved(self, start: ir.Value, *steps: tuple[ir.Value, ir.Value]) -> ir.Value:
        """So many steps on, of so many entries each."""
        for count, size in steps:
            start = self.builder.gep(start, [self.builder.mul(count, size)])
        return start


def tiled_product(module: ir.Module, bits: int) -> ir.Function:
    """The function of products by tiles in a module."""
    known = module.globals.get(f"srcad_tiled_product_{bits}")
    return known or TiledProduct(module, bits).write()
