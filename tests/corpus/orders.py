"""Transformations used inside a function."""

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
