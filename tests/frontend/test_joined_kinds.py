"""What is computed of a number that is an int, a float or NumPy's by path has Python's own type."""

import linecache
from itertools import product

import numpy as np
import pytest
from conformance.outcome import disagreement, run

import srcad
from srcad.errors import SrcadError

JOINS = {
    "an int or a float": "y = 2 if x > 0 else x",
    "a bool or a float": "y = True if x > 0 else x",
    "an int or one of NumPy's": "y = 2 if x > 0 else np.sin(x)",
    "a float or one of NumPy's": "y = x if x < 0 else np.sum(a)",
    "single or a float": "y = np.float32(2) if x > 0 else x",
    "of a loop": "y = 2\n    for i in range(n):\n        y = y * x",
    "an extreme": "y = max(2, x)",
    "an extreme, scaled": "y = 3 * max(2, x)",
}
USES = (
    *("y * 1.0", "1 * y", "y / 1", "y - 0.0", "y ** 1", "-(-y)", "+y", "-1.0 * y", "0.0 + y"),
    *("np.float64(1.0) * y", "np.float64(y)", "float(y)", "y + y", "max(y, -100.0)"),
    *("np.positive(y)", "np.multiply(y, 1.0)", "np.negative(np.negative(y))", "np.add(-y, 1)"),
    *("np.positive(y * 2)", "np.add(y if n else -y, 1)", "np.add(sum([y, y]), 1)"),
    *("isinstance(y * 2, float)", "type(y * 2) is float", "isinstance(-y, int)"),
)
CALLS = ((1.5, 0), (-1.5, 2), (1.5, 2))


def defined(source):
    """The function `f` of a text that has lines of its own."""
    name = f"<joined {hash(source)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    scope = {"np": np}
    exec(compile(source, name, "exec"), scope)
    return scope["f"]


@pytest.mark.parametrize("join", JOINS)
def test_types_of_results(join):
    right = 0
    for use, (x, n) in product(USES, CALLS):
        f = defined(f"def f(x, a, n):\n    {JOINS[join]}\n    return {use}\n")
        args = x, np.ones(3), n
        want, got = (run(g, args) for g in (f, srcad.compile(f, backend="numpy")))
        if isinstance(got.raised, SrcadError):
            continue
        right += 1
        fault = disagreement(want, got, args)
        assert fault is None, (use, x, n, fault)
    assert right > len(USES)  # of three calls each


def test_gradient_by_a_float_is_a_float():
    def f(x):
        if x > 0:
            y = 1
        else:
            y = x
        return y * x

    made = srcad.grad(f, cache=False)(2.0)
    assert type(made) is float and made == 1.0


def test_what_a_tape_holds_has_the_kinds_of_what_was_written():
    def f(x, n):
        s = 0.0
        if n > 0:
            for i in range(n):
                y = 1 if x > i else x
                s = s + y * x
        return s

    gradient = srcad.grad(f, backend="numpy", cache=False)
    assert gradient(5.0, 2) == 2.0
    assert "1.0 * y" in gradient.source()  # y, read from the tape, may be an int
