"""Branches: what they bind, early returns, raises, short circuits, static conditions."""

import math

import numpy as np
from corpus.program import Theme, array, vector

program = Theme("branches")

BOTH = [(1.5,), (-1.5,)]


@program(1.5, again=BOTH)
def if_else(x):
    if x > 0:
        y = x * x
    else:
        y = -x
    return y


@program(1.5, again=BOTH)
def if_only(x):
    y = x
    if x > 0:
        y = y * x + 1
    return y


@program(0.5, again=[(1.5,), (2.5,), (-3.0,)])
def elif_chain(x):
    if x < 0:
        y = x * x
    elif x < 1:
        y = math.sin(x)
    elif x < 2:
        y = x**3
    else:
        y = 1.0
    return y * x


@program(1.5, again=BOTH)
def early_return(x):
    if x < 0:
        return x * 2
    y = x * x
    return y + 1


@program(1.5, 2.0, again=[(-1.5, 2.0), (1.5, -2.0), (-1.0, -1.0)])
def nested_returns(x, y):
    if x > 0:
        if y > 0:
            return x * y
        x = x + 1
    else:
        y = y * y
        if y > 3:
            return y
    return x - y


@program(1.5, again=BOTH)
def conditional_expression(x):
    return x * x if x > 0 else math.exp(x)


@program(0.3, 0.4, again=[(2.5, 0.1), (0.1, 3.0), (3.0, 4.0)], edges=[(2.0, 0.1)])
def and_or(x, y):
    if (x < 1 and y < 1) or x > 2:
        return x * y
    return x + y


@program(0.5, again=[(-1.0,), (2.0,)], edges=[(1.0,)])
def chained_comparison(x):
    return x * 3 if 0 < x <= 1 else x * x


@program(1.5, again=[(-2.0,)], edges=[(0.0,)])
def and_gives_operand(x):
    y = x and x * 2
    z = x or 3.0
    return y + z


@program(vector, again=[(lambda r: -np.abs(r.random(3)),), (lambda r: np.abs(r.random(6)),)])
def array_condition(x):
    if np.sum(x) > 0:
        y = x * 2
    else:
        y = np.sin(x)
    return np.sum(y * x)


@program(1.5, again=BOTH)
def bound_in_one_branch(x):
    if x > 0:
        scale = x * 2
    z = x + 1
    if x > 0:
        z = z * scale
    return z


@program(1.5, again=BOTH)
def int_or_float(x):
    if x > 0:
        y = 1
    else:
        y = x
    return y * x


@program(1.5, again=BOTH)
def same_in_both(x):
    if x > 0:
        k = 2
        y = x
    else:
        k = 2
        y = -x
    return [y] * k


@program(vector, True, again=[(array(7), True)])
def static_flag(x, flag):
    if flag:
        y = x * 2
    else:
        y = x.missing_attribute
    return np.sum(y)


@program(vector, "sum")
def static_string(x, how):
    if how == "mean":
        return np.mean(x)
    elif how in ("sum", "total"):
        return np.sum(x * x)
    raise ValueError(how)


@program(vector, None)
def none_argument(x, bias):
    y = x * 2
    if bias is not None:
        y = y + bias
    return y.sum()


@program(array(3, 2), again=[(array(6, 2),), (array(2, 2),)])
def condition_on_shape(x):
    if x.shape[0] > 4:
        return np.sum(x)
    return np.sum(x * x)


@program(array(3, 2))
def condition_on_rank(x):
    if x.ndim == 1:
        return x
    assert x.ndim == 2
    return x.sum(axis=1)


@program(1.5, again=[(0.5,)])
def raises_in_branch(x):
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@program(1.5, again=BOTH)
def raise_after_return(x):
    if x > 0:
        return x * x
    elif x > -10:
        return x
    raise ValueError("far too small")


@program(1.5, again=BOTH)
def several_names(x):
    a, b = x, 1.0
    if x > 0:
        a, b = b, a
        c = a * 3
    else:
        c = b
    return a + 2 * b + 3 * c


@program(1.5, 2.0, again=[(-1.5, 2.0), (1.5, -2.0)])
def nested_if(x, y):
    z = x
    if x > 0:
        z = z * y
        if y > 0:
            z = z + x
        else:
            z = z - 2
        z = z * x
    return z


@program(0.5, again=[(-0.5,)])
def boolean_value(x):
    positive = x > 0
    return positive * x + (not positive) * 2 * x


@program(1.5, again=BOTH)
def tuple_in_branches(x):
    if x > 0:
        p = (x, 2 * x)
    else:
        p = (x * x, 1.0)
    a, b = p
    return a * b


@program(1.5, again=BOTH)
def list_changed_in_branch(x):
    xs = [x, 1.0]
    if x > 0:
        xs[1] = x * x
    return xs[0] * xs[1]


@program(1.5, again=BOTH)
def alias_changed_in_branch(x):
    xs = [x, 1.0]
    ys = xs
    if x > 0:
        ys[0] = x * 5
    return xs[0] * ys[1] + ys[0]


@program(1.5, again=BOTH)
def dict_in_branches(x):
    d = {"a": x}
    if x > 0:
        d["a"] = d["a"] * 2
    else:
        d = {"a": x * x}
    return d["a"]


@program(vector, again=[(lambda r: -np.ones(5),)])
def ternary_of_arrays(x):
    y = x * 2 if x[0] > 0 else np.zeros(len(x))
    return np.sum(y * x)


@program(array(3), smooth=False)
def where(x):
    return np.where(x > 0, x * x, np.sin(x))


@program(1.5, again=BOTH)
def assert_statement(x):
    assert x > -100, "too small"
    return x * x


@program(1.5, again=BOTH)
def both_branches_return(x):
    if x > 0:
        return x * 3, x
    else:
        return x * x, 1.0


@program(1.5, again=BOTH)
def short_circuit_guards(x):
    ok = x > 0 and math.sqrt(x) > 1
    return x * 2 if ok else x * 3


@program(1.5, again=BOTH)
def condition_rebinds_tested_name(x):
    if (y := x * 2) > 0:
        x = y
    return x * y


@program(vector, 2, again=[(array(5), 2), (array(5), 3)])
def int_condition(x, n):
    if n % 2 == 0:
        return np.sum(x) * n
    return np.sum(x * x)


@program(1.5, again=[(-1.5,)])
def branch_on_array_entry(x):
    a = np.array([x, -x])
    if a[0] > a[1]:
        r = a[0] * 2
    else:
        r = a[1] ** 2
    return r


@program(1.5, again=[(-1.5,)])
def cond_list(x):
    return ([x, 1.0] if x > 0 else [2.0, x])[0] * 2


@program(1.5, again=[(-1.5,)])
def factor_of_either_kind(x):
    if x > 0:
        y = 1
    else:
        y = x
    return 1.0 * y * x
