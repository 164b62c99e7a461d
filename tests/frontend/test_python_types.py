"""What `type`, `isinstance`, `callable`, `hasattr`, `__class__` answer is what Python answers."""

from __future__ import annotations

import inspect
import linecache

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


class Problem(ValueError):
    def __init__(self, text):
        super().__init__(text)
        self.code = 7


class Layer:
    def __init__(self, w=1.0):
        self.w = w

    def __call__(self, z):
        return z * self.w


class Plain:
    pass


def answers(source, *args):
    """What Python gives for a function's text, and what the compiled function gives."""
    name = f"<answers {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    scope = {"np": np, "Problem": Problem, "Layer": Layer, "Plain": Plain, "__name__": __name__}
    exec(compile(source, name, "exec"), scope)
    return scope["f"](*args), srcad.compile(scope["f"], cache=False)(*args)


ASKED = """
isinstance(p, KeyError)
isinstance(p, IndexError)
isinstance(p, (KeyError, TypeError))
isinstance(p, LookupError)
isinstance(p, Exception)
isinstance(p, Problem)
hasattr(p, "args")
p is None
"""
CAUGHT = {
    "except LookupError as p:": "x[5]",
    "except (IndexError, KeyError) as p:": "x[5]",
    "except IndexError as p:": "x[5]",
    "except Exception as p:": "d['k']",
    "except ValueError as p:": "own()",
    "except Problem as p:": "own()",
    "except ArithmeticError as p:": "1 / (n - n)",
}
TEXT = """def f(x, d, n):
    def own():
        raise Problem("o")
    try:
        {body}
        answer = 0
    {head}
        answer = {asked}
    return answer
"""


@pytest.mark.parametrize("head", CAUGHT)
@pytest.mark.parametrize("asked", ASKED.split("\n")[1:-1])
def test_of_what_was_caught(head, asked):
    source = TEXT.format(head=head, body=CAUGHT[head], asked=asked)
    wanted, made = answers(source, np.ones(3), {"a": 1.0}, 2)
    assert bool(made) is wanted


@pytest.mark.parametrize("head", CAUGHT)
@pytest.mark.parametrize(
    "asked", ["type(p)", "type(p).__name__", "p.__class__", "hasattr(p, 'code')", "callable(p)"]
)
def test_the_class_of_what_was_caught_is_not_guessed(head, asked):
    source = TEXT.format(head=head, body=CAUGHT[head], asked=asked)
    with pytest.raises(SrcadError, match="must be known while compiling"):
        answers(source, np.ones(3), {"a": 1.0}, 2)


@pytest.mark.parametrize(
    "asked",
    """
x.__class__ is np.ndarray
n.__class__ is int
[1].__class__ is list
"a".__class__ is str
Layer().__class__ is Layer
isinstance(range(n), range)
isinstance(zip(x, x), zip)
isinstance(enumerate(x), enumerate)
isinstance(map(np.sin, x), map)
isinstance(ValueError("a"), ValueError)
isinstance(f"{n}", str)
isinstance(x.shape, tuple)
callable(Layer())
callable(Plain())
callable(Layer)
callable(x.sum)
callable(x)
callable(3)
callable(range(n))
hasattr({}, "items")
hasattr({}, "append")
hasattr([], "sort")
hasattr([], "shape")
hasattr((1,), "index")
hasattr(range(n), "start")
hasattr(x, "nosuch")
hasattr(Layer(), "w")
hasattr(Layer(), "v")
getattr([], "shape", 5)
type(ValueError("a")) is ValueError
x.dtype == float
x.dtype == np.float64
x.dtype != float
float == x.dtype
x.dtype in (float, np.float32)
x.dtype in [np.float32, int]
x.dtype == np.float32
x.dtype == int
x.dtype == Plain
x.dtype == "float64"
x.dtype == np.dtype(float)
""".split("\n")[1:-1],
)
def test_of_what_the_program_makes(asked):
    wanted, made = answers(f"def f(x, n):\n    return {asked}\n", np.ones(3), 2)
    assert made == wanted
    assert type(made) is type(wanted)


def test_a_handler_that_asks_differentiates_the_way_that_was_taken():
    def f(x, k):
        try:
            y = x[k] * 2.0
        except LookupError as problem:
            y = x[0] ** 2 if isinstance(problem, IndexError) else x[1]
        return y

    assert inspect.getsource(f)
    x = np.array([3.0, 5.0])
    np.testing.assert_array_equal(srcad.grad(f)(x, 7), [6.0, 0.0])
    np.testing.assert_array_equal(srcad.grad(f)(x, 1), [0.0, 2.0])
