"""Items of which no array has rows: arrays without axes are no numbers, empty tuples count."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError

X = np.array([1.5, 2.25, 0.5])


def appended(a):
    z = np.array(a[1])
    items = []
    if a[0] > 0:
        items.append(z)
    z += 1.0
    return sum(items) * a[0]


def in_a_tuple(a):
    z = np.array(a[1])
    items = []
    if a[0] > 0:
        items.append((z, 1.0))
    z += 1.0
    return items[0][0] * a[0]


def beside_a_number(a):
    z = np.array(a[1])
    items = [z]
    if a[0] > 0:
        items.append(a[1])
    items[0] += 2.0
    return sum(items) * a[0] + z


def in_a_loop(a):
    z = np.array(a[1])
    items = []
    for k in range(3):
        if a[0] > k:
            items.append(z)
    z += 1.0
    return sum(items)


def in_front_of_numbers(a):
    z = np.array(a[1])
    items = [z] + [v for v in a if v > 1.0]
    z += 1.0
    return items[0] * 2.0


def in_place_of_a_number(a):
    z = np.array(a[1])
    items = [v for v in a if v > 1.0]
    items[0] = z
    z += 1.0
    return items[0] * 2.0


@pytest.mark.parametrize(
    "f",
    [
        appended,
        in_a_tuple,
        beside_a_number,
        in_a_loop,
        in_front_of_numbers,
        in_place_of_a_number,
    ],
)
@pytest.mark.parametrize("of", [srcad.compile, srcad.value_and_grad])
def test_arrays_without_axes_stay_arrays(f, of):
    """They were NumPy's numbers, which saw no later write."""
    with pytest.raises(SrcadError):
        of(f, backend="numpy")(X)


def shapes(a):
    return [x.shape for x in a]


def beside_a_list(a):
    return [x.shape for x in a], [x for x in a]


def made_by_a_loop(a):
    items = []
    for _ in a:
        items.append(())
    return items


@pytest.mark.parametrize("f", [shapes, beside_a_list, made_by_a_loop])
def test_a_list_of_empty_tuples_keeps_its_length(f):
    assert srcad.compile(f)(X) == f(X)


def test_a_stored_list_of_empty_tuples():
    def f(a, state):
        state["shapes"] = shapes(a)
        return a[0]

    state = {}
    srcad.compile(f)(X, state)
    assert state == {"shapes": [(), (), ()]}
