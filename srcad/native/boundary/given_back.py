"""What is the caller's own array, or a view of one, stays that: compiled code returns new arrays.

    v = x[1:]                               s = loss_1(x)      reads the view
    s = sum of v * v            ->          v = x[1:]          is returned
    return v, s                             return v, s

    while n > 0: y = y * 2                  y_2, y_is_x = loss_1(x, n)
    return y, which starts as x     ->      y = x if y_is_x else y_2
                                            return y

A loop tells with a flag whether it leaves what it starts with. Views that it makes inside cannot be
told so: such a loop stays NumPy's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from srcad import runtime
from srcad.analysis.alias import OUTSIDE, Aliases
from srcad.analysis.operations import owns_results
from srcad.ir import Block, For, Function, If, Op, SeqType, Stmt, Value, While
from srcad.ir.definedness import Unbound
from srcad.ir.walk import bound_in, outputs, reached, reads, statements, values_in
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.optimize.memory.zero_trip_results import asked, returned
from srcad.optimize.shadow_values import BOOL, Flag, ShadowValues


@dataclass
class Run:
    """Statements to be compiled, what they return, and what is made of that after their call."""

    stmts: list[Stmt]
    outs: list[Value]
    behind: list[Stmt] = field(default_factory=list)
    received: dict[Value, Value] = field(default_factory=dict)  # in the place of what is chosen

    def called(self, call: Sequence[Stmt]) -> list[Stmt]:
        """The call, and what is after it."""
        return [*map(self._renamed, call), *self.behind]

    def _renamed(self, stmt: Stmt) -> Stmt:
        if not isinstance(stmt, Op) or self.received.keys().isdisjoint(stmt.outs):
            return stmt
        return replace(stmt, outs=tuple(self.received.get(out, out) for out in stmt.outs))


def given_back(fn: Function, program: Function) -> frozenset[Value]:
    """The results of a program, or of a function that it calls, that may be arrays of the caller's,
    and what branches and loops make them of.
    """
    if fn is program:
        return returned(fn) - asked(fn)
    is_any = program.interface is not None and program.interface.shared
    return frozenset(values_in(fn.body.results)) if is_any else frozenset()


class GivenBack:
    """The values of a program that have to be the caller's own arrays where Python has these.

    Args:
        given: its results that may be.
    """

    def __init__(self, fn: Function, facts: Aliases, given: frozenset[Value]) -> None:
        self.facts = facts
        lists = _held_lists(fn)
        self.ends = Unbound(fn).ends if given or lists else {}
        self.values = self._with_bases(fn, set(given)) - asked(fn) if given else set()
        self.lists = set(reached(lists, lambda value: self.ends.get(value, ())))

    def _with_bases(self, fn: Function, found: set[Value]) -> set[Value]:
        """Values, what branches and loops make them of, and the arrays of which they are views."""
        makers = {out: s for s in statements(fn.body) if isinstance(s, Op) for out in s.outs}

        def behind(value: Value) -> list[Any]:
            op = makers.get(value)
            is_view = op is not None and not owns_results(op)
            of = values_in(op.args) if op is not None and is_view else self.ends.get(value, ())
            return [v for v in of if isinstance(v, Value) and OUTSIDE in self.facts.of(v)]

        return set(reached(found, behind))

    def is_own(self, value: Any) -> bool:
        """Whether a value may be an array of the caller's that it gets back."""
        is_one = value in self.values or value in self.lists
        return is_one and OUTSIDE in self.facts.of(value)

    def kept(self, run: Sequence[Stmt], outs: Sequence[Value]) -> Run:
        """A run that returns new arrays only.

        Raises:
            Unsuited: what it makes may be the caller's, and is not told.
        """
        made, needed = Run(list(run), list(outs)), set(outs)
        for k in reversed(range(len(run))):
            stmt = run[k]
            own = [v for v in outputs(stmt) if v in needed and self.is_own(v)]
            if not own or (isinstance(stmt, Op) and owns_results(stmt)):
                continue
            if isinstance(stmt, Op):
                made.outs = [v for v in made.outs if v not in stmt.outs]
                made.behind.insert(0, stmt)
            elif isinstance(stmt, For | While) and self.is_told(stmt, _ends_of(stmt, own)):
                made.stmts[k] = self.telling(stmt, own, made)
            else:
                why = Unsuited("an array of the caller's, or another, returned")
                why.at = k
                raise why
            bound = {v for each in run for v in outputs(each)}
            new = {v for each in made.behind for v in reads(each)} & bound - needed
            made.outs += new - set(made.received.values())
            needed |= new
        return made

    # Loops that tell

    def is_told(self, loop: For | While, values: Iterable[Value]) -> bool:
        """Whether each of a loop's results is what one was that it starts with, or new."""
        inside = bound_in(Block([], [loop], []))
        makers = {
            out: s for s in statements(Block([], [loop], [])) if isinstance(s, Op) for out in s.outs
        }
        return all(
            leaf in makers and (owns_results(makers[leaf]) or OUTSIDE not in self.facts.of(leaf))
            for leaf in self.leaves(values)
            if leaf in inside
        )

    def leaves(self, values: Iterable[Value]) -> list[Value]:
        """What values are, by branches and loops."""
        found = reached(values, lambda value: self.ends.get(value, ()))
        return [value for value in found if value not in self.ends]

    def telling(self, loop: For | While, values: Sequence[Value], made: Run) -> Stmt:
        """The loop with a flag for each result and each array of the caller's that it may be; what
        chooses among these goes after the call.
        """
        inside = bound_in(Block([], [loop], []))
        chosen: dict[Value, Any] = {value: Value(value.name, value.type) for value in values}
        items = dict(zip(loop.seqs, loop.written, strict=True))
        ends = _ends_of(loop, values)
        choices: list[tuple[Value, Value, Value]] = []
        new: Stmt = loop
        for start in self.starts(ends, inside):
            flags = _Flags(self.ends, inside, start, ends)
            (new,) = flags.statement(new)
            assert isinstance(new, For | While)
            for value in values:
                if value not in items:
                    found = flags.flags.get(value)
                elif (flag := flags.of(items[value])) is not False:
                    new, found = _saving(new, flag)
                else:
                    found = None
                if found is not None:
                    choices.append((value, found, start))
        made.received.update({value: chosen[value] for value, *_ in choices})
        for k, (value, found, start) in enumerate(choices):
            is_last = all(v is not value for v, *_ in choices[k + 1 :])
            out = value if is_last else Value(value.name, value.type)
            made.behind.insert(k, _choice(found, start, chosen[value], out, loop))
            made.outs.append(found)
            chosen[value] = out
        return new

    def starts(self, values: Iterable[Value], inside: set[Value]) -> list[Value]:
        """What of the caller's the results of a loop may be."""
        found = reached(values, lambda v: self.ends.get(v, ()) if v in inside else ())
        return [v for v in found if v not in inside and OUTSIDE in self.facts.of(v)]


def _held_lists(fn: Function) -> list[Value]:
    """The lists whose items leave a program as they are."""
    reading = (
        stmt
        for stmt in statements(fn.body)
        if isinstance(stmt, Op) and stmt.fn in (runtime.listed_as_held, runtime.marked)
    )
    found = dict.fromkeys(v for stmt in reading for v in values_in(stmt.args))
    return [value for value in found if isinstance(value.type, SeqType)]


def _ends_of(loop: For | While, values: Iterable[Value]) -> list[Value]:
    """Results of a loop; what it saves in the place of lists."""
    items = dict(zip(loop.seqs, loop.written, strict=True))
    ends = (items.get(value, value) for value in values)
    return [end for end in ends if isinstance(end, Value)]


def _saving(loop: For | While, flag: Flag) -> tuple[For | While, Value]:
    """The loop that saves a flag, too."""
    marks, at = Value("", SeqType(BOOL)), len(loop.init) + len(loop.seqs)
    results = [*loop.body.results[:at], flag, *loop.body.results[at:]]
    body = replace(loop.body, results=results)
    return replace(loop, seqs=(*loop.seqs, marks), body=body), marks


def _choice(flag: Value, start: Value, made: Value, out: Value, loop: For | While) -> Stmt:
    """What was given where a flag says so, else what the compiled loop has made."""
    if isinstance(out.type, SeqType):
        return Op(runtime.given_back, (made, flag, start), {}, (out,), loop.loc)
    return If(flag, Block([], [], [start]), Block([], [], [made]), (out,), loop.loc)


class _Flags(ShadowValues):
    """Whether values are one that is bound outside of a loop."""

    def __init__(
        self, ends: dict[Value, tuple[Any, Any]], inside: set[Value], start: Value,
        asked: Sequence[Value],
    ) -> None:  # fmt: skip
        self.ends, self.inside, self.start = ends, inside, start
        super().__init__(asked)

    def sources(self, atom: Any) -> Iterable[Any] | None:
        if not isinstance(atom, Value) or atom not in self.inside:
            return None
        return self.ends.get(atom)

    def of(self, atom: Any) -> Flag:
        """The flag of what a loop yields or saves."""
        return atom is self.start or (
            self.flags.get(atom, False) if isinstance(atom, Value) else False
        )

    def moved(self, atom: Any, target: Value, made: list[Stmt]) -> Flag:
        return self.of(atom)

    def name(self, value: Value) -> str:
        return f"{value.name}_is_{self.start.name}" if self.start.name else ""

    def operation(self, op: Op) -> list[Stmt]:
        return [op]


__all__ = ["GivenBack", "Run"]
