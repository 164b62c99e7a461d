"""Loops and branches: what they carry and yield.

    for i in range(n) carrying x: x_2 = tanh(w @ x)        for i in range(n):
                                                               t = w @ x, in memory of its own
                                                               x[j] = np.tanh(t[j])

Numbers are carried as they were. An array that is written in place is carried by being there; one
that each turn makes anew has memory, which the new one is moved to at the end of the turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from srcad.ir import UNDEFINED, ArrayType, Block, For, If, NumberType, Op, SeqType, Value, While
from srcad.ir.affine import Affine
from srcad.ir.inplace import DESTROYS
from srcad.ir.walk import inputs, outputs
from srcad.native.arrays import Array, View
from srcad.native.code import INT, Unsuited
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
    outs = carried.outs(stmt.outs)
    code.close(
        frame, *bounds, init=carried.init, params=params, results=results, outs=outs,
        exits=stmt.exits,
    )  # fmt: skip
    if stmt.count is not None:
        raise Unsuited("counted turns")
    _publish(s, stmt, plans)


def while_loop(s: Scalariser, stmt: While) -> None:
    """A loop as long as a test holds."""
    if stmt.seqs or stmt.count is not None:
        raise Unsuited("a while loop that saves")
    code = s.code
    s.read(inputs(stmt))
    carried = _Carried(s, stmt.body.params, stmt.init, stmt.body)
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
    outs = carried.outs(stmt.outs)
    made = While(
        Block(test_params, tested.body, [test]), carried.init, Block(params, frame.body, results),
        tuple(outs), (), None, stmt.loc, stmt.exits,
    )  # fmt: skip
    code.add(made)


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
        self.values: dict[int, Value] = {}
        results = body.results
        for k, (param, atom) in enumerate(zip(params, init, strict=True)):
            if not is_number_type(param.type):
                raise Unsuited("an object that a loop carries")
            if isinstance(param.type, ArrayType) and param.type.shape != ():
                if like is None:
                    self.views[k] = self._memory(param, atom, results[k], body)
            else:
                self.init.append(self._start(param, atom))

    def _memory(self, param: Value, atom: Any, result: Any, body: Block) -> View:
        s = self.s
        array = s.array(atom)
        if _comes_from(result, param, body) and isinstance(array, View):
            return array
        made = s.materialised(array, param.name)
        s.memories.add(made.memory)
        return made

    def _start(self, param: Value, atom: Any) -> Any:
        if atom is UNDEFINED:
            return UNDEFINED
        number = self.s.number(atom)
        is_float = not (isinstance(param.type, NumberType) and param.type.kind is not float)
        if isinstance(number, int) and not isinstance(number, bool) and is_float:
            return float(number)
        return number

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
            s.equal_all(view.extents, array.extents)
            s.before_writing(view.memory)
            s.fill(view, array)
        return [self._number(k, atom) for k, atom in enumerate(results) if k not in self.views]

    def _number(self, k: int, atom: Any) -> Any:
        number = UNDEFINED if atom is UNDEFINED else self.s.number(atom)
        is_int = isinstance(number, int) and not isinstance(number, bool)
        return float(number) if is_int and not _is_int(self.params[k]) else number

    def outs(self, outs: tuple[Value, ...]) -> list[Value]:
        """Bind the results."""
        s = self.s
        made = []
        for k, out in enumerate(outs):
            s.born[out] = len(s.code.frames) - 1
            if k in self.views:
                s.reps[out] = self.views[k]
                continue
            value = s.code.value(out.name, out.type)
            made.append(value)
            s.bind(out, value)
        return made


def _is_int(value: Value) -> bool:
    return isinstance(value.type, NumberType) and value.type.kind is int


def _touches(s: Scalariser, array: Array, view: View) -> bool:
    """Whether an array reads the memory of a view anywhere."""
    index = tuple(Affine.of(Value("k", INT)) for _ in array.extents)
    return any(m is view.memory.value for m, _ in s.accesses(array, index))


def _comes_from(value: Any, param: Value, body: Block) -> bool:
    """Whether `value` is `param` itself, written in place."""
    if value is param:
        return True
    for stmt in body.body:
        if value not in outputs(stmt):
            continue
        match stmt:
            case Op():
                return stmt.fn in DESTROYS and _comes_from(stmt.args[0], param, body)
            case For() | While():
                k = stmt.outs.index(value) if value in stmt.outs else None
                if k is None:
                    return False
                inner = stmt.carried[k] if isinstance(stmt, For) else stmt.body.params[k]
                same = _comes_from(stmt.turned[k], inner, stmt.body)
                return same and _comes_from(stmt.init[k], param, body)
            case If():
                k = stmt.outs.index(value)
                return all(
                    _comes_from(b.results[k], param, Block([], [*b.body, *body.body], []))
                    for b in (stmt.then, stmt.orelse)
                )
    return False


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
    targets: dict[int, View] = {}
    made: list[Block] = []
    for side in (stmt.then, stmt.orelse):
        with code.block() as frame:
            s.block(side)
            s.read(side.results)
            for k in arrays:
                _yield_array(s, targets, k, side.results[k])
            results = [
                _yield_number(s, stmt.outs[k], side.results[k]) for k in used if k not in arrays
            ]
        made.append(Block([], frame.body, results))
    outs: list[Value] = []
    pairs: list[tuple[Value, Any]] = []
    for k in used:
        if k in arrays:
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


def _yield_number(s: Scalariser, out: Value, atom: Any) -> Any:
    if atom is UNDEFINED:
        return UNDEFINED
    number = s.number(atom)
    is_int = isinstance(number, int) and not isinstance(number, bool)
    return float(number) if is_int and not _is_int(out) else number


def _yield_array(s: Scalariser, targets: dict[int, View], k: int, atom: Any) -> None:
    if atom is UNDEFINED:
        raise Unsuited("an array that is bound on one path")
    array = s.array(atom)
    if k not in targets:
        if isinstance(array, View) and array.is_all:
            targets[k] = array
            return
        targets[k] = s.materialised(array)
        return
    if isinstance(array, View) and array == targets[k]:
        return
    if targets[k].memory not in s.memories:
        raise Unsuited("arrays that differ between branches")
    s.fill(targets[k], array)
