"""Bounds of integers and the places of checks while loops are written."""

from __future__ import annotations

import operator

import pytest

from srcad.ir import For, Op, Value
from srcad.ir.affine import Affine
from srcad.native.helpers import check_natural, check_range, clipped
from srcad.native.scalarize.loop_builder import INT, Code


def known(code, name, is_natural=False):
    value = Value(name, INT)
    code.level[value] = len(code.frames) - 1
    if is_natural:
        code.naturals.add(value)
    return Affine.of(value)


def loops(code):
    return [stmt for stmt in code.frames[0].body if isinstance(stmt, For)]


def checks(block_body):
    return [stmt.fn for stmt in block_body if isinstance(stmt, Op) and stmt.effect]


def test_an_index_has_the_bounds_of_its_loop():
    code = Code()
    n = known(code, "n")
    with code.loop(n) as i:
        assert code.bounds(i * 2 + 1, 0) == (Affine(1), n * 2 - 1)
        assert code.bounds(-i, 0) == (-(n - 1), Affine())
        with code.loop(i) as j:
            assert code.bounds(j + i, 0) == (Affine(), n * 2 - 3)
            assert code.bounds(j, 1) == (Affine(), i - 1)
            assert code.is_natural(i - j - 1)


@pytest.mark.parametrize(("start", "step"), [(5, -1), (0, 3)])
def test_bounds_of_other_steps(start, step):
    code = Code()
    n = known(code, "n")
    stop = Affine(-1) if step < 0 else n
    with code.iterations(Affine(start), stop, step) as frame:
        least, greatest = code.bounds(Affine.of(frame.index), 0)
    assert (least, greatest) == ((Affine(0), Affine(5)) if step < 0 else (Affine(0), n - 1))


def test_what_no_block_knows_has_no_bounds():
    code = Code()
    n = known(code, "n")
    with code.loop(n):
        read = known(code, "read")
        assert code.bounds(read, 0) is None
        assert not code.is_natural(read)


def test_natural_numbers():
    code = Code()
    n, k = known(code, "n", is_natural=True), known(code, "k")
    assert code.is_natural(n)
    assert code.is_natural(n * 2 + 3)
    assert not code.is_natural(n - 1)
    assert not code.is_natural(-n)
    assert not code.is_natural(k)
    with code.loop(n) as i:
        assert code.is_natural(i)
        assert code.is_natural(n - i - 1)
        assert not code.is_natural(n - i - 2)


def test_equal_integers_are_one():
    code = Code()
    n, m = known(code, "n"), known(code, "m")
    code.unify(n, m + 1)
    assert code.settled(n - m) == Affine(1)


# Integers computed of others ----------------------------------------------------------------------


def test_an_integer_is_computed_once_where_its_parts_are_known():
    code = Code()
    n = known(code, "n", is_natural=True)
    with code.loop(n), code.loop(n) as j:
        outer = code.derived(clipped, (n - 3, n), n)
        inner = code.derived(clipped, (j + 3, n), n)
        assert code.derived(clipped, (n - 3, n), n) == outer
        assert code.is_natural(inner)
        assert code.is_natural(n - inner)
        assert not code.is_natural(inner - 1)
    before = [stmt.fn for stmt in code.frames[0].body if isinstance(stmt, Op)]
    assert before.count(clipped) == 1, "the outer one, before the loops"
    innermost = loops(code)[0].body.body[0].body.body
    assert [stmt.fn for stmt in innermost].count(clipped) == 1


def test_an_integer_of_one_loop_in_another():
    code = Code()
    n = known(code, "n")
    with code.loop(n) as i:
        end = code.derived(clipped, (i + 3, n), n)
        ((index, _),) = i.terms
    with code.loop(n) as j:
        there = code.translated(end - i, {index: j})
        ((made, _), _) = there.terms
        assert made in code.level, "made in this loop"
        assert there - Affine.of(made) == -j
    assert [op.fn for op in loops(code)[1].body.body] == [operator.add, clipped]


# Checks -------------------------------------------------------------------------------------------


def test_a_check_goes_before_the_loops_that_it_does_not_depend_on():
    code = Code()
    n, m = known(code, "n"), known(code, "m")
    with code.loop(n) as i, code.loop(n):
        code.check(i + 1, m)
    assert checks(code.frames[0].body) == [check_range]
    args = next(op.args for op in code.frames[0].body if op.fn is check_range)
    assert args[0] == 0
    assert args[1] == 1, "the least position"


def test_a_check_is_made_once():
    code = Code()
    n, m = known(code, "n"), known(code, "m")
    with code.loop(n) as i:
        for _ in range(3):
            code.check(i + 1, m)
            code.check_natural(m - i)
    assert checks(code.frames[0].body) == [check_range, check_natural]


def test_what_is_proved_is_not_checked():
    code = Code()
    n = known(code, "n", is_natural=True)
    with code.loop(n) as i:
        code.check(i, n)
        code.check(n - i - 1, n)
        code.check_natural(n - i)
    assert checks(code.frames[0].body) == []


def test_a_check_stays_in_a_branch():
    code = Code()
    m, k = known(code, "m"), known(code, "k")
    with code.block():
        code.check(k, m)
        inside = checks(code.frames[-1].body)
    assert inside == [check_range]
    assert checks(code.frames[0].body) == []


def test_a_position_that_is_read_is_checked_where_it_is_read():
    code = Code()
    n, m = known(code, "n"), known(code, "m")
    with code.loop(n):
        read = known(code, "read")
        code.check(read, m)
        code.check(read, m, may_wrap=True)
        inside = checks(code.frames[-1].body)
    assert inside == [check_range, check_range]


def test_memory_is_as_large_as_it_can_become():
    code = Code()
    n = known(code, "n")
    with code.loop(n) as i:
        assert code.room((i + 1, Affine(3))) == (0, (n, Affine(3)))
        end = code.derived(clipped, (i + 3, n), n)
        assert code.room((end,)) == (0, (n,))
        assert code.room((known(code, "read"),))[0] == 1
