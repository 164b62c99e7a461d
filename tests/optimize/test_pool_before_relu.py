import numpy as np

import srcad
from srcad import kernels, nn

# Ties of positive entries, of negative ones, of zeros; windows of one sign and of both.
X = np.array([[3, 3, -1, -2], [1, 3, -2, -1], [0, 0, 2, -5], [0, -1, 2, 7]], np.float32)[None, None]
G = np.array([[1, 2], [4, 8]], np.float32)[None, None]


def pooled_last(x, g):
    return np.sum(nn.max_pool2d(nn.relu(x), 2) * g)


def read_by_others(x, g):
    t = nn.relu(x)
    return np.sum(nn.max_pool2d(t, 2) * g) + t[0, 0, 3, 3]


def by_the_text(x, g):
    t = np.maximum(x, 0)
    _, places = kernels.max_pool2d(t, 2)
    return kernels.unpool2d(g, places, x.shape, 2) * (t > 0)


def test_relu_follows_pooling_and_the_gradient_is_the_same():
    gradient = srcad.grad(pooled_last)
    np.testing.assert_array_equal(gradient(X, G), by_the_text(X, G))
    assert "kernels.max_pool2d(x, 2)" in gradient.source(X, G)


def test_value_is_that_of_the_text():
    value, _ = srcad.value_and_grad(pooled_last)(X, G)
    assert value == pooled_last(X, G) == 3 + 56


def test_what_others_read_stays():
    gradient = srcad.grad(read_by_others)
    assert "kernels.max_pool2d(x, 2)" not in gradient.source(X, G)
    want = by_the_text(X, G)
    want[0, 0, 3, 3] += 1
    np.testing.assert_array_equal(gradient(X, G), want)


def test_places_that_are_read_stay():
    def loss(x, g):
        y, places = kernels.max_pool2d(nn.relu(x), 2)
        return np.sum(y * g * places)

    gradient = srcad.grad(loss)
    assert "kernels.max_pool2d(x, 2)" not in gradient.source(X, G)
