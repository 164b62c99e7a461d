"""Store forwarding: a load takes the value just stored; stores that are never loaded are removed.

t[i] = v                         y[i] = v + c[i]
y[i] = t[i] + c[i]        ->
(t is read nowhere else)         (t is gone)

x[i] = v; x[i] += w       ->     x[i] = v + w
"""

from __future__ import annotations

import operator
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.analysis.operations import has_axes
from srcad.ir import ArrayType, Block, For, Function, If, Op, Stmt, Value, While
from srcad.ir.affine import Affine
from srcad.ir.effects import destroys
from srcad.ir.forms import Forms
from srcad.ir.inplace import (
    index_set,
)
from srcad.ir.types import dtype_of
from srcad.ir.walk import blocks, inputs, statements, substitute, values_in
from srcad.native.scalarize.loop_builder import NARROW
from srcad.native.vectorised import written_by
from srcad.ops import row_of

Place = tuple[Affine, ...]


def forward_stores(fn: Function) -> Function:
    """The function with fewer loads and stores, and fewer arrays."""
    while True:
        body = _Forwarder(fn.body).block(fn.body, {})
        made = replace(fn, body=without_unread(body))
        if _size(made.body) == _size(fn.body):
            return made
        fn = made


def pruned(fn: Function) -> Function:
    """The function without what nothing reads."""
    while True:
        body = without_unread(fn.body)
        if body is fn.body or _size(body) == _size(fn.body):
            return fn
        fn = replace(fn, body=body)


def _size(block: Block) -> int:
    return sum(1 for _ in statements(block))


@dataclass
class _Entry:
    """What an entry of an array is known to be, and the store that says so, if it stands in the
    block under construction and nothing has read the array since.
    """

    value: Any
    store: Op | None = None


Known = dict[Value, dict[Place, _Entry]]  # by array


@dataclass
class _Forwarder:
    body: Block
    env: dict[Value, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.forms = Forms(self.body)

    def block(self, block: Block, known: Known) -> Block:
        made: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                self.op(stmt, made, known)
            else:
                made.append(self.region(stmt, known))
        return Block(block.params, made, substitute(block.results, self.env))

    def region(self, stmt: Stmt, known: Known) -> Stmt:
        """A loop or branch: inside, what it does not write stays known."""
        written = {
            memory
            for inner in blocks(stmt)
            for op in statements(inner)
            if isinstance(op, Op)
            for memory in (op.args[:1] if destroys(op) else written_by(op))
        }
        for memory in list(known):
            _keep_stores(known, memory)  # it may be read inside
            if memory in written:
                del known[memory]

        def inside(inner: Block) -> Block:
            copied = {m: {p: _Entry(e.value) for p, e in es.items()} for m, es in known.items()}
            return self.block(inner, copied)

        def sub(tree: Any) -> Any:
            return substitute(tree, self.env)

        match stmt:
            case If():
                cond = sub(stmt.cond)
                return replace(stmt, cond=cond, then=inside(stmt.then), orelse=inside(stmt.orelse))
            case For():
                bounds = {"start": sub(stmt.start), "stop": sub(stmt.stop)}
                return replace(stmt, **bounds, init=sub(stmt.init), body=inside(stmt.body))
            case While():
                init = sub(stmt.init)
                return replace(stmt, init=init, test=inside(stmt.test), body=inside(stmt.body))
            case _:
                raise AssertionError("compiled functions have no closures")

    def op(self, op: Op, made: list[Stmt], known: Known) -> None:
        args, kwargs = substitute(op.args, self.env), substitute(op.kwargs, self.env)
        op = Op(op.fn, args, kwargs, op.outs, op.loc, op.effect, op.raises)
        self.forms.note(op)
        if destroys(op):
            self.store(op, made, known)
            return
        if op.fn is operator.getitem and has_axes(op.args[0]):
            memory, place = op.args[0], self.place(op.args[1])
            entry = known.get(memory, {}).get(place) if place is not None else None
            if entry is not None:
                self.env[op.out] = entry.value
                return
            _keep_stores(known, memory)
            if place is not None:
                known.setdefault(memory, {})[place] = _Entry(op.out)
        elif op.fn not in (np.shape, np.empty):
            for memory in written_by(op):
                known.pop(memory, None)
            for memory in values_in(op.args):
                _keep_stores(known, memory)
        made.append(op)

    def store(self, op: Op, made: list[Stmt], known: Known) -> None:
        """A store: the value is known from now on, others of the array may have changed."""
        memory, index, value = op.args
        value = _as_stored(value, memory)
        op = replace(op, args=(memory, index, value))
        place = self.place(index)
        entries = known.setdefault(memory, {})
        before = entries.get(place) if place is not None else None
        computes = row_of(op.fn).computes
        if before is not None and computes is not None and fits(value, memory):
            dtype = dtype_of(memory.type)
            out = Value("", ArrayType(np.dtype(dtype), (), True))
            made.append(Op(computes, (before.value, value), {}, (out,), op.loc))
            op, value = replace(op, fn=index_set, args=(memory, index, out)), out
        if before is not None and before.store is not None and op.fn is index_set:
            made.remove(before.store)
        for other in list(entries):
            if place is None or other == place or not _differ(other, place):
                del entries[other]
        made.append(op)
        if place is not None and op.fn is index_set and fits(value, memory):
            entries[place] = _Entry(value, op)

    def place(self, index: Any) -> Place | None:
        forms = self.forms.place(index)
        known = tuple(form for form in forms if form is not None)
        return known if len(known) == len(forms) else None


def _keep_stores(known: Known, memory: Value) -> None:
    """An array is read: the stores into it stay."""
    for entry in known.get(memory, {}).values():
        entry.store = None


def _differ(a: Place, b: Place) -> bool:
    """Whether two places are surely not the same."""
    return any((x - y).number not in (None, 0) for x, y in zip(a, b, strict=True))


def fits(value: Any, memory: Value) -> bool:
    """Whether an entry is loaded as it was stored."""
    dtype = dtype_of(memory.type)
    if isinstance(value, Value):
        # Memory takes the lowest bits of an integer that is computed with more of them.
        return dtype_of(value.type) == dtype and dtype not in NARROW
    if isinstance(value, np.generic):
        return value.dtype == dtype
    return dtype == np.float64 and isinstance(value, float)


def _as_stored(value: Any, memory: Value) -> Any:
    """A number written in the program as what an array makes of it."""
    is_exact = isinstance(value, int) and abs(value) <= 1 << 53
    return float(value) if is_exact and dtype_of(memory.type) == np.float64 else value


def without_unread(body: Block) -> Block:
    """The block without the arrays that it fills and nothing reads."""
    read: Counter[Value] = Counter(values_in(body.results))
    made: set[Value] = set()
    for stmt in statements(body):
        if isinstance(stmt, Op) and destroys(stmt):
            read.update(values_in(stmt.args[1:]))
        else:
            read.update(values_in(inputs(stmt)))
            for inner in blocks(stmt):
                read.update(values_in(inner.results))
        if isinstance(stmt, Op) and stmt.fn is np.empty:
            made.add(stmt.out)
    unread = {v for v in made if not read[v]}
    return _pruned(body, unread, read) if unread or _has_dead(body, read) else body


def _has_dead(body: Block, read: Counter[Value]) -> bool:
    return any(_is_dead(stmt, set(), read) for stmt in statements(body))


def _is_dead(stmt: Stmt, unread: set[Value], read: Counter[Value]) -> bool:
    if not isinstance(stmt, Op):
        return False
    if destroys(stmt):
        return stmt.args[0] in unread
    return not stmt.effect and bool(stmt.outs) and not any(read[out] for out in stmt.outs)


def _pruned(block: Block, unread: set[Value], read: Counter[Value]) -> Block:
    made: list[Stmt] = []
    for stmt in block.body:
        if _is_dead(stmt, unread, read):
            continue
        match stmt:
            case If():
                then, orelse = (_pruned(b, unread, read) for b in (stmt.then, stmt.orelse))
                stmt = replace(stmt, then=then, orelse=orelse)
            case For():
                stmt = replace(stmt, body=_pruned(stmt.body, unread, read))
                if not stmt.body.body and not stmt.outs:
                    continue
            case While():
                stmt = replace(stmt, body=_pruned(stmt.body, unread, read))
            case _:
                pass
        made.append(stmt)
    return Block(block.params, made, block.results)
