"""Histograms: edges that come back as they are, and numbers of which there are none."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy
from optional import needs_numba

import srcad

X = np.ones(3)
EDGES = np.array([0.0, 1.0, 2.0])


def written_edges(x, e):
    _, edges = np.histogram(x, e)
    edges[0] = 7.0
    return e[0] * x[0]


def written_bins(x, e):
    edges = np.histogram_bin_edges(x, e)
    edges[0] = 7.0
    return e[0] * x[0]


def written_in_two_axes(x, e):
    _, edges, _ = np.histogram2d(x, x, [e, e])
    edges[0] = 7.0
    return e[0] * x[0]


def written_before_it_is_read(x, e):
    counts, edges = np.histogram(x, e)
    e[0] = -1.0
    return edges[0] * x[0] + counts[0]


@pytest.mark.parametrize(
    "f",
    [
        written_edges,
        written_bins,
        written_in_two_axes,
        written_before_it_is_read,
        lambda x, e: (np.histogram(x, e)[1] is e) * x[0],
        lambda x, e: np.histogram(x, e)[0][0] * x[0],
    ],
)
def test_edges_are_the_array_that_was_given(f):
    as_numpy(f, X, EDGES, backends=("native",))
    value_as_numpy(f, X, EDGES)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.histogram(x, 3),
        lambda x: np.histogram(x, 3, range=(0, 2)),
        lambda x: np.histogram_bin_edges(x),
        lambda x: np.histogram2d(x, x, 3),
        lambda x: np.histogram(x[x > 0], 3, range=(0, 2)),
    ],
)
def test_of_no_numbers_the_bins_are_between_0_and_1(f, dtype):
    for n in (0, 3):
        as_numpy(f, np.arange(n).astype(dtype))


@needs_numba
def test_what_data_leaves_empty_is_refused():
    f = srcad.compile(lambda x: np.histogram(x[x > 0], 3)[1], backend="native")
    np.testing.assert_array_equal(f(EDGES), np.histogram(EDGES[1:], 3)[1])
    with pytest.raises(NotImplementedError, match="no numbers"):
        f(-X)


def test_complex_numbers_are_refused():
    for f in (lambda x: np.histogram(x, 3), lambda x: np.histogram(x, EDGES)):
        with pytest.raises(srcad.SrcadError):
            srcad.compile(f)(X * 1j)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.ediff1d(x, to_begin=1), np.array([3, 4], np.int32)),
        (lambda x: np.ediff1d(x, to_end=300), np.array([3, 4], np.int8)),
        (lambda x: np.ediff1d(x, to_end=np.array([1])), np.array([3, 4], np.int8)),
        (lambda x: np.ediff1d(x, to_end=1.0), np.array([3, 4], np.float32)),
        (lambda x: np.poly(x)[0], np.array([1.0, np.nan])),
        (lambda x: np.poly(x), np.array([1.0, 2.5, -1.0])),
    ],
)
def test_ends_of_differences_and_of_polynomials(f, x):
    as_numpy(f, x)
