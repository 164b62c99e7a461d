"""Transformations used inside a function."""

import functools
import math

import numpy as np
from corpus.program import Theme, array, number, vector

import srcad

program = Theme("orders")


def cube(x):
    return x**3


cube_grad = srcad.grad(cube)


@program(number)
def gradient_of_global(x):
    return srcad.grad(cube)(x) + cube_grad(x)


@program(number)
def gradient_of_lambda(x):
    return srcad.grad(lambda v: v * v * x)(x)


@program(vector)
def gradient_norm(x):
    def energy(v):
        return np.sum(np.sin(v) ** 2)

    g = srcad.grad(energy)(x)
    return np.sum(g * g)


@program(number, number)
def value_and_gradient(x, y):
    v, (a, b) = srcad.value_and_grad(lambda p, q: p * p * q, argnums=(0, 1))(x, y)
    return v + a * b


@program(vector, vector)
def forward_inside(x, v):
    y, y_dot = srcad.jvp(lambda u: u * np.sum(u), (x,), (v,))
    return np.sum(y * y_dot)


@program(number)
def second_derivative(x):
    return srcad.grad(srcad.grad(lambda v: v**4))(x)


@program(number)
def perturbation_confusion(x):
    return x * srcad.grad(lambda y: x + y)(1.0)


@program(array(3))
def gradient_step(w):
    for _ in range(2):
        w = w - 0.1 * srcad.grad(lambda v: np.sum(v**4))(w)
    return np.sum(w)


@program(vector)
def gradient_of_dict(x):
    def loss(params):
        return np.sum(params["w"] ** 2) * params["b"]

    g = srcad.grad(loss)({"w": x, "b": 2.0})
    return np.sum(g["w"]) * g["b"]


@program(0.7, 2, again=[(0.7, 0)])
def gradient_in_loop(x, n):
    for i in range(n):
        x = x - 0.1 * srcad.grad(lambda v: v**2 * (i + 1))(x)
    return x


@program(array(3), 2, again=[(array(3), 0)])
def gradient_of_loop(x, n):
    def f(v):
        s = v
        for _ in range(n):
            s = np.sin(s) * v
        return np.sum(s)

    return np.sum(srcad.grad(f)(x) ** 2)


@program(1.5, again=[(-1.5,)])
def gradient_of_branch(x):
    return srcad.grad(lambda v: v**2 if v > 0 else v**3)(x)


@program(1.5, again=[(20.0,)])
def gradient_of_while(x):
    def f(v):
        while v < 10:
            v = v * v
        return v

    return srcad.grad(f)(x)


@program(1.5, again=[(-1.5,)])
def gradient_in_branch(x):
    if x > 0:
        y = srcad.grad(lambda v: v**3)(x)
    else:
        y = x
    return y * x


@program(number, number)
def defaults_left_out(x, y):
    f = lambda a, b=2.0, *, c=1.0: a * b * b * c
    return srcad.grad(f, argnums="c")(x, c=y) + srcad.grad(f, argnums="b")(x, c=y)


def cubic(a, b=2.0, c=1.0):
    return a * b * b * c * c * c


by_c = srcad.grad(cubic, argnums=2)


@program(number, number)
def defaults_of_globals_left_out(x, y):
    p, q = srcad.grad(cubic, argnums=(2, 0))(x, c=y)
    return p * q + by_c(x, c=y)


@program(vector)
def pullback_used_twice(x):
    y, pull = srcad.vjp(lambda v: v * v * np.sum(v), x)
    (a,) = pull(np.ones_like(x))
    (b,) = pull(x)
    return np.sum(a * b) + np.sum(y)


@program(0.7, 3, again=[(0.7, 0)])
def pullback_in_loop(x, n):
    _, pull = srcad.vjp(lambda v: np.sin(v), x)
    s = 0.0
    for i in range(n):
        s += pull(2.0)[0] * i
    return s


@program(number)
def functions_of_libraries(x):
    return srcad.grad(math.sin)(x) * srcad.grad(functools.partial(cubic, x))(2.0)


@program(vector)
def elementwise_inside(x):
    return srcad.elementwise_grad(lambda v: np.sin(v) * v)(x)


@program(number)
def list_of_gradients(x):
    return sum([g(x) for g in map(srcad.grad, [lambda v: v * v, lambda v: v**3])])


def weighted(a, *bs, scale=1.0):
    return a * sum(bs) * scale * bs[0]


@program(number, number)
def items_of_star_arguments(x, y):
    p, q = srcad.grad(weighted, argnums=(1, 2))(x, y, 2.0, scale=y)
    return p * q
