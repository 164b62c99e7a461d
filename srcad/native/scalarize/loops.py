"""Loops: over ranges, either way, and as long as a test holds; what they save.

    for reversed i in range(2, n, 3):          for k in range(count - 1, -1, -1):
        u[i] = 0.0                                 u[2 + 3 * k] = 0.0

The iterations of a loop are counted where it collects and does not know their number before.
"""

from __future__ import annotations

import operator
from typing import Any

from srcad.ir import UNDEFINED, Block, For, SeqType, Value, While
from srcad.ir.affine import Affine
from srcad.ir.walk import inputs
from srcad.native.helpers import count_iterations
from srcad.native.scalarize.handlers.sequences import Rows
from srcad.native.scalarize.loop_builder import INT, Unsuited
from srcad.native.scalarize.loop_carried import Carried
from srcad.native.scalarize.lowering import Lowering
from srcad.native.scalarize.tapes import Growing, Iterations, Plan, save
from srcad.native.scalarize.tapes_read import Tape
from srcad.native.scalarize.written_arrays import written_in


def for_loop(s: Lowering, stmt: For) -> None:
    """A loop over a range, either way."""
    code = s.code
    s.read(inputs(stmt))
    start, bounds, iterations = _range(s, stmt)
    known = None if stmt.exits else iterations[-1]
    carried = Carried(s, stmt.carried, stmt.init, stmt.body, count=known)
    s.settle(written_in(stmt))
    with code.iterations(*bounds, stmt.index.name) as frame:
        frame.is_sure = not stmt.exits
        assert frame.index is not None
        own = (Growing if _is_known_late(s, stmt, iterations[-1]) else Iterations)(
            frame.index, *iterations
        )
        s.reps[stmt.index] = start(frame.index)
        done = own.count - 1 - own.position if stmt.reverse else own.position
        params = carried.enter(done)
        for source, element in zip(stmt.ins, stmt.elements, strict=True):
            tape = s.rep(source)
            if s.uses[element]:
                if not isinstance(tape, Tape | Rows):
                    raise Unsuited("a sequence of another kind")
                s.bind(element, tape.element(s, own.position))
        plans = _collect(s, stmt, own)
        s.block(stmt.body)
        leaves = _finish(s, stmt, plans)
        results = carried.leave(stmt.yielded, done)
        is_counted = stmt.count is not None or (stmt.exits and bool(plans))
        made = code.whole(own.position + 1) if is_counted else None
    outs = carried.outs(stmt)
    init = list(carried.init)
    if is_counted:
        count = code.value(stmt.count.name if stmt.count is not None else "", INT)
        init.append(0)
        params.append(Value("", INT))
        results.append(made)
        outs.append(count)
    code.close(
        frame, *bounds, init=init, params=params, results=[*results, *leaves], outs=outs,
        exits=stmt.exits,
    )  # fmt: skip
    carried.bind(stmt)
    if stmt.count is not None:
        s.bind(stmt.count, Affine.of(count))
    trip_count = Affine.of(count) if is_counted else own.count
    if isinstance(own, Growing):
        own.end(s, trip_count)
    _publish(s, plans, trip_count)


def _is_known_late(s: Lowering, stmt: For, count: Affine) -> bool:
    """Whether the data of the loops around, which save, tell the number of iterations: no tape can
    be made for them ahead, so that it grows.
    """
    plans = (s.plans[seq] for seq in stmt.seqs if seq in s.plans)
    return any(s.code.room((count,))[0] > plan.outside(s.code) for plan in plans)


def _range(s: Lowering, stmt: For) -> tuple[Any, tuple[Affine, Affine, int], Any]:
    """The index from that of the loop made, its bounds, and the rest of `Iterations`. Larger steps
    are those of a loop that counts.
    """
    code = s.code
    start, stop, by = s.whole(stmt.start), s.whole(stmt.stop), s.whole(stmt.step)
    step = by.number
    if step == 0:
        raise Unsuited("a loop whose step is zero")
    if step in (1, -1):
        bounds = (stop - step, start - step, -step) if stmt.reverse else (start, stop, step)
        return Affine.of, bounds, (start, step, (stop - start) * step)
    if step is None:
        code.check_natural(by - 1)
    distance = stop - start
    most = distance if code.is_natural(distance) or code.is_checked(distance) else None
    count = code.derived(count_iterations, (start, stop, by), most)
    bounds = (count - 1, Affine(-1), -1) if stmt.reverse else (Affine(), count, 1)

    def index(iteration: Value) -> Affine:
        if step is not None:
            return start + Affine.of(iteration) * step
        return start + code.derived(operator.mul, (Affine.of(iteration), by), stop - start - 1)

    return index, bounds, (Affine(), 1, count)


def while_loop(s: Lowering, stmt: While) -> None:
    """A loop as long as a test holds."""
    code = s.code
    s.read(inputs(stmt))
    carried = Carried(s, stmt.body.params, stmt.init, stmt.body)
    s.settle(written_in(stmt))
    again = Carried(s, stmt.test.params, stmt.init, stmt.body, like=carried)
    with code.block() as tested:
        test_params = again.enter()
        s.block(stmt.test)
        s.read(stmt.test.results)
        test = s.number(stmt.test.results[0])
    with code.block() as frame:
        params = carried.enter()
        iteration = code.value(stmt.count.name if stmt.count else "", INT)
        iterations = Growing(iteration, Affine(), 1, Affine())
        plans = _collect(s, stmt, iterations)
        s.block(stmt.body)
        leaves = _finish(s, stmt, plans)
        results = carried.leave(stmt.yielded)
        made = code.whole(iterations.position + 1) if plans or stmt.count else None
    init, outs = list(carried.init), carried.outs(stmt)
    if made is not None:
        count = code.value(iteration.name, INT)
        init.append(0)
        params.append(iteration)
        results.append(made)
        outs.append(count)
    test_params += [Value("", param.type) for param in params[len(test_params) :]]
    tested_block = Block(test_params, tested.body, [test])
    body = Block(params, frame.body, [*results, *leaves])
    code.add(While(tested_block, init, body, tuple(outs), (), None, stmt.loc, stmt.exits))
    carried.bind(stmt)
    if stmt.count is not None:
        s.bind(stmt.count, Affine.of(count))
    if made is not None:
        iterations.end(s, Affine.of(count))
    _publish(s, plans, Affine.of(count) if made is not None else None)


# What loops save ---------------------------------------------------------------------------------


def _collect(
    s: Lowering, stmt: For | While, iterations: Iterations
) -> list[tuple[Value, Any, Plan]]:
    plans = []
    for seq, element in zip(stmt.seqs, stmt.written, strict=True):
        plan = s.plans.pop(seq, None) or Plan(_tape_name(element))
        plan.loops.append(iterations)
        plans.append((seq, element, plan))
        if not isinstance(element, Value):
            continue
        if element in s.plans:
            raise Unsuited("a value on two tapes")
        bound = s.reps.get(element)
        if element in stmt.body.params and bound is not None:
            s.uses[element] -= 1
            s.reps[element] = save(s, plan, bound, element.type)
        else:
            s.plans[element] = plan
    return plans


def _tape_name(element: Any) -> str:
    name = element.name if isinstance(element, Value) else ""
    return f"{name}_tape" if name else "tape"


def _finish(s: Lowering, stmt: For | While, plans: list[tuple[Value, Any, Plan]]) -> list[Any]:
    """Write what was not bound in the body; returns the flag of a loop that exits."""
    for seq, element, plan in plans:
        if element is UNDEFINED:
            continue
        if not isinstance(element, Value):
            assert isinstance(seq.type, SeqType)
            save(s, plan, s.rep(element), seq.type.elem)
        elif s.plans.pop(element, None) is not None and not isinstance(element.type, SeqType):
            save(s, plan, s.rep(element), element.type)
    for _, _, plan in plans:
        plan.loops.pop()
    s.read(stmt.leaves)
    return [s.number(each) for each in stmt.leaves]


def _publish(s: Lowering, plans: list[tuple[Value, Any, Plan]], length: Affine | None) -> None:
    for seq, _, plan in plans:
        if not plan.loops:
            plan.length = length
            if plan.level is None:  # else the branch does that which yields it
                plan.close(s)
            s.reps[seq] = Tape(plan)
        elif plan.rows is None:
            around = tuple(iteration.position for iteration in plan.loops)
            before = None if plan.run is None else plan.run.before
            s.reps[seq] = Tape(plan.as_now(s), around, before, length)
