"""Whether a number is one of Python's, told beside it.

    s = 0.0                                  s, s_is_float = 0.0, True
    for i in range(n):                       for i in range(n):
        if x[i] > 0:                 ->          if x[i] > 0:
            s = s + x[i]                             s, s_is_float = s + x[i], False
    return s                                 return s, s_is_float

Compiled code has one type for both; its caller makes of the number what it is by the flag. A loop
that cannot leave a number as it was needs no flag inside: it tells by the number of its turns.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from srcad.ir import UNDEFINED, Block, For, Function, If, NumberType, Op, Stmt, Value, While
from srcad.ir.walk import values_in, with_blocks
from srcad.native.code import Unsuited
from srcad.native.loose import Kinds, is_weak_for

BOOL: Final = NumberType(bool)
Flag = Any  # a truth: a value, True or False


def flagged(fn: Function) -> tuple[Function, dict[int, type]]:
    """The function with a flag behind its results for each number that may be one of Python's.

    Returns the kind that each of these numbers then is, by its place among the results, in the
    order of the flags.

    Raises:
        Unsuited: one may be of several kinds.
    """
    kinds = Kinds(fn)
    loose = [k for k, result in enumerate(fn.body.results) if kinds.is_loose(result)]
    if not loose:
        return fn, {}
    flags = _Flags(kinds, [fn.body.results[k] for k in loose])
    body = flags.block(fn.body)
    told = [flags.of(fn.body.results[k]) for k in loose]
    made = Block(body.params, body.body, [*body.results, *told])
    return replace(fn, body=made), {k: flags.kinds[fn.body.results[k]] for k in loose}


class _Flags:
    """The flags of numbers: of those asked for and those that these are made of."""

    def __init__(self, search: Kinds, asked: Iterable[Value]) -> None:
        self.search = search
        self.wanted: dict[Value, None] = {}
        for value in asked:
            self.want(value)
        self.kinds = self.find_kinds()
        self.flags: dict[Value, Flag] = {}

    def want(self, value: Any) -> None:
        """Note a number and those that it is made of."""
        if value in self.wanted or not self.search.is_loose(value):
            return
        self.wanted[value] = None
        for source in self.search.sources(value):
            self.want(source)

    def find_kinds(self) -> dict[Value, type]:
        """What each number is where it is one of Python's."""
        found: dict[Value, set[type]] = {value: set() for value in self.wanted}
        while True:
            now = {value: self.search.weak_kinds(value, found) for value in self.wanted}
            if now == found:
                break
            found = now
        if any(len(kinds) != 1 for kinds in found.values()):
            raise Unsuited("a number of several kinds")
        return {value: next(iter(kinds)) for value, kinds in found.items()}

    def of(self, value: Any) -> Flag:
        """The flag of a number that is bound."""
        return self.flags.get(value, False) if isinstance(value, Value) else False

    def moved(self, atom: Any, target: Value) -> Flag:
        """The flag of what is moved to `target`."""
        return True if is_weak_for(atom, target) else self.of(atom)

    def fresh(self, value: Value) -> Value:
        """A new flag for a number."""
        kind = self.kinds.get(value)
        name = f"{value.name}_is_{kind.__name__}" if value.name and kind is not None else ""
        self.flags[value] = made = Value(name, BOOL)
        return made

    # Statements

    def block(self, block: Block) -> Block:
        """A block with flags for what it binds."""
        made: list[Stmt] = []
        for stmt in block.body:
            made += self.statement(stmt)
        return Block(block.params, made, block.results)

    def statement(self, stmt: Stmt) -> list[Stmt]:
        """A statement with what tells the flags of its results."""
        match stmt:
            case Op():
                return [stmt, *self.operation(stmt)]
            case If():
                return [self.branch(stmt)]
            case For() | While():
                return self.loop(stmt)
        return [stmt]

    def operation(self, op: Op) -> list[Stmt]:
        """The result is Python's where all operands are."""
        if len(op.outs) != 1 or op.out not in self.wanted:
            return []
        own = [v for v in values_in(op.args) if not is_weak_for(v, op.out)]
        flags = list(dict.fromkeys(map(self.of, own)))
        made: list[Stmt] = []
        total = flags[0]
        for flag in flags[1:]:
            out = Value("", BOOL)
            made.append(Op(operator.and_, (total, flag), {}, (out,), op.loc))
            total = out
        self.flags[op.out] = total
        return made

    def branch(self, stmt: If) -> If:
        """Each side yields the flags of what it yields."""
        stmt = with_blocks(stmt, self.block)  # type: ignore[assignment]
        asked = [k for k, out in enumerate(stmt.outs) if out in self.wanted]
        sides = []
        for side in (stmt.then, stmt.orelse):
            flags = [self.moved(side.results[k], stmt.outs[k]) for k in asked]
            sides.append(Block(side.params, side.body, [*side.results, *flags]))
        outs = tuple(self.fresh(stmt.outs[k]) for k in asked)
        return replace(stmt, then=sides[0], orelse=sides[1], outs=(*stmt.outs, *outs))

    def loop(self, stmt: For | While) -> list[Stmt]:
        """Flags are carried with their numbers; told by the turns where each turn makes a new
        number.
        """
        params = stmt.carried if isinstance(stmt, For) else stmt.body.params
        asked = [k for k, out in enumerate(stmt.outs) if out in self.wanted]
        counted = [k for k in asked if self.is_told_by_turns(stmt, k)]
        carried = [
            k
            for k, param in enumerate(params)
            if k not in counted and (k in asked or param in self.wanted)
        ]
        init = [self.moved(stmt.init[k], params[k]) for k in carried]
        inner = [self.fresh(params[k]) for k in carried]
        made = with_blocks(stmt, self.block)
        assert isinstance(made, For | While)
        ends = [self.moved(stmt.turned[k], params[k]) for k in carried]
        outs = [self.fresh(stmt.outs[k]) for k in carried]
        told: list[Stmt] = [carrying(made, init, inner, ends, outs)]
        for k in counted:
            assert isinstance(stmt, For)
            told += self.told_by_turns(stmt, k, self.moved(stmt.init[k], params[k]))
        return told

    def is_told_by_turns(self, stmt: For | While, k: int) -> bool:
        """Whether each turn makes a number that is what its type says, whatever it was before."""
        if not isinstance(stmt, For) or stmt.carried[k] in self.wanted:
            return False
        turned, param = stmt.turned[k], stmt.carried[k]
        is_loose = is_weak_for(turned, param) or self.search.is_loose(turned)
        return not is_loose and turned is not UNDEFINED

    def told_by_turns(self, loop: For, k: int, start: Flag) -> list[Stmt]:
        """The flag of a number that is as it was if the loop makes no turn."""
        # A step that is not known is refused unless it is positive.
        test = operator.ge if type(loop.step) is int and loop.step < 0 else operator.le
        flag = self.fresh(loop.outs[k])
        if start is True:
            return [Op(test, (loop.stop, loop.start), {}, (flag,), loop.loc)]
        none = Value("", BOOL)
        return [
            Op(test, (loop.stop, loop.start), {}, (none,), loop.loc),
            Op(operator.and_, (start, none), {}, (flag,), loop.loc),
        ]


def carrying(
    stmt: For | While, init: list[Flag], params: list[Value], turned: list[Flag], outs: list[Value],
    tests: list[Value] | None = None,
) -> For | While:  # fmt: skip
    """A loop that carries more; `tests` are the parameters of a test that reads what is carried."""
    n = len(stmt.init)
    body, results = stmt.body, stmt.body.results
    results = [*results[:n], *turned, *results[n:]]
    lead = n + isinstance(stmt, For)
    own = [*body.params[:lead], *params, *body.params[lead:]]
    made = replace(
        stmt, init=[*stmt.init, *init], body=Block(own, body.body, results),
        outs=(*stmt.outs, *outs),
    )  # fmt: skip
    if isinstance(made, While):
        test = made.test
        own = tests or [Value("", BOOL) for _ in params]
        made = replace(made, test=Block([*test.params, *own], test.body, test.results))
    return made
