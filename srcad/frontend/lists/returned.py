"""Lists that a loop has made, and what is of one of several kinds by data, in what is returned
without a derivative: beside the value (`has_aux`), and by `srcad.compile`.

return loss, ys          aux = listed((ys,), (True,)): a list of Python's own
return loss, table       aux = listed_rows(table, True): one of lists, which all are its own
return loss, best        aux = None if best_kind == 0 else best
"""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np

from srcad import runtime
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    Container,
    Grown,
    ListObj,
    Marked,
    RecordObj,
    form_of,
)
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.kinds_by_data import Named
from srcad.frontend.abstract.objects import Abstract, Either, Ref, is_partial
from srcad.frontend.abstract.results import chosen_tree, container_tree, result_tree
from srcad.frontend.abstract.session import Session
from srcad.frontend.laid.entry_kinds import is_told
from srcad.frontend.memory.memory import Memory
from srcad.ir.interface import Slot
from srcad.ir.kinds import holds_truths, is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, ObjectType, SeqType, dtype_of, rank_of
from srcad.rules.core.joined_kinds import is_numpys


def aux_tree(session: Session, x: Abstract, results: list[Any]) -> Any:
    """The tree of what is returned without a derivative; appends its leaves to `results`. Captured
    containers are themselves, those of arguments are copies.
    """
    inner = partial(aux_tree, session, results=results)
    session.kinds.check_leaving(x)

    def made(x: Container) -> Any:
        if isinstance(x, ListObj) and isinstance(form_of(x), Grown | Laid):
            return list_tree(session, x, results)
        return result_tree(session, x, results, inner)

    def captured(path: str) -> Slot | None:
        if path.startswith("A["):
            return None
        results.append(session.inputs.whole(path))
        return Slot(len(results) - 1)

    if isinstance(x, CONTAINERS) and not (isinstance(x, RecordObj) and x.is_tuple):
        return container_tree(session, x, results, captured, made)
    if isinstance(x, Either):
        return chosen_tree(session, x, results, inner)
    return result_tree(session, x, results, inner)


def list_tree(session: Session, x: ListObj, results: list[Any]) -> Any:
    """The tree of a list whose items are stacked in arrays; lowers again where it is no such list
    that can be made. Appends its leaves to `results`.
    """
    return result_tree(session, _as_list(session, x), results)


def are_own(memory: Memory, column: Value) -> bool:
    """Whether the rows of a column leave in a list as the arrays that they are in Python: copies of
    arrays that nothing else holds, or these themselves (`srcad.optimize.memory.held_items`).
    """
    if not memory.repeated.isdisjoint(memory.reached(column)):
        return False
    if not memory.is_picked(column):
        return True
    return memory.may_be_outside(column) and _is_of_items(memory, column)


def _is_of_items(memory: Memory, column: Value) -> bool:
    """Whether a column was made of sequences or of arrays one by one, none of which is a row of
    another column.
    """
    producers = memory.producers
    op = producers.get(column)
    if op is not None and op.fn is operator.getitem and holds_truths(op.args[1]):
        op = producers.get(op.args[0])
    if op is None or memory.held(column) is not column:
        return False
    first = op.args[0]
    if op.fn is np.concatenate and len(op.args) == 1 and not op.kwargs:
        return all(isinstance(x, Value) and _is_of_items(memory, x) for x in first)
    if op.fn not in (np.array, runtime.stacked):
        return False
    if isinstance(first, list):
        return not any(map(memory.is_picked, filter(is_array, first)))
    is_told = column in memory.joined and isinstance(first.type, SeqType)
    return is_told and memory.reached(column).isdisjoint(memory.entangled.keys() - {column})


def _as_list(session: Session, x: ListObj) -> Value:
    """A list of numbers or arrays, or of tuples of these, as an object of the program."""
    form = form_of(x)
    if isinstance(form, Laid) and x.cls is list:
        return _as_rows(session, form)
    if not isinstance(form, Grown) or x.cls is not list:
        form.decline()
    made, loc = Value("", ObjectType("list")), session.builder.loc
    if isinstance(form.item, Marked):
        marked = tuple(session.atom(form.columns[k]) for k in (form.item.number, form.item.mark))
        session.add(Op(runtime.listed_by_marks, marked, {}, (made,), loc))
        return made
    is_number, is_tuple = type(form.item) is int, form.item == tuple(range(len(form.columns)))
    if not form.columns:  # of empty tuples: nothing says how many
        form.decline()
    if not (is_number or is_tuple) or not all(map(_holds, form.columns, form.kinds)):
        form.decline()
    columns = tuple(map(session.atom, form.columns))
    given = (columns, tuple(_read_as(session, kind) for kind in form.kinds), is_tuple)
    session.add(Op(runtime.listed, given, {}, (made,), loc))
    return made


def _as_rows(session: Session, form: Laid) -> Value:
    """A list of lists of numbers, which all are its own."""
    if form.width is not None or not is_told(form.kinds) or any(map(is_partial, form.arrays)):
        form.decline()
    are_pythons = not any(map(is_numpys, form.kinds))
    numbers, *marks = map(session.atom, form.arrays)
    made = Value("", ObjectType("list"))
    given = (numbers, are_pythons, *marks)
    session.add(Op(runtime.listed_rows, given, {}, (made,), session.builder.loc))
    return made


def _read_as(session: Session, kind: Any) -> Any:
    """How `runtime.listed` reads a column."""
    if not isinstance(kind, Named):
        return isinstance(kind, NumberType)
    return tuple((session.codes.number(key), case) for key, case in kind.cases.items())


def _holds(column: Value, kind: Any) -> bool:
    """Whether the entries of a column tell the items: numbers or arrays of this kind, or texts."""
    if isinstance(kind, Named):
        return not any(isinstance(case, Ref) for case in kind.cases.values())
    if not isinstance(kind, ArrayType | NumberType):
        return False
    dtype = dtype_of(column.type)
    wanted = np.dtype(kind.kind) if isinstance(kind, NumberType) else dtype_of(kind)
    rank = rank_of(kind)
    return rank is not None and rank_of(column.type) == rank + 1 and dtype == wanted


__all__ = ["are_own", "aux_tree", "list_tree"]
