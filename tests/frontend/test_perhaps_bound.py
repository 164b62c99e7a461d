"""Names and attributes that are bound on some paths only: texts, functions, what nothing uses."""

import math

import numpy as np
import pytest

import srcad


class Part:
    def __init__(self, c):
        if c:
            self.mode = "abc"
        self.v = 1.0


def text(x):
    if x[0] > 5:
        mode = "a"
    return x.sum() if mode == "a" else 0.0


def none(x):
    if x[0] > 5:
        found = None
    return 1.0 if found is None else x.sum()


def function(x):
    if x[0] > 5:
        f = np.sin
    return f(x).sum()


def local_function(x):
    if x[0] > 5:

        def f(y):
            return y * 2

    return f(x).sum()


def local_class(x):
    if x[0] > 5:

        class K:
            w = 3

    return x.sum() * K.w


def module(x):
    if x[0] > 5:
        import math as m
    return m.sin(x[0])


def builtin(x):
    if x[0] > 5:
        kind = float
    return kind(x[0])


def empty_list(x):
    if x[0] > 5:
        items = []
    items.append(x.sum())
    return items[0]


def part_of_a_tuple(x):
    if x[0] > 5:
        pair = (2.0, "ab")
    return x.sum() * len(pair[1])


def keys(x):
    if x[0] > 5:
        d = {"k": 2.0}
    return x.sum() * len(d)


def span(x):
    if x[0] > 5:
        part = slice(0, 2)
    return x[part].sum()


def of_a_loop(x):
    for v in x:
        if v > 5:
            name = "found"
    return x.sum() * len(name)


def until(x):
    for v in x:
        if v > 5:
            act = math.sin
            break
    return act(x[0])


def of_a_while(x):
    while x[0] > 5:
        mode = "a"
        x = x - 1
    return x.sum() * len(mode)


def of_a_range(x):
    for _ in range(int(x[0]) - 5):
        mode = "ab"
    return x.sum() * len(mode)


def of_an_earlier_iteration(x):
    s = 0.0
    for k in range(3):
        if k > 0 and x[k] > 1.5:
            s += len(last) * x[k]  # noqa: F821 -- of an earlier iteration
        last = "ab"
    return s


def of_some_iteration(x):
    s = 0.0
    for k in range(len(x)):
        if x[k] > 5:
            last = "ab"
        if k > 1:
            s += len(last) * x[k]
    return s


def by_a_handler(x):
    try:
        if x[0] > 5:
            raise ValueError("n")
    except ValueError:
        kind = "bad"
    return len(kind) * x.sum()


def handled(x):
    if x[0] > 5:
        mode = "a"
    try:
        k = len(mode)
    except NameError:
        k = 7
    return x.sum() * k


def of_one_condition(x):
    if x[0] > 5:
        mode = "a"
    y = x.sum() * 2
    if x[0] > 5:
        y = y + len(mode)
    return y


def deleted(x):
    if x[0] > 5:
        mode = "a"
    del mode
    return x.sum()


def deleted_on_a_path(x):
    mode = "a" if x[0] > 5 else "bb"
    if x[1] > 5:
        del mode
    return x.sum() * len(mode)


def deleted_in_a_loop(x):
    for v in x:
        mode = "a"
        if v > 1.5:
            del mode
    return x.sum() * len(mode)


def read_inside(x):
    if x[0] > 5:
        mode = "ab"

    def inner():
        return len(mode)

    return inner() * x.sum()


def attribute(x):
    return x.sum() * len(Part(x[0] > 5).mode)


def handled_attribute(x):
    p = Part(x[0] > 5)
    try:
        m = p.mode
    except AttributeError:
        m = "x"
    return x.sum() * len(m)


def of_a_class(x):
    class K:
        if x[0] > 5:
            w = "abc"

    return x.sum() * len(K.w)


def bound_again(x):
    if x[0] > 5:
        mode = "a"
    mode = "bc" if x[1] > 5 else "c"
    return x.sum() * len(mode)


def in_every_iteration(x):
    s = 0.0
    for v in x:
        name = "abc"
        s += v * len(name)
    return s * len(name)


def number_that_nothing_uses(x):
    if x[0] > 5:
        y = 2.0
    pair = (y, 3.0)
    return pair[1] * x.sum()


def number_beside_none(x):
    if x[0] > 5:
        y = 2.0
    return 0.0 if y is None else x.sum()


def array_of_known_length(x):
    if x[0] > 5:
        y = np.zeros(3)
    return x.sum() * len(y)


def number_that_is_named(x):
    if x[0] > 5:
        y = x[1]
    y
    return x.sum()


def read_before_a_division(x):
    if x[0] > 5:
        y = x[1]
    k = len(x) - 3
    return y + 1 // k


FUNCTIONS = [
    text, none, function, local_function, local_class, module, builtin, empty_list,
    part_of_a_tuple, keys, span, of_a_loop, until, of_a_while, of_a_range,
    of_an_earlier_iteration, of_some_iteration, by_a_handler, handled, of_one_condition, deleted,
    deleted_on_a_path, deleted_in_a_loop, read_inside, attribute, handled_attribute, of_a_class,
    bound_again, in_every_iteration, number_that_nothing_uses, number_beside_none,
    array_of_known_length, number_that_is_named, read_before_a_division,
]  # fmt: skip
POINTS = [np.array(x) for x in ([6.5, 1.2, 2.0], [1.2, 2.0, 3.0], [1.2, 6.0, 1.0])]


def outcome(f, x):
    try:
        return f(x.copy())
    except (ArithmeticError, AttributeError, NameError) as problem:
        return type(problem)


@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_python(f, backend):
    if backend == "native":
        pytest.importorskip("numba")
    compiled = srcad.compile(f, backend=backend)
    for x in POINTS:
        assert outcome(compiled, x) == outcome(f, x)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives(f):
    for x in POINTS:
        expected = outcome(f, x)
        if isinstance(expected, type):
            assert outcome(srcad.value_and_grad(f), x) is expected
            assert outcome(lambda x: srcad.jvp(f, (x,), (np.ones(3),)), x) is expected
            continue
        value, slope = srcad.value_and_grad(f)(x.copy())
        steps = 1e-6 * np.eye(3)
        assert value == expected
        differences = [(f(x + h) - f(x - h)) / 2e-6 for h in steps]
        np.testing.assert_allclose(slope, differences, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("f", [text, of_a_loop])
def test_text_of_the_exception(f):
    with pytest.raises(UnboundLocalError, match=r"local variable '(mode|name)'"):
        srcad.compile(f)(np.ones(3))


def test_whether_an_attribute_is_there_is_refused():
    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.compile(lambda x: hasattr(Part(x[0] > 5), "mode"))(np.ones(3))
