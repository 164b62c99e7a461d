"""Which loops can be run again: by hand-made functions of loops."""

from __future__ import annotations

import dataclasses
import operator

import numpy as np
import pytest
from transform.programs import FLOAT, INT

from srcad.ir import ArrayType, Block, For, Function, Op, Value
from srcad.ir.inplace import index_iadd, index_imul, index_set
from srcad.ir.types import Dim
from srcad.native.tape.remat_match import repeatables

STEPS, SWEEPS, N = (Value(name, INT) for name in ("steps", "sweeps", "n"))
NUMBER = ArrayType(np.dtype(float), (), True)


def made(name, *extents):
    """An array, and what allocates it."""
    out = Value(name, ArrayType(np.dtype(float), (Dim("?"),) * len(extents)))
    return out, Op(np.empty, (extents,), {}, (out,))


def loop(n, *body, start=0, step=1):
    """A loop of statements that the index gives."""
    i = Value("i", INT)
    stmts = [stmt for each in body for stmt in (each(i) if callable(each) else [each])]
    return For(start, n, step, False, [], [], Block([i], stmts, []), (), (), None)


def get(memory, *place):
    out = Value("", NUMBER)
    return out, Op(operator.getitem, (memory, place), {}, (out,))


def put(memory, place, value, fn=index_set):
    return Op(fn, (memory, place, value), {}, (), effect=True)


def moved(target, at, source, of, fn=index_set):
    """`target[*at, j] = source[*of, j]` for all j."""

    def body(j):
        value, read = get(source, *of, j)
        return [read, put(target, (*at, j), value, fn)]

    return loop(N, body)


class Made:
    """A function of steps and sweeps; parts of it can be other than in the simplest one."""

    def __init__(self, **parts):
        self.x, x = made("x", N)
        self.b, b = made("b", N)
        self.y, y = made("y", N)
        self.tape, tape = made("tape", STEPS, SWEEPS, N)
        self.b_tape, b_tape = made("b_tape", STEPS, N)
        self.parts = parts
        back = Op(operator.sub, (STEPS, 1), {}, (Value("", INT),))
        first = loop(STEPS, self.step)
        second = loop(-1, self.back, start=back.out, step=-1)
        ends = parts.get("ends", lambda m: [])(self)
        body = [x, b, y, tape, b_tape, first, back, second, *ends]
        results = parts.get("results", lambda m: [])(self)
        self.fn = Function("f", Block([STEPS, SWEEPS, N], body, results), None)
        self.found = next(repeatables(self.fn), None)

    def part(self, name, *args):
        return self.parts[name](self, *args) if name in self.parts else []

    def step(self, i):
        before = self.part("before", i)
        sweep = loop(SWEEPS, lambda k: self.sweep(i, k))
        return [*before, sweep, *self.part("after", i)]

    def sweep(self, i, k):
        saved = moved(self.tape, (i, k), self.x, ())
        if "saved" in self.parts:
            saved = self.parts["saved"](self, i, k)
        change = moved(self.x, (), self.b, (), index_iadd)
        return [saved, change, *self.part("inside", i, k)]

    def back(self, i):
        return [loop(SWEEPS, lambda k: [moved(self.y, (), self.tape, (i, k), index_imul)])]


def test_the_simplest():
    m = Made()
    assert m.found.tapes == [m.tape]
    assert m.found.state == {m.x: None}
    assert not m.found.sources
    assert m.found.rows.is_told


def test_what_others_write_is_saved():
    m = Made(after=lambda m, i: [moved(m.b, (), m.x, ())])
    assert m.found.sources == {m.b: None}
    assert Made(ends=lambda m: [moved(m.b, (), m.x, ())]).found.sources == {}


def b_taped(m, i):
    """`b_tape[i, j] = b[j]`"""
    return [moved(m.b_tape, (i,), m.b, ())]


def b_changed(m, i):
    """`b[j] = x[j]`"""
    return [moved(m.b, (), m.x, ())]


def test_what_is_on_a_tape_is_not_saved():
    m = Made(before=b_taped, after=b_changed)
    assert m.found.sources == {m.b: m.b_tape}
    # changed between
    m = Made(before=lambda m, i: [*b_taped(m, i), *b_changed(m, i)], after=b_changed)
    assert m.found.sources == {m.b: None}
    # a part of it
    m = Made(before=lambda m, i: [dataclasses.replace(*b_taped(m, i), start=1)], after=b_changed)
    assert m.found.sources == {m.b: None}
    # written once more
    m = Made(before=b_taped, after=lambda m, i: [*b_changed(m, i), moved(m.b_tape, (i,), m.x, ())])
    assert m.found.sources == {m.b: None}


def row_written(m, i):
    """`b_tape[i, j] = x[j]`"""
    return [moved(m.b_tape, (i,), m.x, ())]


def row_read(m, i, k):
    """`x[j] += b_tape[i, j]`"""
    return [moved(m.x, (), m.b_tape, (i,), index_iadd)]


def first_row_read(m, i, k):
    """`x[j] += b_tape[0, j]`"""
    return [moved(m.x, (), m.b_tape, (0,), index_iadd)]


def test_a_row_of_the_turns_own_is_there_again():
    assert not Made(before=row_written, inside=row_read).found.sources
    assert Made(before=row_written, inside=row_read, after=row_written).found is None
    assert Made(before=row_written, inside=first_row_read).found is None


def scaled(m, i, k):
    """`x[j] += number`"""
    return [loop(N, lambda j: [put(m.x, (j,), m.number, index_iadd)])]


def computed(m, i):
    m.number = Value("", FLOAT)
    return [Op(operator.mul, (i, 0.5), {}, (m.number,))]


def loaded(m, i):
    m.number, read = get(m.b, 0)
    return [read]


def test_numbers_are_computed_again():
    m = Made(before=computed, inside=scaled)
    assert [op.out for op in m.found.numbers] == [m.number]
    assert Made(before=loaded, inside=scaled).found is None


def test_what_nobody_reads_there_is_left_out():
    """Another tape, which two loops read."""
    ends = {"ends": lambda m: [moved(m.y, (), m.b_tape, (0,))]}
    m = Made(inside=lambda m, i, k: row_written(m, i), **ends)
    assert m.found.unread == [m.b_tape]


def shifted(m, i, by):
    out = Value("", INT)
    inner = loop(SWEEPS, lambda k: [moved(m.y, (), m.tape, (out, k), index_imul)])
    return [Op(operator.add, (i, by), {}, (out,)), inner]


class Twice(Made):
    """The reverse reads two rows."""

    def back(self, i):
        return [*super().back(i), *shifted(self, i, 1)]


class Late(Made):
    """The reverse reads another row."""

    def back(self, i):
        return shifted(self, i, 1)


class Shared(Made):
    """Threads share the reverse: it only adds up."""

    def back(self, i):
        return [loop(SWEEPS, lambda k: [moved(self.y, (), self.tape, (i, k), index_iadd)])]


REFUSED = [
    {"ends": lambda m: [loop(SWEEPS, lambda k: [moved(m.y, (), m.tape, (0, k))])]},
    {"results": lambda m: [m.tape]},
    {"before": lambda m, i: [moved(m.tape, (i, 0), m.b, ())]},
    {"saved": lambda m, i, k: moved(m.tape, (i, k), m.x, (), index_iadd)},
    {"saved": lambda m, i, k: moved(m.tape, (i, 0), m.x, ())},
    {"saved": lambda m, i, k: moved(m.tape, (0, k), m.x, ())},
    {"after": lambda m, i: [Op(np.sum, (m.x,), {}, (Value("", NUMBER),))]},
]


@pytest.mark.parametrize("parts", REFUSED)
def test_what_cannot_be_run_again(parts):
    assert Made(**parts).found is None


@pytest.mark.parametrize("kind", [Twice, Late, Shared])
def test_reverses_that_need_whole_tapes(kind):
    assert kind().found is None


def test_the_state_may_be_a_result():
    assert Made(results=lambda m: [m.x]).found is not None
