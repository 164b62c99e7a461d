"""Lists made by loops: one program for all lengths; unrolled or refused where they cannot be."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


def states(w, x):
    h = np.zeros(3)
    hs = []
    for t in range(x.shape[0]):
        h = np.tanh(w @ h + x[t])
        hs.append(h)
    return np.sum(np.stack(hs) ** 2)


def squares(x):
    return np.sum(np.array([np.sum(r * r) for r in x]) ** 2)


def until(x, end):
    t, xs = 0.0, []
    while t < end:
        x = x * 0.9
        t = t + 0.1
        xs.append(x)
    return np.sum(np.array(xs))


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (states, lambda n: (np.eye(3), np.ones((n, 3)))),
        (squares, lambda n: (np.ones((n, 3)),)),
        (until, lambda n: (1.0, n / 10)),
    ],
)
def test_one_program_serves_all_lengths(fn, args):
    gradient = srcad.grad(fn)
    for n in (30, 3, 200):
        gradient(*args(n))
    assert gradient.cache_info().misses == 1
    assert len(gradient.source().splitlines()) < 60


def test_what_is_returned_as_a_list_is_unrolled():
    def f(x):
        ys = []
        for r in x:
            ys.append(r * 2)
        return ys

    y, pullback = srcad.vjp(f, np.ones((20, 2)))
    assert isinstance(y, list)
    assert len(y) == 20
    assert np.array_equal(pullback(y)[0], np.full((20, 2), 4.0))


def test_an_item_on_some_paths_is_refused_where_the_length_is_not_known():
    def f(x):
        ys = []
        for r in x:
            if r[0] > 0:
                ys.append(r)
        return np.sum(np.array(ys))

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(np.ones((20, 2)))
    assert caught.value.code == "E119"
