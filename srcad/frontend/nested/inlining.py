"""Programs that were made from functions inside, put in place of their calls.

Their parameters are replaced by what the call passes, and their result becomes an abstract value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.frontend.abstract.containers.containers import (
    ARRAY,
    IS_NAMESPACE,
    ITEMS,
    DictObj,
    ListObj,
    RecordObj,
    is_array_record,
)
from srcad.frontend.abstract.containers.contents import contained, known_contents
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.session import Session
from srcad.frontend.nested.arguments import completed
from srcad.ir.interface import Record, Table, map_records, map_slots
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Function, Op, Stmt, Value
from srcad.ir.types import rank_of
from srcad.ir.walk import copy_statements, outputs, substitute
from srcad.ops.memory import memory_of
from srcad.rules.core.staged import type_of
from srcad.runtime.fields import array_of, dict_of, namespace_of


def inline(
    frame: Frame, fn: Function, atoms: Sequence[Any], objects: Mapping[str, Abstract] | None = None
) -> Abstract:
    """Put the statements of `fn` here, its parameters replaced by `atoms`; returns its result.

    It is simplified first: what is differentiated again should be small. `objects`: those that
    results are made like, by name.
    """
    session = frame.session
    fn = session.simplify(fn)
    env: dict[Value, Any] = dict(zip(fn.params, map(session.atom, atoms), strict=True))
    body = copy_statements(fn.body.body, env)
    results = place(session, body, substitute(fn.body.results, env))
    assert fn.interface is not None
    tree = map_slots(lambda slot: Leaf(results[slot.index]), fn.interface.result)

    def whole(record: Record) -> Any:
        known = (objects or {}).get(record.like)
        if known is None:
            return record
        if is_array_record(known) and _has_other_axes(record, known):
            return record.fields[ARRAY]  # as `srcad.runtime.outside.with_entries`
        fields = {
            name: record.fields[name]
            if name in record.fields
            else Leaf(completed(frame, known, name))
            for name in known_contents(known)
            if record.whole or name in record.fields
        }
        return replace(record, fields=fields)

    return abstract_tree(map_records(whole, tree))


def _has_other_axes(record: Record, known: RecordObj) -> bool:
    entries = record.fields.get(ARRAY)
    if not isinstance(entries, Leaf):
        return False
    return rank_of(type_of(entries.atom)) != rank_of(known.fields[ARRAY].type)


def place(session: Session, body: list[Stmt], results: list[Any]) -> list[Any]:
    """Put statements that were made here; `results` as arrays that share memory with nothing."""
    session.builder.body.extend(body)
    memory = session.memory
    own: set[Value] = set()
    for stmt in body:
        if isinstance(stmt, Op):
            memory.note(stmt)
            own.update(out for out in stmt.outs if memory_of(stmt) == "fresh")
            continue
        for out in outputs(stmt):
            memory.tell(out, ())
            own.add(out)
    found = []
    for result in results:
        if is_array(result) and result not in own:
            copy = Value("", result.type)
            session.add(Op(np.copy, (result,), {}, (copy,), session.builder.loc))
            result = copy
        elif isinstance(result, Value):
            own.discard(result)  # a second time it is another array
        found.append(result)
    return found


class Leaf:
    """A result on its way from a tree to an abstract value."""

    def __init__(self, atom: Any) -> None:
        self.atom = atom


def abstract_tree(tree: Any) -> Abstract:
    """A result tree as an abstract value."""
    if isinstance(tree, Leaf):
        return tree.atom
    if isinstance(tree, tuple):
        return tuple(map(abstract_tree, tree))
    if isinstance(tree, list):
        return ListObj(list(map(abstract_tree, tree)))
    if isinstance(tree, Table) and tree.made_by in (dict_of, namespace_of):
        is_own = {IS_NAMESPACE: True} if tree.made_by is namespace_of else {}
        items = DictObj({key: abstract_tree(item) for key, item in tree.items()})
        return RecordObj(tree.given[0], {ITEMS: items, **is_own})
    if isinstance(tree, Table) and tree.made_by is array_of:
        return RecordObj(tree.given[0], {key: abstract_tree(part) for key, part in tree.items()})
    if isinstance(tree, dict):
        return DictObj({key: abstract_tree(item) for key, item in tree.items()})
    if isinstance(tree, Record):
        return RecordObj(tree.cls, {k: abstract_tree(item) for k, item in tree.fields.items()})
    return contained(tree.value)
