"""What is computed of a number that is an int, a float or NumPy's by path has Python's own type."""

import linecache
from itertools import product

import numpy as np
import pytest
from conformance.outcome import disagreement, run
from optional import needs_numba

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


ARRAYS = {
    "ints or floats": "y = np.arange(3) if n else a",
    "single or double": "y = a.astype(np.float32) if n else a",
    "bools or ints": "y = a > 1 if n else np.arange(3)",
    "bools or floats": "y = a > 1 if n else a",
    "carried": "y = np.ones(3, np.float32)\n    for i in range(n):\n        y = y * 0.1 + a",
    "carried for certain": "y = np.ones(3, int)\n    for i in range(2):\n        y = y * a",
}
READ = (
    *("y", "y[0]", "np.sum(y)", "y[0] // 2", "y * 0.1", "y * a", "np.sum(y * a)", "y / 2", "a[y]"),
    *("np.mean(y)", "f'{y[0]}'", "y.dtype", "isinstance(y[0], np.integer)", "~y", "y + y", "-y"),
    *("float(y[1])", "len(y)", "y.shape", "y > 0", "y.astype(float)", "np.sqrt(y)", "y.copy() + a"),
    *("np.zeros_like(y)", "np.where(y > 1, y, a)", "y[1:] @ a[1:]", "max(y[0], y[1])", "y ** 2"),
)


@pytest.mark.parametrize("join", ARRAYS)
def test_arrays_of_several_dtypes(join):
    # An array is cast where it meets another: what tells that is refused.
    right = 0
    for read, n in product(READ, (0, 2)):
        f = defined(f"def f(a, n):\n    {ARRAYS[join]}\n    return {read}\n")
        args = np.array([1.3, 0.7, 2.1]), n
        want, got = (run(g, args) for g in (f, srcad.compile(f, backend="numpy")))
        if isinstance(got.raised, SrcadError) and not isinstance(want.raised, type(got.raised)):
            continue
        right += 1
        fault = disagreement(want, got, args)
        assert fault is None, (read, n, fault)
    assert right >= 8  # of two calls each


NUMPYS = (
    *("(y * 2).ndim", "(-y).shape", "(y + 1).sum()", "(y * y).dtype", "(y / 3).T", "y.item()"),
    *("y.is_integer()", "(y + 1).mean()", "(y ** 2).size"),
)


@pytest.mark.parametrize("use", NUMPYS)
@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=needs_numba)])
def test_attributes_that_only_one_of_the_kinds_has(use, backend):
    f = defined(f"def f(x):\n    y = 1.5 if x[0] > 5 else x[0]\n    return {use}\n")
    for args in ((np.ones(3),), (np.full(3, 6.0),)):
        want, got = (run(g, args) for g in (f, srcad.compile(f, backend=backend)))
        assert disagreement(want, got, args) is None


def test_a_gradient_with_an_attribute_that_not_all_have():
    def f(x):
        total = 0.0
        for v in x:
            total = total + v * v
        return total.sum()

    assert np.array_equal(srcad.grad(f)(np.array([1.0, 2.0])), [2.0, 4.0])
    with pytest.raises(AttributeError, match="'float' object has no attribute 'sum'"):
        srcad.grad(f)(np.ones(0))


def divided(x, k, a):
    max(round(a), np.int64(k)) / (a in (1, 2))
    return x[0]


def divided_after_a_branch(x, k, a):
    y = 1 if k else x[0]
    y // (a > 1)
    return x[0]


def power_of_a_truth(x, k, a):
    True ** (np.int64(k) - 1)
    return x[0]


@pytest.mark.parametrize("fn", [divided, divided_after_a_branch, power_of_a_truth])
@pytest.mark.parametrize("transform", [srcad.compile, srcad.grad])
def test_what_nothing_reads_raises_where_it_is_of_python(fn, transform):
    derived, raised = transform(fn), []
    for k in (0, 1, 2):
        try:
            fn(np.ones(2), k, 0.5)
        except (ArithmeticError, ValueError) as problem:
            raised.append(k)
            with pytest.raises(type(problem)):
                derived(np.ones(2), k, 0.5)
        else:
            derived(np.ones(2), k, 0.5)
    assert raised


def test_an_array_beside_the_value_has_one_dtype():
    def f(x, k):
        return np.sum(x), np.array([1, 2]) * max(k, x[0])

    for gradient in (srcad.value_and_grad(f, has_aux=True), srcad.compile(f)):
        with pytest.raises(SrcadError, match="E129"):
            gradient(np.ones(2), 3)
