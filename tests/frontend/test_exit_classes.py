"""`__exit__` that compares the class it is given: by `is`, by `==`, among others."""

import pytest

import srcad


class Sub(ValueError):
    pass


class Guard:
    def __init__(self, how):
        self.how = how
        self.seen = 0.0

    def __enter__(self):
        return self

    def __exit__(self, t, value, traceback):
        if self.how == "is":
            return t is ValueError
        if self.how == "equal":
            return t == ValueError  # noqa: E721 -- what is tested
        if self.how == "among":
            return t in (ValueError, KeyError)
        if self.how == "not":
            return t is not None and t is not KeyError and t != Sub
        self.seen = 1.0 if t is None else 2.0
        return True


def f(x, how, kind):
    y = x
    with Guard(how) as guard:
        if x > 1:
            if kind == 0:
                raise ValueError("a")
            if kind == 1:
                raise KeyError("b")
            raise Sub("c")
        y = y * 2
    return y * 3 + guard.seen


def outcome(run, *args):
    try:
        return run(*args)
    except (ValueError, KeyError) as problem:
        return type(problem)


@pytest.mark.parametrize("x", [0.5, 2.0])
@pytest.mark.parametrize("kind", [0, 1, 2])
@pytest.mark.parametrize("how", ["is", "equal", "among", "not", "none"])
def test_is_decided_as_python_decides_it(how, kind, x):
    wanted = outcome(f, x, how, kind)
    assert outcome(srcad.compile(f), x, how, kind) == wanted
    if not isinstance(wanted, type):
        assert srcad.grad(f)(x, how, kind) == (6 if x < 1 else 3)
