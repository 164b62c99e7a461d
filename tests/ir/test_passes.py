"""The pass manager: order, rounds, callees, switches, observers."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from transform.programs import array, program

import srcad
from srcad.errors import InternalError
from srcad.ir import Block, Function, If, NumberType, Op, Value
from srcad.ir.inplace import DESTROYS
from srcad.ir.passes import Pass, Stage, disabled, observed, run
from srcad.ir.switches import is_debugging
from srcad.ir.verifier import Level, verify
from srcad.pipeline.passes import STAGES


def doubled(fn: Function) -> Function:
    """One statement more, up to three."""
    if len(fn.body.body) >= 3:
        return fn
    (x,) = fn.params
    op = Op(np.sin, (x,), {}, (Value("y", x.type),))
    return Function(fn.name, Block(fn.params, [*fn.body.body, op], fn.body.results), fn.interface)


def empty() -> Function:
    return program(lambda b, x: x, x=array("n"))


def test_rounds_end_when_nothing_changes():
    steps = []
    stage = Stage("s", Level.VALUES, (Pass("doubled", doubled),), rounds=8)
    with observed(steps.append):
        assert is_debugging()
        made = run(stage, empty())
    assert len(made.body.body) == 3
    assert [step.changed for step in steps] == [True] * 3 + [False]
    assert {(step.stage, step.name) for step in steps} == {("s", "doubled")}


def test_one_round_is_the_default():
    assert len(run(Stage("s", Level.VALUES, (Pass("d", doubled),)), empty()).body.body) == 1


def test_what_a_pass_takes_and_when_it_runs():
    def tagged(fn, *, tags):
        tags.append(fn.name)
        return fn

    stage = Stage("s", Level.VALUES, (Pass("tagged", tagged, takes=("tags",), only="wanted"),))
    tags: list[str] = []
    run(stage, empty(), tags=tags, wanted=False)
    assert not tags
    run(stage, empty(), tags=tags, wanted=True)
    assert tags == [empty().name]


def test_passes_can_be_left_out_but_for_those_required():
    passes = (Pass("free", doubled), Pass("needed", doubled, required=True))
    with disabled("free", "needed"):
        assert len(run(Stage("s", Level.VALUES, passes), empty()).body.body) == 1
    assert len(run(Stage("s", Level.VALUES, passes), empty()).body.body) == 2


def test_a_program_is_verified_on_the_level_of_its_stage():
    x = array("n")
    a, b = Value("a", x), Value("b", x)
    (store, *_) = (f for f in DESTROYS if f.__name__ == "iadd")
    fn = Function("f", Block([a], [Op(store, (a, 1.0), {}, (b,))], [b]))
    verify(fn, "bufferize", Level.STORES)
    with pytest.raises(InternalError, match="is written in place after fold"):
        verify(fn, "fold", Level.VALUES)
    twice = Function("f", Block([a], [*fn.body.body, Op(np.sin, (a,), {}, (Value("c", x),))], [b]))
    with pytest.raises(InternalError, match="is read behind what destroys it"):
        verify(twice)
    loops = Function("f", Block([a], [Op(np.sin, (a,), {}, (b,))], [b]), native=True)
    with pytest.raises(InternalError, match="is applied to a whole array"):
        verify(loops)
    c, chosen = Value("c", NumberType(bool)), Value("d", x)
    branch = If(c, Block([], [], [a]), Block([], [], [a]), (chosen,))
    loops = Function("f", Block([a, c], [branch], []), native=True)
    with pytest.raises(InternalError, match="for results"):
        verify(loops)


def test_names_are_one_to_one():
    names = [each.name for stage in STAGES for each in stage.passes]
    runs = {each.name: each.run for stage in STAGES for each in stage.passes}
    assert len(set(names)) == len({*runs.values()})
    assert not {stage.name for stage in STAGES} & set(names)


def test_no_program_is_kept_while_a_pass_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))

    def f(x):
        return np.sum(np.sin(x) * 2.0)

    with disabled("cse"):
        srcad.grad(f)(np.ones(3))
    assert not list(tmp_path.rglob("*.py"))


PROGRAM = """
import numpy as np, srcad
def f(x):
    return np.sum(np.sin(x) ** 2)
print(srcad.grad(f)(np.ones(2)))
"""


def output(tmp_path, **switches):
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    environment = {**os.environ, **switches}
    return subprocess.run(
        [sys.executable, str(file)], env=environment, capture_output=True, text=True
    )


def test_switches(tmp_path):
    plain = output(tmp_path)
    assert not plain.stderr
    printed = output(tmp_path, SRCAD_PRINT_AFTER="licm,prepare")
    assert printed.stdout == plain.stdout
    assert "# after licm (simplify)" in printed.stderr
    assert "# after final-iteration (prepare) (unchanged)" in printed.stderr
    assert output(tmp_path, SRCAD_DISABLE="cse,licm").stdout == plain.stdout
    for switch, told in (("cs", "names cs; there are"), ("commit", "names commit; there are")):
        assert told in output(tmp_path, SRCAD_DISABLE=switch).stderr
