"""Activity: which values depend differentiably on the inputs asked for, and which reach a result.

    def f(x, n):            # wrt x
        k = n * 2           # not varied: does not depend on x
        y = np.sin(x)       # varied and useful
        z = y * 3           # varied, not useful: nothing reads it
        return y

Both analyses look through branches, loops and called functions; what a loop carries and what a
function that calls itself returns is followed to a fixpoint.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from srcad.ir.nodes import Atom, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import is_inexact
from srcad.ir.walk import inputs, outputs, values_in
from srcad.rules.core.registry import RULES
from srcad.rules.core.staged import is_complex
from srcad.rules.draws import check_varied, is_draw, is_shared_draw

Positions = frozenset[int]

# Constant of real numbers, as far as they have a derivative.
_OF_COMPLEX = (np.sign, np.imag, np.angle)


class CallActivity:
    """The same facts of called functions, by position; kept for all calls of one transform.

    varied: which results vary if these parameters do. useful: which of these parameters, which
    vary, such results depend on.
    """

    def __init__(self) -> None:
        self._facts: dict[tuple[Any, ...], Positions] = {}
        self._is_settling = False

    def varied(self, fn: Function, params: Positions) -> Positions:
        """The positions of the results that vary."""
        return self._fact((self._vary, fn, params))

    def useful(self, fn: Function, params: Positions, results: Positions) -> Positions:
        """The positions of the parameters on which the results depend."""
        return self._fact((self._use, fn, params, results))

    def _fact(self, key: tuple[Any, ...]) -> Positions:
        if key not in self._facts:
            self._facts[key] = frozenset()
            if not self._is_settling:
                self._settle()
        return self._facts[key]

    def _settle(self) -> None:
        """Go through all facts until none changes: those of recursive functions grow from none."""
        self._is_settling = True
        before = None
        while before != self._facts:
            before = dict(self._facts)
            for analyse, *about in before:
                self._facts[analyse, *about] = analyse(*about)
        self._is_settling = False

    def _vary(self, fn: Function, params: Positions) -> Positions:
        varied = find_varied(fn, (fn.params[k] for k in params), self)
        return frozenset(k for k, r in enumerate(fn.body.results) if is_in(r, varied))

    def _use(self, fn: Function, params: Positions, results: Positions) -> Positions:
        varied = find_varied(fn, (fn.params[k] for k in params), self)
        targets = [r for k, r in enumerate(fn.body.results) if k in results and is_in(r, varied)]
        useful = find_useful(fn, targets, varied, self)
        return frozenset(k for k in params if fn.params[k] in useful)


def is_in(atom: Atom, values: set[Value]) -> bool:
    """Whether an atom is one of these values."""
    return isinstance(atom, Value) and atom in values


def positions(atoms: Iterable[Atom], values: set[Value]) -> Positions:
    """The positions of the atoms that are among these values."""
    return frozenset(k for k, atom in enumerate(atoms) if is_in(atom, values))


def find_varied(
    body: Function | Block, wrt: Iterable[Value], calls: CallActivity | None = None
) -> set[Value]:
    """The values in `body`, inner blocks included, that depend differentiably on those of `wrt`."""
    varied = {v for v in wrt if is_inexact(v.type)}
    block = body.body if isinstance(body, Function) else body
    _Varying(varied, calls or CallActivity()).block(block)
    return varied


def find_useful(
    body: Function | Block,
    targets: Iterable[Value],
    varied: set[Value],
    calls: CallActivity | None = None,
) -> set[Value]:
    """The varied values on which `targets` depend (perhaps a few too many, never too few)."""
    useful = {v for v in targets if v in varied}
    block = body.body if isinstance(body, Function) else body
    _Using(useful, varied, calls or CallActivity()).block(block)
    return useful


def has_derivative(op: Op) -> bool:
    """Whether the results of `op` may vary with its arguments (assumed where there is no rule)."""
    if op.fn in _OF_COMPLEX and not is_complex(op.args[0]):
        return False
    rule = None if isinstance(op.fn, Function) else RULES.get(op.fn)
    return rule is None or rule.kind not in ("zero", "nondiff")


class _Varying:
    """Marks values in program order."""

    def __init__(self, varied: set[Value], calls: CallActivity) -> None:
        self.varied = varied
        self.calls = calls

    def block(self, block: Block) -> None:
        for stmt in block.body:
            self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        varied = self.varied
        match stmt:
            case Op(fn=Function() as callee):
                found = self.calls.varied(callee, positions(stmt.args, varied))
                varied.update(out for k, out in enumerate(stmt.outs) if k in found)
            case Op():
                if has_derivative(stmt) and any(v in varied for v in values_in(inputs(stmt))):
                    if is_draw(stmt.fn) or is_shared_draw(stmt.fn):
                        check_varied(stmt)
                    varied.update(v for v in stmt.outs if is_inexact(v.type))
            case If():
                for block in (stmt.then, stmt.orelse):
                    self.block(block)
                    _pass_on(block.results, stmt.outs, varied)
            case For():
                _pass_on(stmt.ins, stmt.elements, varied)
                self.loop(stmt)
            case While():
                self.loop(stmt)
            case Closure():
                self.block(stmt.function.body)

    def loop(self, stmt: For | While) -> None:
        varied, carried = self.varied, stmt.carried
        _pass_on(stmt.init, carried, varied)
        before = -1
        while len(varied) != before:
            before = len(varied)
            self.block(stmt.body)
            _pass_on(stmt.yielded, carried, varied)
        _pass_on(carried, stmt.outs, varied)
        _pass_on(stmt.written, stmt.seqs, varied)


def _pass_on(sources: Iterable[Atom], targets: Iterable[Value], marked: set[Value]) -> None:
    """Mark each target whose source is marked (results beyond the targets are left alone)."""
    for source, target in zip(sources, targets, strict=False):
        if isinstance(source, Value) and source in marked and is_inexact(target.type):
            marked.add(target)


def _pass_back(
    sources: Iterable[Atom], targets: Iterable[Value], useful: set[Value], varied: set[Value]
) -> None:
    """Mark each varied source whose target is useful."""
    for source, target in zip(sources, targets, strict=False):
        if target in useful and isinstance(source, Value) and source in varied:
            useful.add(source)


class _Using:
    """Marks values against program order."""

    def __init__(self, useful: set[Value], varied: set[Value], calls: CallActivity) -> None:
        self.useful = useful
        self.varied = varied
        self.calls = calls

    def block(self, block: Block) -> None:
        for stmt in reversed(block.body):
            if any(v in self.useful for v in outputs(stmt)):
                self.statement(stmt)

    def statement(self, stmt: Stmt) -> None:
        useful, varied = self.useful, self.varied
        match stmt:
            case Op(fn=Function() as callee):
                given, wanted = positions(stmt.args, varied), positions(stmt.outs, useful)
                found = self.calls.useful(callee, given, wanted)
                useful.update(arg for k, arg in enumerate(stmt.args) if k in found)
            case Op():
                useful.update(v for v in values_in(inputs(stmt)) if v in varied)
            case If():
                for block in (stmt.then, stmt.orelse):
                    _pass_back(block.results, stmt.outs, useful, varied)
                    self.block(block)
            case For():
                self.loop(stmt)
                _pass_back(stmt.ins, stmt.elements, useful, varied)
            case While():
                self.loop(stmt)

    def loop(self, stmt: For | While) -> None:
        useful, varied, carried, results = self.useful, self.varied, stmt.carried, stmt.yielded
        _pass_back(stmt.written, stmt.seqs, useful, varied)
        _pass_back(results, stmt.outs, useful, varied)
        before = -1
        while len(useful) != before:
            before = len(useful)
            _pass_back(results, carried, useful, varied)
            self.block(stmt.body)
        _pass_back(stmt.init, stmt.outs, useful, varied)
        _pass_back(stmt.init, carried, useful, varied)
