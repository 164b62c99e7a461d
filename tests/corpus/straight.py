"""Straight-line programs: expressions, rebinding, several results."""

import math
import operator
from math import sin
from operator import mul

import numpy as np
from corpus.program import Theme, array, matrix, number, positive, positive_number, vector
from numpy import tanh as squash

program = Theme("straight")


@program(number, again=[(2.5,), (-0.0,)])
def polynomial(x):
    return 3 * x**3 - 2 * x + 1


@program(number, number)
def scalars(x, y):
    z = x * y + math.sin(x)
    z = z / (1.0 + y * y)
    return z


@program(vector, again=[(array(7),), (array(0),), (array(1, dtype=float),)][:2])
def vector_norm(x):
    return np.sqrt(np.sum(x * x) + 1.0)


@program(array(3, 4), vector, again=[(array(5, 6), array(6))])
def linear_layer(w, x):
    return np.tanh(w @ x)


@program(array(6, 4), array(4, 3), array(3), again=[(array(9, 4), array(4, 3), array(3))])
def logistic(x, w, b):
    z = x @ w + b
    return np.mean(np.log1p(np.exp(-z)))


@program(array(5, 4), array(4, 6), array(6), array(6, 2), array(2), array(5, 2))
def mlp(x, w1, b1, w2, b2, t):
    h = np.tanh(x @ w1 + b1)
    y = h @ w2 + b2
    return 0.5 * np.sum((y - t) ** 2)


@program(number)
def unused_statement(x):
    """A docstring."""
    x * 3
    pass
    "no effect"
    y: float = x * x
    z: float
    return y


@program(number, number)
def swap(a, b):
    a, b = b, a
    a, b = a * b, a - b
    return a / (b + 10.0)


@program(number)
def chained_assignment(x):
    a = b = x * x
    a = a + 1
    return a * b


@program(vector)
def aliases_of_functions(x):
    return sin(x[0]) * squash(x).sum() + mul(x[1], x[2]) + operator.sub(x[0], x[3])


@program(vector, vector)
def several_results(x, y):
    return x * y, x + y, np.sum(x)


@program(vector, vector)
def nested_results(x, y):
    return {"product": x * y, "parts": [x, (y, 2.0)], "name": "pair", "nothing": None}


@program(positive(4))
def powers(x):
    return x**2 + x**0.5 + x**-1 + 2**x + x**x + x**0 + x**1


@program(positive_number)
def number_functions(x):
    return math.exp(x) + math.log(x, 2) + math.atan2(x, 2.0) + math.hypot(x, 1.0) + x**math.pi


@program(matrix)
def same_value_twice(x):
    y = x
    z = y
    return np.sum(y * z + x)


@program(number)
def unary(x):
    return -x + +x * 2 - -(-x)


@program(vector)
def overwritten_argument(x):
    x = x * 2
    x = np.sin(x)
    x = x.sum()
    return x


@program(number, number)
def walrus(x, y):
    z = (w := x * y) + w
    return z * w


@program(vector)
def deleted(x):
    y = x * 2
    z = y + 1
    del y
    y = z * x
    del z, x
    return np.sum(y)


@program(array(2, 3, 4), array(4, 5))
def batched_matmul(a, b):
    return np.sum(np.sin(a @ b))


@program(array(3, 3), array(3))
def quadratic_form(a, x):
    return x @ a @ x / (x @ x + 1)


@program(vector)
def constants_of_numpy(x):
    return np.sum(x * np.pi + np.e) * float("0.5") + (x[0] if np.inf > 1 else x[1])


@program(positive(3, 2))
def log_sum_exp(x):
    m = np.max(x, axis=1, keepdims=True)
    return np.sum(np.log(np.sum(np.exp(x - m), axis=1)) + m[:, 0])
