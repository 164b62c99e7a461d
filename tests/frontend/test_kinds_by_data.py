"""What is None, a number or a text by data: what is wrong for a kind raises as in Python."""

import numpy as np
import pytest

import srcad

X = np.array([0.61, -0.22, 0.46])


def found(x):
    """None, or the last large entry."""
    r = None
    for v in x:
        if v > 10.0:
            r = v
    return r


def multiplied(x):
    return found(x) * 2.0


def multiplied_from_the_left(x):
    return 2.0 * found(x)


def negated(x):
    return -found(x)


def added_in_place(x):
    r = found(x)
    r += 1.0
    return r


def compared(x):
    return x[0] if found(x) < 3.0 else x[1]


def root(x):
    return np.sqrt(found(x))


def as_float(x):
    return float(found(x))


def largest(x):
    return max(found(x), 2.0)


def attribute(x):
    return found(x).real * 2.0


def row(x):
    r = None
    if x[0] > 10.0:
        r = x
    return r[0]


def unpacked(x):
    r = None
    if x[0] > 10.0:
        r = (x[0], x[1])
    a, b = r
    return a * b


def iterated(x):
    r = None
    if x[0] > 10.0:
        r = (x[0], x[1])
    s = 0.0
    for v in r:
        s = s + v
    return s


def text_as_a_number(x):
    r = "none"
    if x[0] > 10.0:
        r = x[0]
    return r - 1.0


FUNCTIONS = [
    multiplied, multiplied_from_the_left, negated, added_in_place, compared, root, as_float,
    largest, attribute, row, unpacked, iterated, text_as_a_number,
]  # fmt: skip


@pytest.mark.parametrize("fn", FUNCTIONS, ids=lambda fn: fn.__name__)
def test_the_wrong_kind_raises_as_in_python(fn):
    gradient = srcad.value_and_grad(fn)
    with pytest.raises((TypeError, AttributeError)) as wanted:
        fn(X)
    with pytest.raises(type(wanted.value)) as caught:
        gradient(X)
    assert str(caught.value) == str(wanted.value)
    assert type(caught.value) is type(wanted.value)
    value, _ = gradient(X + 20.0)
    assert value == fn(X + 20.0)


def test_the_wrong_kind_is_caught():
    def f(x):
        try:
            return found(x) * 2.0
        except TypeError:
            return x[1] * 5.0

    np.testing.assert_array_equal(srcad.grad(f)(X), [0.0, 5.0, 0.0])
    np.testing.assert_array_equal(srcad.grad(f)(X + 20.0), [0.0, 0.0, 2.0])


def test_a_result_that_is_none_has_no_derivative():
    def f(x):
        if x[0] > 0.0:
            return x[0] ** 2
        return None

    gradient = srcad.grad(f)
    np.testing.assert_array_equal(gradient(X), [1.22, 0.0, 0.0])
    with pytest.raises(TypeError, match="the result is None"):
        gradient(-X)


def test_conditions_around_tell_the_kind():
    def f(x):
        r = found(x)
        if r is None or x[0] > 100.0:
            return x[1]
        return r * r

    assert "TypeError" not in srcad.grad(f).source(X)


def test_a_loop_that_ends_when_it_has_found_tells_the_kind():
    def f(x):
        event = None
        while event is None:
            x = x * 1.5
            if x[0] > 10.0:
                event = x[0]
        return event * 2.0

    assert "TypeError" not in srcad.grad(f).source(X)
    assert srcad.value_and_grad(f)(X)[0] == f(X)


def test_a_loop_that_may_be_broken_off_does_not():
    def f(x):
        event = None
        while event is None:
            x = x * 1.5
            if x[1] > 10.0:
                break
            if x[0] > 10.0:
                event = x[0]
        return event * 2.0

    assert srcad.value_and_grad(f)(X)[0] == f(X)
    with pytest.raises(TypeError, match="unsupported operand"):
        srcad.grad(f)(np.array([1.0, 5.0]))


def test_what_is_known_while_compiling_has_no_code():
    def f(x, scale=None):
        if scale is None:
            scale = 2.0
        return np.sum(x * scale)

    assert "scale_kind" not in srcad.grad(f).source(X)


def test_the_rows_of_a_batch_have_their_own_kinds():
    def f(x):
        r = found(x)
        return 0.0 if r is None else r**2

    rows = np.stack([X, X + 10.0, X + 20.0])
    wanted = [srcad.grad(f)(row) for row in rows]
    try:
        got = srcad.vmap(srcad.grad(f))(rows)
    except srcad.SrcadError:
        return
    np.testing.assert_allclose(got, wanted)


def test_a_pattern_for_what_has_several_kinds_is_refused():
    def f(x):
        r = None
        if x[0] > 10.0:
            r = (x[0], x[1])
        match r:
            case [a, b]:
                return a * b
        return x[0]

    with pytest.raises(srcad.SrcadError, match="E112"):
        srcad.grad(f)(X)


def test_functions_chosen_by_data_are_refused():
    def f(x):
        g = np.sin
        if x[0] > 0.0:
            g = None
        return x[0] if g is None else g(x[1])

    with pytest.raises(srcad.SrcadError, match="E129"):
        srcad.grad(f)(X)


@pytest.mark.parametrize("other", [None, "none"])
def test_a_compiled_function_returns_one_kind(other):
    def f(x):
        return x[0] if x[0] > 0.0 else other

    with pytest.raises(srcad.errors.SrcadError) as caught:
        srcad.compile(f, cache=False)(X)
    assert caught.value.code == "E129"
