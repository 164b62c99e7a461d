import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir import ArrayType, Dim, NumberType, TupleType
from srcad.rules import RULES
from srcad.rules.arrays.index_facts import getitem_type
from srcad.rules.core.facts import type_of_constant
from tests.rules.staging import Stage, vjp_text

N, M = Dim("n", never_one=True), Dim("m", never_one=True)
F8, I8 = np.dtype(float), np.dtype(np.intp)
X = ArrayType(F8, (N, M))
ROWS = ArrayType(I8, (Dim("r"),))


@pytest.mark.parametrize(
    ("index", "shape"),
    [
        (slice(1, -1), "n-2, m"),
        (slice(2, None), "n-2, m"),
        (slice(None, -2), "n-2, m"),
        (slice(None, None, -1), "n, m"),
        (slice(None, 3), "n[:3:1], m"),
        (0, "m"),
        (NumberType(int), "m"),
        ((slice(None), None), "n, 1, m"),
        ((Ellipsis, 0), "n"),
        (ROWS, "r, m"),
        ((slice(None), ROWS), "n, r"),
        ((ROWS, ROWS), "r"),
        ((ROWS, None, 0), "r, 1"),
        (slice(None, NumberType(int, N)), "n, m"),
        (slice(None, NumberType(int, N.shortened(1))), "n-1, m"),
    ],
)
def test_extents_after_indexing(index, shape):
    assert str(getitem_type(X, index)) == f"f64[{shape}]"


def test_opposite_slices_have_the_same_extent():
    assert getitem_type(X, slice(2, None)) == getitem_type(X, slice(None, -2))
    assert getitem_type(X, slice(None, 3)) == getitem_type(X, slice(None, 3))


def test_a_mask_gives_a_new_extent_each_time():
    mask = ArrayType(np.dtype(bool), (N, M))
    first, second = getitem_type(X, mask), getitem_type(X, mask)
    assert len(first.shape) == 1
    assert first != second


def test_an_item_of_a_shape_is_that_extent():
    shape = TupleType((NumberType(int, N), NumberType(int, 1)))
    assert getitem_type(shape, 0) == NumberType(int, N)
    assert getitem_type(shape, slice(1, None)) == TupleType((NumberType(int, 1),))


def test_unknown_rank_stays_unknown():
    assert getitem_type(ArrayType(F8, None), 0) == ArrayType(F8, None)


@pytest.mark.parametrize(
    ("t", "index", "code"),
    [
        (X, (0, 0, 0), "E405"),
        (X, ArrayType(I8, None), "E123"),
        (TupleType((NumberType(int),)), 1, "E405"),
    ],
)
def test_refused_indices(t, index, code):
    with pytest.raises(SrcadError) as refusal:
        getitem_type(t, index)
    assert refusal.value.code == code


PARTS = st.one_of(
    st.integers(-2, 1),
    st.slices(3),
    st.sampled_from([None, Ellipsis, [0, 1], np.int64(1)]),
    st.sampled_from([np.array([[0, 1, 0]]), np.array([0, 1, 1]), np.array(1)]),
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from([2, 3, 4]), max_size=4), st.lists(PARTS, max_size=4), st.booleans())
def test_types_are_those_of_numpy(extents, parts, alone):
    x = np.zeros(extents)
    index = parts[0] if alone and len(parts) == 1 else tuple(parts)
    try:
        y = x[index]
    except IndexError:
        return
    typed = tuple(type_of_constant(p) if isinstance(p, np.ndarray) else p for p in parts)
    t = getitem_type(type_of_constant(x), typed)
    assert t == ArrayType(y.dtype, y.shape, scalar=isinstance(y, np.generic))


def dense_jacobian(f, x):
    """Column by column; exact for a linear function."""
    columns = [f(e.reshape(x.shape)) for e in np.eye(x.size)]
    return np.stack([np.ravel(c) for c in columns], axis=1)


@pytest.mark.parametrize(
    "index",
    [
        np.array([0, 0, 1]),
        (np.array([0, 0]), np.array([1, 1])),
        (slice(None), [2, 2, 2]),
        (np.array([[0], [0]]), slice(1, None)),
        np.array([[True, False, True], [False, False, True]]),
        (0, np.array([1, 1])),
    ],
)
def test_repeated_entries_add_up(index):
    x = np.arange(6.0).reshape(2, 3)
    y = x[index]
    g = np.arange(1.0, y.size + 1).reshape(y.shape)
    x_bar = RULES[operator.getitem].vjps[0](g, y, x, index)
    expected = g.ravel() @ dense_jacobian(lambda e: e[index], x)
    np.testing.assert_array_equal(x_bar.ravel(), expected)


def test_the_cotangent_of_an_index_is_a_scatter():
    stage = Stage()
    x = stage.array("x", "n", "m")
    assert vjp_text(operator.getitem, 0, stage, x, (slice(None), 0)) == (
        "t: (int=n, int=m) = shape(x)\nt_2: f64[n, m] = scatter(g, t, (:, 0))\nreturn t_2"
    )


def test_the_tangent_of_index_add_adds_both_tangents_once():
    a, values, index = np.zeros(3), np.ones(2), np.array([1, 1])
    y = runtime.index_add(a, index, values)
    y_dot = RULES[runtime.index_add].jvp((np.ones(3), None, np.full(2, 5.0)), y, a, index, values)
    np.testing.assert_array_equal(y_dot, [1.0, 11.0, 1.0])


def test_sorting_with_ties_moves_each_tangent_once():
    x, x_dot = np.array([2.0, 1.0, 2.0, 1.0]), np.array([1.0, 10.0, 100.0, 1000.0])
    y_dot = RULES[np.sort].jvp((x_dot,), np.sort(x), x)
    np.testing.assert_array_equal(np.sort(y_dot), np.sort(x_dot))
    assert set(y_dot[:2]) == {10.0, 1000.0}


def test_extents_of_slices_are_equal_only_where_the_lengths_are():
    bounds = [None, 0, 1, 2, 4, -1, -3]
    steps = [None, 1, 2, -1, -2]
    seen = {}
    for index in (slice(a, b, c) for a in bounds for b in bounds for c in steps):
        (extent,) = getitem_type(ArrayType(F8, (N,)), index).shape
        lengths = tuple(len(range(n)[index]) for n in (2, 3, 4, 5, 6, 9))
        assert seen.setdefault(extent, lengths) == lengths, index
