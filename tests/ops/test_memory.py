"""Which memory results lie in: what the table of operations says, tried out.

Each function with a rule is run at its cases, on arrays of several dtypes that lie in memory in
several ways. What is called fresh shares no memory with an argument, with another result or with
what an equal call gave before; what is called a view shares with the first argument and no other.
"""

from __future__ import annotations

import operator
import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
import scipy.fft

from srcad.ir import Op, Value
from srcad.ir.types import ArrayType
from srcad.ops import memory
from srcad.ops.memory import memory_of, memory_of_function
from srcad.ops.table import row_of, rows
from srcad.rules import RULES, Case, Rule, linear
from srcad.rules.core.facts import type_of_constant
from srcad.rules.core.sequences import OnlyItem, whole
from srcad.rules.core.table import name_of
from srcad.rules.draws import DRAWS
from tests.rules.calls import OURS, Call, at_each_case, call_id, leaves, make_call


@pytest.mark.parametrize("rule", OURS, ids=call_id)
def test_each_function_with_a_rule_has_a_row_or_is_a_ufunc(rule: Rule):
    memory_of_function(rule.fn)  # those of SciPy are stated when one is looked up
    stated = rows().get(rule.fn)
    if stated is None:
        owner = getattr(rule.fn, "__self__", None)
        assert isinstance(rule.fn, np.ufunc) or isinstance(owner, np.ufunc)
    else:
        assert stated.memory is not None


class Same:
    """What a user calls, with a rule, and which returns its argument."""

    def __call__(self, x):
        return x


def test_of_what_users_call_nothing_is_said():
    same = Same()
    linear(same, x=lambda g, y, x: g)
    assert same in RULES
    assert memory_of_function(same) == "unknown"
    assert memory_of_function(lambda x: x) == "unknown"
    assert memory_of_function(np.polynomial.Polynomial([1.0])) == "unknown"


def array(*shape: int, dtype: Any = float) -> Value:
    return Value("x", type_of_constant(np.ones(shape, dtype)))


@pytest.mark.parametrize(
    ("fn", "args", "options", "said"),
    [
        (np.astype, (array(3), float), {"copy": False}, "unknown"),
        (np.astype, (array(3), float), {}, "fresh"),
        (np.diag, (array(3),), {}, "fresh"),
        (np.diag, (array(3, 3),), {}, "view"),
        (np.diag, (Value("x", ArrayType(np.dtype(float), None)),), {}, "either"),
        (np.array, (array(3),), {"copy": None}, "either"),
        (np.array, ([array(3)],), {"copy": None}, "fresh"),
        (np.sum, (array(3),), {"out": array()}, "unknown"),
        (np.reshape, (Value("n", type_of_constant(2.0)), -1), {}, "fresh"),
        (OnlyItem(np.split), (array(3), 1), {}, "unknown"),
        (min, (array(3), array(3)), {}, "unknown"),
    ],
)
def test_what_is_said_depends_on_the_call(fn, args, options, said):
    assert memory_of(Op(fn, args, options, (array(3),))) == said


def in_rows(a: np.ndarray) -> np.ndarray:
    return np.array(a)


def in_columns(a: np.ndarray) -> np.ndarray:
    return np.array(a, order="F")


def apart(a: np.ndarray) -> np.ndarray:
    """The same numbers in a view that is neither C- nor F-contiguous."""
    if a.ndim == 0:
        return np.array(a)
    room = np.zeros([2 * n for n in a.shape], a.dtype)
    view = room[tuple(slice(None, None, 2) for _ in a.shape)]
    view[...] = a
    return view


WAYS = [(layout, np.float64) for layout in (in_rows, in_columns, apart)]
OTHERS = [(in_rows, dtype) for dtype in (np.float32, np.int64, np.bool_, np.complex128)]


def laid(x: Any, layout: Any, dtype: Any) -> Any:
    """Arrays of floats laid out, in another dtype."""
    if isinstance(x, list) or type(x) is tuple:
        return type(x)(laid(item, layout, dtype) for item in x)
    if not isinstance(x, np.ndarray):
        return x
    if x.dtype.kind == "f" and dtype is not np.float64:
        x = (x if dtype is np.float32 else 3 * x).astype(dtype)
    return layout(x)


@pytest.mark.parametrize("rule", OURS, ids=call_id)
def test_what_is_said_of_results_is_so(rule: Rule):
    # SciPy's are not made for other numbers than their cases have: some end the process.
    ways = WAYS if name_of(rule.fn).startswith("scipy.") else WAYS + OTHERS
    for way in ways:
        at_each_case(rule, lambda call, way=way: check_memory(call, *way))


def check_memory(call: Call, layout: Any, dtype: Any) -> None:
    """Hold what is said of one call against what it does."""
    with np.errstate(invalid="ignore"):
        args = tuple(laid(a, layout, dtype) for a in call.args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result, again = call(*args), call(*args)
        except Exception:
            if dtype is np.float64:
                raise
            return  # not of numbers like these
    outs = tuple(Value("y", type_of_constant(a)) for a in leaves(result) if is_numeric(a))
    if not outs:
        return
    said = memory_of(Op(call.rule.fn, tuple(map(as_values, args)), dict(call.kwargs), outs))
    made, (first, *others) = arrays_in(result), [arrays_in([a]) for a in args] or [[]]
    if said == "fresh":
        given = arrays_in([args, list(call.kwargs.values())])
        assert not shares_memory(made, [*given, *arrays_in(again)])
    if said in ("view", "either"):
        assert not shares_memory(made, arrays_in([others]))
    if not row_of(whole(call.rule.fn)).read_only:
        assert all(map(is_writable, made))
    if said == "view" and made and made[0].size and not is_zeros(call.rule.fn, args):
        assert np.shares_memory(made[0], first[0])


def is_numeric(x: Any) -> bool:
    return isinstance(x, np.ndarray | np.generic) or type(x) is float


def as_values(x: Any) -> Any:
    """An IR value for each array or float."""
    if isinstance(x, list | tuple) and any(map(is_numeric, leaves(x))):
        return type(x)(map(as_values, x))
    return Value("x", type_of_constant(x)) if is_numeric(x) else x


def arrays_in(x: Any) -> list[np.ndarray]:
    return [a for a in leaves(x) if isinstance(a, np.ndarray)]


def is_writable(a: np.ndarray) -> bool:
    """Whether an array can be written, entry by entry."""
    spread = any(step == 0 and n > 1 for step, n in zip(a.strides, a.shape, strict=True))
    return a.flags.writeable and not (spread and a.size)


def is_zeros(fn: Any, args: Any) -> bool:
    """Imaginary parts of real numbers are zeros that cannot be written."""
    return fn is np.imag and args[0].dtype.kind != "c"


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
    check_memory(make_call(RULES[fn], case), in_rows, np.float64)
    given = np.ones((3, 4))
    assert shares_memory([fn(given, **case.kwargs)], [given])


@pytest.mark.parametrize("fn", [np.sum, np.prod, np.mean, np.var, np.max, np.min, np.any, np.all])
def test_a_reduction_over_no_axes_is_fresh(fn):
    for given in (np.ones((3, 4)), np.ones((3, 4), int), np.ones((3, 4), bool)):
        assert not np.shares_memory(fn(given, axis=()), given)


def test_draws_are_fresh():
    rng, x = np.random.default_rng(0), np.ones((3, 4))
    for name in ("choice", "permutation", "permuted"):
        fn = getattr(np.random.Generator, name)
        assert fn in DRAWS
        assert memory_of(Op(fn, (Value("rng", None), array(3, 4)), {}, (array(3, 4),))) == "fresh"
        assert not np.shares_memory(getattr(rng, name)(x), x)
    assert memory_of(Op(np.random.Generator.random, (None,), {"out": array(3)})) == "unknown"


@pytest.mark.parametrize("returns_ints", [True, False])
def test_rounded_integers_may_be_the_given_ones(returns_ints, monkeypatch):
    monkeypatch.setattr(memory, "_RETURNS_INTS", returns_ints)
    said = memory_of(Op(np.round, (array(3, dtype=int),), {}, (array(3, dtype=int),)))
    assert said == ("either" if returns_ints else "fresh")
    assert memory_of(Op(np.round, (array(3),), {}, (array(3),))) == "fresh"


SCALAR, POSITIONS = np.int64(1), np.array([0, 2])
INDICES = [
    *(1, SCALAR, slice(1, 3), None, Ellipsis, (1, slice(None)), (0, None, SCALAR, Ellipsis)),
    *(True, np.bool_(True), (True, 0), [1], POSITIONS, (0, POSITIONS), (slice(None), [1, 0])),
    *(np.array(1), (np.array(1), slice(None)), (np.array(1), 0), np.ones((3, 4), bool)),
]


@pytest.mark.parametrize("index", INDICES, ids=repr)
@pytest.mark.parametrize("is_known", [True, False])
def test_an_index_takes_a_view_or_a_copy(index, is_known):
    x = np.ones((3, 4, 2))
    at = index
    if not is_known:
        parts = index if isinstance(index, tuple) else (index,)
        at = tuple(Value("i", type_of_constant(p)) if is_numeric(p) else p for p in parts)
    made = x[index]
    op = Op(operator.getitem, (array(3, 4, 2), at), {}, (Value("y", type_of_constant(made)),))
    assert memory_of(op) == ("view" if np.shares_memory(made, x) else "fresh")
