"""Comprehensions and generator expressions."""

import numpy as np
from corpus.program import Theme, array, number, vector

program = Theme("comprehensions")


@program(number)
def list_of_powers(x):
    return sum([x**k for k in range(4)])


@program(number)
def with_condition(x):
    return sum([x * k for k in range(6) if k % 2 == 0 if k > 0])


@program(number)
def two_clauses(x):
    return sum([x * i + j for i in range(3) for j in range(i)])


@program(number)
def nested(x):
    rows = [[x * i * j for j in range(3)] for i in range(2)]
    return rows[1][2] + rows[0][0]


@program(number)
def dict_comprehension(x):
    d = {k: x * i for i, k in enumerate("abc")}
    return d["c"] + len(d)


@program(lambda r: {"w": r.random((2, 2)), "b": r.random(2)})
def tree_map(params):
    return {k: v * 2 for k, v in params.items()}


@program(lambda r: [r.random(3), r.random((2, 2))])
def penalty(params):
    return sum(np.sum(p * p) for p in params)


@program(vector, again=[(array(6),), (array(0),)])
def generator_over_array(x):
    return sum(v * v for v in x)


@program(0.5, 3, again=[(0.5, 0), (0.5, 5)])
def generator_over_range(x, n):
    return sum(x * i for i in range(n))


@program(vector, vector, again=[(array(6), array(6))])
def generator_over_zip(x, y):
    return sum(a * b for a, b in zip(x, y))


@program(vector)
def any_and_all(x):
    return np.sum(x) * all(k > 0 for k in (1, 2)) + any([False, True])


@program(array(4), 4)
def stacked(x, n):
    return np.stack([x * i for i in range(n)]).sum(axis=0)


@program(vector)
def list_over_array(x):
    ys = [v * v for v in x]
    return ys[0] + ys[3] * len(ys)


@program(number)
def generator_to_list(x):
    ys = list(x * k for k in (1, 2, 3))
    t = tuple(y + 1 for y in ys)
    return max(t) + ys[0]


@program(number)
def condition_expression_inside(x):
    return sum([x if k % 2 else -x * k for k in range(4)])


@program(number, again=[(-1.0,)])
def runtime_choice_inside(x):
    return sum([x * k if x > 0 else k - x for k in range(3)])


@program(1.5)
def nested_comp_lambda(x):
    fs = [lambda v, k=k: [v * k * j for j in range(2)] for k in range(3)]
    return fs[2](x)[1]


@program(array(4))
def hinge_of_some(x):
    slack = [max(0, 1 - v) for v in np.sin(x) if v > -2]
    return sum([2 * v**2 for v in slack if v < 5]) + max(slack) * x[0]
