"""Recursion for as long as the data say: values, derivatives of both modes, what is refused."""

from typing import NamedTuple

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.frontend.calls import functions

h = 1e-4


def number(x, tol):
    return x if abs(x) < tol else number(x / 2, tol) + np.sin(x)


def statements(x, tol):
    if abs(x) < tol:
        return x * x
    y = statements(x / 3, tol)
    z = y * np.cos(x)
    return z + y


def even(x):
    if x < 1.0:
        return x**2
    return odd(x * 0.5) * 2.0


def odd(x):
    if x < 0.7:
        return np.exp(x)
    return even(x - 0.3) * x


def tree(x, y):
    if x < 0.5:
        return x * y
    return tree(x * 0.4, y) * tree(x * 0.3, y * 1.1) + np.sin(x)


def one_expression(x):
    return x if x < 0.1 else one_expression(x / 2) * one_expression(x / 3) + x


def pair(x, y):
    if x + y < 1.0:
        return x, y * y
    u, v = pair(y * 0.5, x * 0.7)
    return v * x, u + v


def use_pair(x, y):
    u, v = pair(x, y)
    return u * v + u


def in_a_loop(x):
    s = x
    if x > 0.3:
        for i in range(3):
            s = s + in_a_loop(x / (i + 2)) * s
    return s


def around(xs):
    total = 0.0
    for x in xs:
        total += number(x, 0.2) ** 2
    return total


def of_array(x, w):
    if np.sum(x * x) < 1.0:
        return np.tanh(x)
    return np.sin(w @ of_array(x / 2, w)) + x


def use_array(x, w):
    y = of_array(x, w)
    return np.sum(y * y)


def halves(x):
    if x[0] < 1.0:
        return np.sum(x**2)
    return halves(x[::-1] * 0.5) * x[1]


def counting(x, n=0):
    if x < 0.1:
        return x * n
    return counting(x * 0.6, n + 1) + x


scale = 1.3


def captures(x):
    return x**2 if x < 1.0 else captures(x / scale) * scale


def closure(x, a):
    def inner(y):
        return y * a if y < 1.0 else inner(y / 2) + a * y

    return inner(x) * inner(x * 0.9)


def tape(x):
    s = x
    if x > 0.5:
        while s > 0.2:
            s = s * 0.7 * np.cos(s)
        s = s + tape(x - 0.4)
    return s


def bisect(a, lo, hi):
    mid = (lo + hi) / 2
    if hi - lo < 1e-3:
        return mid * a
    return bisect(a, lo, mid) if mid * mid > a else bisect(a, mid, hi)


class Point(NamedTuple):
    x: float
    y: float


def walk(p):
    if p.x < 1.0:
        return p
    return walk(Point(p.x * 0.5 + p.y * 0.01, p.y * p.x * 0.3))


def use_record(x, y):
    p = walk(Point(x, y))
    return p.x * p.y


def use_list(x, y):
    def go(state):
        if state[0] < 1.0:
            return state
        return go([state[0] * 0.5, state[1] + state[0]])

    a, b = go([x, y])
    return a * b


def f32(x):
    if x[0] < 1:
        return x * x
    return f32(x / 2) + x


def use_f32(x):
    return np.sum(f32(x))


NOT_TWICE = (in_a_loop, tape)  # arrays and tapes saved on one path
rng = np.random.default_rng(0)
W = rng.standard_normal((3, 3))
PROGRAMS = [
    (number, (3.3, 0.1)), (number, (0.05, 0.1)), (statements, (5.3, 0.2)), (even, (4.7,)),
    (even, (0.3,)), (tree, (3.1, 0.8)), (one_expression, (1.7,)), (use_pair, (2.1, 1.7)),
    (in_a_loop, (1.3,)), (around, (np.array([1.7, 0.1, -2.3]),)),
    (use_array, (np.array([2.0, -1.0, 0.7]), W)), (use_array, (np.array([0.2, -0.1, 0.7]), W)),
    (halves, (np.array([3.3, 2.2, 4.1]),)), (counting, (2.3,)), (captures, (3.1,)),
    (closure, (5.3, 0.7)), (tape, (2.2,)), (bisect, (2.1, 1.0, 2.0)), (use_record, (5.2, 0.7)),
    (use_list, (4.2, 0.3)), (abs_sum := lambda x: number(x, 0.1) + number(x * 2, 0.1), (2.2,)),
]  # fmt: skip
IDS = [f"{f.__name__}-{k}" for k, (f, _) in enumerate(PROGRAMS)]


def moved(args, dots, t):
    return [a if d is None else a + t * d for a, d in zip(args, dots, strict=True)]


def directions(args, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.standard_normal(np.shape(a))[()] for a in args]


def difference(f, args, dots):
    at = {k: np.asarray(f(*moved(args, dots, k * h))) for k in (-2, -1, 1, 2)}
    return (at[-2] - 8 * at[-1] + 8 * at[1] - at[2]) / (12 * h)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=IDS)
def test_both_modes_agree_with_differences(f, args):
    dots = directions(args)
    if f is number or f is statements:
        dots[1] = 0.0
    want = difference(f, args, dots)
    wrt = tuple(range(len(args)))
    value, bars = srcad.value_and_grad(f, wrt)(*args)
    assert value == pytest.approx(f(*args), rel=1e-14)
    got = sum(np.vdot(bar, dot) for bar, dot in zip(bars, dots, strict=True))
    np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-9)
    y, y_dot = srcad.jvp(f, args, tuple(dots))
    assert y == pytest.approx(f(*args), rel=1e-14)
    np.testing.assert_allclose(y_dot, want, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=IDS)
def test_forward_over_reverse(f, args):
    dots = directions(args)
    if f is number or f is statements:
        dots[1] = 0.0
    gradient = srcad.grad(f)
    want = difference(gradient, args, dots)
    _, got = srcad.jvp(gradient, args, tuple(dots))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=IDS)
def test_reverse_over_reverse_is_right_or_refused(f, args):
    def second(*args):
        return np.sum(srcad.grad(f)(*args) ** 2)

    dots = directions(args)
    if f is number or f is statements:
        dots[1] = 0.0
    want = difference(second, args, dots)
    wrt = tuple(range(len(args)))
    if f in NOT_TWICE and want.any():
        with pytest.raises(SrcadError, match="E100"):
            srcad.grad(second, wrt)(*args)
        return
    bars = srcad.grad(second, wrt)(*args)
    got = sum(np.vdot(bar, dot) for bar, dot in zip(bars, dots, strict=True))
    np.testing.assert_allclose(got, want, rtol=1e-6, atol=1e-7)


def test_dtype_is_kept():
    x = np.array([3.0, 1.0], np.float32)
    bar = srcad.grad(use_f32)(x)
    assert bar.dtype == np.float32
    want = [(use_f32(x + e) - use_f32(x - e)) / 2e-2 for e in 1e-2 * np.eye(2, dtype=np.float32)]
    np.testing.assert_allclose(bar, want, rtol=1e-3)


def test_pullback_and_later_calls():
    y, pull = srcad.vjp(of_array, np.array([2.0, -1.0, 0.7]), W)
    a, b = pull(np.ones(3)), pull(np.ones(3))
    np.testing.assert_array_equal(a[0], b[0])
    a[0][:] = 0  # belongs to the caller
    np.testing.assert_array_equal(pull(np.ones(3))[0], b[0])
    np.testing.assert_array_equal(y, of_array(np.array([2.0, -1.0, 0.7]), W))
    g = srcad.grad(captures)
    global scale
    before = g(3.1)
    scale = 1.7
    assert g(3.1) == pytest.approx(difference(captures, (3.1,), (1.0,)), rel=1e-7) != before
    scale = 1.3


def test_arguments_are_left_alone():
    x, w = np.array([2.0, -1.0, 0.7]), W.copy()
    srcad.grad(use_array, (0, 1))(x, w)
    np.testing.assert_array_equal(x, [2.0, -1.0, 0.7])
    np.testing.assert_array_equal(w, W)


# Refusals ----------------------------------------------------------------------------------------


def endless(x):
    if x > 0:
        return endless(x / 2) + 1
    return endless(x * 2)


def grows(x, seen):
    if x < 1:
        return x
    seen.append(x)
    return grows(x / 2, seen)


def changes_structure(x):
    if x < 1:
        return x
    return (changes_structure(x / 2), x)


def in_place(x):
    if x[0] < 1:
        return x
    x *= 0.5
    return in_place(x)


def of_result(x):
    y = in_result(x)
    y += 1
    return np.sum(x * y)


def in_result(x):
    if x[0] < 1:
        return x
    return in_result(x / 2)


def inside(x):
    if x < 1:
        return x
    return srcad.grad(inside)(x / 2)


@pytest.mark.parametrize(
    ("f", "args", "code"),
    [
        (endless, (2.0,), "E126"),
        (lambda x: grows(x, []), (2.0,), None),
        (changes_structure, (2.0,), "E129"),
        (lambda x: np.sum(in_place(x * 1)), (np.array([2.0, 3.0]),), "E133"),
        (of_result, (np.array([2.0, 3.0]),), "E116"),
        (inside, (2.0,), "E100"),
    ],
)
def test_refusals(f, args, code):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(f)(*args)
    assert code is None or caught.value.code == code, caught.value


# Whole programs ----------------------------------------------------------------------------------


def test_emitted_text(golden):
    golden("recursion_grad.py", srcad.grad(number).source(3.3, 0.1))
    golden("recursion_arrays.py", srcad.grad(use_array, (0, 1)).source(np.ones(3), W))


def test_a_function_called_twice_is_there_once():
    text = srcad.grad(lambda x: number(x, 0.1) + number(2 * x, 0.1)).source(2.0)
    assert text.count("def number_forward") == 1


def test_saved_module_stands_alone(tmp_path):
    gradient = srcad.grad(use_array)
    path = tmp_path / "saved.py"
    x = np.array([2.0, -1.0, 0.7])
    gradient.save(path, x, W)
    text = path.read_text()
    assert "import srcad" not in text
    module = {"__name__": "saved"}
    exec(compile(text, "saved.py", "exec"), module)
    np.testing.assert_array_equal(module["use_array_grad"](x, W), gradient(x, W))


def checked(x):
    assert x < 100, "too big"
    if x < 0.5:
        return x
    return checked(x / 2) * x


def test_effects_are_kept():
    assert srcad.grad(checked)(3.0) == pytest.approx(difference(checked, (3.0,), (1.0,)))
    with pytest.raises(AssertionError, match="too big"):
        srcad.grad(lambda x: checked(x) * 0 + x)(300.0)


def both_ways(x, a):
    b = a * 2

    def g(y):
        if y < 0.3:
            return y * b
        if y < 0.6:
            return f(y * 0.5)
        return g(y * 0.7) + a

    def f(y):
        return y * a if y < 0.5 else g(y * 0.8) * y + f(y / 2)

    return f(x) * g(x)


def shrinks(x, y):
    def go(x):
        if np.sum(x) < 1.0:
            return x
        return go(x[1:] * 0.5) * y

    return np.sum(go(x) ** 2)


def in_loops(x):
    s = 0.0
    for i in range(3):

        def go(y):
            return y * (i + 1) if y < 0.5 else go(y / 2) + i * y

        s = s + go(x * (i + 1))
    while number(s, 0.1) > 0.5:
        s = s * 0.6
    return s * number(s, 0.2)


def quadrature(f, a, b, fa, fb, tol):
    m = (a + b) / 2
    fm = f(m)
    whole, parts = (b - a) * (fa + fb) / 2, (b - a) * (fa + 2 * fm + fb) / 4
    if abs(parts - whole) < tol:
        return parts
    return quadrature(f, a, m, fa, fm, tol) + quadrature(f, m, b, fm, fb, tol)


def adaptive(k):
    def f(x):
        return np.exp(-k * x * x) * np.sin(3 * x)

    return quadrature(f, 0.0, 2.0, f(0.0), f(2.0), 1e-3)


def branches_at_each_level(a, b, x):
    def go(weights, x, level):
        if level == 2:
            return x
        if x < 0:
            return go(weights, x * weights[level], level + 1)
        return go(weights, np.sin(x) * weights[level], level + 1) * 2

    return go([a, b], x, 0)


def parameters(w, b, x):
    def go(p, x):
        if np.sum(x * x) < 1.0:
            return x
        return go(p, np.tanh(p["w"] @ x * 0.3 + p["b"])) + x

    return np.sum(go({"w": w, "b": b}, x))


def flag(x):
    def go(y, k):
        if y < 1:
            return y, k > 2
        return go(y * 0.5, k + 1)

    y, many = go(x, 0)
    return y * 2 if many else y * 3


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (both_ways, (3.1, 0.7)),
        (shrinks, (np.array([1.0, 2.0, 1.0, 1.0]), 0.7)),
        (in_loops, (1.7,)),
        (adaptive, (1.3,)),
        (branches_at_each_level, (1.1, 0.7, 0.9)),
        (parameters, (np.eye(3) * 0.4 + 0.1, np.ones(3) * 0.1, np.array([1.0, 2.0, 3.0]))),
        (flag, (9.3,)),
        (flag, (1.3,)),
    ],
)
def test_what_is_read_from_around(f, args):
    test_both_modes_agree_with_differences(f, args)


def lucas(n):
    return 2 - n if n < 2 else lucas(n - 1) + lucas(n - 2)


def paths(n, k):
    return 1 if k in (0, n) else paths(n - 1, k - 1) + paths(n - 1, k)


def weighed(x, n):
    return x**2 * lucas(n) + x * paths(n, n // 2)


def test_calls_with_constants_are_read_once(monkeypatch):
    read = []
    original = functions._read_body
    monkeypatch.setattr(functions, "_read_body", lambda *of: read.append(of) or original(*of))
    gradient = srcad.grad(weighed, backend="numpy", cache=False)
    assert gradient(1.5, 18) == 3.0 * lucas(18) + paths(18, 9)
    assert len(read) < 300  # 8,361 calls of `lucas`, 92,377 of `paths`


TALLY = {"calls": 0}


def tallied(n):
    TALLY["calls"] += 1
    return n


def told(n):
    print("told", n)
    return n


@pytest.mark.parametrize("transform", [srcad.grad, srcad.compile])
def test_calls_that_do_something_are_not(transform, capsys):
    def counted(x):
        return x * tallied(2) + x * tallied(2) * told(3) * told(3)

    TALLY["calls"] = 0
    wanted = counted(2.0)
    printed = capsys.readouterr().out
    TALLY["calls"] = 0
    found = transform(counted, backend="numpy", cache=False)(2.0)
    assert (found, TALLY["calls"]) == (wanted / (2.0 if transform is srcad.grad else 1.0), 2)
    assert capsys.readouterr().out == printed
