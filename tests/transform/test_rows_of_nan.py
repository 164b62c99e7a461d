"""A row of NaN: derivatives by the other rows, and by what all rows share, are those without it."""

import numpy as np
import pytest
import scipy.special

import srcad

RNG = np.random.default_rng(0)
X, W, M = RNG.normal(size=(4, 3)), RNG.normal(size=3), RNG.normal(size=(3, 3))
HELD = X.copy()
HELD[1] = np.nan
GOOD = [0, 2, 3]


def stored(x):
    y = np.zeros((4, 3))
    for i in range(4):
        y[i] = x[i] ** 2 / np.sum(x[i] ** 2)
    return y


def unrolled(x):
    return np.array([r @ M @ r for r in x])


def scanned(x):
    h = np.zeros((4, 3))
    for _ in range(3):
        h = np.tanh(h @ M + x)
    return h


BY_ROW = [
    lambda x: np.cumprod(x, axis=1),
    lambda x: np.prod(x, axis=1),
    lambda x: np.exp(x) / np.sum(np.exp(x), axis=1, keepdims=True),
    lambda x: scipy.special.log_softmax(x, axis=1),
    lambda x: scipy.special.logsumexp(x, axis=1),
    lambda x: np.einsum("ij,ij->i", x, x),
    lambda x: np.einsum("ij,jk,ik->i", x, M, x),
    lambda x: np.linalg.norm(x, axis=1),
    lambda x: np.sort(x, axis=1) * W,
    lambda x: np.tanh(x @ M) @ M,
    lambda x: (x - x.mean(1, keepdims=True)) / x.std(1, keepdims=True),
    lambda x: np.nanmean(x, axis=1),
    lambda x: np.median(x, axis=1),
    lambda x: np.linalg.det(x[:, :, None] * x[:, None, :] + M),
    lambda x: np.real(np.fft.rfft(x, axis=1)),
    stored,
    unrolled,
    scanned,
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("seed", ["all", "good"])
@pytest.mark.parametrize("f", BY_ROW)
def test_other_rows(f, seed):
    y = np.asarray(f(X))
    y_bar = np.cos(np.arange(float(y.size))).reshape(y.shape)
    if seed == "good":
        y_bar[1] = 0.0
    wanted = srcad.vjp(f, X)[1](y_bar)[0]
    found = srcad.vjp(f, HELD)[1](y_bar)[0]
    np.testing.assert_allclose(found[GOOD], wanted[GOOD], rtol=1e-9, atol=1e-12)


MODELS = [
    lambda x, w, m: x @ w,
    lambda x, w, m: (x @ w - 1.0) ** 2,
    lambda x, w, m: np.logaddexp(0.0, x @ w),
    lambda x, w, m: np.tanh(x @ m) @ w,
    lambda x, w, m: np.linalg.norm(x - w, axis=1),
    lambda x, w, m: np.einsum("ij,jk,ik->i", x, m, x),
    lambda x, w, m: w[0] + w[1] * x[:, 0] + w[2] * x[:, 1] ** 2,
]
LOSSES = [
    (np.nansum, np.sum),
    (np.nanmax, np.max),
    (np.nanmin, np.min),
    (np.nanstd, np.std),
    (np.nanmedian, np.median),
    (lambda y: np.sum(y[~np.isnan(y)]), np.sum),
    (lambda y: np.max(np.where(np.isnan(y), -np.inf, y)), np.max),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("model", MODELS)
def test_what_rows_share(model, loss):
    found = srcad.grad(lambda x, w, m: loss[0](model(x, w, m)), (1, 2))(HELD, W, M)
    wanted = srcad.grad(lambda x, w, m: loss[1](model(x, w, m)), (1, 2))(X[GOOD], W, M)
    for each, known in zip(found, wanted, strict=True):
        np.testing.assert_allclose(each, known, rtol=1e-9, atol=1e-12)
