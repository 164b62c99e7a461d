"""`try` in parts: what a handler reads of names, lists, dicts, arrays and objects that the body
changed ahead of what was raised.
"""

import contextlib
import math

import numpy as np
import pytest
from frontend.as_python import slope

import srcad
from srcad.errors import SrcadError, UnsupportedSyntax

TABLE = [1.0, 2.0, 4.0]


def names(x, k):
    y = 1.0
    try:
        y = 2.0 * x
        z = TABLE[k]
        y = 3.0 * x * x
        z = z / (k - 1)
    except (IndexError, ZeroDivisionError):
        return x * y
    return z * y


def changed_and_changed_back(x, k):
    a = x
    try:
        a = 2.0 * x
        b = TABLE[k]
        a = x
        b = b * TABLE[k + 1]
    except IndexError:
        b = a * 3.0
    return b * a


def after_the_handler(x, k):
    y = x
    try:
        y = y * x
        y = y * TABLE[k]
        y = y + 1 / (k - 1)
    except LookupError:
        pass
    except ArithmeticError:
        y = y * 10.0
    return y * y


def which_exception(x, k):
    y = x
    try:
        y = y * TABLE[k]
        y = y / (k - 1)
        if k == 2:
            raise ValueError(k)
    except Exception as problem:
        return y * (2.0 if isinstance(problem, ValueError) else 5.0)
    return y


def raised_again(x, k):
    y = x
    try:
        try:
            y = y * x
            y = y * TABLE[k]
            y = y * x / (k - 1)
        except LookupError:
            y = y + 7.0
            raise
    except Exception:
        return y * 2.0
    return y


def raised_by_the_handler(x, k):
    y = x
    try:
        y = y * 3.0
        try:
            y = y * x
            z = TABLE[k]
        except IndexError:
            y = y * x
            z = y / (k - 5)
        y = y * z
    except ZeroDivisionError:
        return y + 1.0
    return y


def cleaned_up(x, k):
    y, n = x, 0.0
    try:
        try:
            y = y * x
            y = y * TABLE[k]
        finally:
            n = n + y
        y = y / (k - 1)
    except (LookupError, ArithmeticError):
        y = y * 2.0
    return y + n


def otherwise(x, k):
    y = x
    try:
        y = y * x
        z = TABLE[k]
    except IndexError:
        z = y
    else:
        try:
            y = z * y
            z = z / (k - 1)
        except ZeroDivisionError:
            z = y * y
    return z + y


def returned(x, k):
    y = x
    try:
        y = y * x
        if k == 0:
            return y
        y = y * x
        return y * TABLE[k] / (k - 1)
    except (IndexError, ZeroDivisionError):
        return 2.0 * y


def branches(x, k):
    y = x
    try:
        if k > 0:
            y = y * x
            y = y * TABLE[k]
        else:
            y = 5.0 * y
            y = y / (k - 0)
        y = math.sin(y)
    except (IndexError, ZeroDivisionError):
        return y * y
    return y


def loops(x, k):
    y, n = x, 0
    try:
        for i in range(5):
            y = y * x
            y = y + TABLE[i + k]
            n += 1
        y = 100.0 * y
    except IndexError:
        y = y * n
    return y


def loops_that_go_on(x, k):
    y = 0.0
    for i in range(5):
        z = x
        try:
            z = z * x
            z = z * TABLE[i]
            if i == k:
                continue
            z = z / (i - 1)
        except IndexError:
            y = y + z
            break
        except ZeroDivisionError:
            y = y + 3.0 * z
            continue
        y = y + z
    return y


def while_it_may_raise(x, k):
    y = x
    try:
        while math.sqrt(5.0 - y * y * (k + 1)) > 0.5:
            y = y * 1.5 + 0.1
    except ValueError:
        return y * y
    return y + 1.0


def endless(x, k):
    step, n = x, 0
    while True:
        try:
            step = step * 0.5
            n += 1
            y = math.sqrt(2.0 - n - k) * step
            break
        except ValueError:
            k = k - 2
            if n > 4:
                return step
    return y + step


def lists(x, k):
    found = []
    try:
        found.append(x * x)
        found.append(TABLE[k] * x)
        found[0] = 3.0 * x / (k - 1)
    except (IndexError, ZeroDivisionError):
        return sum(found) + len(found)
    return found[0] * found[1]


def lists_of_loops(x, k):
    found = []
    try:
        for i in range(4):
            found.append(x * i)
            found.append(TABLE[i + k] * x)
    except IndexError:
        found.append(x)
    total = 0.0
    for each in found:  # `sum` rounds otherwise since Python 3.12
        total += each
    return total


def dicts(x, k):
    found = {"a": x}
    try:
        found["a"] = x * x
        found["b"] = TABLE[k]
        found["a"] = found["b"] * x / (k - 1)
    except (IndexError, ZeroDivisionError):
        return found["a"] * 2.0
    return found["a"] * found["b"]


def arrays(x, k):
    y = np.ones(3) * x
    try:
        y[0] = x * x
        y[1] = TABLE[k]
        y[2] = x / (k - 1)
    except (IndexError, ZeroDivisionError):
        return np.sum(y * y)
    return np.prod(y)


class Account:
    def __init__(self, held):
        self.held = held
        self.count = 0

    def __enter__(self):
        self.count += 1
        return self

    def __exit__(self, cls, problem, trace):
        self.held = self.held * 2.0
        return cls is not None and issubclass(cls, LookupError)


def objects(x, k):
    account = Account(x)
    try:
        account.held = account.held * x
        z = TABLE[k]
        account.count += 1
        z = z / (k - 1)
    except (IndexError, ZeroDivisionError):
        z = 1.0
    return account.held * (account.count + 1) * z


def managers(x, k):
    account, y = Account(x), x
    with account as entered:
        entered.held = entered.held * x
        y = y * TABLE[k]
        y = y * x
    return y * account.held * account.count


def managers_in_a_try(x, k):
    account, y = Account(x), x
    try:
        with account:
            y = y * x
            y = y * TABLE[k]
            y = y / (k - 1)
        y = y * x
    except ArithmeticError:
        y = y + 1.0
    return y * account.held


@contextlib.contextmanager
def kept(account, rate):
    account.held = account.held * rate
    try:
        yield account.held * 2.0
    except LookupError:
        account.held = account.held + 1.0
    finally:
        account.count += 1


def generators(x, k):
    account, y = Account(x), x
    with kept(account, x * 3.0) as held:
        y = y * held
        y = y * TABLE[k]
        account.held = account.held * x
    return y * account.held * account.count


def suppressed(x, k):
    y = x
    with contextlib.suppress(IndexError):
        y = y * x
        y = y * TABLE[k]
    return y


EVERY = [
    names, changed_and_changed_back, after_the_handler, which_exception, raised_again,
    raised_by_the_handler, cleaned_up, otherwise, returned, branches, loops, loops_that_go_on,
    while_it_may_raise,
    endless, lists, lists_of_loops, dicts, arrays, objects, managers, managers_in_a_try,
    generators, suppressed,
]  # fmt: skip


@pytest.mark.parametrize("f", EVERY)
def test_the_handler_reads_what_the_body_has_changed(f):
    for k in (0, 1, 2, 3, 5):
        for x in (0.7, -1.3):
            slope(f, x, k)
            assert srcad.compile(f)(x, k) == f(x, k)
            _, dot = srcad.jvp(f, (x, k), (1.0, 0))
            assert dot == pytest.approx(srcad.grad(f)(x, k))


def test_what_changes_inside_one_statement_is_not_known():
    def push(found, z):
        found.append(z)
        return math.log(z)

    def f(x):
        found = [x]
        try:
            y = push(found, x)
        except ValueError:
            return sum(found)
        return y

    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(2.0)
    assert caught.value.code == "E138"


def test_a_generator_around_a_block_that_returns():
    def f(x, k):
        account = Account(x)
        if k == 0:
            with kept(account, x) as held:
                if x > 0:
                    return held
        return account.held

    for x in (0.7, -0.7):
        slope(f, x, 0)


def test_a_manager_without_a_name_is_entered_and_left():
    def total(x, k):
        seen = [x]

        class Noted(Account):
            def __exit__(self, cls, problem, trace):
                self.held = self.held * (0.5 if cls is None else 2.0)
                seen.append(self.held)

        try:
            with Noted(x * 3.0), Noted(x):
                x = x * TABLE[k]
        except IndexError:
            x = x * 5.0
        return x * seen[0] + sum(seen)

    for k in (1, 5):
        slope(total, 0.7, k)


def test_what_is_raised_again_is_caught_only_by_its_class():
    def f(x):
        account = Account(x)
        with contextlib.suppress(KeyError), account:
            raise ValueError(x)
        return account.held

    for run in (f, srcad.compile(f), srcad.grad(f)):
        with pytest.raises(ValueError, match=r"0\.7"):
            run(0.7)


def test_an_exit_is_called_once():
    def f(x):
        account = Account(x)
        with account:
            inner = Account(3.0)
            with inner:
                y = x * inner.count
            y = y + inner.held
        return y * account.held

    slope(f, 0.7)


def test_what_may_raise_outside_of_all_parts_is_refused():
    def f(x):
        y = x
        try:
            while math.sqrt(3.0 - y) > 0.5:
                y = y + 1.0
            else:
                y = y * 2.0
        except ValueError:
            return y
        return y * x

    with pytest.raises(UnsupportedSyntax) as caught:
        srcad.grad(f)(2.0)
    assert caught.value.code == "E103"


def test_what_the_else_changes_in_place_is_known_to_be_bound():
    def f(a, m):
        try:
            q = np.full((m, m), a) + 0.0
            h = np.full((m,), a)[:m]
        except IndexError:
            h = a
        else:
            h = h * 0.5
        return np.sum(q) + np.sum(h)

    assert srcad.grad(f)(1.5, 3) == 10.5
