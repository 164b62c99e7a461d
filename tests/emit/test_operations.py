"""Operations as people write them."""

import math
import operator

import numpy as np
import pytest
from emit.irtext import BOOL, FLOAT, INT, MATRIX, VECTOR, Body, body_of, check, function

import srcad
from srcad.emit.module import emit
from srcad.ir import ArrayType, ObjectType, Value

X, W, F, COUNT = Value("x", VECTOR), Value("w", MATRIX), Value("s", FLOAT), Value("i", INT)
MASK = Value("m", ArrayType(np.dtype(bool), VECTOR.shape))
SINGLE = Value("z", ArrayType(np.dtype(np.float32), VECTOR.shape))
VALUES = {
    X: np.array([0.5, -1.0, 2.0]),
    W: np.arange(6.0).reshape(3, 2),
    F: 0.75,
    COUNT: 1,
    MASK: np.array([True, False, True]),
    SINGLE: np.array([0.5, 2.5, -1.0], np.float32),
}

CASES = [
    (operator.add, (X, F), {}, "x + s"),
    (operator.neg, (X,), {}, "-x"),
    (operator.not_, (F,), {}, "not s"),
    (operator.invert, (MASK,), {}, "~m"),
    (operator.matmul, (X, W), {}, "x @ w"),
    (operator.lt, (X, 0.0), {}, "x < 0.0"),
    (operator.contains, ((1, 2), COUNT), {}, "i in (1, 2)"),
    (operator.getitem, (W, (slice(None), None, 1)), {}, "w[:, None, 1]"),
    (operator.getitem, (W, (slice(1, None), slice(None, None, -1))), {}, "w[1:, ::-1]"),
    (operator.getitem, (W, (Ellipsis, COUNT)), {}, "w[..., i]"),
    (operator.getitem, (X, (COUNT,)), {}, "x[i]"),
    (operator.getitem, (X, [0, 0, 1]), {}, "x[[0, 0, 1]]"),
    (operator.getitem, (X, MASK), {}, "x[m]"),
    (np.sum, (X,), {}, "x.sum()"),
    (np.sum, (W,), {"axis": 0, "keepdims": True}, "w.sum(axis=0, keepdims=True)"),
    (np.sum, ((F, F),), {}, "np.sum((s, s))"),
    (np.sum, (F,), {}, "np.sum(s)"),
    (np.max, (W,), {"axis": -1}, "w.max(axis=-1)"),
    (np.transpose, (W,), {}, "w.T"),
    (np.transpose, (W,), {"axes": (1, 0)}, "w.transpose((1, 0))"),
    (np.shape, (W,), {}, "w.shape"),
    (np.size, (W,), {}, "w.size"),
    (np.size, (F,), {}, "np.size(s)"),
    (np.reshape, (W, (-1, 3)), {}, "w.reshape((-1, 3))"),
    (np.astype, (X, np.dtype(np.float32)), {}, "x.astype(np.float32)"),
    (np.copy, (X,), {}, "x.copy()"),
    (np.linalg.norm, (X,), {}, "np.linalg.norm(x)"),
    (np.absolute, (X,), {}, "np.abs(x)"),
    (np.add.reduce, (X,), {}, "np.add.reduce(x)"),
    (np.where, (MASK, X, 0.0), {}, "np.where(m, x, 0.0)"),
    (np.clip, (X, -np.inf, 1.0), {}, "np.clip(x, -np.inf, 1.0)"),
    (np.concatenate, ([X, X],), {}, "np.concatenate([x, x])"),
    (np.zeros, (3,), {"dtype": np.dtype(bool)}, "np.zeros(3, dtype=np.bool)"),
    (math.sin, (F,), {}, "math.sin(s)"),
    (operator.mul, (X, np.float64(2.0)), {}, "x * 2.0"),
    (operator.mul, (SINGLE, np.float32(0.1)), {}, "z * 0.1"),
    (operator.mul, (SINGLE, np.float64(0.1)), {}, "z * np.float64(0.1)"),
    (operator.mul, (F, np.float64(2.0)), {}, "s * np.float64(2.0)"),
    (operator.pow, (X, 2), {}, "x ** 2"),
    (str.format, ("{:.1f}", F), {}, '"{:.1f}".format(s)'),
    (getattr, (X, "nbytes"), {}, "x.nbytes"),
    (operator.mul, (X, np.array([1.0, 2.0, 3.0])), {}, "x * CONSTANT"),
]


@pytest.mark.parametrize(("fn", "args", "kwargs", "text"), CASES, ids=[case[-1] for case in CASES])
def test_expression(fn, args, kwargs, text):
    values = [v for v in VALUES if any(v is a for a in _flat(args))]
    b = Body(*values)
    out = b(fn, *args, type=ObjectType(), **kwargs)
    printed = check(function("f", b, out), *[VALUES[v] for v in values])
    assert body_of(printed) == f"return {text}"


def _flat(tree):
    for item in tree:
        if isinstance(item, tuple | list):
            yield from _flat(item)
        else:
            yield item


def test_a_nested_operation_gets_the_parentheses_it_needs():
    b = Body(X, W)
    t = b(operator.sub, 1.0, b(operator.mul, X, X))
    out = b(operator.getitem, b(np.shape, b(operator.matmul, t, W)), 0, type=INT)
    printed = check(function("f", b, out), VALUES[X], VALUES[W])
    assert body_of(printed) == "return ((1.0 - x * x) @ w).shape[0]"


@pytest.mark.parametrize(
    "number", [0.1, -0.0, 1e300, np.nan, -np.inf, 2 + 3j, complex(np.inf, -0.0)]
)
@pytest.mark.parametrize("kind", [float, np.float64, np.float32, np.complex64])
def test_constants_come_back_to_the_bit(number, kind):
    if isinstance(number, complex) and kind is not np.complex64:
        kind = complex
    with np.errstate(over="ignore"):
        value = kind(number)
    scope = {}
    exec(emit(function("f", Body(), value)).text, scope)
    got = scope["f"]()
    assert type(got) is type(value)
    assert np.asarray(got).tobytes() == np.asarray(value).tobytes() or np.isnan(value)


def test_several_results_are_unpacked():
    b = Body(W)
    q, r = b(np.linalg.qr, W, type=[MATRIX, MATRIX], name=["q", "r"])
    printed = check(function("f", b, r, q), VALUES[W])
    assert body_of(printed) == "q, r = np.linalg.qr(w)\nreturn r, q"


def test_a_comparison_of_comparisons_is_no_chain():
    b = Body(F)
    inner = b(operator.lt, F, 1.0, type=BOOL)
    printed = check(function("f", b, b(operator.eq, inner, True, type=BOOL)), 0.5)
    assert body_of(printed) == "return (s < 1.0) == True"


class Own:
    """A class that is an argument."""


@pytest.mark.parametrize("call", [lambda a: a.__hash__(a), lambda a: a.__eq__(a, a)])
def test_a_method_of_object_takes_a_class_as_its_object(call):
    assert srcad.compile(lambda x, a: (x, call(a)))(1.5, Own) == (1.5, call(Own))
