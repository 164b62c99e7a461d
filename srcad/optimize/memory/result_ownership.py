"""Result ownership: a function returns buffers that are its caller's alone, each of them once.

    return w, g, g                      w_2 = copy(w)
                                        g_2 = copy(g)
                                        return w_2, g, g_2

    x_bar = broadcast_to(g, shape(x))   x_bar = full(shape(x), g)
    return x_bar                        return x_bar

A gradient may be written by its receiver, and a broadcast array cannot be written at all.
"""

from __future__ import annotations

import operator
from collections import Counter
from copy import copy as shallow_copy
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.analysis.alias import OUTSIDE, Aliases, find_aliases
from srcad.ir.nodes import Block, Closure, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import defined_in, reads, statements
from srcad.ops.memory import memory_of
from srcad.optimize.memory.copiers import Copier, copier_in
from srcad.optimize.memory.held_items import held_lists
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import type_of


def own_results(fn: Function) -> Function:
    """The program with copies of results that would share storage with something else."""
    results = list(fn.body.results)
    has_closures = any(isinstance(stmt, Closure) for stmt in statements(fn.body))
    if not has_closures and not any(map(_is_array, results)):
        return fn
    fn = _with_views(fn)
    is_primal = fn.interface is not None and fn.interface.is_primal
    new = _made_new(fn) if is_primal else frozenset()
    held = held_lists(fn) if is_primal else frozenset()
    joint = fn.interface.joint if fn.interface is not None else frozenset()
    body = _owned(fn.body, find_aliases(fn), copier_in(fn), _not_owned(fn), new, held, joint)
    return fn if body is fn.body else Function(fn.name, body, fn.interface)


def _is_array(atom: Any) -> bool:
    t = type_of(atom)
    return isinstance(t, ArrayType) and not t.scalar


def _not_owned(fn: Function) -> frozenset[int]:
    """The results of a compiled function that are the caller's arrays, or go into these."""
    if fn.interface is None:
        return frozenset()
    written = (w.tree.index for w in fn.interface.writes if w.kind == "array")
    return fn.interface.shared.union(written)


def _with_views(fn: Function) -> Function:
    """The program with `x[...]` for a parameter that comes back as a view of itself, and for an
    array that comes back beside itself.
    """
    views = frozenset() if fn.interface is None else fn.interface.views
    body, results = list(fn.body.body), list(fn.body.results)
    for k in sorted(views):
        others = (*fn.params, *results[:k], *results[k + 1 :])
        if isinstance(results[k], Value) and any(results[k] is other for other in others):
            view = Value("", type_of(results[k]))
            body.append(Op(operator.getitem, (results[k], Ellipsis), {}, (view,)))
            results[k] = view
    if len(body) == len(fn.body.body):
        return fn
    return Function(fn.name, Block(fn.body.params, body, results), fn.interface)


def _made_new(fn: Function) -> frozenset[Value]:
    """What calls have made that Python takes for new arrays: in the order that these give them."""
    ops = (stmt for stmt in fn.body.body if isinstance(stmt, Op))
    made = (op for op in ops if not isinstance(op.fn, Function) and memory_of(op) == "fresh")
    return frozenset(out for op in made for out in op.outs)


def _owned(
    block: Block,
    facts: Aliases,
    copier: Copier,
    others: frozenset[int] = frozenset(),
    new: frozenset[Value] = frozenset(),
    held: frozenset[Value] = frozenset(),
    joint: frozenset[int] = frozenset(),
) -> Block:
    """The body of a function, and of the closures in it, with results that nothing else holds but
    lists that have `held` them in Python, and the `joint` ones each other.
    """
    body = [_closure(stmt, facts, copier) for stmt in block.body]
    here = defined_in(block)
    # What is no array (a closure, a sequence) keeps what it holds; arrays give way, later first.
    others_than_arrays = [r for r in block.results if not _is_array(r) and r not in held]
    taken = facts.of(others_than_arrays) | {OUTSIDE}
    first = taken
    places = _Places(body, block.results)
    results: list[Any] = []
    seen: set[Value] = set()
    for k, result in enumerate(block.results):
        if _is_array(result) and k not in others:
            sites = facts.of(result)
            if isinstance(result, Value) and result in new and result not in seen:
                sites = frozenset((result,))
            elif (isinstance(result, Value) and result not in here) or not sites.isdisjoint(
                first if k in joint else taken
            ):
                result = _copied(result, body, places, copier)
            taken |= sites
        results.append(result)
        if isinstance(result, Value):
            seen.add(result)
    is_same = all(map(operator.is_, results, block.results)) and all(
        map(operator.is_, body, block.body)
    )
    return block if is_same and len(body) == len(block.body) else Block(block.params, body, results)


def _closure(stmt: Stmt, facts: Aliases, copier: Copier) -> Stmt:
    if not isinstance(stmt, Closure):
        return stmt
    inner = stmt.function
    body = _owned(inner.body, facts, copier)
    if body is inner.body:
        return stmt
    return Closure(Function(inner.name, body, inner.interface), stmt.out, stmt.loc)


class _Places:
    """Where the operations of a body stand that make its results, and what it reads."""

    def __init__(self, body: list[Stmt], results: list[Any]) -> None:
        self.count = Counter(r for r in results if isinstance(r, Value))
        self.read = {v for stmt in body for v in reads(stmt)}
        self.at = {
            stmt.out: k
            for k, stmt in enumerate(body)
            if isinstance(stmt, Op) and len(stmt.outs) == 1 and stmt.out in self.count
        }


def _copied(result: Any, body: list[Stmt], places: _Places, copier: Copier) -> Any:
    """A copy of `result`, made at the end of `body`; a spread number is made whole at once."""
    t = type_of(result)
    k = places.at.get(result) if isinstance(result, Value) else None
    stmt = None if k is None else body[k]
    if isinstance(stmt, Op) and k is not None and stmt.fn is np.broadcast_to:
        x, shape = stmt.args
        x = float(x) if isinstance(x, np.float64) else x
        if rank_of(type_of(x)) == 0 and infer(np.full, (shape, x), {}) == t:
            body[k] = Op(np.full, (shape, x), {}, stmt.outs, stmt.loc)
            return result
    copy = Value(result.name if isinstance(result, Value) else "", t)
    original = result
    if isinstance(stmt, Op) and k is not None and _is_unnamed(result, places):
        original = Value("", stmt.out.type)
        body[k] = replace(stmt, outs=(original,))
    # Of what is perhaps a number, NumPy's functions make an array.
    body.append(Op(copier(t) if rank_of(t) else shallow_copy, (original,), {}, (copy,)))
    return copy


def _is_unnamed(result: Value, places: _Places) -> bool:
    """Whether nothing else reads `result`: its name is that of the copy."""
    return places.count[result] == 1 and result not in places.read
