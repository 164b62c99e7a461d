"""Perturbations of nested derivatives are told apart; what is stopped stays so at every order.

The numbers are worked out by hand, after Siskind and Pearlmutter, "Perturbation confusion and
referential transparency" (2005), and Manzyuk et al., "Perturbation confusion in forward automatic
differentiation of higher-order functions" (2019).
"""

import itertools

import numpy as np
import pytest

import srcad


def by_grad(f, x):
    return srcad.grad(f)(x)


def by_value_and_grad(f, x):
    return srcad.value_and_grad(f)(x)[1]


def by_jvp(f, x):
    return srcad.jvp(f, (x,), (1.0,))[1]


def by_vjp(f, x):
    return srcad.vjp(f, x)[1](1.0)[0]


def by_derivative(f, x):
    return srcad.derivative(f)(x)


def by_jacfwd(f, x):
    return srcad.jacfwd(f)(x)


def by_jacrev(f, x):
    return srcad.jacrev(f)(x)


FIVE = (by_grad, by_value_and_grad, by_jvp, by_vjp, by_derivative)
ALL = (*FIVE, by_jacfwd, by_jacrev)
PAIRS = list(itertools.product(ALL, ALL))
TRIPLES = list(itertools.product(FIVE, (by_grad, by_jvp, by_vjp), FIVE))


def names(functions):
    return "-".join(f.__name__[3:] for f in functions)


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_a_sum_inside_does_not_see_the_outer_perturbation(outer, inner):
    # d/dx (x * d/dy (x + y)) = d/dx (x * 1); confused, it is 2
    assert outer(lambda x: x * inner(lambda y: x + y, 1.0), 1.0) == 1.0


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_a_product_inside_sees_it_once(outer, inner):
    # d/dx (x * d/dy (x * y)) = d/dx (x * x)
    assert outer(lambda x: x * inner(lambda y: x * y, 2.0), 3.0) == 6.0


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_the_outer_variable_is_also_the_point(outer, inner):
    # d/dx (d/dy (x * y**2) at y = x) = d/dx (2 * x**2)
    assert outer(lambda x: inner(lambda y: x * y**2, x), 3.0) == pytest.approx(12.0)


@pytest.mark.parametrize("modes", TRIPLES, ids=map(names, TRIPLES))
def test_three_levels_read_each_other(modes):
    first, second, third = modes

    def f(a):
        return a * second(lambda b: a * b * third(lambda c: a * b**2 * c**3, b), a)

    # third: 3 a b**4; second: d/db (3 a**2 b**5) = 15 a**2 b**4 at b = a; f = 15 a**7
    assert first(f, 1.5) == pytest.approx(105 * 1.5**6)


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_a_function_that_is_returned_keeps_its_variable(outer, inner):
    # Manzyuk et al.: s(u)(f)(x) = f(x + u); d/du s = d; applied to exp twice
    def shifted(u):
        return lambda f: lambda x: f(x + u)

    def slope(f):
        return lambda x: inner(lambda u: shifted(u)(f)(x), 0.0)

    assert outer(slope(np.exp), 1.0) == pytest.approx(np.e)
    assert slope(slope(np.exp))(1.0) == pytest.approx(np.e)


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_in_a_loop_each_turn_has_its_own(outer, inner):
    def f(x):
        s = x
        for k in range(3):
            s = s + x * inner(lambda y, k=k, s=s: k * y * s + x, s)
        return s

    # s' = s + x * (k * s), k = 0, 1, 2: s = x (1 + x) (1 + 2 x) = x + 3 x**2 + 2 x**3
    assert outer(f, 0.5) == pytest.approx(1 + 6 * 0.5 + 6 * 0.25)


@pytest.mark.parametrize(("outer", "inner"), PAIRS, ids=map(names, PAIRS))
def test_arrays_that_are_written_keep_them_apart(outer, inner):
    def f(x):
        u = np.zeros(2)
        u[0] = x
        u[1] = inner(lambda y: u[0] * y**2 + x, 1.0)
        return u[0] * u[1]

    # x * 2 x
    assert outer(f, 3.0) == pytest.approx(12.0)


STOPPED = [p for p in PAIRS if p[0] in FIVE and p[1] in FIVE]


@pytest.mark.parametrize(("outer", "inner"), STOPPED, ids=map(names, STOPPED))
def test_what_is_stopped_inside_is_stopped_for_all(outer, inner):
    def f(x):
        return inner(lambda y: srcad.stop_gradient(y) * y**2, x)  # 2 x * [x]

    assert f(3.0) == 18.0
    assert outer(f, 3.0) == pytest.approx(6.0)  # 2 [x]
    assert outer(lambda x: outer(f, x), 3.0) == 0.0


@pytest.mark.parametrize(("outer", "inner"), STOPPED, ids=map(names, STOPPED))
def test_a_derivative_that_is_stopped_is_a_constant(outer, inner):
    def f(x):
        return x * srcad.stop_gradient(inner(lambda y: x * y**2, x))

    assert outer(f, 3.0) == pytest.approx(18.0)


def _reversed_gradient(x):
    return x * 1.0


srcad.rules.rule(
    _reversed_gradient,
    jvp=lambda ts, y, x: -ts[0],
    x=lambda g, y, x: -g,
    type_of=lambda x: x,
)


@pytest.mark.parametrize(("outer", "inner"), STOPPED, ids=map(names, STOPPED))
def test_a_rule_of_the_users_holds_at_each_level(outer, inner):
    # the rule says -1 where the function is the identity
    assert inner(lambda y: _reversed_gradient(y) ** 2, 3.0) == pytest.approx(-6.0)
    assert outer(lambda x: inner(lambda y: _reversed_gradient(y) ** 2, x), 3.0) == pytest.approx(
        2.0
    )
    assert outer(lambda x: x * inner(lambda y: _reversed_gradient(x) * y, 1.0), 3.0) == 0.0
