import operator

import numpy as np
import pytest

from srcad.errors import CallMismatch, MissingRule, RuleError, UnsupportedSyntax
from srcad.ir import ArrayType, Dim, NumberType, TupleType, Value
from srcad.ir.nodes import Block, Function
from srcad.rules import RULES, ZERO
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import (
    Builder,
    Staged,
    call,
    find_builder,
    is_number,
    is_scalar,
    unwrap,
)

F64 = np.dtype(float)
N = Dim("n", never_one=True)


def staged(shape=(N, 3), dtype=F64):
    builder = Builder()
    return builder, builder.wrap(Value("x", ArrayType(dtype, shape)))


def functions(builder):
    return [op.fn for op in builder.body]


def test_operators_and_functions_emit_canonical_ops():
    builder, x = staged()
    np.multiply(x, 2) + np.sum(x, 0) - x[1:, None]
    assert functions(builder) == [
        operator.mul,
        np.sum,
        operator.add,
        operator.getitem,
        operator.sub,
    ]
    assert builder.body[1].kwargs == {"axis": 0}


def test_reflected_operands_keep_their_order():
    builder, x = staged()
    y = 1 - x
    assert builder.body[-1].args == (1, x.value)
    assert y.type == x.type


def test_facts_are_plain_python():
    _, x = staged((2, 3))
    assert x.shape == (2, 3)
    assert x.ndim == 2
    assert x.dtype == F64


def test_a_shape_with_unknown_extents_is_staged():
    _, x = staged()
    shape = x.shape
    assert isinstance(shape, Staged)
    assert len(shape) == 2
    assert [n.type for n in shape] == [NumberType(int, N), NumberType(int, 3)]


def test_zero_is_absorbed_from_both_sides():
    builder, x = staged()
    assert (x + ZERO) is x
    assert (ZERO + x) is x
    assert x * ZERO is ZERO
    assert ZERO * x is ZERO
    assert functions(builder) == []


def test_branching_on_a_value_is_refused():
    _, x = staged()
    with pytest.raises(RuleError, match="E606"):
        bool(x > 0)
    with pytest.raises(RuleError, match="E606"):
        list(x)
    with pytest.raises(RuleError, match="E606"):
        len(x)


def test_the_rank_must_be_known_where_it_is_asked_for():
    _, x = staged(None)
    with pytest.raises(UnsupportedSyntax, match="E123"):
        _ = x.ndim


def test_functions_without_rule_are_refused():
    _, x = staged()
    with pytest.raises(MissingRule, match="E201"):
        call(np.emath.sqrt, x)


def test_types_that_do_not_fit_are_refused():
    with pytest.raises(CallMismatch, match="E132"):
        infer(operator.and_, (Value("x", ArrayType(F64, (N,))), 1), {})


def test_calls_of_functions_have_the_types_of_their_results():
    x = Value("x", ArrayType(F64, (N,)))
    fn = Function("f", Block([x], [], [x, 2.0]))
    assert infer(fn, (x,), {}) == (x.type, NumberType(float))


def test_call_computes_on_arrays():
    assert call(np.sum, np.ones(3)) == 3
    assert find_builder(np.ones(3)) is None


def test_a_rewrite_may_replace_an_op():
    seen = []

    def rewrite(op):
        seen.append(op.fn)
        return op.args[0] if op.fn is operator.pos else None

    builder = Builder(rewrite=rewrite)
    x = builder.wrap(Value("x", ArrayType(F64, (N,))))
    assert unwrap(+x) is x.value
    _ = -x
    assert seen == [operator.pos, operator.neg]
    assert functions(builder) == [operator.neg]


def test_several_results_are_several_values():
    builder, x = staged()
    fraction, whole = builder.call(np.modf, x)
    assert fraction.type == whole.type == x.type


def test_kinds_of_scalars():
    assert is_number(2.0)
    assert not is_number(np.float64(2))
    assert is_scalar(np.float64(2))
    assert not is_scalar(np.ones(1))


def test_tuples_have_items():
    builder = Builder()
    pair = builder.wrap(Value("p", TupleType((NumberType(int), NumberType(float)))))
    assert [item.type.kind for item in pair] == [int, float]


def test_every_operator_of_the_table_has_a_rule():
    from srcad.rules.core.staged import OPERATORS

    assert set(OPERATORS) | set(OPERATORS.values()) <= set(RULES)
