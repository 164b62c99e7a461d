"""Copy propagation through branches, through loops and along the tape.

    b = if c: yield a  else: yield a            b is a
    for i in ... carrying (h, k) = (x, x):      k stays x, so that it is x, after the loop too
        h = mul(h, k)
        yield h, k
    ... collecting (h_tape, k_tape)             reads of k_tape read x

Carried values that start equal and are given equal values are one; so are branch results, sequences
and elements read that are pairwise equal. A partial branch result, which one path leaves undefined,
is what the other makes it, if it is read on that path alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from srcad.ir.keys import freeze
from srcad.ir.narrowing import narrow_branch, narrow_loop, narrow_while
from srcad.ir.nodes import UNDEFINED, Atom, Block, For, Function, If, Value, While
from srcad.ir.walk import defined_in
from srcad.once import cached_property
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.optimize.simplify.undefined_checks import read_perhaps_unbound
from srcad.rules.core.staged import type_of


def propagate_copies(fn: Function) -> Function:
    """The program with each value under one name."""
    return _Copies(fn).run(fn)


class _Copies(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.fn = fn
        self.uniform: dict[Value, Atom] = {}  # sequences whose elements are all this atom

    @cached_property
    def doubtful(self) -> frozenset[Value]:
        """What is read where it may be unbound: Python raises there."""
        return read_perhaps_unbound(self.fn)

    # ---- branches

    def branch(self, stmt: If) -> If:
        new = super().branch(stmt)
        seen: dict[Any, Value] = {}
        keep = [not self._is_merged(out, k, new, seen) for k, out in enumerate(new.outs)]
        return narrow_branch(new, keep)

    def _is_merged(self, out: Value, k: int, stmt: If, seen: dict[Any, Value]) -> bool:
        """Whether the k-th result is known under another name, which it then gets."""
        a, b = stmt.then.results[k], stmt.orelse.results[k]
        # Of two that are alike, one that is asked for may stand for itself alone.
        is_asked = (a is UNDEFINED or b is UNDEFINED) and out in self.doubtful
        twin = seen.setdefault((freeze(a), freeze(b), is_asked), out)
        if twin is not out:
            return self._stands_for(out, twin)
        if a is UNDEFINED:
            a, b, block = b, a, stmt.orelse
        else:
            block = stmt.then
        if a is UNDEFINED:
            return False
        only = b is UNDEFINED and (out.partial or not stmt.is_branch)
        if freeze(a) == freeze(b):
            return self._stands_for(out, a)
        if only and _is_outer(a, block) and out not in self.doubtful:
            return self._stands_for(out, a)
        is_test = a is True and b is False and isinstance(stmt.cond, Value)
        return is_test and self._stands_for(out, stmt.cond)

    def _stands_for(self, out: Value, atom: Atom) -> bool:
        fits = is_same_type(type_of(atom), out.type)
        if fits:
            self.replace(out, atom)
        return fits

    # ---- loops

    def loop(self, stmt: For) -> For:
        carry = self._carried(stmt.init, stmt.yielded, (stmt.carried, stmt.outs))
        read = self._read(stmt.elements, self.sub(stmt.ins))
        write = self._written(stmt.seqs, stmt.written, stmt.body)
        return super().loop(narrow_loop(stmt, carry, read, write))

    def while_loop(self, stmt: While) -> While:
        columns = (stmt.body.params, stmt.test.params, stmt.outs)
        carry = self._carried(stmt.init, stmt.yielded, columns)
        write = self._written(stmt.seqs, stmt.written, stmt.body)
        return super().while_loop(narrow_while(stmt, carry, write))

    def _carried(
        self, init: list[Atom], results: list[Atom], names: tuple[Sequence[Value], ...]
    ) -> list[bool]:
        """Which carried values stay; `names`: theirs inside (as parameters first) and outside."""
        seen: dict[Any, int] = {}
        keep = []
        for k, (start, result) in enumerate(zip(self.sub(init), results, strict=True)):
            param = names[0][k]
            others: tuple[Atom, ...] | None = None
            if result is param:
                others = (start,) * len(names)
            elif (twin := seen.setdefault((freeze(start), freeze(result)), k)) != k:
                others = tuple(column[twin] for column in names)
            fits = others is not None and is_same_type(type_of(others[0]), param.type)
            keep.append(not fits)
            if fits and others is not None:
                for column, other in zip(names, others, strict=True):
                    self.replace(column[k], other)
        return keep

    def _read(self, elements: list[Value], ins: list[Atom]) -> list[bool]:
        """Which elements are read under a name of their own."""
        seen: dict[Any, Value] = {}
        keep = []
        for element, seq in zip(elements, ins, strict=True):
            known = self.uniform.get(seq)
            if known is None:
                known = seen.setdefault(seq, element)
            fits = known is not element and is_same_type(type_of(known), element.type)
            keep.append(not fits)
            if fits:
                self.replace(element, known)
        return keep

    def _written(self, seqs: tuple[Value, ...], elements: list[Atom], body: Block) -> list[bool]:
        """Which sequences stay; those that repeat one outer value are noted."""
        seen: dict[Any, Value] = {}
        keep = []
        local = defined_in(body) if seqs else {}
        for seq, element in zip(seqs, elements, strict=True):
            is_outer = not isinstance(element, Value) or element not in local
            if element is not UNDEFINED and is_outer:
                self.uniform[seq] = self.sub(element)
            twin = seen.setdefault(freeze(element), seq)
            keep.append(twin is seq)
            if twin is not seq:
                self.replace(seq, twin)
        return keep


def _is_outer(atom: Atom, block: Block) -> bool:
    """Whether a result of `block` is a constant or bound outside it."""
    return not isinstance(atom, Value) or atom not in defined_in(block)
