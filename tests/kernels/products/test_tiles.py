import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from srcad.kernels.products.registers import FLAG, LONG, lanes_of
from srcad.kernels.products.tiles import Tile

DTYPES = (np.float32, np.float64)


def product_of(rows, vectors, is_masked):
    """Compiled `(out, x, y, last, columns, more)`: one tile at the beginning of `out`."""

    @intrinsic
    def tile(typingctx, out, x, y, last, columns, more):
        def generate(context, builder, signature, values):
            bits = out.dtype.bitwidth
            made = [context.make_array(out)(context, builder, value) for value in values[:3]]
            shapes = [cgutils.unpack_tuple(builder, array.shape) for array in made]
            fn = Tile(builder.module, bits, rows, vectors, is_masked).write()
            data, leads = [array.data for array in made], [shape[1] for shape in shapes]
            add = builder.trunc(values[5], FLAG)
            args = [data[0], leads[0], data[1], leads[1], LONG(1), data[2], leads[2]]
            builder.call(fn, [*args, shapes[2][0], values[3], values[4], add])
            return context.get_dummy_value()

        return types.void(out, x, y, types.int64, types.int64, types.boolean), generate

    return numba.njit(lambda out, x, y, last, columns, more: tile(out, x, y, last, columns, more))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("rows", "vectors"), [(2, 4), (6, 4), (12, 1)])
def test_what_there_is_of_a_tile_is_written(rows, vectors, dtype):
    """Rows and columns behind the last stay what they are."""
    lanes = lanes_of(np.dtype(dtype).itemsize * 8)
    width = vectors * lanes
    rng = np.random.default_rng(0)
    masked = product_of(rows, vectors, True)
    for last in {0, 1, rows - 1}:
        for columns in {1, lanes - 1, lanes, width - lanes + 1, width}:
            x = rng.normal(size=(last + 1, 9)).astype(dtype)
            y = rng.normal(size=(9, columns)).astype(dtype)
            out = np.full((rows + 1, width + 3), 7, dtype)
            wanted = out.copy()
            wanted[: last + 1, :columns] = x @ y
            masked(out, x, y, last, columns, False)
            np.testing.assert_allclose(out, wanted, rtol=0, atol=50 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_whole_tile_needs_no_mask(dtype):
    width = 4 * lanes_of(np.dtype(dtype).itemsize * 8)
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(6, 5)).astype(dtype), rng.normal(size=(5, width)).astype(dtype)
    found, wanted = np.full((2, 6, width), np.nan, dtype)
    product_of(6, 4, False)(found, x, y, 5, width, False)
    product_of(6, 4, True)(wanted, x, y, 5, width, False)
    np.testing.assert_array_equal(found, wanted)
    np.testing.assert_allclose(found, x @ y, rtol=0, atol=50 * np.finfo(dtype).eps)


def test_a_tile_can_be_added_and_have_no_terms():
    add = product_of(6, 4, True)
    out, x, y = np.full((3, 5), 2.0), np.ones((3, 4)), np.ones((4, 5))
    add(out, x, y, 2, 5, True)
    assert (out == 6.0).all()
    add(out, np.empty((3, 0)), np.empty((0, 5)), 2, 5, True)
    assert (out == 6.0).all()
    add(out, np.empty((3, 0)), np.empty((0, 5)), 2, 5, False)
    assert (out == 0.0).all()
