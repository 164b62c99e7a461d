"""Distances of NaN, of ints and of complex numbers, and what makes matrices."""

import numpy as np
import pytest
from frontend.as_numpy import as_numpy, value_as_numpy
from optional import needs_numba

import srcad

linalg = pytest.importorskip("scipy.linalg")
distance = pytest.importorskip("scipy.spatial.distance")

FIRST = [np.array([1.0, np.nan, 4.0]), np.array([np.nan, 1.0, 4.0]), np.array([np.inf, 1.0, 4.0])]


@pytest.mark.parametrize("u", [*FIRST, np.array([1.0, 2.0, 9.0])])
@pytest.mark.parametrize(
    "f",
    [
        lambda u, v: distance.chebyshev(u, v),
        lambda u, v: np.sum(distance.cdist(u[:, None], v[:, None], "chebyshev")),
        lambda u, v: np.sum(distance.pdist(np.stack((u, v, u)), "chebyshev")),
    ],
)
def test_largest_differences_beside_nan(f, u):
    v = np.array([2.0, np.inf, 1.0])
    as_numpy(f, u, v)
    value_as_numpy(f, u, v)


def test_there_is_no_largest_of_no_differences():
    as_numpy(lambda u: distance.chebyshev(u, u), np.zeros(0))


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4"])
@pytest.mark.parametrize(
    "f", [distance.sqeuclidean, distance.chebyshev, distance.cityblock, distance.euclidean]
)
def test_dtypes_of_distances(f, dtype):
    as_numpy(lambda u, v: f(u, v), np.array([3, 4], dtype), np.array([6, 8], dtype))


@needs_numba
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cityblock", "chebyshev"])
def test_complex_rows_are_refused(metric):
    rows = np.ones((2, 2)) * 1j
    for f in (lambda x: distance.cdist(x, x, metric), lambda x: distance.pdist(x, metric)):
        with pytest.raises(ValueError, match="dtype"):
            f(rows)
        with pytest.raises(srcad.SrcadError):
            srcad.compile(f, backend="native")(rows)


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (2, 2), (3, 2), (4, 2)])
def test_leslie_matrices_have_rows_for_all(n, m):
    as_numpy(lambda f, s: linalg.leslie(f, s), np.arange(1.0, n + 1), np.arange(1.0, m + 1))
    value_as_numpy(
        lambda f, s: np.sum(linalg.leslie(f, s)), np.arange(1.0, n + 1), np.arange(1.0, m + 1)
    )
