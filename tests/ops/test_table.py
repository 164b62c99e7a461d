"""What the table of operations says, held against the functions."""

import importlib
import sys

import numpy as np
import pytest

from srcad.ir import inplace, verifier
from srcad.ops.table import UNKNOWN, Row, row_of, rows, state
from srcad.rules.core import operator_facts


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


@with_field("shape_only")
def test_only_the_shape_is_read(fn):
    a, b = matrix(4, 3), matrix(4, 3) + 1.0
    rest = (2.0,) if fn is np.full_like else ()
    if fn is not np.empty_like:
        np.testing.assert_array_equal(fn(a, *rest), fn(b, *rest))


@with_field("of_shape")
def test_what_is_made_of_an_array_can_be_made_of_its_shape(fn):
    a = matrix(4, 3)
    rest = (2.0,) if fn is np.full_like else ()
    made, wanted = row_of(fn).of_shape(a.shape, *rest), fn(a, *rest)
    assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
    if fn is not np.empty_like:
        np.testing.assert_array_equal(made, wanted)


@with_field("uncleared")
def test_zeros_can_be_left_out(fn):
    given = matrix(4, 3) if row_of(fn).shape_only else (4, 3)
    zeros, made = fn(given), row_of(fn).uncleared(given)
    assert not zeros.any()
    assert (made.shape, made.dtype) == (zeros.shape, zeros.dtype)


@with_field("allocates")
def test_each_call_gives_a_buffer_of_its_own(fn):
    of_array = row_of(fn).shape_only or fn is np.copy
    args = (matrix(4, 3) if of_array else (4, 3), *([2.0] if fn in (np.full, np.full_like) else []))
    assert not np.shares_memory(fn(*args), fn(*args))


@with_field("scatters")
def test_what_scatters_adds_values_to_zeros(fn):
    values, places = matrix(3, 2), np.array([1, 0, 1])
    wanted = np.zeros((4, 2))
    np.add.at(wanted, places, values)
    np.testing.assert_array_equal(fn(values, (4, 2), places), wanted)


@with_field("commutes")
def test_operands_may_be_exchanged(fn):
    a, b = matrix(4, 3), matrix(4, 3) - 1.5
    assert fn(a, b).tobytes() == fn(b, a).tobytes()


@with_field("elementwise")
def test_entries_depend_on_entries(fn):
    n = next(n for n in (1, 2, 3) if takes(fn, n)) if fn is not np.where else 3
    several = np.arange(1, 13).reshape(3, 4), np.array([3, 1, 2, 1]), np.array([[2], [1], [3]])
    operands = several[:n]
    wide = np.broadcast_arrays(*operands)
    made = fn(*operands)
    for at in np.ndindex(made.shape):
        assert made[at] == fn(*(x[at] for x in wide))


def takes(fn, n):
    try:
        fn(*[np.ones(1, int)] * n)
    except TypeError:
        return False
    return True


def test_ufuncs_have_a_row_by_their_class():
    assert row_of(np.sin).elementwise
    for fn in (np.vecdot, np.modf, np.add.reduce, np.add.outer):
        assert row_of(fn).memory == "fresh"
        assert not row_of(fn).elementwise


@with_field("negation")
def test_of_a_comparison_and_its_negation_one_holds(fn):
    other = row_of(fn).negation
    assert row_of(other).negation is fn
    for a, b in ((1, 2), (2, 2), (2, 1)):
        assert fn(a, b) is (not other(a, b))


@with_field("at_index")
def test_what_is_done_at_an_index_is_the_same(fn):
    a, values = matrix(4, 3), matrix(2, 3)
    made = row_of(fn).at_index(a, slice(1, 3), values)
    np.testing.assert_array_equal(made[1:3], fn(a[1:3], values))
    np.testing.assert_array_equal(made[[0, 3]], a[[0, 3]])


def test_sets_of_the_layers_below_agree_with_the_table():
    """Those layers do not import the table."""
    stated = rows()
    assert {*operator_facts._COMPARISONS} == {fn for fn, row in stated.items() if row.negation}
    assert verifier._MEASURES == {fn for fn, row in stated.items() if row.shape_only}
    in_place = {row.in_place for row in stated.values()} - {None}
    assert inplace.DESTROYS == in_place | {inplace.index_iadd_at}


@pytest.mark.parametrize("fn", sorted(inplace.DESTROYS, key=name), ids=name)
def test_what_writes_in_place_gives_its_argument(fn):
    a = matrix(4, 3)
    args = (slice(1, 3), matrix(2, 3)) if name(fn).startswith("index") else (matrix(4, 3),)
    assert fn(a, *args) is a
    assert row_of(fn).memory == "unknown"


@pytest.mark.parametrize(
    "name", ["arrays", "entries", "numbers", "numpy", "python", "scipy", "syntax", "traits"]
)
def test_a_module_whose_import_was_interrupted_states_its_rows_again(name, monkeypatch):
    before = rows()
    monkeypatch.delitem(sys.modules, f"srcad.ops.{name}")
    importlib.import_module(f"srcad.ops.{name}")
    assert rows().keys() == before.keys()


def test_a_row_is_stated_once():
    with pytest.raises(AssertionError, match="have a row"):
        state(Row(), np.matmul)
