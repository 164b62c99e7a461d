"""Lists whose length data gives are results of `srcad.compile`, as Python returns them."""

import copy
from collections import deque

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


# Lists of the caller's ----------------------------------------------------------------------------


class Held:
    """An object with a list."""

    def __init__(self, steps):
        self.steps = steps


def in_one_branch(w, steps):
    if w > 1.0:
        steps.append(1.0)
    return w


def another_length_in_each(w, steps):
    if w > 1.0:
        steps.extend([1.0, 2.0])
    else:
        steps += [3.0]
    return steps, len(steps)


def one_less(w, steps):
    if w > 1.0 and len(steps) > 0:
        steps.pop()
    return w


def emptied(w, steps):
    if w > 1.0:
        steps.clear()
    return w


def by_a_loop(w, steps):
    while w > 0.1:
        w = w * 0.5
        steps.append(w)
    return w


def behind_an_exception(w, steps):
    if w > 1.0:
        try:
            steps.append(1.0)
            w = steps[9]
        except IndexError:
            w = 2.0 * w
    return w


CHANGES = [
    in_one_branch, another_length_in_each, one_less, emptied, by_a_loop, behind_an_exception,
]  # fmt: skip
GIVEN = [[], [1.5], [3.0, 2.0], [3, 2], [True], [np.float64(2.0)], [[1.0]], [np.ones(2)], ["a"]]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", CHANGES)
def test_the_callers_list_is_changed_as_python_changes_it(f, backend):
    """Or the function is refused and the list is what it was."""
    compiled, right = srcad.compile(f, backend=backend), 0
    for w in (1.5, 0.7):
        for given in GIVEN:
            wanted, found = copy.deepcopy(given), copy.deepcopy(given)
            result = f(w, wanted)
            try:
                assert repr(compiled(w, found)) == repr(result)
            except SrcadError:
                assert repr(found) == repr(given)
                continue
            assert repr(found) == repr(wanted)
            right += 1
    assert right >= 4


@pytest.mark.parametrize("f", CHANGES)
def test_the_list_may_be_in_an_object(f):
    for w in (1.5, 0.7):
        wanted, found = Held([1.0]), Held([1.0])
        f(w, wanted.steps)
        srcad.compile(lambda w, held: f(w, held.steps))(w, found)
        assert found.steps == wanted.steps


@pytest.mark.parametrize("f", CHANGES)
def test_arrays_in_the_callers_list_are_his_own(f):
    array = np.ones(2)
    given = [array]
    try:
        srcad.compile(f)(1.5, given)
    except SrcadError:
        pass
    assert all(item is array for item in given[:1])


def a_deque(x):
    steps = deque()
    while x > 0.1:
        x = x * 0.5
        steps.append(x)
    return x, steps


def test_a_deque_is_no_list():
    for transform in (srcad.compile(a_deque), srcad.value_and_grad(a_deque, has_aux=True)):
        with pytest.raises(SrcadError, match="E119"):
            transform(1.5)


def test_a_derivative_of_it_is_refused():
    for transform in (srcad.jacfwd, srcad.jacrev):
        with pytest.raises(SrcadError, match="E119"):
            transform(halves)(1.5)
