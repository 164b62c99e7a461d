"""The facts of all values of a program, in its order: blocks, branches and loops.

    for i in range(len(x)):                 a loop over the samples
        row = x[i]                          each, of this iteration
        s = s + row @ w                     running: so far
    return s                                sum

A loop with as many iterations in any part is followed to a fixpoint. One over the samples may add a
term of each sample to what it carries, write each sample's entry, and make a list with an element
for each; what it carries else is that of the last sample, and mixed.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcad.errors import Location, SrcadError, error
from srcad.ir.effects import has_effect
from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Block,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.regions import Context
from srcad.ir.types import Extent, is_inexact
from srcad.ir.walk import blocks, outputs, reads, statements, values_in
from srcad.ops import row_of
from srcad.rules.draws import GENERATOR, is_draw, is_shared_draw
from srcad.runtime import effects
from srcad.transform.parts.facts import (
    OWN,
    PLACE,
    SAME,
    Fact,
    Mixed,
    each,
    first_mixed,
    joined,
    mixed_at,
    sum_power,
)
from srcad.transform.parts.facts_of_operations import fact_of
from srcad.transform.parts.forms import Facts
from srcad.transform.parts.sample_loops import end_state, first_state, next_state

_CHECKS = (effects.ensure, effects.ensure_bound)


class Analysis(Facts):
    """Finds the facts; `can_share` says whether numbers in between may be put in."""

    def __init__(self, extents: frozenset[Extent], can_share: bool = True) -> None:
        super().__init__(extents)
        self.can_share = can_share
        self.is_inside = False  # a loop over the samples
        self.calls: dict[tuple[Function, tuple[Fact, ...], bool], list[Fact]] = {}

    def block(self, block: Block) -> None:
        """Find the facts of what a block binds."""
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        """Find the facts of what a statement binds."""
        try:
            match stmt:
                case Op():
                    self.op(stmt)
                case If():
                    self.branch(stmt)
                case For():
                    self.loop(stmt)
                case While():
                    self.plain_loop(stmt)
                case Closure():
                    raise Mixed("a function that is made here")
        except Mixed as problem:
            self.lose(stmt, str(problem))

    def lose(self, stmt: Stmt, reason: str) -> None:
        """What a statement binds is mixed; refuse what else it does."""
        inside = [s for block in blocks(stmt) for s in statements(block)]
        for each_stmt in (stmt, *inside):
            if isinstance(each_stmt, Op) and (each_stmt.raises or has_effect(each_stmt)):
                raise refused(stmt.loc or each_stmt.loc, reason)
        self.known.update(dict.fromkeys(outputs(stmt), mixed_at(stmt, reason)))

    def op(self, op: Op) -> None:
        """Find the facts of the results of an operation."""
        if _draws(op):
            raise refused(op.loc, "it draws random numbers, and parts would draw others")
        if isinstance(op.fn, Function):
            found = self.called(op.fn, [self.of(x) for x in op.args])
            self.known.update(zip(op.outs, found, strict=True))
            return
        if op.effect:
            self.effect(op)
        if row_of(op.fn).control:
            self.known.update(dict.fromkeys(op.outs, SAME))
            return
        fact = fact_of(self, op)
        if fact.kind == "mixed" and op.raises:
            raise refused(fact.where or op.loc, fact.reason)
        if fact.kind == "sum" and not self.can_share and _has_unequal(self, op):
            raise Mixed("a mean and a sum over the samples are added in a function that is called")
        self.known.update(dict.fromkeys(op.outs, fact))

    def effect(self, op: Op) -> None:
        """Refuse an effect that parts would have in another way."""
        given = [self.known[value] for value in values_in((op.args, op.kwargs))]
        if (lost := first_mixed(given)) is not None:
            raise refused(lost.where or op.loc, lost.reason)
        is_check = op.fn in _CHECKS and all(f.is_own or f.kind == "all" for f in given)
        is_raised = row_of(op.fn).control and all(f.is_own for f in given)
        if not is_check and not is_raised:
            what = "it has an effect besides its result, which each part would have"
            if row_of(op.fn).control:
                what = "whether it raises is a matter of all samples"
            raise refused(op.loc, what)

    def called(self, fn: Function, given: list[Fact]) -> list[Fact]:
        """The facts of the results of a function that is called."""
        key = (fn, tuple(given), self.is_inside)
        if key not in self.calls:
            lost = Fact("mixed", reason="a function calls itself on samples")
            self.calls[key] = [lost] * len(fn.body.results)
            inner = Analysis(self.extents, can_share=False)
            inner.is_inside = self.is_inside
            inner.calls = self.calls
            inner.known.update(zip(fn.params, given, strict=True))
            inner.block(fn.body)
            self.calls[key] = [inner.of(result) for result in fn.body.results]
        return self.calls[key]

    def branch(self, stmt: If) -> None:
        """Find the facts of a branch, a `try` or a `with`."""
        given = [self.known[value] for value in values_in(stmt.cond)]
        if (lost := first_mixed(given)) is not None:
            raise Mixed(lost.reason)
        if not all(fact.is_own for fact in given):
            raise Mixed("a condition is a matter of more than one sample")
        is_same = all(fact.is_same for fact in given)
        if not stmt.is_branch and not isinstance(stmt.cond, Context):
            if not all(self.known[v].is_own for v in reads(stmt)):
                raise Mixed("what raises in one part ends no other")
            is_same = all(self.known[v].is_same for v in reads(stmt))
        self.block(stmt.then)
        self.block(stmt.orelse)
        pairs = zip(stmt.then.results, stmt.orelse.results, strict=True)
        for out, results in zip(stmt.outs, pairs, strict=True):
            self.known[out] = self.meeting(out, results, is_same, stmt.loc)

    def meeting(
        self, out: Value, atoms: Iterable[Atom], is_same: bool, where: Location | None
    ) -> Fact:
        """The fact of a value that is one of the atoms; `is_same` says whether for all samples."""
        found = None
        for atom in atoms:
            if atom is UNDEFINED:
                continue
            fact = self.of(atom)
            found = fact if found is None else self.join(out, found, fact, where)
        if found is None:
            return SAME
        if not is_same and found.kind not in ("running", "filling", "mixed") and found != OWN:
            if not found.is_own:
                return Fact("mixed", reason="each sample chooses among all", where=where)
            return OWN
        return found

    def join(self, value: Value, a: Fact, b: Fact, where: Location | None) -> Fact:
        """The fact of a value that is one or the other."""
        try:
            return joined(a, b, self.can_share and is_inexact(value.type))
        except Mixed as problem:
            return Fact("mixed", reason=str(problem), where=where)

    def loop(self, stmt: For) -> None:
        """Find the facts of a `for` loop."""
        bounds = [self.of(x) for x in (stmt.start, stmt.stop, stmt.step)]
        if all(fact.is_own for fact in bounds):
            self.known[stmt.index] = SAME if all(f.is_same for f in bounds) else OWN
            self.plain_loop(stmt, all(f.is_same for f in bounds))
            return
        is_whole = (stmt.start, stmt.step) == (0, 1) and bounds[1].is_count
        if not is_whole or stmt.exits or stmt.reverse:
            raise Mixed("a loop goes over some of the samples, or in another order")
        if any(self.of(seq).kind != "list" for seq in stmt.ins):
            raise Mixed("a list that is not split has an element for each sample")
        self.sample_loop(stmt)

    def plain_loop(self, stmt: For | While, is_same: bool = True) -> None:
        """Find the facts of a loop of as many iterations in any part, or for this sample."""
        if isinstance(stmt, For):
            for element, seq in zip(stmt.elements, stmt.ins, strict=True):
                fact = self.of(seq)
                if not fact.is_own and fact.kind != "items":
                    raise Mixed("a list of samples is read in a loop")
                self.known[element] = fact.items[0] if fact.kind == "items" else fact
        carried = stmt.carried
        for param, atom in zip(carried, stmt.init, strict=True):
            self.known[param] = SAME if atom is UNDEFINED else self.of(atom)
        before = None
        while before != (before := [self.known[p] for p in carried]):
            if isinstance(stmt, While):
                self.test(stmt)
            self.block(stmt.body)
            if stmt.leaves or isinstance(stmt, While):
                is_same = is_same and self.decides(stmt)
            for param, atom in zip(carried, stmt.yielded, strict=True):
                own = self.known[param]
                found = self.join(param, own, self.of(atom), stmt.loc)
                if not isinstance(found.group, str):  # another mask in each iteration
                    found = mixed_at(stmt, "what a mask has left is carried in a loop")
                self.known[param] = found if is_same else self.of_each(found, stmt.loc)
        self.known.update(zip(stmt.outs, [self.known[p] for p in carried], strict=True))
        for seq, atom in zip(stmt.seqs, stmt.written, strict=True):
            self.known[seq] = self.listed(self.of(atom), stmt)
        if stmt.count is not None:
            self.known[stmt.count] = SAME if is_same else OWN

    def listed(self, fact: Fact, stmt: Stmt) -> Fact:
        """The fact of a list of which each element is like this."""
        if fact.is_own:
            return fact
        is_array = fact.kind == "each" and fact.axis is not None and isinstance(fact.group, str)
        if is_array or fact.kind == "sum":
            return Fact("items", items=(fact,))
        return mixed_at(stmt, "a list of what is not of each sample")

    def of_each(self, fact: Fact, where: Location | None) -> Fact:
        """The fact of what a loop of this sample's own length carries."""
        if fact.kind in ("running", "filling", "mixed"):
            return fact
        return OWN if fact.is_own else Fact("mixed", reason="each sample decides", where=where)

    def decides(self, stmt: For | While) -> bool:
        """Whether the loop ends after as many iterations in any part.

        Raises:
            Mixed: more than one sample decides.
        """
        atoms = [*stmt.leaves, *(stmt.test.results if isinstance(stmt, While) else [])]
        found = [self.of(atom) for atom in atoms]
        if not all(fact.is_own for fact in found):
            raise Mixed("more than one sample decides when a loop ends")
        return all(fact.is_same for fact in found)

    def test(self, stmt: While) -> None:
        """Find the facts of the test of a `while` loop, which has parameters of its own."""
        self.known.update(
            (p, self.known[c]) for p, c in zip(stmt.test.params, stmt.carried, strict=True)
        )
        self.block(stmt.test)

    def sample_loop(self, stmt: For) -> None:
        """Find the facts of a loop over all samples in their order."""
        if self.is_inside:
            raise Mixed("each sample meets each other one in two loops")
        self.is_inside = True
        try:
            self.each_sample(stmt)
        finally:
            self.is_inside = False

    def each_sample(self, stmt: For) -> None:
        """Find the facts of such a loop, and of its body."""
        self.known[stmt.index] = PLACE
        for element, seq in zip(stmt.elements, stmt.ins, strict=True):
            self.known[element] = each(None, self.of(seq).power or 0)
        states = [first_state(self, k, atom, stmt) for k, atom in enumerate(stmt.init)]
        before = None
        while before != (before := list(states)):
            self.known.update(zip(stmt.carried, states, strict=True))
            self.block(stmt.body)
            for k, (param, atom) in enumerate(zip(stmt.carried, stmt.yielded, strict=True)):
                states[k] = next_state(self, states[k], k, param, atom, stmt)
        for k, out in enumerate(stmt.outs):
            self.known[out] = end_state(self, states[k], k, stmt, self.can_share)
        for seq, atom in zip(stmt.seqs, stmt.written, strict=True):
            fact = self.of(atom)
            is_each = fact.is_own or (fact.kind == "each" and fact.axis is None)
            made = Fact("list", fact.power or 0) if is_each else None
            self.known[seq] = made or mixed_at(stmt, "a list of what is not of each sample")
        if stmt.count is not None:
            self.known[stmt.count] = mixed_at(stmt, "a number of samples is counted")


def _draws(op: Op) -> bool:
    return is_draw(op.fn) or is_shared_draw(op.fn) or any(v.type == GENERATOR for v in reads(op))


def _has_unequal(facts: Facts, op: Op) -> bool:
    """Whether sums of several powers are added."""
    found = [facts.of(x) for x in op.args]
    powers = {sum_power(fact) for fact in found if fact.kind in ("sum", "same")}
    return len(op.args) == 2 and len(powers) > 1 and all(f.kind in ("sum", "same") for f in found)


def refused(where: Location | None, reason: str) -> SrcadError:
    """The error for a program that is not made of what its parts give."""
    return error("E142", where, what="this", notes=(reason,))


__all__ = ["Analysis", "refused"]
