"""How cotangents of outer values are reached from inside."""

from transform.programs import SCALAR, array, program

from srcad.ir import For, If
from srcad.rules.core.zero import ZERO
from srcad.transform.reverse.binding import Binding
from srcad.transform.reverse.scope import BranchScope, LoopScope, Scope


def scopes():
    def f(b, x, y):
        ys = b.loop((0, 2, 1), (), lambda i: x[i])

        def body(i, h, e):
            return b.branch(h > 0.0, lambda: h * y, lambda: h + e)

        return b.loop((0, 2, 1), (y,), body, ins=[ys])

    fn = program(f, x=array("n"), y=SCALAR)
    outer = Scope(fn.body, Binding(fn.body))
    _, loop = [s for s in fn.body.body if isinstance(s, For)]
    inner = LoopScope(loop.body, outer, dict(zip(loop.elements, loop.ins, strict=True)), False)
    branch = next(s for s in loop.body.body if isinstance(s, If))
    return fn, outer, loop, inner, BranchScope(branch.then, inner, branch.cond)


def test_a_branch_reads_the_cotangent_from_outside():
    _, _, loop, inner, branch = scopes()
    (h,) = loop.carried
    assert branch.get(h) is ZERO
    inner.bars[h] = 1.0
    assert branch.get(h) == 1.0
    branch.bars[h] = 2.0
    assert (inner.get(h), branch.touched()) == (1.0, [h])


def test_a_loop_makes_an_accumulator_when_first_asked():
    fn, outer, _, inner, branch = scopes()
    y = fn.params[1]
    assert inner.accumulators == {}
    bar = branch.get(y)
    assert inner.accumulators == {y: bar}
    assert inner.get(y) is bar
    assert outer.get(y) is ZERO


def test_a_loop_reads_the_cotangent_of_a_sequence_that_has_one():
    _, outer, loop, inner, _ = scopes()
    (element,), (seq,) = loop.elements, loop.ins
    assert inner.get(element) is ZERO
    outer.bars[seq] = seq
    assert inner.get(element) is inner.readers[element]


def test_visible_values_stand_before_the_statement():
    fn, outer, loop, inner, _ = scopes()
    outer.at = fn.body.body.index(loop)
    assert list(inner.visible())[: len(fn.params)] == fn.params
    assert loop.outs[0] not in list(inner.visible())
