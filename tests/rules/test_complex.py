"""Complex arguments: df = Re(g dz), as in autograd and JAX. Rules that do not hold refuse."""

import operator

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.ir import ArrayType, Value
from srcad.rules import RULES, ZERO
from srcad.rules.infer import infer

RNG = np.random.default_rng(3)
STEP = 1e-4


def complexes(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


Z, W = complexes(3, 4), complexes(4)

CALLS = [
    *((fn, (Z,)) for fn in (np.exp, np.log, np.sqrt, np.square, np.reciprocal, np.sin, np.cos)),
    *((fn, (Z,)) for fn in (np.tan, np.tanh, np.sinh, np.arctan, np.expm1, np.log1p, np.log2)),
    *((fn, (Z,)) for fn in (np.absolute, np.conjugate, np.real, np.imag, np.negative, np.angle)),
    *((fn, (Z,)) for fn in (np.sum, np.mean, np.prod, np.cumsum, np.cumprod)),
    *((fn, (Z, W)) for fn in (operator.add, operator.mul, operator.truediv, operator.pow)),
    (operator.pow, (Z, 3)),
    (operator.mul, (Z, np.ones(4))),
    (np.where, (RNG.random((3, 4)) < 0.5, Z, W)),
]


def tangent_of(x):
    return complexes(*x.shape) if np.iscomplexobj(x) else RNG.standard_normal(x.shape)


@pytest.mark.parametrize(("fn", "args"), CALLS, ids=lambda v: getattr(v, "__name__", ""))
def test_both_modes_agree_with_differences(fn, args):
    rule = RULES[fn]
    y = fn(*args)
    for i, x in enumerate(args):
        if i not in rule.vjps or not isinstance(x, np.ndarray):
            continue
        t = tangent_of(x)
        ts = [t if j == i else ZERO for j in range(len(args))]
        y_dot = rule.jvp(ts, y, *args)
        ahead, behind = (fn(*args[:i], x + h * t, *args[i + 1 :]) for h in (STEP, -STEP))
        np.testing.assert_allclose(y_dot, (ahead - behind) / (2 * STEP), rtol=1e-5, atol=1e-5)
        assert np.asarray(y_dot).dtype == y.dtype
        g = tangent_of(np.asarray(y))
        x_bar = rule.vjps[i](g, y, *args)
        assert x_bar.dtype == x.dtype
        want, got = np.sum(g * y_dot), np.sum(x_bar * t)
        np.testing.assert_allclose(np.real(got), np.real(want), rtol=1e-10)


@pytest.mark.parametrize("fn", [np.sign, np.var, np.std, np.nan_to_num, np.average])
def test_rules_of_real_functions_refuse(fn):
    args, options = RULES[fn].bind((Value("z", ArrayType(np.dtype(complex), (3,))),), {})
    with pytest.raises(MissingRule, match="there is no rule for complex arguments"):
        infer(fn, args, options)
