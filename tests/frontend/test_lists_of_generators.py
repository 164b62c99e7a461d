"""`list`, `sorted` and `np.fromiter` of generator expressions and `filter`, where data decides."""

import itertools

import numpy as np
import pytest
from like_python import check_like_python

import srcad

X = np.array([0.7, 0.2, 0.9, 0.4, 0.5])


def _listed(x):
    kept = list(v * v for v in x if v > 0.45)
    return np.sum(np.array(kept) ** 2) + len(kept)


def _sorted(x):
    return np.sum(np.array(sorted(v * v for v in x if v > 0.45))[:2])


def _read(x):
    kept = np.fromiter((v * v for v in x if v > 0.45), float)
    first = np.fromiter((v * 2 for v in x), dtype=float, count=3)
    return np.sum(kept) * np.sum(first * np.arange(3.0))


def _filtered(x):
    kept = list(filter(lambda v: v > 0.45, x))
    known = list(filter(None, [0, 1, 2]))
    return np.sum(np.array(kept) ** 3) * len(known) + sorted(filter(lambda v: v < 0.6, x))[1]


def _by_layout(x):
    y = x * 2
    return np.sum(y) * (2.0 if y.flags.c_contiguous else 3.0)


@pytest.mark.parametrize("f", [_listed, _sorted, _read, _filtered, _by_layout])
@pytest.mark.parametrize("x", [X, X[::-1].copy(), np.repeat(X, 2)[::2]])
def test_is_pythons(f, x):
    check_like_python(f, srcad.value_and_grad(f, backend="numpy"), x)


def test_the_layout_of_an_argument_is_asked_in_each_call():
    compiled = srcad.compile(lambda x: 2.0 if x.flags.c_contiguous else 3.0)
    assert [compiled(x) for x in (X, X[::2], np.asfortranarray(np.eye(3)), X)] == [2, 3, 3, 2]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.fromiter(map(np.sin, x), np.float32),
        lambda x: np.fromiter([v * 3 for v in x], int),
        lambda x: np.fromiter(itertools.count(), float, count=3) * x[0],
        lambda x: np.fromiter((v > 0.5 for v in x), bool),
    ],
)
def test_fromiter(f):
    found, wanted = srcad.compile(f)(X), f(X)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize(
    "f", [lambda x: np.fromiter((v for v in x), float, 9), lambda x: np.fromiter([x, x], float)]
)
def test_what_fromiter_does_not_take(f):
    with pytest.raises(ValueError) as wanted:
        f(X)
    with pytest.raises(ValueError, match=str(wanted.value)):
        srcad.compile(f)(X)
