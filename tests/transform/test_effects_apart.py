"""Each transformation draws, prints and calls once, and differentiates what it has drawn."""

import numpy as np
import pytest

import srcad
from srcad.ir.types import NumberType

X, V = np.array([0.7, -1.2, 0.4]), np.array([1.0, 2.0, 3.0])
CALLS = []


def loop(x, rng):
    s = x[0]
    for i in range(3):
        print("*")
        s = s * rng.normal() + x[i % 2] ** 2 * s
    return s


def nested(x, rng):
    s = x[0]
    for i in range(2):
        for _ in range(i + 1):
            e = rng.normal(size=2)
            e *= 2.0
            print("*")
            s = s + np.sum(e * x[:2] * s * s)
        if s > 0:
            s = s * rng.uniform(0.5, 1.0)
            print("*")
    return s


def in_turn(x, rng):
    a = rng.normal(size=x.shape[0])
    print("*")
    s = np.sum(np.sin(a * x) * x)
    b = rng.normal()
    for _ in range(2):
        s = s * x[0] + b * rng.normal()
        print("*")
    return s * rng.normal()


def while_small(x, rng):
    s, n = x[0], 0
    while s < 5.0 and n < 6:
        s = s + abs(rng.normal()) * x[1] ** 2
        n = n + 1
        print("*")
    return s * x[0]


def caught(x, rng):
    s = x[0]
    for _ in range(3):
        print("*")
        t = s + x[0] * rng.normal()
        e = rng.normal()
        try:
            if e > 0:
                raise ValueError
            s = s * x[1] * x[1]
        except ValueError:
            s = t
    return s


def half(a):
    CALLS.append(a)
    return 0.5


srcad.rules.nondiff(half, type_of=lambda a: NumberType(float))


def calls(x, rng):
    s = x[0]
    for _ in range(3):
        s = s * half(s) + x[1] ** 3
    return s


def linearized(f, x, v, rng):
    _, derivative = srcad.linearize(f, x, rng)
    derivative(V, None)
    return derivative(v, None)


TRANSFORMED = {
    "jvp": lambda f, rng: srcad.jvp(lambda x: f(x, rng), (X,), (V,))[1],
    "linearize": lambda f, rng: linearized(f, X, V, rng),
    "jacfwd": lambda f, rng: srcad.jacfwd(f)(X, rng) @ V,
    "jacrev": lambda f, rng: srcad.jacrev(f)(X, rng) @ V,
    "vjp": lambda f, rng: [back := srcad.vjp(f, X, rng)[1], back(1.0)[0] @ V, back(1.0)[0] @ V][-1],
    "hessian": lambda f, rng: srcad.hessian(f)(X, rng) @ V,
    "jacfwd of grad": lambda f, rng: srcad.jacfwd(srcad.grad(f))(X, rng) @ V,
}


def difference(f, step=1e-5):
    ends = [f(X + step * V, np.random.default_rng(7)), f(X - step * V, np.random.default_rng(7))]
    return (ends[0] - ends[1]) / (2 * step)


@pytest.mark.parametrize("name", TRANSFORMED)
@pytest.mark.parametrize("f", [loop, nested, in_turn, while_small, caught, calls])
def test_effects_take_place_once(f, name, capsys):
    """`linearize` drew again in each call, numbers that were others than those of the value."""
    f(X, np.random.default_rng(7))
    printed = capsys.readouterr().out
    if "hessian" in name or "of grad" in name:

        def gradient(x, rng):
            return srcad.grad(f)(x, rng)

        want = difference(gradient)
    else:
        want = difference(f)
    capsys.readouterr()
    CALLS.clear()
    rng = np.random.default_rng(7)
    np.testing.assert_allclose(TRANSFORMED[name](f, rng), want, rtol=1e-5, atol=1e-7)
    assert capsys.readouterr().out == printed
    assert len(CALLS) == (3 if f is calls else 0)
    other = np.random.default_rng(7)
    f(X, other)
    assert rng.normal() == other.normal()


def test_jacfwd_has_no_reverse_sweep():
    """An array that is unpacked ahead of a conditional return made it one of reverse sweeps."""

    def f(x):
        a, b, c = x
        if a > 0:
            return np.array([a * b, c])
        return np.array([a * b, np.sin(c)])

    jacobian = srcad.jacfwd(f)
    np.testing.assert_allclose(jacobian(X), [[-1.2, 0.7, 0], [0, 0, 1]])
    assert "_bar" not in jacobian.source(X)


def test_a_function_that_calls_itself_and_draws_is_not_linearized():
    def walk(x, rng, n):
        if n == 0:
            return x
        return walk(x * rng.normal(), rng, n - 1)

    def f(x, k, rng):
        return walk(x, rng, int(k[0]))

    with pytest.raises(srcad.SrcadError, match="E206"):
        srcad.linearize(f, 0.5, np.array([3]), np.random.default_rng(0))


def test_what_has_an_effect_and_a_derivative_keeps_both(capsys):
    optimize = pytest.importorskip("scipy.optimize")

    def root(x):
        def g(t):
            print("*")
            return t**3 - x[0]

        return optimize.brentq(g, 0.0, 2.0) * x[0]

    def twice(x):
        return root(x[:1]) if x[1] > 0 else root(x)

    want = 4 / 3 * 0.7 ** (1 / 3)
    for f in (root, twice):
        np.testing.assert_allclose(srcad.jacfwd(f)(X), [want, 0, 0])
    assert srcad.linearize(root, X)[1](V) == pytest.approx(want)
    with pytest.raises(srcad.SrcadError, match="E206"):
        srcad.linearize(twice, X)
