"""Loops and branches: what they carry and yield.

    for i in range(n) carrying x: x_2 = tanh(w @ x)        for i in range(n):
                                                               t = w @ x, in memory of its own
                                                               x[j] = np.tanh(t[j])

Numbers are carried as they were. An array that is written in place is carried by being there; one
that each turn makes anew has memory, which the new one is moved to at the end of the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.ir import (
    UNDEFINED,
    ArrayType,
    Block,
    For,
    If,
    NumberType,
    Op,
    SeqType,
    Stmt,
    Value,
    While,
)
from srcad.ir.affine import Affine
from srcad.ir.inplace import DESTROYS
from srcad.ir.types import dtype_of
from srcad.ir.walk import blocks, inputs, outputs, values_in
from srcad.native.arrays import Array, View
from srcad.native.code import INT, Unsuited
from srcad.native.helpers import check_changed, check_size, check_turns, refuse
from srcad.native.loose import is_weak_for
from srcad.native.numbers import is_number_type
from srcad.native.tapes import Plan, Tape, Turns, save

if TYPE_CHECKING:
    from srcad.native.scalarise import Scalariser


def for_loop(s: Scalariser, stmt: For) -> None:
    """A loop over a range, either way."""
    code = s.code
    s.read(inputs(stmt))
    start, stop, step = s.whole(stmt.start), s.whole(stmt.stop), s.whole(stmt.step).number
    if step not in (1, -1):
        raise Unsuited("a loop with larger steps")
    count = (stop - start) * step
    bounds = (stop - step, start - step, -step) if stmt.reverse else (start, stop, step)
    carried = _Carried(s, stmt.carried, stmt.init, stmt.body)
    s.settle(written_in(stmt))
    with code.turns(*bounds, stmt.index.name) as frame:
        frame.is_sure = not stmt.exits
        assert frame.index is not None
        turns = Turns(frame.index, start, step, count)
        s.reps[stmt.index] = Affine.of(frame.index)
        params = carried.enter()
        for source, element in zip(stmt.ins, stmt.elements, strict=True):
            tape = s.rep(source)
            if s.uses[element]:
                assert isinstance(tape, Tape)
                s.bind(element, tape.element(s, turns.position))
        plans = _collect(s, stmt, turns)
        s.block(stmt.body)
        leaves = _finish(s, stmt, plans)
        results = [*carried.leave(stmt.turned), *leaves]
    outs = carried.outs(stmt)
    code.close(
        frame, *bounds, init=carried.init, params=params, results=results, outs=outs,
        exits=stmt.exits,
    )  # fmt: skip
    if stmt.count is not None:
        raise Unsuited("counted turns")
    if stmt in s.exposed.turns:
        code.effect(check_turns, code.whole(count))
    carried.check_changed(s.exposed.changed.get(stmt, set()))
    _publish(s, stmt, plans)


def while_loop(s: Scalariser, stmt: While) -> None:
    """A loop as long as a test holds."""
    if stmt.seqs or stmt.count is not None:
        raise Unsuited("a while loop that saves")
    code = s.code
    s.read(inputs(stmt))
    carried = _Carried(s, stmt.body.params, stmt.init, stmt.body)
    s.settle(written_in(stmt))
    again = _Carried(s, stmt.test.params, stmt.init, stmt.body, like=carried)
    with code.block() as tested:
        test_params = again.enter()
        s.block(stmt.test)
        s.read(stmt.test.results)
        test = s.number(stmt.test.results[0])
    with code.block() as frame:
        params = carried.enter()
        s.block(stmt.body)
        s.read(stmt.leaves)
        leaves = [s.number(each) for each in stmt.leaves]
        results = [*carried.leave(stmt.turned), *leaves]
    outs = carried.outs(stmt)
    made = While(
        Block(test_params, tested.body, [test]), carried.init, Block(params, frame.body, results),
        tuple(outs), (), None, stmt.loc, stmt.exits,
    )  # fmt: skip
    code.add(made)
    carried.check_changed(s.exposed.changed.get(stmt, set()))


# What loops save ---------------------------------------------------------------------------------


def _collect(s: Scalariser, stmt: For, turns: Turns) -> list[tuple[Value, Any, Plan]]:
    plans = []
    for seq, element in zip(stmt.seqs, stmt.written, strict=True):
        plan = s.plans.pop(seq, None) or Plan(_tape_name(element))
        plan.loops.append(turns)
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


def _finish(s: Scalariser, stmt: For, plans: list[tuple[Value, Any, Plan]]) -> list[Any]:
    """Write what was not bound in the body; returns the flag of a loop that exits."""
    for _, element, plan in plans:
        if element is UNDEFINED:
            continue
        if not isinstance(element, Value):
            raise Unsuited("a constant on a tape")
        if s.plans.pop(element, None) is not None and not isinstance(element.type, SeqType):
            save(s, plan, s.rep(element), element.type)
    for _, _, plan in plans:
        plan.loops.pop()
    s.read(stmt.leaves)
    return [s.number(each) for each in stmt.leaves]


def _publish(s: Scalariser, stmt: For, plans: list[tuple[Value, Any, Plan]]) -> None:
    for seq, _, plan in plans:
        if not plan.loops:
            s.reps[seq] = Tape(plan)


# What loops carry --------------------------------------------------------------------------------


class _Carried:
    """The carried values of a loop: numbers by new values, arrays by their memory."""

    def __init__(
        self,
        s: Scalariser,
        params: list[Value],
        init: list[Any],
        body: Block,
        like: _Carried | None = None,
    ) -> None:
        self.s, self.params = s, params
        self.init: list[Any] = []
        self.views: dict[int, View] = dict(like.views) if like else {}
        self.starts: dict[int, Any] = {}
        self.ends: dict[int, Value] = {}
        results = body.results
        for k, (param, atom) in enumerate(zip(params, init, strict=True)):
            if not is_number_type(param.type):
                raise Unsuited("an object that a loop carries")
            if isinstance(param.type, ArrayType) and param.type.shape != ():
                if like is None:
                    self.views[k] = self._memory(param, atom, results[k], body)
            else:
                self.starts[k] = _declared(s, atom, param)
                self.init.append(self.starts[k])

    def _memory(self, param: Value, atom: Any, result: Any, body: Block) -> View:
        s = self.s
        array = s.array(atom)
        if array.dtype != dtype_of(param.type):
            raise Unsuited("an array of several types")
        if _root(result, body) is param and isinstance(array, View):
            return array
        return s.materialised(array, param.name)

    def enter(self) -> list[Value]:
        """Bind the parameters; returns those that stay parameters."""
        s = self.s
        made = []
        for k, param in enumerate(self.params):
            s.born[param] = len(s.code.frames) - 1
            if k in self.views:
                s.reps[param] = self.views[k]
                continue
            value = s.code.value(param.name, param.type)
            made.append(value)
            s.reps[param] = Affine.of(value) if param.type == INT or _is_int(param) else value
        return made

    def leave(self, results: list[Any]) -> list[Any]:
        """Move the arrays to where they are carried; returns the numbers."""
        s = self.s
        s.read(results)
        moves = [(self.views[k], results[k]) for k in self.views]
        moves = [(view, s.array(atom)) for view, atom in moves]
        waiting: list[tuple[View, Array]] = []
        for view, array in moves:
            if isinstance(array, View) and array == view:
                continue
            others = [v for v, a in moves if v is not view and a != v]
            if s.reads_elsewhere(array, view) or any(_touches(s, array, v) for v in others):
                array = s.materialised(array)
            waiting.append((view, array))
        for view, array in waiting:
            if array.dtype != view.dtype:
                raise Unsuited("an array of several types")
            s.equal_all(view.extents, array.extents)
            s.before_writing(view.memory)
            s.fill(view, array)
        return [self._number(k, atom) for k, atom in enumerate(results) if k not in self.views]

    def _number(self, k: int, atom: Any) -> Any:
        param = self.params[k]
        number = _declared(self.s, atom, param)
        if _is_int(param) and not self._is_counter(k, atom):
            self.s.code.effect(check_size, number)
        return number

    def _is_counter(self, k: int, atom: Any) -> bool:
        """Whether an integer grows by the same each turn, or is one of the program's."""
        s = self.s
        place, after = s.reps[self.params[k]], s.rep(atom)
        if isinstance(place, Affine) and isinstance(after, Affine):
            level = s.code.depth(place)
            steps = after - place
            return s.code.depth(steps) < level or s.code.depth(after) < level
        return not isinstance(atom, Value)

    def outs(self, stmt: For | While) -> list[Value]:
        """Bind the results."""
        s = self.s
        made = []
        for k, out in enumerate(stmt.outs):
            s.born[out] = len(s.code.frames) - 1
            if k in self.views:
                s.reps[out] = self.views[k]
                continue
            value = s.code.value(out.name, out.type)
            made.append(value)
            self.ends[k] = value
            s.bind(out, value)
        return made

    def check_changed(self, places: set[int]) -> None:
        """Refuse numbers that are what they started as."""
        for k in sorted(places & set(self.ends)):
            self.s.code.effect(check_changed, self.starts[k], self.ends[k])


def _is_int(value: Value) -> bool:
    return isinstance(value.type, NumberType) and value.type.kind is int


def _touches(s: Scalariser, array: Array, view: View) -> bool:
    """Whether an array reads the memory of a view anywhere."""
    index = tuple(Affine.of(Value("k", INT)) for _ in array.extents)
    return any(m is view.memory.value for m, _ in s.accesses(array, index))


# Branches ----------------------------------------------------------------------------------------


def branch(s: Scalariser, stmt: If) -> None:
    """Two blocks; an array that both yield is one that both write, or gets memory."""
    if not stmt.is_branch:
        raise Unsuited("a `try` or `with`")
    code = s.code
    s.read(inputs(stmt))
    cond = s.number(stmt.cond)
    used = [k for k, out in enumerate(stmt.outs) if s.uses[out]]
    arrays = [k for k in used if _is_array(stmt.outs[k])]
    for k in used:
        plan = s.plans.get(stmt.outs[k])
        if plan is not None and isinstance(stmt.outs[k].type, SeqType):
            raise Unsuited("a tape of a loop in a branch")
    s.settle(written_in(stmt))
    targets: dict[int, View] = {}
    made: list[Block] = []
    for number, side in enumerate((stmt.then, stmt.orelse)):
        with code.block() as frame:
            if number in s.exposed.sides.get(stmt, ()):
                code.effect(refuse)
            s.block(side)
            s.read(side.results)
            _yield_arrays(s, stmt, targets, {k: side.results[k] for k in arrays})
            results = [_declared(s, side.results[k], stmt.outs[k]) for k in used if k not in arrays]
        made.append(Block([], frame.body, results))
    outs: list[Value] = []
    pairs: list[tuple[Value, Any]] = []
    for k in used:
        if k in arrays:
            if k not in targets:
                raise Unsuited("an array that is bound nowhere")
            pairs.append((stmt.outs[k], targets[k]))
            continue
        value = code.value(stmt.outs[k].name, stmt.outs[k].type)
        outs.append(value)
        pairs.append((stmt.outs[k], value))
    then, orelse = made
    code.add(If(cond, then, orelse, tuple(outs), stmt.loc))
    for out, rep in pairs:
        s.bind(out, rep)


def _is_array(value: Value) -> bool:
    t = value.type
    if isinstance(t, ArrayType) and t.shape != ():
        return True
    if not is_number_type(t):
        raise Unsuited("an object that a branch yields")
    return False


def _yield_arrays(
    s: Scalariser, stmt: If, targets: dict[int, View], yielded: dict[int, Any]
) -> None:
    """What a branch yields, where both have it: as it lies if both only write it in place, else in
    memory of the result's own.
    """
    for k, atom in yielded.items():
        if atom is UNDEFINED:
            continue
        array = s.array(atom)
        sides = [(side.results[k], side) for side in (stmt.then, stmt.orelse)]
        roots = [_root(value, side) for value, side in sides]
        if roots[0] is roots[1] and isinstance(array, View) and targets.get(k, array) == array:
            targets[k] = array
            continue
        if k not in targets:
            level = len(s.code.frames) - 2
            targets[k] = s.room_for(array.dtype, array.extents, stmt.outs[k].name, level)
        if targets[k].dtype != array.dtype:
            raise Unsuited("arrays of several precisions")
        s.equal_all(targets[k].extents, array.extents)
        s.fill(targets[k], array)


def _root(value: Any, block: Block) -> Any:
    """The array from outside a block that `value` is, written in place."""
    made = {out: stmt for stmt in block.body for out in outputs(stmt)}
    while isinstance(value, Value) and value in made:
        stmt = made[value]
        match stmt:
            case Op() if stmt.fn in DESTROYS:
                value = stmt.args[0]
            case For() | While() if value in stmt.outs:
                k = stmt.outs.index(value)
                params = stmt.carried if isinstance(stmt, For) else stmt.body.params
                if _root(stmt.turned[k], stmt.body) is not params[k]:
                    return value
                value = stmt.init[k]
            case If():
                k = stmt.outs.index(value)
                roots = [_root(side.results[k], side) for side in (stmt.then, stmt.orelse)]
                if roots[0] is not roots[1]:
                    return value
                value = roots[0]
            case _:
                return value
    return value


def written_in(stmt: Stmt) -> set[Value]:
    """Values that the blocks of a statement write: what operations that destroy are given, and
    what loops carry.
    """
    found: set[Value] = set()
    if isinstance(stmt, Op) and stmt.fn in DESTROYS:
        found.update(values_in(stmt.args[0]))
    if isinstance(stmt, For | While):
        found.update(values_in(stmt.init))
    for block in blocks(stmt):
        for inner in block.body:
            found |= written_in(inner)
    return found


def _declared(s: Scalariser, atom: Any, target: Value) -> Any:
    """What is moved to `target`; zero where nothing is bound, since nobody reads it."""
    if atom is not UNDEFINED:
        return _as_declared(s, s.number(atom), target)
    dtype = dtype_of(target.type)
    assert dtype is not None
    return np.float32(0) if dtype == np.float32 else dtype.type(0).item()


def _as_declared(s: Scalariser, number: Any, target: Value) -> Any:
    """A number in the precision of the value that it is moved to."""
    if s.has_single and is_weak_for(number, target):
        raise Unsuited("numbers of several precisions")
    if not isinstance(number, Value):
        is_int = isinstance(number, int) and not isinstance(number, bool)
        return float(number) if is_int and not _is_int(target) else number
    own, dtype = dtype_of(number.type), dtype_of(target.type)
    is_strong = isinstance(number.type, ArrayType) and isinstance(target.type, ArrayType)
    if own != dtype and (is_strong or np.dtype(np.float32) in (own, dtype)):
        raise Unsuited("numbers of several precisions")
    return number
