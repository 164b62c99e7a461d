"""Calls as users write them, right and wrong: `# error: CODE` is what mypy must say of a line."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np

import srcad

Array = np.ndarray[Any, np.dtype[np.float64]]


def loss(w: Array, x: Array, rate: float = 0.1) -> float:
    return float(np.sum(w @ x)) * rate


def with_aux(w: Array, x: Array) -> tuple[float, dict[str, int]]:
    return float(np.sum(w * x)), {"steps": 1}


def untyped(w, x):  # type: ignore[no-untyped-def]
    return np.sum(w * x)


w, x = np.ones(3), np.ones(3)

# Parameters are kept: number, types, names, defaults.
gradient = srcad.grad(loss)
gradient(w, x)
gradient(w, x=x, rate=0.5)
gradient()  # error: call-overload
gradient(w)  # error: call-overload
gradient(w, x, 0.1, 2)  # error: call-overload
gradient(w, x, step=0.1)  # error: call-overload
gradient("w", x)  # error: call-overload
gradient(w, x, out=np.empty(3))
assert_type(gradient.primal, Callable[..., Any])
assert_type(gradient.source(w, x), str)

# Several gradients are a tuple.
assert_type(srcad.grad(loss, (0, 1))(w, x), tuple[Any, ...])
w_bar, x_bar = srcad.grad(loss, argnums=("w", "x"))(w, x)

# What `has_aux` hands through keeps its type, and wants a pair.
assert_type(srcad.grad(with_aux, has_aux=True)(w, x), tuple[Any, dict[str, int]])
assert_type(
    srcad.grad(with_aux, (0, 1), has_aux=True)(w, x), tuple[tuple[Any, ...], dict[str, int]]
)
srcad.grad(loss, has_aux=True)  # error: call-overload

# The value keeps its type.
value, _ = srcad.value_and_grad(loss)(w, x)
assert_type(value, float)
(value, aux), _ = srcad.value_and_grad(with_aux, has_aux=True)(w, x)
assert_type(aux, dict[str, int])
assert_type(srcad.value_and_grad(loss, (0, 1))(w, x), tuple[float, tuple[Any, ...]])
srcad.value_and_grad(loss)(w)  # error: call-overload

# Options.
srcad.grad(loss, backend="numpy", fast_math=True, cache=False)
srcad.grad(loss, backend="torch")  # error: call-overload
srcad.grad(loss, argnum=1)  # error: call-overload
srcad.grad(loss, 1.5)  # error: call-overload
srcad.vmap(loss, backend="cuda")  # error: call-overload
srcad.jvp(loss, (w, x), (w, x), backend="gpu")  # error: call-overload
gradient.on("native")
gradient.on("gpu")  # error: arg-type


# Decorators, bare and with options.
@srcad.grad
def bare(w: Array, rate: float) -> float:
    return float(np.sum(w)) * rate


@srcad.value_and_grad(argnums="rate", backend="numpy")
def named(w: Array, rate: float) -> float:
    return float(np.sum(w)) * rate


@srcad.grad((0, 1))
def by_position(w: Array, rate: float) -> float:
    return float(np.sum(w)) * rate


@srcad.value_and_grad(has_aux=True)
def decorated_with_aux(w: Array) -> tuple[float, str]:
    return float(np.sum(w)), "done"


@srcad.compile(backend="native")
def compiled(w: Array, n: int) -> Array:
    return w * n


@srcad.grad(has_aux=True)  # error: arg-type
def without_aux(w: Array) -> float:
    return float(np.sum(w))


bare(w, 0.5)
bare(w)  # error: call-overload
assert_type(named(w, 0.5), tuple[float, Any])
named(w, rate="fast")  # error: call-overload
assert_type(by_position(w, 1.0), tuple[Any, ...])
assert_type(decorated_with_aux(w)[0][1], str)
assert_type(compiled(w, 3), Array)
compiled(w, 3.5)  # error: call-overload


# Methods.
class Model:
    @srcad.value_and_grad(argnums=1)
    def loss(self, w: Array) -> float:
        return float(np.sum(w))


assert_type(Model().loss(w), tuple[float, Any])
Model().loss(w, x)  # error: call-arg

# The others.
assert_type(srcad.compile(loss)(w, x), float)
assert_type(srcad.jvp(loss, (w, x), (w, x)), tuple[float, float])
y, pullback = srcad.vjp(loss, w, x)
assert_type(y, float)
assert_type(pullback(1.0), tuple[Any, ...])
assert_type(srcad.jvp(with_aux, (w, x), (w, x), has_aux=True), tuple[float, float, dict[str, int]])
_, _, handed = srcad.vjp(with_aux, w, x, has_aux=True)
assert_type(handed, dict[str, int])
srcad.vjp(loss, w, x, has_aux=True)  # error: call-overload
assert_type(srcad.linearize(loss, w, x)[0], float)
assert_type(srcad.pullback(loss).source(w, x), str)
for matrix in (srcad.jacobian(loss), srcad.hessian(loss), srcad.jacrev(loss), srcad.jacfwd(loss)):
    matrix(w, x)
    matrix(w)  # error: call-overload
srcad.jacobian(loss, sparse=True).pattern(w, x)
srcad.vmap(loss, in_axes=(0, None))(w, x)


# The mapped parameters take arrays of what they are declared to be.
@srcad.vmap(in_axes=(0, None))
def scaled(a: float, by: float) -> float:
    return a * by


scaled(x, 2.0)
srcad.vmap(abs)(x)
assert_type(scaled.source(x, 2.0), str)
scaled.source(x, 2.0).append("")  # error: attr-defined
srcad.vmap("loss")  # error: call-overload
srcad.vmap(loss, in_axes="0")  # error: call-overload
srcad.vmap(in_axes=(0, None), out_axes=1.5)  # error: call-overload

srcad.derivative(lambda t: t**2.0, order=2)(3.0)
srcad.hvp(loss)(w, w, x)
srcad.grad(untyped)(w, x)
srcad.grad(untyped, has_aux=True)(w, x)[1]
srcad.grad(lambda w, x: w * x)(w, x)
srcad.grad(srcad.grad(loss))(w, x)
srcad.vmap(srcad.grad(loss), in_axes=(None, 0, None))(w, x, 1.0)
