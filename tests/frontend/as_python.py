"""What functions give through srcad is what Python gives."""

import pytest

import srcad


def check(f, x):
    """Check the value, its type and the exception, and the derivative against differences."""
    try:
        expected = f(x)
    except (ArithmeticError, AttributeError, NameError, TypeError, ValueError) as problem:
        for run in (srcad.compile(f), srcad.grad(f)):
            with pytest.raises(type(problem)):
                run(x)
        return
    found = srcad.compile(f)(x)
    assert found == expected
    assert type(found) is type(expected)
    value, slope = srcad.value_and_grad(f)(x)
    assert value == expected
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)


def same(f, *args):
    """Whether compiled code does what Python does."""
    try:
        wanted = f(*args)
    except Exception as problem:
        with pytest.raises(type(problem)):
            srcad.compile(f, backend="numpy")(*args)
        return
    got = srcad.compile(f, backend="numpy")(*args)
    assert (type(got), got) == (type(wanted), wanted)


def slope(f, x, *more, step=1e-6):
    """The derivative of `f` by its first argument, beside a difference quotient."""
    value, got = srcad.value_and_grad(f)(x, *more)
    assert value == f(x, *more)
    wanted = (f(x + step, *more) - f(x - step, *more)) / (2 * step)
    assert got == pytest.approx(wanted, abs=1e-5)
