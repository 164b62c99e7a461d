"""Results that are sequences: of which class they are, and that one of one is differentiated."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.rules import RULES
from srcad.rules.core.sequences import OnlyItem, refilled, whole
from tests.rules.calls import OURS, at_each_case, call_id
from tests.rules.facts_check import FactChecker

EYE = np.eye(3)


@pytest.mark.parametrize("rule", [r for r in OURS if r.kind == "composed"], ids=call_id)
def test_composed_results_are_of_the_class_that_the_function_gives(rule):
    """`test_all_rules` checks that of the others."""
    at_each_case(rule, lambda call: FactChecker("known").primal(call, call.value()))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + np.split(x, 1)[0],
        lambda x: x + np.split(x, [])[0],
        lambda x: x + np.meshgrid(x)[0],
        lambda x: x + np.broadcast_arrays(x)[0],
        lambda x: next(x + y for y in np.array_split(x, 1)),
    ],
)
def test_jacobians_of_sequences_of_one(f):
    x = np.array([1.0, -2.0, 3.0])
    np.testing.assert_array_equal(srcad.jacobian(f, backend="numpy")(x), 2 * EYE)
    columns = [srcad.jvp(f, (x,), (t,))[1] for t in EYE]
    np.testing.assert_array_equal(columns, 2 * EYE)


def in_a_list(x):
    return [x**2]


def test_a_rule_of_a_user_for_a_list_of_one():
    srcad.rules.rule(
        in_a_list,
        jvp=lambda ts, y, x: (2 * x * ts[0],),
        x=lambda g, y, x: 2 * x * g[0],
    )

    def f(x):
        made = in_a_list(x)
        made.append(x)
        return np.sum(made[0] * made[1])

    x = np.array([1.0, 2.0])
    np.testing.assert_allclose(srcad.grad(f)(x), 3 * x**2)
    np.testing.assert_allclose(srcad.jvp(f, (x,), (np.ones(2),))[1], np.sum(3 * x**2))
    assert srcad.compile(f)(x) == f(x)


@srcad.rules.nondiff
def bounds(x):
    return (np.max(x),)


def test_a_function_without_derivative_that_gives_a_tuple_of_one():
    def f(x):
        (top,) = bounds(x)
        return np.sum(x * top)

    x = np.array([1.0, 2.0])
    assert srcad.compile(f)(x) == f(x)
    np.testing.assert_array_equal(srcad.grad(f)(x), [2.0, 2.0])


def test_only_items_are_functions_with_rules():
    one = OnlyItem(np.split)
    assert one == OnlyItem(np.split)
    assert one != OnlyItem(np.meshgrid)
    assert one in RULES
    assert RULES.get(OnlyItem(print)) is None
    assert whole(one) is np.split
    assert whole(np.sum) is np.sum
    np.testing.assert_array_equal(one(np.ones(2), 1), np.ones(2))
    with pytest.raises(ValueError, match="too many"):
        one(np.ones(2), 2)


def test_refilled_keeps_the_class():
    record = np.linalg.slogdet(EYE)
    for like in ([1, 2], (1, 2), record):
        made = refilled(like, iter("ab"))
        assert type(made) is type(like)
        assert list(made) == ["a", "b"]


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.split(x, 3), lambda x: np.hsplit(x, 1), lambda x: np.array_split(x, [1]),
        np.meshgrid, lambda x: np.broadcast_arrays(x, x[0]), np.linalg.slogdet, np.linalg.eigh,
        np.linalg.qr, np.linalg.svd, lambda x: np.linalg.svd(x, compute_uv=False), np.shape,
        lambda x: np.linalg.lstsq(x, x[0], None), np.ndim, np.size, len, lambda x: x.shape,
        np.nonzero, lambda x: np.unique(x, return_counts=True), lambda x: np.sum(x), np.max,
        lambda x: np.gradient(x), lambda x: np.gradient(x[0]), lambda x: np.divmod(x, 2.0),
        lambda x: np.unstack(x), lambda x: np.histogram(x), np.argmax, np.mean, np.any,
        lambda x: np.allclose(x, x), lambda x: np.where(x > 0.0), lambda x: np.atleast_1d(x, x[0]),
        lambda x: np.atleast_2d(x[0]), lambda x: np.ix_([0, 1]), lambda x: np.ix_([0], [1, 2]),
    ],
)  # fmt: skip
def test_results_are_of_the_class_that_numpy_gives(f):
    def classes(x):
        kind = [classes(item) for item in x] if isinstance(x, list | tuple) else None
        return type(x), kind

    x = np.array([[2.0, 0.5, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]])
    found = srcad.compile(lambda x: f(x), backend="numpy")(x)
    assert classes(found) == classes(f(x))


@pytest.mark.parametrize("missing", [np.nan, np.inf])
def test_a_histogram_of_what_is_not_finite_raises_as_numpy_does(missing):
    def weighed(x):
        return np.sum(np.histogram(x, bins=3)[0] * x)

    x = np.array([1.0, 2.5, missing])
    for call in (weighed, srcad.compile(weighed), srcad.value_and_grad(weighed, backend="numpy")):
        with pytest.raises(ValueError, match=r"not finite|infs or NaNs"):
            call(x)
