"""Subscripts: places of entries, told by NumPy's own result for an array of its places."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from srcad.ir import ArrayType, Dim, Op, Value
from srcad.ir.affine import Affine
from srcad.native.helpers import check_range
from srcad.native.scalarize.arrays import Memory, View, remapped, whole
from srcad.native.scalarize.handlers.indexing import is_plain, subscript
from srcad.native.scalarize.loop_builder import INT, Code, Unsuited

SHAPE = (4, 3, 5)
PLACES = np.arange(60).reshape(SHAPE)


def memory(*extents):
    value = Value("x", ArrayType(np.dtype(float), tuple(Dim(f"n{k}") for k in range(len(extents)))))
    return whole(Memory(value, np.dtype(float), tuple(map(Affine, extents))))


def number(atom):
    return atom if isinstance(atom, Affine) else Affine.of(atom)


def places(view):
    """The places of all entries of a view of numbers of entries, each as one number."""
    shape = [n.number for n in view.extents]
    found = np.empty(shape, int)
    for index in itertools.product(*map(range, shape)):
        place = view.place(tuple(map(Affine, index)))
        found[index] = PLACES[tuple(at.number for at in place)]
    return found


@pytest.mark.parametrize(
    "index",
    [
        (),
        (slice(None),),
        (1,),
        (-1,),
        (slice(1, 3), 2),
        (slice(1, -1), slice(None), slice(2, None)),
        (slice(None, None, 2), slice(1, 3, 1), slice(0, 5, 3)),
        (slice(None, None, -1), 0, slice(None, None, -1)),
        (None, 1, None, slice(None)),
        (Ellipsis, 4),
        (Ellipsis, None),
        (2, Ellipsis, slice(1, None)),
        (slice(None), Ellipsis, None, -2),
        (1, 2, 3),
        (slice(3, 3),),
        (slice(1, 4, 2), slice(2, None), slice(-3, -1)),
    ],
    ids=str,
)
def test_an_entry_of_a_view_is_where_numpy_has_it(index):
    code = Code()
    view = subscript(code, memory(*SHAPE), index, number)
    np.testing.assert_array_equal(places(view), PLACES[index])
    assert not code.frames[0].body, "all known: nothing is checked"


def test_views_of_views():
    code = Code()
    first = subscript(code, memory(*SHAPE), (slice(1, None), slice(None, None, -1)), number)
    second = subscript(code, first, (slice(None, None, 2), None, 1, slice(1, 4)), number)
    np.testing.assert_array_equal(places(second), PLACES[1:, ::-1][::2, None, 1, 1:4])
    assert isinstance(second, View)
    assert not second.is_all
    assert not second.is_whole(0)


@pytest.mark.parametrize("at", [4, -5])
def test_a_position_outside_is_refused(at):
    code = Code()
    subscript(code, memory(*SHAPE), at, number)
    assert [op.fn for op in code.frames[0].body] == [check_range]


def test_slices_of_a_step_that_is_not_known():
    step = Value("step", INT)
    with pytest.raises(Unsuited, match="step"):
        subscript(Code(), memory(*SHAPE), slice(None, None, step), number)


def unknown(code, name="k"):
    value = Value(name, INT)
    code.level[value] = len(code.frames) - 1
    return Affine.of(value)


def test_a_position_of_the_memory_s_own_axis_may_wrap():
    """Machine code counts from the end itself there, so the position stays what it is."""
    code = Code()
    x = memory(*SHAPE)
    k = unknown(code)
    view = subscript(code, x, k, number)
    assert view.place((Affine(), Affine()))[0] == k
    (check,) = [op for op in code.frames[0].body if isinstance(op, Op) and op.effect]
    assert check.args[0] == -4


def test_a_position_in_a_part_is_counted_from_its_end():
    code = Code()
    part = subscript(code, memory(*SHAPE), slice(1, 3), number)
    assert not is_plain(part, 0)
    k = unknown(code)
    view = subscript(code, part, k, number)
    place = view.place((Affine(), Affine()))[0]
    assert place.coefficient(k.terms[0][0]) == 0, "another integer, by the sign of k"
    assert place.const == 1


def test_an_index_of_a_loop_never_wraps():
    code = Code()
    part = subscript(code, memory(*SHAPE), slice(1, 3), number)
    with code.loop(Affine(2)) as i:
        view = subscript(code, part, i, number)
        assert view.place((Affine(), Affine()))[0] == i + 1
        assert not code.frames[-1].body


def test_what_repeats_is_no_place_of_its_own():
    view = memory(3)
    repeated = remapped(view, (Affine(2), Affine(3)), lambda index: index[1:])
    assert view.is_injective
    assert not repeated.is_injective
    assert not is_plain(repeated, 0)
    assert is_plain(repeated, 1)
