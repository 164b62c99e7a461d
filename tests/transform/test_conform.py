"""Dtypes, forms and zeros of (co)tangents."""

import numpy as np
import pytest
from transform.programs import FLOAT, INT, SCALAR, array

from srcad.errors import RuleError, SrcadError
from srcad.ir import ArrayType, Block, Function, NumberType, SeqType, Value
from srcad.ir.evaluate import evaluate
from srcad.rules.core.staged import Builder, type_of
from srcad.transform.conform import (
    as_form,
    conform,
    meeting_type,
    require_rank,
    zero_like,
    zero_unbound,
)

COMPLEX = ArrayType(np.dtype(complex), (), scalar=True)
FLOAT32 = ArrayType(np.dtype(np.float32), (), scalar=True)
ZERO_D = ArrayType(np.dtype(float), ())


def run(fn, *values):
    """What `fn(builder, *atoms)` emits, evaluated; the type that it says is checked."""
    params = [Value("", t) for t, _ in values]
    builder = Builder()
    atom = fn(builder, *params)
    (result,) = evaluate(
        Function("f", Block(params, builder.body, [atom])), *(x for _, x in values)
    )
    said = type_of(atom)
    if isinstance(said, ArrayType):
        assert result.dtype == said.dtype
        assert isinstance(result, np.generic) == said.scalar
    elif isinstance(said, NumberType):
        assert type(result) is said.kind
    return result


@pytest.mark.parametrize(
    ("given", "primal", "expected"),
    [
        ((SCALAR, np.float64(1.5)), FLOAT32, np.float32(1.5)),
        ((FLOAT, 1.5), FLOAT32, np.float32(1.5)),
        ((COMPLEX, np.complex128(1.5 + 2j)), SCALAR, np.float64(1.5)),
        ((COMPLEX, np.complex128(1.5 + 2j)), FLOAT32, np.float32(1.5)),
        ((SCALAR, np.float64(1.5)), COMPLEX, np.complex128(1.5)),
        ((SCALAR, np.float64(1.5)), FLOAT, np.float64(1.5)),
        ((INT, 1), FLOAT, np.float64(1)),
    ],
)
def test_conform(given, primal, expected):
    result = run(lambda b, x: conform(b, x, primal), given)
    assert (result, type(result)) == (expected, type(expected))


def test_constants_are_converted_while_compiling():
    builder = Builder()
    assert type(conform(builder, 1.0, FLOAT32)) is np.float32
    assert type(conform(builder, 1, FLOAT)) is float
    assert conform(builder, 1 + 2j, FLOAT) == 1.0
    assert builder.body == []


@pytest.mark.parametrize(
    "given", [(FLOAT, 1.5), (SCALAR, np.float64(1.5)), (ZERO_D, np.array(1.5))]
)
def test_forms_of_rank_0(given):
    assert type(run(lambda b, x: as_form(b, x, SCALAR), given)) is np.float64
    assert type(run(lambda b, x: as_form(b, x, FLOAT), given)) is float


def test_meeting_type():
    assert meeting_type(FLOAT, numbers=True) == FLOAT
    assert meeting_type(FLOAT, numbers=False) == SCALAR
    assert meeting_type(ZERO_D, numbers=True) == SCALAR
    assert meeting_type(array("n"), numbers=False) == array("n")


@pytest.mark.parametrize(
    "given",
    [(FLOAT, 2.0), (FLOAT32, np.float32(2)), (array("n"), np.ones(3)), (ZERO_D, np.array(2.0))],
)
def test_zero_like(given):
    result = run(zero_like, given)
    assert np.shape(result) == np.shape(given[1])
    assert np.all(np.asarray(result) == 0)


def test_zero_of_a_sequence():
    seq = (SeqType(array("n")), [np.ones(2), np.ones(3)])
    assert [z.tolist() for z in run(zero_like, seq)] == [[0, 0], [0, 0, 0]]


def test_zero_of_what_may_not_be_bound():
    builder = Builder()
    assert zero_unbound(builder, Value("y", SCALAR, partial=True)) == 0
    with pytest.raises(SrcadError, match="E122"):
        zero_unbound(builder, Value("y", array("n"), partial=True), "E122")
    zero = zero_unbound(builder, Value("y", array(2), partial=True))
    assert evaluate(Function("f", Block([], builder.body, [zero])))[0].tolist() == [0, 0]


def test_rule_with_a_result_of_the_wrong_rank():
    with pytest.raises(RuleError, match="E605"):
        require_rank(Value("", array("n")), SCALAR, "x")
