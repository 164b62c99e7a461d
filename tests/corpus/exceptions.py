"""`try`: bodies that succeed, bodies that raise, and what becomes of names, returns and loops."""

import math

import numpy as np
from corpus.program import Theme, vector

program = Theme("exceptions")

DEFINITE = np.array([[2.0, 0.3], [0.3, 1.5]])
INDEFINITE = np.array([[-2.0, 0.3], [0.4, 1.5]])


@program(DEFINITE, again=[(INDEFINITE,)])
def cholesky_or_triangle(a):
    try:
        low = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        low = np.tril(a)
    return np.sum(low * low * low)


@program(DEFINITE, again=[(INDEFINITE,)])
def handler_returns(a):
    try:
        low = np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return np.sum(a * a)
    return np.sum(low * np.cos(low))


@program(DEFINITE, again=[(INDEFINITE,)])
def both_return(a):
    try:
        return np.sum(np.linalg.cholesky(a)) ** 2
    except np.linalg.LinAlgError:
        return np.sum(np.sin(a))


@program(1.7, again=[(-0.6,)])
def raised_by_the_program(x):
    try:
        if x < 0:
            raise ValueError("negative")
        y = math.sqrt(x)
    except ValueError:
        y = x * x
    return y * math.exp(x)


def _root(x):
    if x < 0.0:
        raise ArithmeticError("negative")
    return x**0.5


@program(1.7, again=[(-0.6,)])
def raised_in_a_helper(x):
    try:
        return _root(x) * x
    except ArithmeticError:
        return _root(-x) * 2.0


@program(1.7, again=[(-0.6,), (0.4,)])
def returns_on_some_paths(x):
    try:
        if x > 1.0:
            return x * x
        y = math.log(x)
    except ValueError:
        y = 3.0 * x
    return y * x


@program(1.7, again=[(-1.6,)])
def tries_again(x):
    step = x
    while True:
        try:
            y = math.log(step)
            break
        except ValueError:
            step = step + 1.0
    return y * step * x


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([-0.5, 1.0, 0.3, 2.0, 1.0]),)])
def leaves_the_loop(x):
    total = 0.0
    for v in x:
        try:
            if v > 1.5:
                break
            total = total + math.log(v)
        except ValueError:
            total = total + 2.0 * v
    return total * x[0]


@program(1.7, again=[(-0.6,)])
def with_else(x):
    y = x * 2.0
    try:
        z = math.log(x)
    except ValueError:
        r = y
    else:
        r = z * y
    return r * x


@program(1.5, again=[(-0.5,), (3.0,)])
def two_handlers(x):
    try:
        if x > 2.0:
            raise KeyError("large")
        y = math.log(x)
    except ValueError:
        y = x
    except (KeyError, IndexError):
        y = x * x * x
    return y + x * x


@program(1.5, again=[(-0.5,)])
def handler_that_raises(x):
    try:
        y = math.sqrt(x * x)
    except ValueError as reason:
        print("no root", reason)
        raise
    return y * x * x


@program(1.5, again=[(-0.5,)])
def raised_again_inside(x):
    try:
        try:
            y = math.log(x)
        except ValueError as reason:
            raise ArithmeticError("no logarithm") from reason
        y = y * x
    except ArithmeticError:
        y = x * 5.0
    return y * x


@program(vector, again=[(np.array([0.5, -1.0, 2.0, -0.25]),)])
def in_a_loop(x):
    total = 0.0
    for i in range(x.shape[0]):
        try:
            t = math.log(x[i])
        except ValueError:
            continue
        total = total + t * t
    return total + np.sum(x * x)


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 2.0, -0.25]),)])
def carried_through(x):
    state = 1.0
    for v in x:
        try:
            state = state * math.sqrt(v)
        except ValueError:
            state = state + v * v
    return state


@program(1.5, again=[(-0.5,)])
def around_a_loop(x):
    total = 0.0
    try:
        for k in range(4):
            total = total + math.log(x + k * 0.3) * x
    except ValueError:
        total = x * x
    return total * x


@program(1.5, again=[(-0.5,)])
def final_prints(x):
    try:
        y = math.log(x)
    except ValueError:
        y = x
    finally:
        print("tried")
    return y * y * x


@program(1.5)
def final_counts(x):
    n = 0
    try:
        y = x * x
        return y * (n + 1)
    finally:
        n = n + 1


@program(1.5, again=[(-0.5,)])
def final_before_return(x):
    try:
        return math.log(x) * x
    except ValueError:
        return x * x
    finally:
        print("left")


@program(1.5)
def always_raised(x):
    y = x * x
    try:
        y = y * 2.0
        raise ValueError
    except ValueError:
        y = y * x
    return y


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 2.0]),)])
def floating_point_error(x):
    try:
        with np.errstate(all="raise"):
            y = np.sqrt(x)
            z = np.sum(y * x)
    except FloatingPointError:
        z = np.sum(x * x)
    return z


@program(np.array([0.5, 1.0, 2.0]), 3, again=[(np.array([0.5, -1.0]), 3)])
def index_error(x, n):
    total = 0.0
    try:
        for i in range(n):
            total = total + x[i] * x[i]
    except IndexError:
        total = np.sum(x * x * x)
    return total


@program(1.5, again=[(-0.5,)])
def asserted(x):
    try:
        assert x > 0, "positive"
        y = x**1.5
    except AssertionError:
        y = x * x
    return y * x


@program(np.array([0.5, 1.0]), again=[(np.array([0.5, -1.0]),)])
def list_grows(x):
    found = []
    for k in range(2):
        try:
            found.append(math.log(x[k]))
        except ValueError:
            found.append(x[k] * 2.0)
    return found[0] * found[1] * x[0]


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 2.0]),)])
def stored_in_an_array(x):
    y = np.zeros(3)
    for k in range(3):
        try:
            y[k] = math.log(x[k])
        except ValueError:
            y[k] = x[k] ** 3
    return np.sum(y * x)


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, 1.0]),)])
def number_or_sum(x):
    try:
        total = float(x)
    except TypeError:
        total = np.sum(np.tanh(x))
    return total * x[0]


@program(np.array([0.5, 1.0, 2.0]))
def scalar_or_array(x):
    s = x[1] * x[0]
    try:
        s[0] = 0.0
    except TypeError:
        s = s * 2.0
    return s * np.sum(x)


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, 1.0]),)])
def attribute_or_default(x):
    try:
        weights = x.weights
    except AttributeError:
        weights = np.exp(x)
    return np.sum(weights * x)


@program(
    np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 2.0]),), (np.array([-0.5, 1.0, 2.0]),)]
)
def what_the_body_changed(x):
    y, found = x * 1.0, [x[2]]
    try:
        found.append(math.log(x[0]))
        y[0] = found[1] * x[1]
        found.append(math.log(x[1]))
        y = np.tanh(y)
    except ValueError:
        return np.sum(y**2) * sum(found) * len(found)
    return np.sum(y) * found[2]


@program(DEFINITE, again=[(INDEFINITE,)])
def jitter_until_it_is_definite(a):
    jitter, tries = 0.1, 0
    while True:
        try:
            jitter = jitter * 3.0
            low = np.linalg.cholesky(a @ a.T * 0.01 - np.eye(2) * 0.3 + jitter * np.eye(2))
            break
        except np.linalg.LinAlgError:
            tries += 1
    return np.sum(low) * jitter + tries


@program(np.array([0.5, 1.0, 2.0]), again=[(np.array([0.5, -1.0, 2.0]),)])
def until_one_fails(x):
    total, product = 0.0, 1.0
    try:
        for v in x:
            product = product * v
            total = total + math.log(v) * product
    except ValueError:
        total = total * product
    return total + product
