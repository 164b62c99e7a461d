"""Calls that always raise, on one path."""

import math

from corpus.program import Theme

program = Theme("raising")

BOTH = [(1.5,), (2.5,)]


def fail(x):
    raise KeyError(x)


@program(1.5, again=BOTH)
def in_expression(x):
    y = x * x if x > 0 else fail(x)
    return y + 1


@program(1.5, again=BOTH)
def in_first_path(x):
    return fail(x) if x < 0 else math.sin(x)


@program(1.5, again=BOTH)
def in_branch_of_branch(x):
    if x < 2:
        y = x if x > 0 else fail(x)
        y = y * 2
    else:
        y = x * x
    return y


@program(1.5, again=BOTH)
def in_short_circuit(x):
    if x > 0 or fail(x):
        return x * 3
    return x


@program(1.5, 0, again=[(1.5, 0)])
def in_loop_without_turns(x, n):
    for i in range(n):
        x = fail(x)
    return x * x + sum(fail(i) for i in range(n))


@program(1.5, again=BOTH)
def in_helper(x):
    return checked(x) * checked(2 * x)


def checked(x):
    if x < 0:
        fail(x)
    return x


@program(1.5, again=BOTH)
def last_of_chain(x):
    if x > 2:
        return x
    elif x > 0:
        return x * x
    else:
        fail(x)
