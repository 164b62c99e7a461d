"""What the arrays of a loop still hold at its end is read there; nothing else is."""

import operator

import numpy as np
import pytest
from transform.programs import FLOAT, array, check, program, tapes
from transform.programs import grad as derived

from srcad import runtime
from srcad.ir import Op, show
from srcad.ir.evaluate import evaluate
from srcad.ir.walk import statements
from srcad.pipeline.passes import simplify

N = 6


def grad(fn):
    """The gradient of a program, simplified; it computes what it did before."""
    before, after = derived(fn), simplify(derived(fn))
    args = [X, 0.7][: len(fn.params)]
    for a, b in zip(evaluate(after, *args), evaluate(before, *args), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13)
    return after


X = np.linspace(0.4, 1.2, N)


def recurrence(bounds, body, **about):
    """A loop over `u`, a copy of x: `body(u, i, read, put)` gives the next `u`."""

    def written(b, x):
        def read(u, index):
            return b.call(operator.getitem, u, index)

        def put(u, index, v):
            return b.call(runtime.index_update, u, index, v)

        u = b.call(np.copy, x)
        u = b.loop(bounds, [u], lambda i, u: body(u, i, read, put), **about)
        return np.sum(u * u * u)

    return program(written, x=array(N))


@pytest.mark.parametrize(
    ("bounds", "body"),
    [
        ((1, N, 1), lambda u, i, read, put: put(u, i, np.tanh(read(u, i - 1)))),
        ((1, N, 2), lambda u, i, read, put: put(u, i, np.tanh(read(u, i - 1)))),
        ((0, N - 1, 1), lambda u, i, read, put: put(u, i + 1, np.sin(read(u, i)))),
        ((0, N - 1, 1), lambda u, i, read, put: put(u, 1 + i, np.sin(read(u, i)))),
        ((2, N, 1), lambda u, i, read, put: put(u, i, read(u, i - 1) * read(u, i - 2))),
        ((N - 2, -1, -1), lambda u, i, read, put: put(u, i, np.tanh(read(u, i + 1)))),
        (
            (0, N, 1),
            lambda u, i, read, put: put(u, i, np.sum(np.sin(read(u, slice(None, i))))),
        ),
        (
            (N - 2, -1, -1),
            lambda u, i, read, put: put(u, i, np.exp(-np.sum(read(u, slice(i + 1, None))))),
        ),
    ],
)
def test_nothing_of_the_array_is_saved(bounds, body):
    fn = recurrence(bounds, body)
    check(fn, X)
    kept = tapes(grad(fn))
    assert not any("f64" in t for t in kept), kept
    reads = [s for s in statements(grad(fn).body) if isinstance(s, Op) and s.fn is operator.getitem]
    assert len(reads) >= 3, show(grad(fn))


def test_a_stored_value_is_read_where_it_was_stored():
    fn = recurrence((1, N, 1), lambda u, i, read, put: put(u, i, np.tanh(read(u, i - 1))))
    assert tapes(grad(fn)) == []


def test_a_loop_that_runs_the_other_way():
    fn = recurrence(
        (0, N - 1, 1), lambda u, i, read, put: put(u, i, np.tanh(read(u, i + 1))), reverse=True
    )
    check(fn, X)
    assert tapes(grad(fn)) == []


@pytest.mark.parametrize(
    ("bounds", "body"),
    [
        # read before it is stored to
        ((0, N, 1), lambda u, i, read, put: put(u, i, np.sin(read(u, i)))),
        ((0, N - 1, 1), lambda u, i, read, put: put(u, i, np.sin(read(u, i + 1)))),
        ((1, N, 1), lambda u, i, read, put: put(u, i, np.sin(np.sum(read(u, slice(None, i + 1)))))),
        # an index below zero counts from the end
        ((0, N, 1), lambda u, i, read, put: put(u, i, np.sin(read(u, i - 1)))),
        ((0, N, 1), lambda u, i, read, put: put(u, i - 2, np.sin(read(u, i - 3)))),
        ((0, N, 1), lambda u, i, read, put: put(u, i, np.sum(np.sin(read(u, slice(i - 2)))))),
        # downwards, what is below is still to come
        ((N - 1, 0, -1), lambda u, i, read, put: put(u, i, np.sin(read(u, i - 1)))),
        # two stores, one behind the other
        (
            (1, N, 1),
            lambda u, i, read, put: put(
                put(u, i, np.sin(read(u, i - 1))), i - 1, np.sin(read(u, i))
            ),
        ),
        # always the same entry
        ((1, N, 1), lambda u, i, read, put: put(u, 0, np.sin(read(u, 0)) * read(u, i))),
    ],
)
def test_what_is_overwritten_is_saved(bounds, body):
    fn = recurrence(bounds, body)
    check(fn, X)
    assert tapes(grad(fn)) != []


def test_what_a_branch_may_not_have_stored_is_saved():
    def written(b, x):
        def body(i, u):
            v = np.tanh(b.call(operator.getitem, u, i - 1))
            return b.branch(v > 0.6, lambda: b.call(runtime.index_update, u, i, v), lambda: u)

        return np.sum(b.loop((1, N, 1), [b.call(np.copy, x)], body))

    fn = program(written, x=array(N))
    check(fn, X)
    assert tapes(grad(fn)) != []


def test_arrays_of_inner_loops_are_not_saved_for_their_entries():
    """The outer loop would keep a whole array for each of its iterations."""

    def written(b, x, s):
        def outer(k, u):
            def inner(i, u):
                v = np.tanh(b.call(operator.getitem, u, i - 1) * s)
                return b.call(runtime.index_update, u, i, v)

            return b.loop((1, N, 1), [u], inner)

        return np.sum(b.loop((0, 3, 1), [b.call(np.copy, x)], outer))

    fn = program(written, x=array(N), s=FLOAT)
    check(fn, X, 0.7)
    assert not any(f"[{N}]" in t for t in tapes(grad(fn)))
