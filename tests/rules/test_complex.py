"""Complex arguments: df = Re(g dz), as in autograd and JAX. Rules that do not hold refuse."""

import cmath
import math
import operator

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.ir import ArrayType, NumberType, Value
from srcad.rules import RULES, ZERO
from srcad.rules.core.infer import infer
from tests.rules.calls import call_id, cases_of, leaves, random_like
from tests.rules.checks import (
    check_second,
    check_single,
    check_staged,
    check_tangent,
    check_transpose,
)
from tests.rules.complex_calls import VARIED, at_each_twin, is_complex, twins

every_rule = pytest.mark.parametrize("rule", VARIED, ids=call_id)


# Whose second derivative is refused at complex numbers.
ONCE = ("loggamma",)


@every_rule
def test_both_modes_agree_with_the_function(rule):
    at_each_twin(rule, check_tangent)
    at_each_twin(rule, check_transpose)
    if rule.fn.__name__ not in ONCE:
        at_each_twin(rule, check_second)


@every_rule
def test_cotangents_are_of_the_kind_of_their_inputs(rule):
    at_each_twin(rule, check_kinds)
    at_each_twin(rule, check_kinds, np.float32)


# Complex vectors are determined up to phases, which precision changes.
UP_TO_PHASES = ("eigh", "svd", "complex_eig", "eig")


@pytest.mark.parametrize(
    "rule", [r for r in VARIED if r.fn.__name__ not in UP_TO_PHASES], ids=call_id
)
def test_complex64_stays_complex64(rule):
    at_each_twin(rule, check_single, np.float32)


def check_kinds(call):
    y = call.value()
    g = random_like(call.rng, y)
    for i in call.active:
        x_bar = call.vjp(i, g, y)
        if x_bar is ZERO:
            continue
        for bar, x in zip(leaves(x_bar), leaves(call.args[i]), strict=True):
            if bar is not ZERO:
                assert np.iscomplexobj(bar) == np.iscomplexobj(x)
                assert not hasattr(x, "dtype") or np.asarray(bar).dtype == x.dtype


@every_rule
def test_staged_bodies_compute_what_bodies_compute(rule):
    at_each_twin(rule, lambda call: check_staged(call, "symbolic"))


def test_what_is_run_at_complex_arguments():
    run = {rule.fn for rule in VARIED if any(twins(rule, case) for case in cases_of(rule))}
    assert {np.exp, np.sqrt, np.tanh, np.arctan, np.absolute, np.angle, np.conjugate} <= run
    assert {operator.add, operator.mul, operator.truediv, operator.pow, operator.matmul} <= run
    assert {np.sum, np.mean, np.prod, np.cumprod, np.var, np.std, np.average, np.where} <= run
    assert {np.dot, np.vdot, np.einsum, np.linalg.solve, np.linalg.inv, np.linalg.det} <= run
    assert {abs, complex, complex.conjugate, cmath.exp, cmath.log, cmath.polar} <= run
    product = RULES[operator.mul]
    mixed = [call for case in cases_of(product) for call in twins(product, case)]
    kinds = {tuple(map(is_complex, c.args[:2])) for c in mixed}
    assert {(True, True), (True, False), (False, True)} <= kinds


COMPLEX_ARRAY = ArrayType(np.dtype(complex), (3,))


@pytest.mark.parametrize(
    ("fn", "args", "t"),
    [
        (np.clip, (0.0, 1.0), COMPLEX_ARRAY),
        (math.exp, (), NumberType(complex)),
        (math.hypot, (1.0,), ArrayType(np.dtype(complex), (), True)),
        (float, (), ArrayType(np.dtype(complex), (), True)),
        (max, (1.0,), ArrayType(np.dtype(complex), (), True)),
        (cmath.rect, (1.0,), NumberType(complex)),
    ],
    ids=call_id,
)
def test_rules_of_real_functions_refuse(fn, args, t):
    bound, options = RULES[fn].bind((Value("z", t), *args), {})
    with pytest.raises(MissingRule, match="there is no rule for complex arguments"):
        infer(fn, bound, options)


# Cauchy-Riemann: df/dy = i df/dx where f is holomorphic, and not of conj, abs, real

Z = np.array([0.6 + 0.3j, 1.1 - 0.4j, -0.2 + 0.9j])


def partials(fn, z):
    """The derivatives along the real and the imaginary axis, by the rule and by differences."""
    rule, y, h = RULES[fn], fn(z), 1e-5
    for step in (1.0, 1j):
        t = np.full(z.shape, step)
        wanted = (fn(z + h * t) - fn(z - h * t)) / (2 * h)
        found = rule.jvp([t.astype(complex)], y, z)
        np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-8)
        yield found


HOLOMORPHIC = (
    np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.sqrt, np.square,
    np.reciprocal, np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.sinh, np.cosh,
    np.tanh, np.arcsinh, np.arccosh, np.arctanh, np.sinc, np.sum, np.prod, np.cumprod, np.mean,
)  # fmt: skip


@pytest.mark.parametrize("fn", HOLOMORPHIC, ids=call_id)
def test_holomorphic_functions_satisfy_cauchy_riemann(fn):
    along, across = partials(fn, Z)
    np.testing.assert_allclose(across, 1j * along, rtol=1e-12)
    bar = RULES[fn].vjps[0](np.ones(np.shape(fn(Z)), complex), fn(Z), Z)
    total = along if np.shape(along) == Z.shape and fn is not np.cumprod else None
    if total is not None:
        np.testing.assert_allclose(bar, total, rtol=1e-12)


@pytest.mark.parametrize(
    "fn", [np.conjugate, np.absolute, np.real, np.imag, np.angle, np.sign], ids=call_id
)
def test_other_functions_do_not(fn):
    along, across = partials(fn, Z)
    assert not np.any(np.isclose(across, 1j * along))
    g = np.full(Z.shape, 0.7) if np.isrealobj(along) else np.full(Z.shape, 0.7 - 0.4j)
    bar = RULES[fn].vjps[0](g, fn(Z), Z)
    np.testing.assert_allclose(np.real(bar), np.real(g * along), rtol=1e-12)
    np.testing.assert_allclose(-np.imag(bar), np.real(g * across), rtol=1e-12)


def test_edges():
    """0 where abs and angle have none; powers of zero; a negative base of a complex power."""
    zero = np.zeros(2, complex)
    assert np.all(RULES[np.absolute].vjps[0](np.ones(2), np.zeros(2), zero) == 0)
    assert np.all(RULES[np.angle].vjps[0](np.ones(2), np.zeros(2), zero) == -1j)
    base, exponent = RULES[operator.pow].partials
    assert base(0j, 0j, 2) == 0
    assert np.all(base(zero, zero, 1.0 + 0j) == 1)
    y = (-2.0) ** (1.5 + 0.5j)
    assert exponent(y, -2.0, 1.5 + 0.5j) == y * cmath.log(-2.0)
    x, w = np.array([-2.0, 3.0]), np.array([1.5 + 0.5j, 2.0])
    np.testing.assert_allclose(exponent(x**w, x, w), x**w * np.log(x + 0j))


def test_python_takes_a_float64_into_a_complex_number():
    """`1j * np.float64(2)` is a Python number, `np.float64(2) * 1j` is not."""
    scalar = ArrayType(np.dtype(float), (), scalar=True)
    for op in (operator.add, operator.mul, operator.truediv, operator.pow):
        z, x = Value("z", NumberType(complex)), Value("x", scalar)
        assert type(op(1j, np.float64(2))) is complex
        assert infer(op, (z, x), {}) == NumberType(complex)
        assert type(op(np.float64(2), 1j)) is np.complex128
        assert infer(op, (x, z), {}) == ArrayType(np.dtype(complex), (), scalar=True)
