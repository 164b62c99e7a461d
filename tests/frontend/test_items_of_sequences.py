"""What deques and lists of arrays take as items and indices: what Python takes, or a refusal."""

import heapq
from collections import deque

import numpy as np
import pytest

import srcad

X = np.array([1.0, 3.0, 1.5, 2.0])


def filled(w, x, maxlen=None):
    d = deque(maxlen=maxlen)
    for v in x:
        d.append(w * v)
    return d


def a_part(w, x):
    return sum(filled(w, x)[1:])


def a_part_that_is_set(w, x):
    d = filled(w, x)
    d[1:3] = [w]
    return d[0]


def a_part_that_is_deleted(w, x):
    d = filled(w, x)
    del d[:1]
    return d[0]


def a_heap(w, x):
    d = filled(w, x)
    heapq.heappush(d, w)
    return d[0]


@pytest.mark.parametrize("f", [a_part, a_part_that_is_set, a_part_that_is_deleted, a_heap])
def test_a_deque_is_no_list(f):
    for call in (f, srcad.compile(f), srcad.grad(f)):
        with pytest.raises(TypeError):
            call(2.0, X)


def popped_by_place(w, x):
    return filled(w, x).pop(0)


def repeated(w, x):
    return sum(filled(w, x, 3) * 2)


def rows(w, x):
    d = []
    for v in x:
        if v > 1:
            d.append(np.array([w * v, v]))
    return d


def a_number_for_a_row(w, x):
    d = rows(w, x)
    d[0] = 7 * w
    return d[1].sum()


def a_row_of_one(w, x):
    d = rows(w, x)
    d[0] = np.array([w])
    return d[0].sum()


REFUSED = [popped_by_place, repeated, a_number_for_a_row, a_row_of_one]


@pytest.mark.parametrize("f", REFUSED)
def test_what_would_be_another_thing_is_refused(f):
    with pytest.raises(srcad.SrcadError, match="E1"):
        srcad.compile(f)(2.0, X)


def test_a_row_of_the_same_shape_is_set():
    def f(w, x):
        d = rows(w, x)
        d[0] = np.ones(2) * w
        return d[0].sum() + d[1].sum()

    assert srcad.value_and_grad(f)(2.0, X) == (f(2.0, X), 3.5)


def test_a_deque_is_popped():
    def f(w, x):
        d = filled(w, x, 3)
        return d.pop() + 2 * d.popleft()

    assert srcad.value_and_grad(f)(2.0, X) == (f(2.0, X), 8.0)
