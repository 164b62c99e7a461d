"""`try` and `with`: what is known in a handler, what is printed when, and what is refused."""

import contextlib
import math
import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import IndexShapeError, SrcadError, UnsupportedSyntax


def refused(fn, *args):
    """The code of the error that `fn` is refused with."""
    with pytest.raises(SrcadError) as caught:
        srcad.grad(fn)(*args)
    assert caught.value.location is not None
    return caught.value.code


# What a handler knows ----------------------------------------------------------------------------


def test_what_was_bound_before_anything_may_raise_is_known():
    def f(x):
        k = 1
        try:
            k = 2
            y = math.log(x)
        except ValueError:
            y = x * k
        return y

    assert srcad.grad(f)(-3.0) == 2.0
    assert srcad.grad(f)(4.0) == 0.25


def test_an_array_changed_in_place_is_written_where_that_raises():
    def f(x):
        y = x * 1.0
        try:
            with np.errstate(divide="raise"):
                y[1:] /= np.array([0.0, 2.0])
        except FloatingPointError:
            return np.sum(y[2:])
        return np.sum(y)

    assert refused(f, np.ones(3)) == "E138"


def test_the_name_of_the_exception_is_unbound_after_its_handler():
    def f(x):
        try:
            y = math.log(x)
        except ValueError as reason:
            print(reason)
            y = x
        return y if reason else x  # noqa: F821

    assert refused(f, 2.0) == "E130"


# Exceptions --------------------------------------------------------------------------------------


def test_an_exception_of_another_class_goes_through():
    def f(x):
        try:
            y = math.log(x)
        except KeyError:
            y = x
        return y

    assert srcad.grad(f)(2.0) == 0.5
    with pytest.raises(ValueError, match=r"math domain error|positive"):
        srcad.grad(f)(-2.0)


RATES = {"a": 2.0}


def absent_key(x):
    try:
        rate = RATES["b"]
    except KeyError:
        rate = 3.0
    return x * rate


def absent_index(x):
    found = [x, 2 * x]
    try:
        y = found[5]
    except LookupError:
        y = found[1] * x
    return y


def popped_from_nothing(x):
    found = []
    try:
        found.pop()
        x = x * 5.0
    except IndexError:
        x = x * x
    return x


def deleted_and_popped(x):
    known = {"a": x}
    try:
        del known["b"]
    except KeyError:
        x = x * 3.0
    try:
        known.pop("c")
    except KeyError:
        x = x * x
    finally:
        x = x + known["a"]
    return x


def absent_for_a_helper(x):
    def of(table, key):
        return table[key]

    try:
        return of({"a": x}, "b")
    except KeyError:
        return of({"b": x * x}, "b")


def absent_in_the_first_turn(x):
    known = {}
    for _ in range(3):
        try:
            x = x * known["y"]
        except KeyError:
            known["y"] = x
            continue
        finally:
            x = x + 1.0
    return x


@pytest.mark.parametrize(
    "f",
    [
        absent_key, absent_index, popped_from_nothing, deleted_and_popped, absent_for_a_helper,
        absent_in_the_first_turn,
    ],
)  # fmt: skip
def test_an_item_that_is_not_there_is_an_exception_to_be_handled(f):
    slope = (f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6
    value, bar = srcad.value_and_grad(f)(1.5)
    assert value == f(1.5)
    assert bar == pytest.approx(slope, rel=1e-7)
    assert srcad.jvp(f, (1.5,), (1.0,))[1] == pytest.approx(bar)


def test_an_item_that_comes_later_is_found():
    rates = {"a": 2.0}

    def f(x):
        try:
            return x * rates["b"]
        except KeyError:
            return x * 7.0

    gradient = srcad.grad(f)
    assert gradient(1.5) == 7.0
    rates["b"] = 4.0
    assert gradient(1.5) == 4.0


def test_an_item_that_is_not_there_and_not_handled_raises_as_in_python():
    def f(x):
        try:
            return x * RATES["b"]
        except IndexError:
            return x

    with pytest.raises(KeyError, match="b"):
        srcad.grad(f)(1.5)
    assert refused(lambda x: x * RATES["b"], 1.5) == "E135"


def test_what_is_found_while_compiling_is_not_caught():
    def f(x):
        try:
            return np.sum(x) + np.sum(np.ones((2, 3)) @ np.ones((4, 2)))
        except ValueError:
            return np.sum(x)

    assert refused(f, np.ones((2, 3))) == "E103"


def test_a_derivative_that_fails_is_not_the_program_that_fails():
    def f(x):
        try:
            with np.errstate(all="raise"):
                y = np.sqrt(x)
        except FloatingPointError:
            y = x * 7.0
        return y

    with np.errstate(all="ignore"):
        assert srcad.jvp(f, (0.0,), (1.0,)) == (0.0, math.inf)
        assert srcad.grad(f)(0.0) == math.inf
    assert srcad.jvp(f, (-1.0,), (1.0,)) == (-7.0, 7.0)


def test_a_loop_in_a_body_has_tangents_of_its_own():
    def f(x):
        total = x
        try:
            for k in range(3):
                print(k)
                total = total * math.sqrt(x - k * 0.1)
        except ValueError:
            total = x * x
        return total

    step = 1e-6
    difference = (f(2.0 + step) - f(2.0 - step)) / (2 * step)
    assert srcad.jvp(f, (2.0,), (1.0,))[1] == pytest.approx(difference)
    assert srcad.jvp(f, (-2.0,), (1.0,)) == (4.0, -4.0)


def test_what_a_body_prints_is_printed_once(capsys):
    def f(x):
        try:
            y = x
            for k in range(2):
                print("turn", k)
                y = y * math.sqrt(x)
        except ValueError as reason:
            print("caught", reason)
            y = x
        finally:
            print("final")
        return y

    for run in (lambda: srcad.grad(f)(2.0), lambda: srcad.jvp(f, (2.0,), (1.0,)), lambda: f(2.0)):
        run()
        assert capsys.readouterr().out == "turn 0\nturn 1\nfinal\n"


def test_final_is_run_where_an_exception_goes_through(capsys):
    def f(x):
        try:
            y = math.log(x)
        finally:
            print("final")
        return y

    with pytest.raises(ValueError, match=r"math domain error|positive"):
        srcad.grad(f)(-1.0)
    assert capsys.readouterr().out == "final\n"
    assert srcad.grad(f)(4.0) == 0.25


def test_leaving_in_final_is_refused():
    def f(x):
        try:
            y = x * x
        finally:
            return x

    assert refused(f, 2.0) == "E103"


def test_a_computed_class_of_exceptions_is_refused():
    def f(x):
        errors = [ValueError]
        try:
            y = math.log(x)
        except errors[0] if x > 1.0 else KeyError:
            y = x
        return y

    assert refused(f, 2.0) in ("E103", "E123", "E129")


# Contexts ----------------------------------------------------------------------------------------


@contextlib.contextmanager
def swallowing():
    try:
        yield
    except ValueError:
        pass


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, *about):
        return True


class Named:
    def __enter__(self):
        return 3.0

    def __exit__(self, *about):
        return False


srcad.rules.nondiff(swallowing)
srcad.rules.nondiff(Swallowing)
srcad.rules.nondiff(Named)


def with_stack(x):
    with contextlib.ExitStack():
        return x * x


def with_swallowing(x):
    with swallowing():
        y = math.log(x)
    return y


def with_swallowing_class(x):
    with Swallowing():
        y = math.log(x)
    return y


def with_name(x):
    with Named() as k:
        y = x * k
    return y


def with_recorded(x):
    with warnings.catch_warnings(record=True) as found:
        y = x * x
    return y * len(found)


@pytest.mark.parametrize(
    "fn", [with_stack, with_swallowing, with_swallowing_class, with_name, with_recorded]
)
def test_managers_that_are_refused(fn):
    assert refused(fn, 2.0) == "E104"


def test_errors_are_raised_as_the_context_says():
    def f(x):
        with np.errstate(all="raise"):
            return np.sum(np.log(x))

    assert srcad.grad(f)(np.array([2.0])) == [0.5]
    with pytest.raises(FloatingPointError):
        srcad.value_and_grad(f)(np.array([-1.0]))


def test_the_derivative_does_not_raise_where_the_program_does_not():
    def f(x):
        with np.errstate(all="raise"):
            return np.sum(x * 1e-200)

    def g(x):
        return f(x) * 1e-200

    assert srcad.grad(g)(np.array([2.0])) == [0.0]


def test_the_derivative_is_as_silent_as_the_program():
    def f(x):
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sum(np.sqrt(x))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert srcad.grad(f)(np.array([0.0, 4.0])).tolist() == [math.inf, 0.25]


def test_as_a_person_would_write_it():
    def f(a):
        try:
            low = np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            low = np.tril(a)
        return np.sum(low * low)

    text = srcad.grad(f).source(np.eye(2))
    assert "    try:\n        low = np.linalg.cholesky(a)\n" in text
    assert "    except np.linalg.LinAlgError:\n" in text
    assert "    if ok:\n" in text


@pytest.mark.parametrize("cls", [ValueError, IndexError, Exception, np.exceptions.AxisError])
def test_shapes_that_a_handler_may_be_for_are_refused_as_the_try(cls):
    def f(x):
        try:
            y = np.sum(x, axis=1)
        except cls:
            y = 2.0 * x
        return np.sum(y)

    assert srcad.grad(f)(np.ones((2, 3))).tolist() == [[1.0] * 3] * 2
    with pytest.raises(UnsupportedSyntax, match=r"E103.*axis 1 is out of range") as told:
        srcad.grad(f)(np.ones(2))
    assert not isinstance(told.value, ValueError)


def test_shapes_that_no_handler_is_for_are_refused_as_shapes():
    def f(x):
        try:
            y = np.sum(x, axis=1)
        except KeyError:
            y = 2.0 * x
        return np.sum(y)

    with pytest.raises(IndexShapeError, match="axis 1 is out of range"):
        srcad.grad(f)(np.ones(2))


def test_a_try_that_takes_warnings_where_they_are_raised_has_no_tangent():
    def f(x):
        with np.errstate(all="raise"):
            try:
                y = np.log(x)
            except FloatingPointError:
                y = x * 3
        return y

    assert srcad.value_and_grad(f)(np.float64(-1.0)) == (-3.0, 3.0)
    with pytest.raises(srcad.SrcadError, match="E206"):
        srcad.jvp(f, (np.float64(-1.0),), (1.0,))
