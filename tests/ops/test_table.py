"""What the table of operations says, held against the functions."""

import numpy as np
import pytest

from srcad.ops.table import UNKNOWN, row_of, rows


def name(fn):
    return getattr(fn, "__name__", str(fn))


def with_field(field):
    return pytest.mark.parametrize(
        "fn", [fn for fn, row in rows().items() if getattr(row, field)], ids=name
    )


def matrix(*shape):
    return np.random.default_rng(sum(shape)).uniform(1.0, 2.0, shape)


@with_field("product")
def test_products_are_of_matrices(fn):
    a, b = matrix(2, 3), matrix(3, 4)
    np.testing.assert_array_equal(fn(a, b), a @ b)


@with_field("store")
def test_a_store_writes_the_index_of_a_copy(fn):
    a, values = matrix(4, 3), matrix(2, 3)
    before = a.copy()
    made = fn(a, slice(1, 3), values)
    np.testing.assert_array_equal(a, before)
    assert not np.shares_memory(made, a)
    np.testing.assert_array_equal(made[[0, 3]], a[[0, 3]])
    assert (made[1:3] != a[1:3]).all()


@with_field("in_place")
def test_what_is_done_in_place_gives_the_same(fn):
    a = matrix(4, 3)
    args = (slice(1, 3), matrix(2, 3)) if row_of(fn).store else (matrix(4, 3),)
    wanted = fn(a, *args)
    assert row_of(fn).in_place(a, *args) is a
    np.testing.assert_array_equal(a, wanted)


def test_nothing_is_known_of_what_has_no_hash():
    assert row_of(np.polynomial.Polynomial([1.0])) is UNKNOWN
