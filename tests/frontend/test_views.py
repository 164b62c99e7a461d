"""What the arrays that functions return share memory with: said of each rule, tried out here."""

from __future__ import annotations

import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import scipy.fft

import srcad
from srcad.frontend.abstract.views import made_by
from srcad.ir import Op, Value
from srcad.optimize.analysis.operations import is_fresh
from srcad.rules import RULES, Case, Rule
from srcad.rules.core.facts import type_of_constant
from srcad.rules.core.table import name_of
from tests.rules.calls import OURS, Call, at_each_case, call_id, leaves, make_call


def is_numeric(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic) or type(x) is float


def as_values(x: Any) -> Any:
    """An IR value for each array or float."""
    if isinstance(x, list | tuple) and any(map(is_numeric, leaves(x))):
        return type(x)(map(as_values, x))
    return Value("x", type_of_constant(x)) if is_numeric(x) else x


def arrays_in(x: Any) -> list[np.ndarray]:
    return [a for a in leaves(x) if isinstance(a, np.ndarray)]


@pytest.mark.parametrize("rule", OURS, ids=call_id)
def test_what_is_called_fresh_shares_no_memory(rule: Rule):
    at_each_case(rule, lambda call: check_memory(call, "C"))
    at_each_case(rule, lambda call: check_memory(call, "F"))


def check_memory(call: Call, order: str) -> None:
    """What shares memory with an argument or with another result is not called fresh."""
    args = tuple(np.array(a, order=order) if isinstance(a, np.ndarray) else a for a in call.args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        result = call(*args)
    made = arrays_in(result)
    if not shares_memory(made, arrays_in(list(args))):
        return
    outs = tuple(Value("y", type_of_constant(a)) for a in leaves(result) if is_numeric(a))
    op = Op(call.rule.fn, tuple(map(as_values, args)), dict(call.kwargs), outs)
    assert made_by(op) != "fresh"
    assert not is_fresh(op)


def shares_memory(made: list[np.ndarray], given: list[np.ndarray]) -> bool:
    """Whether one of the arrays made shares memory with another one, or with one given."""
    pairs = [*combinations(made, 2), *product(made, given)]
    return any(np.shares_memory(a, b) for a, b in pairs)


# Where there is nothing to do they return their argument.
NO_AXES = [
    np.fft.fft2, np.fft.ifft2, np.fft.fftn, np.fft.ifftn, scipy.fft.fft2, scipy.fft.ifftn,
    scipy.fft.dctn, scipy.fft.idstn,
]  # fmt: skip
NOTHING = [(fn, Case((3, 4), axes=())) for fn in NO_AXES] + [
    *((np.diff, Case((3, 4), n=0)), (np.array, Case((3, 4), copy=None))),
    *((np.ravel, Case((3, 4), order="K")), (np.reshape, Case((3, 4), shape=(4, 3)))),
    *((np.require, Case((3, 4), dtype=float)), (np.asarray, Case((3, 4), dtype=float))),
]


@pytest.mark.parametrize(("fn", "case"), NOTHING, ids=[name_of(fn) for fn, _ in NOTHING])
def test_what_has_nothing_to_do_is_not_called_fresh(fn, case):
    check_memory(make_call(RULES[fn], case), "C")
    given = np.ones((3, 4))
    assert shares_memory([fn(given, **case.kwargs)], [given])


@pytest.mark.parametrize("part", ["real", "imag"])
def test_a_written_part_leaves_the_other_as_it_is(part):
    def real(z, v):
        z = z + 0
        z.real = v
        return z

    def imag(z, v):
        z = z + 0
        z.imag = v
        return z

    f = {"real": real, "imag": imag}[part]
    z = np.array([complex(np.inf, 1), complex(1, np.inf), complex(np.nan, 2), complex(0.0, -0.0)])
    v = np.array([1.0, np.inf, 2.0, -0.0])
    y, pullback = srcad.vjp(f, z, v)
    assert y.tobytes() == f(z, v).tobytes()
    z_bar, v_bar = pullback(np.full(4, 2 + 3j))
    np.testing.assert_array_equal(v_bar, 2.0 if part == "real" else -3.0)
    np.testing.assert_array_equal(z_bar, 3j if part == "real" else 2.0)
