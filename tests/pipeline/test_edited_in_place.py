"""Functions that are edited in place, as where a notebook reloads its module."""

import pytest

import srcad


def edit(fn, other):
    fn.__code__ = other.__code__
    fn.__defaults__, fn.__kwdefaults__ = other.__defaults__, other.__kwdefaults__


def outcome(fn, args):
    try:
        return fn(*args)
    except TypeError:
        return TypeError


def pairs():
    return {
        "a default more": (lambda x: x * 2, lambda x, k=3.0: x * k, (1.0,)),
        "a default less": (lambda x, k=3.0: x * k, lambda x: x * 2, (1.0,)),
        "another default": (lambda x, k=3.0: x * k, lambda x, k=4.0: x * k, (1.0,)),
        "no default": (lambda x, k=3.0: x * k, lambda x, k: x * k, (1.0,)),
        "a default where none was": (lambda x, k: x * k, lambda x, k=3.0: x * k, (1.0,)),
        "many": (lambda x, y: x * y, lambda x, y, *r, k=4.0: x * y * k + len(r), (1.0, 2.0)),
        "no longer many": (lambda x, *r: x * r[0], lambda x, y: x * y * 7, (1.0, 2.0)),
        "other names": (lambda x, y: x * y, lambda a, b: a * b * 7, (1.0, 2.0)),
        "too many": (lambda x, y: x * y, lambda x: x * 7, (1.0, 2.0)),
        "too few": (lambda x: x * 7, lambda x, y: x * y * 7, (1.0,)),
        "another keyword": (lambda x, *, k=3.0: x * k, lambda x, *, m=4.0: x * m, (1.0,)),
        "no keyword's default": (lambda x, *, k=3.0: x * k, lambda x, *, k: x * k, (1.0,)),
    }


@pytest.mark.parametrize("name", pairs())
@pytest.mark.parametrize("calls", [1, 3])
@pytest.mark.parametrize("make", [srcad.compile, srcad.grad, srcad.jacobian])
def test_a_function_with_other_parameters(name, calls, make):
    fn, other, args = pairs()[name]
    made = make(fn, cache=False)
    for _ in range(calls):
        outcome(made, args)
    edit(fn, other)
    want = outcome(fn if make is srcad.compile else make(other, cache=False), args)
    for _ in range(3):
        assert outcome(made, args) == want


@pytest.mark.parametrize("name", ["__defaults__", "__kwdefaults__"])
def test_defaults_that_are_taken_away(name):
    def f(x, b=2.0, *, c=3.0):
        return x * b + c

    made = srcad.compile(f, cache=False)
    assert made(1.0) == 5.0
    setattr(f, name, None)
    with pytest.raises(TypeError):
        made(1.0)
