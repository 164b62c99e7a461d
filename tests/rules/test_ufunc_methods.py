"""Methods of ufuncs and ufuncs called with options, in programs: values and both modes."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.rules import RULES
from srcad.rules.core.table import rule_for
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
A, B, V = RNG.uniform(0.5, 2, (3, 4)), RNG.uniform(0.5, 2, 2), RNG.uniform(0.5, 2, 5)
MASK = A > 1
BINARY = list(
    dict.fromkeys(
        fn
        for name in sorted(np.__all__)
        if isinstance(fn := getattr(np, name), np.ufunc)
        and (fn.nin, fn.nout, fn.signature) == (2, 1, None)
        and fn in RULES
        and RULES[fn].kind in ("elementwise", "general", "linear")
        and fn is not np.ldexp
    )
)


def agrees(program, *args):
    np.testing.assert_allclose(srcad.vjp(program, *args)[0], program(*args), rtol=1e-12)
    check_grads(program, args, order=2)


@pytest.mark.parametrize("ufunc", BINARY, ids=lambda fn: fn.__name__)
def test_outer_of_every_binary_ufunc(ufunc):
    agrees(lambda a, b: ufunc.outer(a, b), A, B + 0.015625)


def test_outer_of_numbers_and_lists():
    agrees(lambda a: np.add.outer(a, [1.0, 2.0]) * np.subtract.outer(2.0, a)[..., None], V)
    agrees(lambda a: np.multiply.outer(a, 3.0), 1.5)


@pytest.mark.parametrize("axis", [0, -1, None, (0, 1)], ids=str)
@pytest.mark.parametrize("keepdims", [False, True], ids=["dropped", "kept"])
@pytest.mark.parametrize(
    "ufunc", [np.add, np.multiply, np.maximum, np.minimum, np.fmax, np.fmin], ids=str
)
def test_reduce(ufunc, axis, keepdims):
    agrees(lambda x: ufunc.reduce(x, axis=axis, keepdims=keepdims), A)


def test_reduce_along_the_first_axis_unless_told():
    agrees(lambda x: np.add.reduce(x) * np.multiply.reduce(x) * np.logaddexp.reduce(x), A)


@pytest.mark.parametrize("ufunc", [np.add, np.multiply, np.maximum, np.minimum], ids=str)
def test_reduce_with_a_start_and_a_mask(ufunc):
    agrees(lambda x: ufunc.reduce(x, axis=1, initial=0.9), A)
    agrees(lambda x: ufunc.reduce(x, axis=0, initial=0.9, where=x > 1), A)
    agrees(lambda x: ufunc.reduce(x, axis=0, initial=x[0, 0], where=MASK), A)


def test_a_masked_entry_counts_nothing():
    poles = np.array([1.0, 0.0, 2.0])
    g = srcad.grad(lambda x: np.add.reduce(np.log(x), where=x > 0))(poles)
    np.testing.assert_array_equal(g, [1.0, 0.0, 0.5])


def test_dtype_of_a_reduction():
    def total(x):
        return np.add.reduce(x, axis=None, dtype=np.float64)

    x = A.astype(np.float32)
    assert srcad.vjp(total, x)[0].dtype == np.float64
    assert srcad.grad(total)(x).dtype == np.float32


@pytest.mark.parametrize("axis", [0, 1])
def test_accumulate(axis):
    agrees(lambda x: np.add.accumulate(x, axis=axis) * np.multiply.accumulate(x, axis=axis), A)
    agrees(lambda x: np.maximum.accumulate(x, axis) * np.minimum.accumulate(x, axis=axis), A)


def test_running_maximum_at_ties():
    g = srcad.grad(lambda x: np.sum(np.maximum.accumulate(x)))(np.array([1.0, 2.0, 2.0, 1.0]))
    np.testing.assert_array_equal(g, [1.0, 1.0, 2.0, 0.0])


def test_reduceat():
    agrees(lambda x: np.add.reduceat(x, [0, 2, 1]).sum(axis=1), A)
    agrees(lambda x, y: np.add.reduceat(x, [0, 2, 2, 3], axis=1) * y, A, A)


def test_methods_in_rules_and_with_out():
    def program(x):
        y = np.zeros(4)
        np.add.reduce(x, out=y)
        return y * np.add.reduce(x)

    agrees(program, A)


def test_log_of_sums_where_all_is_minus_infinity():
    g = srcad.grad(lambda x: np.logaddexp.reduce(x))(np.array([-np.inf, 0.0]))
    np.testing.assert_array_equal(g, [0.0, 1.0])


def test_options_of_ufuncs():
    agrees(lambda x: np.add(x, x, dtype=np.float64, order="C") * np.sin(x, casting="safe"), A)
    agrees(lambda x: np.exp(x, where=True, subok=False) + np.multiply(x, 2, dtype=float), V)
    agrees(lambda x: np.log(x, out=np.zeros_like(x), where=x > 1), A)


def test_dtype_of_a_ufunc_is_that_of_its_loop():
    def program(x):
        return np.multiply(x, x, dtype=np.float32)

    y, y_dot = srcad.jvp(program, (V,), (V,))
    assert y.dtype == y_dot.dtype == np.float32
    np.testing.assert_array_equal(y, program(V))
    assert srcad.grad(lambda x: np.sum(program(x)))(V).dtype == np.float64


@pytest.mark.parametrize("fn", [np.maximum, np.minimum, np.fmax, np.fmin, np.add, np.multiply])
def test_no_axis_is_the_only_one(fn):
    def program(x):
        return fn.accumulate(x, axis=None)

    np.testing.assert_array_equal(srcad.compile(program)(V), program(V))
    check_grads(program, (V,), order=1)
    with pytest.raises(ValueError, match="multiple axes"):
        program(A)
    with pytest.raises((SrcadError, ValueError)):
        srcad.jvp(program, (A,), (A,))


def refused(program, *args):
    with pytest.raises(SrcadError) as caught:
        srcad.grad(program)(*args)
    return caught.value


def test_refused():
    assert refused(lambda x: np.sum(np.add(x, x, where=x > 1)), A).code == "E203"
    found = refused(lambda x: np.power.reduce(x), V)
    assert found.code == "E203"
    assert "`np.power.reduce`" in found.title
    assert refused(lambda x: np.sum(np.power.accumulate(x)), V).code == "E203"
    assert refused(lambda x: np.sum(np.multiply.reduceat(x, [0, 1])), V).code == "E203"
    assert refused(lambda x: np.sum(np.sin(x, dtype=np.int64)), V).code == "E132"
    assert refused(lambda x: np.maximum.reduce(x, where=x > 1), V).code == "E132"
    assert refused(lambda x: np.sum(np.sin.outer(x, x)), V).code == "E132"


def test_one_composition_for_each_method():
    assert rule_for(np.hypot.outer, {}) is rule_for(np.hypot.outer, {})
    assert rule_for(np.hypot.outer, {}) is not rule_for(np.add.outer, {})
    assert rule_for(np.add, {}) is RULES[np.add]
