"""Arrays that may share memory are told apart from those that do not."""

import numpy as np
import pytest

import srcad
from srcad.ir import ArrayType, Block, Function, If, NumberType, Op, Value
from srcad.ir.calls import called
from srcad.ir.inplace import index_set
from srcad.ir.types import Dim
from srcad.ir.walk import statements
from srcad.kernels import teams
from srcad.native.threads.alias_scopes import mark_alias_scopes
from srcad.native.threads.team_intrinsics import OWN_PART
from srcad.native.vectorised import AT, AT_COMMON

INT, VECTOR = NumberType(int), ArrayType(np.dtype(float), (Dim("n"),))


def program_of(fn):
    """A program that calls a compiled function."""
    fn.native = True
    outs = tuple(Value("", r.type) for r in fn.body.results)
    args = tuple(Value(p.name, p.type) for p in fn.params)
    return Function("whole", Block([*args], [Op(fn, args, {}, outs)], [*outs]))


def store(array, i):
    """`array[at(i)] = 1.0`."""
    place = Value("", INT)
    return [Op(AT, (i,), {}, (place,)), Op(index_set, (array, place, 1.0), {}, (), effect=True)]


def places(program):
    """The places of a program, in order."""
    (fn,) = (each for each in called(program) if each.native)
    ops = (s for s in statements(fn.body) if isinstance(s, Op))
    return [op.fn for op in ops if op.fn in (AT, AT_COMMON)]


def test_the_part_that_a_thread_adds_to_and_the_whole_share_memory():
    me, i, x, whole, own, part = (
        Value(n, t) for n, t in zip("mixwop", [INT, INT, *[VECTOR] * 4], strict=True)
    )
    ops = [
        Op(np.empty, ((3,),), {}, (own,)),
        *store(whole, i),
        Op(OWN_PART, (me, whole, own), {}, (part,)),
        *store(part, i),
        *store(x, i),
    ]
    program = program_of(Function("f", Block([me, i, x, whole], ops, [x])))
    assert places(mark_alias_scopes(program)) == [AT_COMMON, AT_COMMON, AT]


def test_nothing_is_said_where_a_branch_chooses_an_array():
    i, x, y, chosen = (Value(n, t) for n, t in zip("ixyc", [INT, *[VECTOR] * 3], strict=True))
    branch = If(True, Block([], [], [x]), Block([], [], [y]), (chosen,))
    program = program_of(
        Function("f", Block([i, x, y], [branch, *store(chosen, i), *store(x, i)], [x]))
    )
    assert places(mark_alias_scopes(program)) == [AT_COMMON, AT_COMMON]


def columns(x, y):
    """Sums of columns, to which threads add."""
    t = np.zeros(x.shape[1])
    for i in range(x.shape[0]):
        t += x[i] * np.sin(x[i]) * y[i]
    return np.sum(t * t)


def test_machine_code_that_adds_up_in_parts(monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setattr(teams, "thread_count", lambda work: 2)
    rng = np.random.default_rng(0)
    args = rng.random((50, 7)), rng.random(50)
    gradient = srcad.value_and_grad(columns, argnums=(0, 1), backend="native")
    assert "at_common" in gradient.source(*args)
    expected = srcad.value_and_grad(columns, argnums=(0, 1), backend="numpy")(*args)
    value, bars = gradient(*args)
    np.testing.assert_allclose(value, expected[0])
    for bar, other in zip(bars, expected[1], strict=True):
        np.testing.assert_allclose(bar, other)
