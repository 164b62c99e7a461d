"""`raise StopIteration` is what Python makes of it, by what asks for the item."""

import numpy as np
import pytest

import srcad


def of_a_generator(x):
    def g():
        yield x
        if x > 1:
            raise StopIteration
        yield 1.0

    try:
        return sum(g())
    except StopIteration:
        return -1.0
    except RuntimeError:
        return -2.0 * x


def of_a_function_inside(x):
    def stop():
        raise StopIteration

    def g():
        yield x
        if x > 1:
            stop()
        yield 2 * x

    try:
        return sum(g())
    except RuntimeError:
        return -3.0 * x


def step_by_step(x):
    def g():
        it = iter([x])
        yield next(it)
        yield next(it, 3.0)
        yield next(it)

    try:
        a, b, c = g()
    except RuntimeError:
        return x * x
    return a + b + c


def of_an_expression(x):
    v = np.array([x, 2.0, 3.0])
    try:
        return float(sum(next(t for t in v if t > k) for k in (1.0, x)))
    except RuntimeError:
        return -x
    except StopIteration:
        return -2 * x


def of_the_loop_over_it(x):
    def g():
        yield x
        yield 2.0

    s = 0.0
    try:
        for t in g():
            if t > 2.5:
                raise StopIteration
            s += t
    except StopIteration:
        return -s - x
    return s


def handled_inside(x):
    def g():
        it = iter([x, 2.0])
        yield next(it)
        try:
            if x > 1:
                raise StopIteration
        except StopIteration:
            yield x * x
        yield next(it)

    return sum(g())


def _in_a_try(x):
    try:
        yield x
        if x > 1:
            raise StopIteration("here")
        yield 2.0
    except (ValueError, KeyError):
        yield 3.0 * x


def _with_finally(x):
    try:
        if x > 1:
            raise StopIteration
        yield x
    finally:
        x = x + 1.0
    yield x


def _asked_in_a_try(x):
    try:
        yield next(v for v in np.array([x, 1.0]) if v > 1)
    except ValueError:
        yield x


def _raised_again(x):
    try:
        if x > 1:
            raise StopIteration
        yield x
    except Exception:
        x = x * 2.0
        raise


def _handled_around(x):
    try:
        try:
            if x > 1:
                raise StopIteration
            yield x
        except ValueError:
            yield 4.0
    except StopIteration:
        yield x * x


def in_trys(x):
    total = 0.0
    for g in (_in_a_try, _with_finally, _asked_in_a_try, _raised_again, _handled_around):
        try:
            total = total + sum(g(x))
        except RuntimeError:
            total = total + 100.0 * x
        except StopIteration:
            total = total + 1000.0 * x
    return total


CASES = [
    in_trys,
    *(of_a_generator, of_a_function_inside, step_by_step, of_an_expression, of_the_loop_over_it),
    handled_inside,
]


@pytest.mark.parametrize("f", CASES)
@pytest.mark.parametrize("x", [0.5, 2.2, 3.5])
def test_a_generator_makes_a_runtime_error_of_it(f, x):
    got, wanted = srcad.compile(f)(x), f(x)
    assert (type(got), got) == (type(wanted), wanted)
    value, slope = srcad.value_and_grad(f)(x)
    assert value == wanted
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, abs=1e-4)


def test_it_goes_out_of_a_generator_as_in_python():
    def f(x):
        def g():
            yield x
            if x > 1:
                raise StopIteration
            yield 1.0

        return sum(g())

    for call in (f, srcad.compile(f), srcad.grad(f)):
        with pytest.raises(RuntimeError, match=r"^generator raised StopIteration"):
            call(2.0)


def test_a_try_that_would_handle_the_runtime_error_is_refused():
    def g(x):
        try:
            if x > 1:
                raise StopIteration
            yield x
        except RuntimeError:
            yield 5.0 * x

    with pytest.raises(srcad.SrcadError, match="E103"):
        srcad.compile(lambda x: sum(g(x)))(2.0)


def test_a_function_of_map_that_raises_it_is_refused_when_it_does():
    def f(x):
        def s(t):
            if t > 2:
                raise StopIteration
            return t

        return sum(map(s, np.array([x, 2.0, 1.0]))) + sum(map(s, (x, 2.0)))

    compiled = srcad.compile(f)
    assert compiled(1.0) == f(1.0)
    with pytest.raises(NotImplementedError, match="`map` of a function that raises StopIteration"):
        compiled(3.0)
