"""Lists whose length data gives are results of `srcad.compile`, as Python returns them."""

import copy

import numpy as np
import pytest
from optional import BACKENDS

import srcad
from srcad.errors import SrcadError


def halves(x):
    steps = []
    while x > 0.1:
        x = x * 0.5
        steps.append(x)
    return steps


def numpys_numbers(x):
    steps = [x]
    while x > 0.1:
        x = x * np.cos(0.9)
        steps.append(x)
    return steps


def pairs_and_arrays(x):
    pairs, states = [], []
    while x > 0.1:
        x = x * np.cos(0.9)
        pairs.append((x, 2 * x))
        states.append(np.array([x, 1.0]))
    return pairs, {"states": states}


def whole_numbers(x):
    places, are_late = [], []
    for i in range(int(x * 3)):
        places.append(i)
        are_late.append(i > 1)
    return places, are_late, len(places)


def a_comprehension(x):
    return [x * k for k in range(int(x * 10))]


def some(x):
    steps = []
    while x > 0.1:
        x = x * 0.5
        if x < 0.6:
            steps.append(x)
    return steps


def changed_behind_the_loop(x):
    steps = halves(x)
    steps.append(7.0)
    steps[0] = x
    return steps[:-1] if x > 1.0 else steps


def stored(x, into):
    into["steps"] = halves(x)
    return x


def of_rows(x):
    rows = np.zeros((2, 2))
    found = []
    while x > 0.1:
        x = x * 0.5
        rows[0] = x
        found.append(rows[0])
    return found


PROGRAMS = [
    halves, numpys_numbers, pairs_and_arrays, whole_numbers, a_comprehension, some,
    changed_behind_the_loop, of_rows,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_list_is_pythons(f, backend):
    compiled = srcad.compile(f, backend=backend)
    for x in (1.5, 0.7, 0.01):
        try:
            found = compiled(x)
        except SrcadError:
            assert f is of_rows  # each item is one array
            return
        assert repr(found) == repr(f(x))
        assert repr(compiled(x)) == repr(found)


def test_arrays_in_it_have_memory_of_their_own():
    _, found = srcad.compile(pairs_and_arrays)(1.5)
    found["states"][0][:] = 100.0
    assert not np.any(found["states"][1] == 100.0)


@pytest.mark.parametrize("given", [{}, {"steps": [1.0]}])
def test_it_may_be_stored_in_the_callers_dict(given):
    wanted, found = copy.deepcopy(given), copy.deepcopy(given)
    assert srcad.compile(stored)(1.5, found) == stored(1.5, wanted)
    assert found == wanted


def test_a_derivative_of_it_is_refused():
    for transform in (srcad.jacfwd, srcad.jacrev):
        with pytest.raises(SrcadError, match="E119"):
            transform(halves)(1.5)
