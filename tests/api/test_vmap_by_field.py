"""`vmap` of programs as fields write them: results and derivatives are those of each sample."""

import numpy as np
import pytest
from optional import BACKENDS

import srcad

RNG = np.random.default_rng(5)
N = 5


def normal(*shape):
    return RNG.standard_normal(shape)


PROGRAMS = []


def program(*args, in_axes=0):
    def add(fn):
        PROGRAMS.append(pytest.param(fn, args, in_axes, id=fn.__name__))
        return fn

    return add


@program(normal(N, 9), normal(N))
def huber(r, d):
    total = 0.0
    for v in r:
        if abs(v) <= abs(d):
            total += 0.5 * v * v
        else:
            total += abs(d) * (abs(v) - 0.5 * abs(d))
    return total


@program(normal(N, 7), RNG.integers(0, 3, (N, 7)))
def means_of_groups(x, g):
    out = np.zeros(3)
    for k in range(3):
        of_group = g == k
        out[k] = np.sum(np.where(of_group, x, 0.0)) / max(np.sum(of_group), 1)
    return out


@program(normal(N, 2), normal(2, N), in_axes=(0, 1))
def leapfrog(q, p):
    for _ in range(6):
        p = p - 0.05 * q / (1 + q @ q)
        q = q + 0.1 * p
        p = p - 0.05 * q / (1 + q @ q)
    return {"q": q, "energy": 0.5 * p @ p + 0.5 * np.log(1 + q @ q)}


@program(normal(N, 3), normal(N, 3))
def bouncing(x, v):
    for _ in range(15):
        x = x + 0.1 * v
        for k in range(3):
            if x[k] > 1.0 or x[k] < -1.0:
                v[k] = -v[k]
                x[k] = min(max(x[k], -1.0), 1.0)
    return x, v


@program(normal(N, 4), normal(4, 3), RNG.integers(0, 3, N), in_axes=(0, None, 0))
def cross_entropy(x, w, label):
    z = x @ w
    z = z - z.max()
    return np.log(np.sum(np.exp(z))) - z[label]


@program(normal(N, 4, 3))
def attention(x):
    s = x @ x.T / np.sqrt(x.shape[1])
    s = np.exp(s - s.max(axis=1, keepdims=True))
    return s / s.sum(axis=1, keepdims=True) @ x


@program(normal(N, 14), normal(N))
def recursive_filter(x, a):
    y = np.zeros(len(x))
    y[0] = x[0]
    for n in range(1, len(x)):
        y[n] = x[n] + 0.5 * np.tanh(a) * y[n - 1]
    return y


@program(0.5 * normal(N, 3), normal(N, 3))
def ray_and_sphere(origin, towards):
    d = towards / np.sqrt(towards @ towards)
    b = origin @ d
    inside = b * b - origin @ origin + 1.0
    if inside < 0:
        return -1.0
    return -b - np.sqrt(inside)


@program(normal(N, 6), normal(N, 6))
def sorted_by_another(x, y):
    return y[np.argsort(x)] * np.arange(6) + np.sort(x) - np.cumsum(y)


@program(normal(N, 3, 3), normal(N, 3))
def of_matrices(a, b):
    m = a @ a.T + 4 * np.eye(3)

    def powers(v, k=2):
        return v**k, np.sum(v)

    squares, total = powers(np.linalg.solve(m, b))
    return squares, [np.linalg.slogdet(m)[1], total, np.max(a, axis=0)]


def leaves(tree):
    if isinstance(tree, dict):
        return leaves(list(tree.values()))
    return [x for item in tree for x in leaves(item)] if isinstance(tree, tuple | list) else [tree]


def samples(args, in_axes):
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
    for i in range(N):
        yield [x if a is None else x.take(i, axis=a) for x, a in zip(args, axes, strict=True)]


def number_of(fn):
    def number(*args):
        return sum(np.sum(np.sin(x)) for x in leaves(fn(*args)))

    return number


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(("fn", "args", "in_axes"), PROGRAMS)
def test_results_are_those_of_each_sample(fn, args, in_axes, backend):
    each = [leaves(fn(*sample)) for sample in samples(args, in_axes)]
    got = leaves(srcad.vmap(fn, in_axes, backend=backend, cache=False)(*args))
    for x, wants in zip(got, zip(*each, strict=True), strict=True):
        want = np.stack(wants)
        assert x.dtype == want.dtype
        np.testing.assert_allclose(x, want, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("kind", [srcad.grad, srcad.hessian])
@pytest.mark.parametrize(("fn", "args", "in_axes"), PROGRAMS)
def test_derivatives_are_those_of_each_sample(fn, args, in_axes, kind):
    derivative = kind(number_of(fn), backend="numpy", cache=False)
    want = np.stack([derivative(*sample) for sample in samples(args, in_axes)])
    got = srcad.vmap(derivative, in_axes, backend="numpy", cache=False)(*args)
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-11)
    if kind is srcad.grad:
        mapped = srcad.vmap(number_of(fn), in_axes, backend="numpy")
        whole = srcad.grad(lambda *xs: np.sum(mapped(*xs)), backend="numpy", cache=False)(*args)
        np.testing.assert_allclose(whole, want, rtol=1e-9, atol=1e-11)
