"""Rows of tables, and gradients that are zero but for some rows: sparse where they are returned."""

from __future__ import annotations

import copy
import math
import operator
import pickle
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels
from srcad.kernels import SparseRows
from srcad.testing import check_grads

RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((6, 3))
IDS = np.array([[0, 2, 0], [5, -1, 2]])
WEIGHTS = RNG.standard_normal((2, 3, 3))


def dense(ids: Any, values: Any, shape: tuple[int, ...]) -> Any:
    """Row by row."""
    whole = np.zeros(shape)
    for k in np.ndindex(ids.shape):
        whole[ids[k]] += values[k]
    return whole


def weighted(table: Any, ids: Any) -> Any:
    return np.sum(kernels.embedding(table, ids) * WEIGHTS)


# The class ---------------------------------------------------------------------------------------


def test_the_whole_array() -> None:
    rows = SparseRows(IDS, WEIGHTS, TABLE.shape)
    assert (rows.shape, rows.ndim, rows.dtype) == ((6, 3), 2, np.float64)
    whole = np.asarray(rows)
    np.testing.assert_allclose(whole, dense(IDS, WEIGHTS, TABLE.shape), rtol=1e-14)
    assert np.asarray(rows, np.float32).dtype == np.float32
    assert repr(rows) == "SparseRows(6 rows of (6, 3), float64)"


def test_summed_rows_are_named_once_and_in_order() -> None:
    rows, values = SparseRows(IDS, WEIGHTS, TABLE.shape).summed()
    np.testing.assert_array_equal(rows, [0, 2, 5])  # -1 is 5
    whole = dense(IDS, WEIGHTS, TABLE.shape)
    np.testing.assert_allclose(values, whole[rows], rtol=1e-14)


def test_no_rows() -> None:
    rows = SparseRows(np.zeros((0,), int), np.zeros((0, 3)), (6, 3))
    np.testing.assert_array_equal(np.asarray(rows), np.zeros((6, 3)))
    found, values = rows.summed()
    assert found.shape == (0,)
    assert values.shape == (0, 3)


def test_arithmetic() -> None:
    a = SparseRows(IDS, WEIGHTS, TABLE.shape)
    b = SparseRows(np.array([1, 2]), np.ones((2, 3)), TABLE.shape)
    whole, other = np.asarray(a), np.asarray(b)
    for found, expected in [
        (2 * a, 2 * whole),
        (a * np.float32(0.5), whole * 0.5),
        (-a, -whole),
        (a + b, whole + other),
        (sum([a, b, b]), whole + 2 * other),
        (a - b, whole - other),
        (a / 3, whole / 3),
        (1 - a, 1 - whole),
        (a**2, whole**2),
        (np.exp(a), np.exp(whole)),
        (np.sum(a, axis=0), whole.sum(axis=0)),
        (np.linalg.norm(a), np.linalg.norm(whole)),
        (a[2], whole[2]),
        (a > 0, whole > 0),
    ]:
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-13, atol=1e-14)
    for found in (2 * a, -a, a + b, a - b, a / 3, np.float64(2) * a):
        assert isinstance(found, SparseRows)
    for found, expected in [
        (a + TABLE, whole + TABLE),
        (TABLE + a, TABLE + whole),
        (a * TABLE, whole * TABLE),
        (TABLE * a, TABLE * whole),
    ]:
        assert isinstance(found, np.ndarray)
        np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-14)


def test_in_place_steps() -> None:
    g = SparseRows(IDS, WEIGHTS, TABLE.shape)
    table = TABLE.copy()
    table -= 0.1 * g
    np.testing.assert_allclose(table, TABLE - 0.1 * np.asarray(g), rtol=1e-12)


def test_rows_that_are_none() -> None:
    for row in (6, -7):
        with pytest.raises(IndexError, match=f"row {row} is out of bounds for 6 rows"):
            SparseRows(np.array([0, row]), np.ones((2, 3)), (6, 3))


def test_values_that_do_not_fit_the_rows() -> None:
    with pytest.raises(ValueError, match=r"rows \(2,\) of .* \(6, 3\) want values .*\(2, 3\)"):
        SparseRows(np.array([0, 1]), np.ones((2, 4)), (6, 3))


# Gradients ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", [TABLE, TABLE[:, 0], RNG.standard_normal((6, 2, 2))])
@pytest.mark.parametrize("ids", [IDS, np.array([1, 1]), np.array(3), np.zeros((0, 2), int)])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8])
def test_rows_and_their_gradient(table: Any, ids: Any, dtype: Any) -> None:
    ids = np.abs(ids).astype(dtype)
    y = kernels.embedding(table, ids)
    np.testing.assert_array_equal(y, table[ids])
    weights = RNG.standard_normal(y.shape)
    found = srcad.grad(lambda table: np.sum(kernels.embedding(table, ids) * weights))(table)
    assert isinstance(found, SparseRows)
    np.testing.assert_allclose(np.asarray(found), dense(ids, weights, table.shape), rtol=1e-13)


def test_derivatives() -> None:
    def f(table: Any) -> Any:
        return np.sum(np.tanh(kernels.embedding(table, IDS)) * WEIGHTS)

    check_grads(f, (TABLE,), order=2)
    back = srcad.vjp(f, TABLE)[1](2.0)[0]
    np.testing.assert_allclose(
        np.asarray(back), 2 * np.asarray(srcad.grad(f)(TABLE)), rtol=1e-12, atol=1e-14
    )


def test_single_precision_stays() -> None:
    found = srcad.grad(lambda t: np.mean(kernels.embedding(t, IDS) ** 2))(TABLE.astype(np.float32))
    assert found.dtype == np.float32
    assert np.asarray(found).dtype == np.float32


def test_a_program_that_uses_the_gradient_has_it_whole() -> None:
    def norm(table: Any) -> Any:
        g = srcad.grad(lambda t: np.sum(kernels.embedding(t, IDS) ** 3 * WEIGHTS))(table)
        return np.sum(g**2)

    check_grads(norm, (TABLE,), order=1)
    found = srcad.value_and_grad(norm)(TABLE)
    whole = dense(IDS, 3 * TABLE[IDS] ** 2 * WEIGHTS, TABLE.shape)
    np.testing.assert_allclose(found[0], np.sum(whole**2), rtol=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        lambda t: (
            np.sum(kernels.embedding(t, IDS) * WEIGHTS) + np.sum(kernels.embedding(t, IDS[0]))
        ),
        lambda t: weighted(t, IDS) + np.sum(t**2),
        lambda t: np.sum(kernels.embedding(np.tanh(t), IDS) * WEIGHTS),
    ],
    ids=["two uses", "a dense use", "behind another function"],
)
def test_other_gradients_are_right_too(f: Any) -> None:
    check_grads(f, (TABLE,), order=2)


def looped(table: Any, ids: Any) -> Any:
    total = 0.0
    for k in range(ids.shape[0]):
        total = total + np.sum(np.sin(kernels.embedding(table, ids[k])))
    return total


def test_in_a_loop() -> None:
    check_grads(lambda table: looped(table, IDS), (TABLE,), order=2)
    found = np.asarray(srcad.grad(looped)(TABLE, IDS))
    np.testing.assert_allclose(found, dense(IDS, np.cos(TABLE[IDS]), TABLE.shape), rtol=1e-12)


def test_a_gradient_is_the_callers() -> None:
    ids = IDS.copy()
    step = srcad.value_and_grad(weighted)
    _, first = step(TABLE, ids)
    kept = np.asarray(first).copy()
    weights_before = WEIGHTS.copy()
    first.values[...] = 7.0  # shares nothing with what the program was given
    np.testing.assert_array_equal(WEIGHTS, weights_before)
    _, second = step(TABLE, ids)
    np.testing.assert_array_equal(np.asarray(second), kept)
    ids[...] = 0
    np.testing.assert_array_equal(np.asarray(second), kept)


def test_the_gradient_of_a_sum_does_not_share_its_argument() -> None:
    def f(table: Any, weights: Any) -> Any:
        return np.sum(kernels.embedding(table, IDS) * weights)

    of_table, of_weights = srcad.grad(f, argnums=(0, 1))(TABLE, WEIGHTS)
    assert not np.shares_memory(of_table.values, WEIGHTS)
    np.testing.assert_array_equal(of_weights, TABLE[IDS])


def test_a_gradient_costs_the_rows_that_are_read() -> None:
    import tracemalloc

    table, ids = np.zeros((100_000, 50)), np.arange(40)
    step = srcad.grad(lambda table: np.sum(kernels.embedding(table, ids) ** 2))
    step(table)
    tracemalloc.start()
    try:
        step(table)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * ids.size * 50 * 8 < table.nbytes / 10


def test_ids_that_are_no_rows() -> None:
    with pytest.raises(IndexError):
        srcad.grad(weighted)(TABLE, IDS + 4)
    with pytest.raises(srcad.SrcadError):
        srcad.grad(weighted)(TABLE, IDS + 0.5)


# As an array -------------------------------------------------------------------------------------


def both() -> tuple[SparseRows, np.ndarray]:
    """Rows, some of them twice, and the whole array."""
    rows = SparseRows(np.array([1, 3, 1, -1]), np.arange(8.0).reshape(4, 2) - 3.5, (6, 2))
    return rows, np.array(rows)


ROWS = "rows too"
OPERANDS = [
    2, 0.5, np.float32(3), True, 0, math.nan, math.inf, 1j, np.array(2.0), np.ones(2),
    np.arange(12.0).reshape(6, 2), [1.0, 2.0], ROWS, None, np.ones((5, 2)),
]  # fmt: skip
IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow".split()
OPERATORS = "add sub mul truediv floordiv mod pow matmul eq ne lt le gt ge".split()


@pytest.mark.parametrize("name", [*OPERATORS, *IN_PLACE])
@pytest.mark.parametrize("other", OPERANDS, ids=map(str, range(len(OPERANDS))))
@np.errstate(all="ignore")
def test_operators_are_those_of_the_whole_array(name: str, other: object) -> None:
    op = getattr(operator, name)
    for swapped in (False, True)[: 1 if name in IN_PLACE else 2]:
        (rows, whole), (more, all_of_more) = both(), both()
        a, b = (more, all_of_more) if other is ROWS else (other, other)
        try:
            expected = op(b, whole) if swapped else op(whole, b)
        except (TypeError, ValueError) as problem:
            with pytest.raises((TypeError, type(problem))):
                op(a, rows) if swapped else op(rows, a)
            continue
        found = op(a, rows) if swapped else op(rows, a)
        assert (found is rows) == (name in IN_PLACE)
        assert np.asarray(found).dtype == np.asarray(expected).dtype
        np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-14)


MEMBERS = [
    "sum()", "sum(axis=0)", "mean()", "mean(1)", "std()", "max()", "argmin()", "T", "size", "shape",
    "ndim", "nbytes", "real", "ravel()", "reshape(-1)", "reshape(3, 4)", "astype(np.float32)",
    "astype(int)", "copy()", "dot(np.ones(2))", "clip(0, 1)", "cumsum()", "any()", "tolist()",
    "flatten()", "transpose()", "take([0, 1])", "__len__()",
]  # fmt: skip
FUNCTIONS = [
    "np.sum({})", "np.mean({}, axis=0)", "np.linalg.norm({})", "np.concatenate([{}, {}])",
    "np.where({} > 0, {}, 0)", "np.clip({}, -1, 1)", "np.dot({}, np.ones(2))", "np.add.reduce({})",
    "np.einsum('ij,ij->', {}, {})", "np.shape({})", "np.zeros_like({})", "abs({})", "sum({})",
    "list({})", "len({})", "np.maximum({}, 0)", "np.isfinite({}).all()", "{}[1]", "{}[::2, 0]",
    "np.reshape({}, -1)", "np.ravel({})", "0.0 in {}", "np.multiply.outer({}, np.ones(2))",
]  # fmt: skip


@pytest.mark.parametrize("text", [*(f"{{}}.{member}" for member in MEMBERS), *FUNCTIONS])
def test_members_and_functions(text: str) -> None:
    names = {"np": np, **dict(zip(("rows", "whole"), both(), strict=True))}
    found, expected = (eval(text.replace("{}", name), names) for name in ("rows", "whole"))
    np.testing.assert_allclose(np.asarray(found), np.asarray(expected), rtol=1e-14)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


def test_written_in_place() -> None:
    rows, whole = both()
    for x in (rows, whole):
        x[2] = 7.0
        np.add.at(x, [1, 1], 1.0)
        np.multiply(x, 3.0, out=x)
        np.exp(np.zeros((6, 2)), out=x, where=np.array([[True, False]]))
    np.testing.assert_array_equal(np.asarray(rows), whole)
    values = rows.values
    rows *= 0.5
    np.testing.assert_array_equal(values, whole)  # which another one may hold too


@pytest.mark.parametrize(
    "text",
    [
        "rows.fill(1.0)", "rows.sort()", "rows.T.__setitem__(0, 1.0)", "rows.ravel().fill(2.0)",
        "rows.foo", "bool(rows)", "float(rows)", "hash(rows)", "rows.reshape(-1).sort()",
        "np.asarray(rows, copy=False)", "rows.__iadd__(1j)", "rows.__imul__(np.ones((6, 6)))",
    ],
)  # fmt: skip
def test_what_would_be_lost_is_an_error(text: str) -> None:
    rows, whole = both()
    with pytest.raises((ValueError, AttributeError, TypeError)):
        eval(text)
    np.testing.assert_array_equal(np.asarray(rows), whole)


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)), lambda x: +x]
)
def test_copies(copied: Any) -> None:
    rows, whole = both()
    again = copied(rows)
    again *= 2.0
    again[0] = 5.0
    np.testing.assert_array_equal(np.asarray(rows), whole)
