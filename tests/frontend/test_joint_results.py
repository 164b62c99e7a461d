"""Results that are one array made in the function, or views of one, are so in compiled code too."""

from __future__ import annotations

import numpy as np
import pytest
from frontend.test_lists_of_views import outcome

import srcad


def array_and_view(x, given):
    a = x * 2
    return a, a[1:], a.T


def two_views(x, given):
    a = x * 2
    return {"first": a[1:], "second": a[:-1]}


def stored_view(x, given):
    a = x * 2
    given["parts"] = [a, a[1:]]
    return a


def rows_beside_it(x, given):
    a = x * 2
    return [*a], a


def perhaps_another(x, given):
    a = x + 0
    b = a
    if x[0, 0] > 1:
        b = b + 1
    return a, b


def one_of_two(x, given):
    a, b = x * 2, x * 3
    c = a if x[0, 0] > 1 else b
    return a, b, c


def stored_perhaps(x, given):
    a = x * 2
    given["a"] = a if x[0, 0] > 1 else a + 1
    return a


def by_a_helper(x, given):
    def doubled(u):
        return u if u[0, 0] > 1 else u * 2

    a = x * 2
    return a, doubled(a)


def behind_an_exception(x, given):
    b = a = x * 2
    try:
        if x[0, 0] > 1:
            raise ValueError
    except ValueError:
        b = a + 1
    return a, b


def as_they_are(x, given):
    a = x * 2
    return a, np.asarray(a), np.atleast_2d(a), np.squeeze(a), np.ravel(a), a.reshape(-1)


def equal_ones(x, given):
    a = x * 2
    return a, x * 2, a * 1.0, a.copy(), +a, a[0:], np.array(a)


def written_afterwards(x, given):
    a = x * 2
    v = a[1]
    x[0] = 7
    a[1, 1] = 5
    return a, v, x


PROGRAMS = [
    array_and_view, two_views, stored_view, rows_beside_it, perhaps_another, one_of_two,
    stored_perhaps, by_a_helper, behind_an_exception, as_they_are, equal_ones, written_afterwards,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_they_share_as_in_python(f):
    compiled = srcad.compile(f, backend="numpy")
    for x in (np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2) + 3):
        assert outcome(compiled, x, {}) == outcome(f, x, {})


@pytest.mark.parametrize("f", PROGRAMS)
def test_nothing_else_shares_in_compiled_code(f):
    """There, what a branch or loop makes has memory of its own."""
    pytest.importorskip("numba")
    compiled = srcad.compile(f, backend="native")
    for x in (np.arange(6.0).reshape(3, 2), np.arange(6.0).reshape(3, 2) + 3):
        found, wanted = outcome(compiled, x, {}), outcome(f, x, {})
        assert found[:2] == wanted[:2]
        pairs = zip(found[2], wanted[2], strict=True)
        assert not any(a and not b for one, other in pairs for a, b in zip(one, other, strict=True))
