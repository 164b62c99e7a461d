"""Functions of vectors for many rows give what NumPy gives for each."""

import itertools

import numpy as np
import pytest

from srcad import runtime

DTYPES = [*itertools.product([float, np.float32, int, complex], repeat=2)]
SPECIAL = np.array([0.0, 1.0, -1.0, 2.5, np.nan, np.inf, -np.inf, 1.0, 0.3, -0.0])


def rng():
    return np.random.default_rng(3)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 8, 33])
@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (0,)])
def test_search(side, n, shape):
    tables = np.sort(rng().choice(SPECIAL, (4, n)), axis=1)
    for x in (rng().normal(size=(4, *shape)), rng().choice(SPECIAL, (4, *shape))):
        want = [np.searchsorted(a, v, side) for a, v in zip(tables, x, strict=True)]
        got = runtime.search_rows(tables, x, side)
        np.testing.assert_array_equal(got, np.reshape(want, got.shape))


@pytest.mark.parametrize("n", [2, 3, 9])
@pytest.mark.parametrize("shape", [(), (6,), (40,), (2, 3), (0,)])
@pytest.mark.parametrize("ends", [{}, {"left": -3.0}, {"right": 4}, {"left": 1, "right": 2.0}])
@pytest.mark.parametrize("shared", ["", "xp", "fp"])
def test_interp(n, shape, ends, shared):
    draw = rng()
    for values in (np.arange(5.0), SPECIAL):
        xp = np.sort(draw.normal(size=(4, n)), axis=1)
        x = draw.normal(size=(4, *shape)) * 2
        fp = draw.choice(values, (4, n))
        at_knots = xp[:, :1].reshape(4, *[1] * len(shape)) + 0 * x
        xp[1:2, -2:] = xp[1, -1]
        xp = xp[0] if shared == "xp" else xp
        fp = fp[0] if shared == "fp" else fp
        for where in (x, at_knots, draw.choice(SPECIAL, x.shape)):
            tables = (np.broadcast_to(t, (4, n)) for t in (xp, fp))
            want = [np.interp(*each, **ends) for each in zip(where, *tables, strict=True)]
            got = runtime.interp_rows(where, xp, fp, **ends)
            np.testing.assert_array_equal(got, np.reshape(want, got.shape))


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("dtypes", DTYPES)
def test_polyval(n, shape, dtypes):
    p, x = (
        (rng().normal(size=s) * 3).astype(t)
        for s, t in zip(((4, n), (4, *shape)), dtypes, strict=True)
    )
    want = np.array([np.polyval(*each) for each in zip(p, x, strict=True)])
    got = runtime.polyval_rows(p, x)
    np.testing.assert_array_equal(got, want)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("mode", ["full", "valid"])
@pytest.mark.parametrize("lengths", [(5, 3), (3, 5), (4, 4), (1, 4), (4, 1), (1, 1)])
@pytest.mark.parametrize("dtypes", DTYPES)
def test_convolve(mode, lengths, dtypes):
    a, v = ((rng().normal(size=(4, n)) * 3).astype(t) for n, t in zip(lengths, dtypes, strict=True))
    want = np.array([np.convolve(*each, mode) for each in zip(a, v, strict=True)])
    got = runtime.convolve_rows(a, v, mode)
    np.testing.assert_allclose(got, want, rtol=1e-6 if np.float32 in dtypes else 1e-12, atol=1e-6)
    assert got.dtype == want.dtype
    assert runtime.convolve_rows(a[:0], v[:0], mode).shape == (0, want.shape[1])


@pytest.mark.parametrize("lengths", [(0, 3), (3, 0), (0, 0)])
def test_convolve_of_nothing_raises_as_numpy_does(lengths):
    a, v = (np.ones((2, n)) for n in lengths)
    with pytest.raises(ValueError, match="cannot be empty") as want:
        np.convolve(a[0], v[0])
    with pytest.raises(ValueError, match="cannot be empty") as got:
        runtime.convolve_rows(a, v)
    assert str(got.value) == str(want.value)
