"""Convolutions and poolings of many samples: as of each sample, by one call of a kernel."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

nn = srcad.nn
RNG = np.random.default_rng(3)
X = RNG.normal(size=(4, 2, 6, 8, 7))  # samples, images, channels
W = RNG.normal(size=(4, 6, 6, 3, 2))
W2 = RNG.normal(size=(4, 6, 3, 3, 2))  # of two groups
P = {"w1": RNG.normal(size=(2, 1, 3, 3)), "w2": RNG.normal(size=(18, 3)), "b": RNG.normal(size=2)}
IMAGES, LABELS = RNG.normal(size=(4, 1, 8, 8)), np.array([0, 1, 2, 0])


def plain(x, w):
    return nn.conv2d(x, w)


def strided(x, w):
    return nn.conv2d(x, w, stride=2, padding=1, dilation=(2, 1)) * 2.0


def same(x, w):
    return nn.conv2d(x, w, padding="same")[0]


def grouped(x, w):
    return nn.conv2d(x, w, stride=(1, 2), padding=((1, 0), (2, 1)), groups=2).ravel()


def pooled(x, w):
    return nn.max_pool2d(x, 2, 1) * np.sum(w)


def averaged(x, w):
    return nn.avg_pool2d(x, (3, 2)) + np.sum(w)


def lines(x, w):
    return nn.conv1d(x[:, :, 0], w[:, :, 0], padding=1)


def loss(f):
    return lambda x, w: np.sum(np.sin(f(x, w)))


@pytest.mark.parametrize("axes", [(0, None), (None, 0), (0, 0)])
@pytest.mark.parametrize("f", [plain, strided, same, grouped, pooled, averaged, lines])
def test_samples_are_as_one_by_one(f, axes):
    w = W2 if f is grouped else W
    given = [a if axis == 0 else a[0] for a, axis in zip((X, w), axes, strict=True)]
    slope = srcad.grad(loss(f), (0, 1))

    def push(x, w):
        return srcad.jvp(f, (x, w), (x, w))[1]

    for made in (f, push, slope, srcad.value_and_grad(loss(f), 1)):
        whole = srcad.vmap(made, in_axes=axes)(*given)
        each = [made(X[k if axes[0] == 0 else 0], w[k if axes[1] == 0 else 0]) for k in range(4)]
        for found, *wanted in zip(leaves(whole), *map(leaves, each), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-10)


def leaves(x):
    return list(x) if isinstance(x, tuple) else [x]


def cnn(p, image, label):
    h = nn.conv2d(image[None], p["w1"]) + p["b"][:, None, None]
    logits = nn.dense(nn.flatten(nn.max_pool2d(nn.relu(h), 2)), p["w2"])[0]
    return np.log(np.sum(np.exp(logits))) - logits[label]


def cnn_by_loss(p, image, label):
    h = nn.max_pool2d(nn.relu(nn.conv2d(image[None], p["w1"])), 2)
    return nn.softmax_cross_entropy(nn.dense(nn.flatten(h), p["w2"]), np.array([label]))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", [cnn, cnn_by_loss])
def test_each_example_has_its_gradient(f, backend):
    made = srcad.vmap(srcad.grad(f), in_axes=(None, 0, 0), backend=backend)
    found = made(P, IMAGES, LABELS)
    for k in range(4):
        wanted = srcad.grad(f)(P, IMAGES[k], LABELS[k])
        for name in P:
            np.testing.assert_allclose(found[name][k], wanted[name], rtol=1e-10, atol=1e-12)
    text = made.on("numpy").source(P, IMAGES, LABELS)
    assert "in range(" not in text[text.index("def cnn") :]
    none = made(P, IMAGES[:0], LABELS[:0])
    assert none["w1"].shape == (0, 2, 1, 3, 3)


def table_by_pairs(x, i, j):
    return x[i, j] * x[0, i] - x[j, :2].sum()


def many_places(x, i, j):
    return np.sum(x[np.array([0, 2, 1]), i]) + x[i][j]


def stored(x, i, j):
    y = x.copy()
    y[i, j] = 2.0 * y[j, 1]
    y[j] += 1.0
    return np.sum(y**2)


@pytest.mark.parametrize("axes", [(0, 0, 0), (None, 0, 0), (0, None, 0), (None, None, 0)])
@pytest.mark.parametrize("f", [table_by_pairs, many_places, stored])
def test_places_of_each_sample_among_others(f, axes):
    rng = np.random.default_rng(1)
    whole = (rng.normal(size=(4, 3, 3)), np.array([0, 1, 2, -1]), np.array([2, 2, 0, 1]))
    given = [a if axis == 0 else a[1] for a, axis in zip(whole, axes, strict=True)]
    for made in (f, srcad.grad(f), lambda x, i, j: srcad.jvp(f, (x, i, j), (x, None, None))[1]):
        found = srcad.vmap(made, in_axes=axes)(*given)
        for k in range(4):
            own = [a[k] if axis == 0 else a for a, axis in zip(given, axes, strict=True)]
            np.testing.assert_allclose(found[k], made(*own), rtol=1e-12)
