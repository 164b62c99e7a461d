"""Derivatives by arrays of classes inside a function, and samples of them: as outside."""

import numpy as np
import pytest
from array_classes import Info, Signal
from optional import BACKENDS

import srcad

X = Info(np.arange(1.0, 7.0).reshape(3, 2), info=2.5)


def energy(x):
    return np.sum(x**2) * x.info


def cubes(x):
    return x * x * x * x.info


def held(x):
    return {"a": cubes(x[0])}


def gradient(x):
    return np.sum(srcad.grad(energy)(x) ** 2)


def attribute_of_a_gradient(x):
    return srcad.grad(energy)(x).info * np.sum(x)


def gradient_of_a_gradient(x):
    return np.sum(srcad.grad(lambda z: np.sum(srcad.grad(energy)(z) ** 2))(x) ** 2)


def value_and_gradient(x):
    value, g = srcad.value_and_grad(energy)(x)
    return value * np.sum(g)


def beside(x):
    (_, kept), g = srcad.value_and_grad(lambda z: (energy(z), z * 2), has_aux=True)(x)
    return np.sum(kept * g) * kept.info


def of_a_container(x):
    return np.sum(srcad.grad(lambda p: energy(p["x"]) * p["s"])({"x": x, "s": 2.0})["x"] ** 2)


def by_two(x):
    return sum(np.sum(g**2) for g in srcad.grad(lambda a, b: energy(a * b), (0, 1))(x, x + 1))


def tangent(x):
    return np.sum(srcad.jvp(cubes, (x,), (x,))[1]) * srcad.jvp(cubes, (x,), (x,))[1].info


def plain_tangent(x):
    return np.sum(srcad.jvp(cubes, (x,), (np.asarray(x),))[1] ** 2)


def cotangent(x):
    (g,) = srcad.vjp(cubes, x)[1](np.asarray(x))
    return np.sum(g) * g.info


def cotangent_in_containers(x):
    ((g, _),) = srcad.vjp(held, (x, 3.0))[1]({"a": x})
    return np.sum(g) * g.info


def curvature(x):
    return np.sum(srcad.hvp(energy)(x, np.asarray(x)) ** 2) + np.sum(srcad.hvp(energy)(x, x))


def hessian(x):
    found = srcad.hessian(energy)(x)
    return np.sum(found**2) + np.sum(x) + (1.0 if type(found) is np.ndarray else 2.0)


def jacobian(x):
    found = srcad.jacobian(cubes)(x)
    return np.sum(found**2) + (1.0 if type(found) is np.ndarray else 2.0)


def unread(x):
    return np.sum(srcad.jacobian(lambda z: 3.0)(x)) + np.sum(x)


def made_inside(x):
    return np.sum(np.asarray(srcad.grad(energy)(Info(np.asarray(x), np.sum(x)))) ** 2)


PROGRAMS = [
    gradient, attribute_of_a_gradient, gradient_of_a_gradient, value_and_gradient, beside,
    of_a_container, by_two, tangent, plain_tangent, cotangent, cotangent_in_containers, curvature,
    hessian, jacobian, unread, made_inside,
]  # fmt: skip


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_derivatives_inside(f, backend):
    t = np.cos(np.arange(6.0)).reshape(3, 2)
    value, g = srcad.value_and_grad(f, backend=backend)(X)
    np.testing.assert_allclose(float(value), float(f(X)), rtol=1e-13)
    slope = (float(f(X + 1e-5 * t)) - float(f(X - 1e-5 * t))) / 2e-5
    np.testing.assert_allclose(float(np.sum(np.asarray(g) * t)), slope, rtol=1e-7)
    assert (type(g), g.info) == (Info, 2.5)


class Headed(np.ndarray):
    def __array_finalize__(self, source):
        self.head = getattr(source, "head", None)


def test_attributes_that_share_memory_are_refused_inside():
    def by_head(x):
        y = x.view(Headed)
        y.head = x[:1]
        return np.sum(np.asarray(srcad.grad(lambda z: np.sum(z * z) + z.head[0])(y)))

    with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
        srcad.grad(by_head)(np.arange(3.0))


def with_head(x):
    y = np.asarray(x).view(Headed)
    y.head = np.asarray(y)[:1]
    return y


def times_head(y):
    return np.asarray(y) * y.head[0]


@pytest.mark.parametrize(
    "f",
    [
        lambda y: srcad.grad(lambda z: np.sum(z * z) + z.head[0])(y),
        lambda y: srcad.jvp(times_head, (y,), (np.ones(3),))[1],
        lambda y: srcad.vjp(times_head, y)[1](np.ones(3))[0],
        lambda y: srcad.grad(lambda p: np.sum(times_head(p[0])))([y])[0],
    ],
)
def test_arguments_whose_attributes_share_memory_are_refused_inside(f):
    compiled = srcad.compile(lambda y: np.sum(np.asarray(f(y))))
    y = np.arange(3.0).view(Headed)
    y.head = np.ones(1)
    compiled(y)  # nothing shares memory
    with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
        compiled(with_head(np.arange(3.0)))
    with pytest.raises(srcad.SrcadError, match="whose attributes share its memory"):
        srcad.compile(lambda x: np.sum(np.asarray(f(with_head(x)))))(np.arange(3.0))


class Ranked(np.ndarray):
    def __array_finalize__(self, source):
        self.weight = getattr(source, "weight", 1.0)
        self.axes = self.ndim


R = np.arange(6.0).reshape(3, 2).view(Ranked)
R.weight = 2.0


@pytest.mark.parametrize(
    ("f", "in_axes", "samples"),
    [
        (lambda x: np.sum(x**2) * x.weight, 0, (R,)),
        (lambda x: np.sum(x) * x.axes + isinstance(x, Ranked), 1, (R,)),
        (lambda x: x * 2.0, 0, (R,)),
        (lambda x: x * 2.0 + isinstance(x, Ranked), 0, (R[0],)),
        (lambda x, y: np.sum(x * y) * y.weight, (0, None), (np.ones((3, 2)), R[0])),
        (lambda p: np.sum(p["a"] * p["b"]) * p["a"].weight, 0, ({"a": R, "b": np.ones((3, 2))},)),
        (srcad.grad(lambda x: np.sum(x**2) * x.weight), 0, (R,)),
        (Signal.energy, 0, (Signal(R, rate=2.0),)),
    ],
)
def test_each_sample_is_a_row_as_a_loop_finds_it(f, in_axes, samples):
    axes = in_axes if isinstance(in_axes, tuple) else (in_axes,)
    first = samples[0]["a"] if isinstance(samples[0], dict) else samples[0]

    def sample(x, axis, k):
        if isinstance(x, dict):
            return {key: sample(item, axis, k) for key, item in x.items()}
        return x if axis is None else x[k] if axis == 0 else x[:, k]

    wanted = [
        np.asarray(f(*[sample(x, axis, k) for x, axis in zip(samples, axes, strict=True)]))
        for k in range(first.shape[axes[0]])
    ]
    found = srcad.vmap(f, in_axes)(*samples)
    assert type(found) is np.ndarray
    np.testing.assert_allclose(found, np.stack(wanted), rtol=1e-14)


def test_the_derivative_of_samples():
    g = srcad.grad(lambda x: np.sum(srcad.vmap(lambda r: np.sum(r**3) * r.weight)(x)))(R)
    assert type(g) is Ranked
    np.testing.assert_allclose(np.asarray(g), 6.0 * np.asarray(R) ** 2)
