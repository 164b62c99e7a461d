"""What a part of the samples adds to the result: a program whose sum over the parts is that of all.

    def loss(w, x, y):                         def loss_part(w, x, y, share):
        r = x @ w - y                              r = x @ w - y
        s = np.sum(r**2)                 ->        s = np.sum(r**2)
        p = np.sum(w**2)                           p = np.sum(w**2)
        return s + p                               return s + p * share

`share` is the number of the part's samples over that of all. A sum over the samples is the sum of
those of the parts. What is a mean, or has no samples in it, counts by the share; so it is
multiplied where it meets a sum, and at the end. The derivative of the result adds up as it does.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

from srcad.errors import SrcadError
from srcad.ir.interface import Param, Record, Slot, Static, Tree, rebuilt, slots
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import Dim, Extent, NumberType, shape_of
from srcad.ir.walk import outputs, statements
from srcad.ops import row_of
from srcad.rules.core.staged import Builder
from srcad.transform.boundary import interface_of
from srcad.transform.parts.analysis import Analysis, refused
from srcad.transform.parts.facts import SAME, Fact, each, sum_power


def contribution(fn: Function, over: Sequence[int], has_aux: bool) -> Function:
    """The program of one part, with one more parameter, its share of the samples.

    Of a result `(loss, aux)` the second item is `(aux, how)`: for each leaf how those of the parts
    become that of all samples. "sum": they are added. "first": they are the same. An axis: they
    are joined along it.

    Args:
        over: the positions of the parameters that are split, along their first axis.

    Raises:
        UnsupportedSyntax: E142, the result is not made of those of the parts.
    """
    interface = interface_of(fn)
    given = [fn.params[slot] for slot in over]
    facts = Analysis(_extents(given))
    facts.known.update({p: each(0) if p in given else SAME for p in fn.params})
    facts.block(fn.body)
    share = Value("share", NumberType(float))
    shares = _Shares(facts, share)
    body = shares.block(fn.body)
    loss, summed, result = interface.result, set(slots(interface.result)), interface.result
    if has_aux and isinstance(result, tuple) and len(result) == 2:
        loss, aux = result
        how = _how(facts, fn, aux)
        summed = {*slots(loss), *(k for k, mode in _modes(aux, how) if mode == "sum")}
        result = (loss, (aux, how))
    end = Builder(body.body)
    for k in sorted(summed):
        fact = facts.of(fn.body.results[k])
        if sum_power(fact) is None and fact.kind != "zero":
            raise _unfit(fact, fn, k)
        body.results[k] = shares.shared(end, body.results[k], fact, 0)
    param = Param("share", Slot(len(fn.params)))
    whole = Block([*fn.params, share], body.body, body.results)
    shape = replace(interface, params=(*interface.params, param), result=result)
    return Function(f"{fn.name}_part", whole, shape)


def _extents(given: Sequence[Value]) -> frozenset[Extent]:
    """The extents that are the number of samples."""
    found = set()
    for value in given:
        shape = shape_of(value.type)
        if not shape or not isinstance(shape[0], Dim):
            raise refused(None, "the number of samples must be known when it is compiled")
        found.add(shape[0])
    return frozenset(found)


def _unfit(fact: Fact, fn: Function, slot: int) -> SrcadError:
    """The error for a result that is no sum and no mean."""
    if fact.kind == "mixed":
        return refused(fact.where, fact.reason)
    made = [stmt for stmt in statements(fn.body) if fn.body.results[slot] in outputs(stmt)]
    where = made[0].loc if made else None
    return refused(where, f"the result of `{fn.name}` has an entry for each sample")


def _how(facts: Analysis, fn: Function, tree: Tree) -> Tree:
    """How each leaf of aux is made of those of the parts."""
    if isinstance(tree, Slot):
        fact = facts.of(fn.body.results[tree.index])
        if fact.is_same:
            return Static("first")
        if fact.kind == "each" and fact.power == 0 and fact.axis is not None:
            return Static(fact.axis)
        if sum_power(fact) is None:
            raise _unfit(fact, fn, tree.index)
        return Static("sum")
    if isinstance(tree, Static):
        return Static(None) if tree.value is None else Static("first")
    if isinstance(tree, Record):
        raise refused(None, "aux has an object in it that is no tuple, list or dict")
    return rebuilt(tree, lambda item: _how(facts, fn, item))


def _modes(tree: Tree, how: Tree) -> list[tuple[int, object]]:
    """The slots of a tree, each with how it is made."""
    if isinstance(tree, Slot):
        return [(tree.index, how.value)]
    if isinstance(tree, tuple | list):
        return [x for a, b in zip(tree, how, strict=True) for x in _modes(a, b)]
    if isinstance(tree, dict):
        return [x for key, item in tree.items() for x in _modes(item, how[key])]
    return []


class _Shares:
    """Puts the shares in, where sums of several powers meet."""

    def __init__(self, facts: Analysis, share: Value) -> None:
        self.facts = facts
        self.share = share

    def block(self, block: Block, wanted: Sequence[Value | None] | None = None) -> Block:
        """The block with shares; its results are to be like the `wanted` values."""
        builder = Builder([])
        for stmt in block.body:
            builder.loc = stmt.loc
            builder.body.append(self.statement(stmt, builder))
        results = list(block.results)
        for k, value in enumerate(wanted or ()):
            if value is not None:
                results[k] = self.like(builder, results[k], value)
        return Block(block.params, builder.body, results)

    def statement(self, stmt: Stmt, builder: Builder) -> Stmt:
        """A statement with shares; what it needs before is appended."""
        match stmt:
            case Op() if row_of(stmt.fn).adds and len(stmt.args) == 2:
                args = tuple(self.like(builder, x, stmt.out) for x in stmt.args)
                return stmt if args == stmt.args else replace(stmt, args=args)
            case If():
                then, orelse = (self.block(b, stmt.outs) for b in (stmt.then, stmt.orelse))
                return replace(stmt, then=then, orelse=orelse)
            case For() | While():
                outs = [*stmt.outs]
                init = [self.like(builder, x, out) for x, out in zip(stmt.init, outs, strict=True)]
                is_sum = [self._kind(p) == "sum" for p in stmt.carried]
                wanted = [out if each else None for out, each in zip(outs, is_sum, strict=True)]
                return replace(stmt, init=init, body=self.block(stmt.body, wanted))
        return stmt

    def _kind(self, value: Value) -> str:
        fact = self.facts.known.get(value)
        return "mixed" if fact is None else fact.kind

    def like(self, builder: Builder, atom: Atom, value: Value) -> Atom:
        """An atom that becomes a value, or is added in it, as a sum of the value's power."""
        goal = self.facts.known.get(value)
        if atom is UNDEFINED or goal is None or goal.kind != "sum":
            return atom
        if isinstance(atom, Value) and atom not in self.facts.known:
            return atom
        return self.shared(builder, atom, self.facts.of(atom), goal.power or 0)

    def shared(self, builder: Builder, atom: Atom, fact: Fact, goal: int) -> Atom:
        """A sum of another power, made of the same samples."""
        power = sum_power(fact)
        if fact.kind == "zero" or power is None:
            return atom
        for _ in range(goal - power):
            atom = builder.emit(operator.mul, (atom, self.share))
        for _ in range(power - goal):
            atom = builder.emit(operator.truediv, (atom, self.share))
        return atom


__all__ = ["contribution"]
