"""The tree of what a program returns: its containers, with the leaves numbered.

return {"loss": s, "steps": 3, "xs": [a, b]}
                                 {"loss": Slot(0), "steps": Slot(1), "xs": [Slot(2), Slot(3)]}

A leaf that is known while compiling and is no number (a text, a function) is `Static`.
"""

from __future__ import annotations

import enum
import operator
import types
from collections.abc import Callable
from typing import Any

from srcad.errors import Location, error
from srcad.frontend.abstract.closures import Suspended
from srcad.frontend.abstract.containers.containers import (
    ITEMS,
    Container,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
    holds_itself,
    is_array_record,
    is_dict_record,
)
from srcad.frontend.abstract.frame import check_conflict
from srcad.frontend.abstract.objects import (
    Abstract,
    Either,
    Instance,
    Ref,
    ShapeTuple,
    describe,
    is_local_class,
    is_static,
)
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.which import MADE, is_given
from srcad.frontend.written.structured.arrays import Structured
from srcad.ir.interface import Chosen, Fields, Hidden, Record, Slot, Static, Table
from srcad.ir.nodes import Block, If, Value
from srcad.runtime.effects import raise_
from srcad.runtime.fields import array_of, dict_of, namespace_of

_WRITTEN = "srcad.frontend.written."
_ARRAY = "return the array that it holds, `x.to_numpy()`, or its number: `float(x)`"
_BY_DATA = "return arrays, for instance `np.array(list(d.values()))`"
# Where classes are whose records stand for others' data, or for containers whose keys data gives:
# what these are called, and what to return in their place.
_STAND_INS: tuple[tuple[str, str, str | None], ...] = (
    ("scipy.sparse_solvers", "{}", "return the solution alone"),
    ("scipy.sparse", "a sparse matrix", "return its entries, `A.tocsr().data`, or `A.toarray()`"),
    ("structured", "{}", 'return its fields: `r["a"], r["n"]`'),
    ("scipy.rotation", "a rotation",
     "return what it consists of: `r.as_quat()`, `r.as_matrix()`, `r.as_rotvec()`"),
    *((home, "{}", _ARRAY) for home in ("labelled", "opaque", "pandas.", "data_arrays")),
    *((home, "{} whose keys or length data gives", _BY_DATA) for home in ("tables", "groups")),
    ("", "{}", None),
)  # fmt: skip


def result_tree(
    session: Session,
    x: Abstract,
    results: list[Any],
    inner: Callable[[Abstract], Any] | None = None,
) -> Any:
    """The tree of an abstract value; appends its leaves to `results`.

    Args:
        inner: makes the trees of the items of a container; this function by default.
    """
    tree = inner or (lambda item: result_tree(session, item, results))
    match check_conflict(x):
        case Either():
            return tree(of_one_kind(session, x))
        case Value() as value:
            session.kinds.check_kind(value, "which the type of the result tells,")
            results.append(session.memory.read(x))
            return Slot(len(results) - 1)
        case bool() | None:
            return Static(x)
        case int() | float() | complex():
            results.append(x)
            return Slot(len(results) - 1)
        case ShapeTuple():
            return result_tree(session, session.emit_shape(x.owner), results)
        case tuple():
            return tuple(map(tree, x))
        case ListObj() | DictObj() if x.cls not in (list, dict):
            raise error("E306", None, what=f"the result, a {x.cls.__name__},")
        case ListObj():
            return list(map(tree, x.items))
        case DictObj():
            return {key: tree(item) for key, item in x.items.items()}
        case Instance() if x.fields:
            what = f"the result, {describe(x)} with changed attributes,"
            raise error("E306", None, what=what, fix="return the changed values themselves")
        case Ref() if _may_hold_changes(session, x):
            what = f"the result, {describe(x)}, which may hold what the function has changed,"
            raise error("E306", None, what=what, fix="return the changed values themselves")
        case RecordObj() if is_dict_record(x) and (len(x.fields) == 1 or holds_itself(x)):
            return table_of(x, tree)
        case RecordObj() if is_array_record(x) and not is_local_class(x.cls):
            return Table(array_of, (x.cls,), {key: tree(part) for key, part in x.fields.items()})
        case RecordObj() if x.cls is Structured:
            parts = {name: tree(part) for name, part in x.fields["_parts"].items.items()}
            return Fields(x.fields["dtype"], x.fields["_is_record"], parts)
        case RecordObj():
            _check_record(session, x)
            return Record(x.cls, {k: tree(item) for k, item in x.fields.items()})
        case SetObj():
            if x.path:
                raise error("E306", None, what="the result, a set that others have as well,")
            return Static(set(x.items))
        case Ref():
            if x.path:
                session.inputs.guard(x.path, "is", x.obj)
            return Static(x.obj)
        case Suspended():
            raise error("E111", x.place, what="a generator as the result")
        case _ if is_static(x):
            return Static(x)
    raise error("E306", None, what=f"the result, {describe(x)},")


def table_of(x: RecordObj, tree: Callable[[Abstract], Any]) -> Table:
    """The tree of an object of a class with `dict` behind it, of those of its items."""
    items = {key: tree(item) for key, item in x.fields[ITEMS].items.items()}
    return Table(namespace_of if holds_itself(x) else dict_of, (x.cls,), items)


def _check_record(session: Session, x: RecordObj) -> None:
    """Refuse a record that cannot leave the program."""
    if is_local_class(x.cls):
        raise error("E306", None, what="the result, an object of a class made in the function,")
    home = x.cls.__module__
    if home.startswith(_WRITTEN):
        inside = home.removeprefix(_WRITTEN)
        _, called, fix = next(row for row in _STAND_INS if inside.startswith(row[0]))
        raise error("E306", None, what=f"the result, {called.format(describe(x))},", fix=fix)
    if is_array_record(x):
        fix = "return its array: `np.asarray(x)`"
        raise error("E306", None, what=f"the result, {describe(x)},", fix=fix)
    if is_dict_record(x):
        what = f"the result, {describe(x)} with attributes beside its items,"
        raise error("E306", None, what=what, fix="return `dict(...)` of it")
    if any(owner is x and name not in x.fields for owner, name in session.properties):
        what = f"the result, {describe(x)}, of which a branch or loop read a cached property,"
        raise error("E306", None, what=what, fix="read it once before the branch or loop")
    if x.is_result:
        fix = "return what is read of it, such as its `x`"
        raise error("E306", None, what=f"the result, {describe(x)},", fix=fix)
    if x.uneven:
        raise error("E129", None, what=f"{describe(x)}, of which the attributes differ,")


def varied_tree(session: Session, x: Abstract, results: list[Any], where: Location | None) -> Any:
    """The tree of what a derivative is taken of; an array of xarray without axes hides a number.

    Args:
        where: the function, for a refusal; None in another function.
    """
    is_array = isinstance(x, RecordObj) and x.cls.__module__ == f"{_WRITTEN}data_arrays"
    if not is_array or x.fields.get("dims") != ():
        return result_tree(session, x, results)
    fix = "return its number: `float(x)`"
    problem = error("E306", where, what="the result, an array of xarray,", fix=fix)
    return Hidden(result_tree(session, x.fields["_held"], results), problem)


def _may_hold_changes(session: Session, x: Ref) -> bool:
    """Whether an object of the caller's may reach an argument that the function changes: the
    object comes back as it is, and what a derivative changes are copies.
    """
    is_closed = callable(x.obj) or isinstance(x.obj, types.ModuleType | enum.Enum)
    is_open = isinstance(x, Instance) or not is_closed
    return is_open and bool(x.path and (session.inputs.has_changes or session.memory.written))


def chosen_tree(
    session: Session, x: Either, results: list[Any], tree: Callable[[Abstract], Any]
) -> Any:
    """The tree of what is of one of several kinds by data, where each of them may leave; appends
    its code to `results`. `tree` makes the trees of the kinds.
    """
    kinds = session.codes.possible(x)
    if len(kinds) == 1:
        return tree(x.cases[kinds[0]])
    results.append(x.code)
    code = Slot(len(results) - 1)
    return Chosen(code, {session.codes.number(kind): tree(x.cases[kind]) for kind in kinds})


def container_tree(
    session: Session,
    x: Container,
    results: list[Any],
    caller: Callable[[str], Any],
    made: Callable[[Container], Any],
) -> Any:
    """The tree of a container: the caller's own where the program finds it to be that, or one that
    was made here; appends its code to `results`.

    Args:
        caller: makes the tree of what stands at a path, None where a copy leaves in its place.
        made: makes the tree of a container as one of the program's.
    """
    which = session.codes.which
    if is_given(x):
        own = caller(x.path)
        return made(x) if own is None else own
    number = which.numbers.get(x, MADE)
    code = None
    if isinstance(number, Value):
        options = which.options(x) or {MADE, *which.given.values()}
        results.append(number)
        code = Slot(len(results) - 1)
    else:
        options = {number}
    own = {k: caller(path) for path, k in which.given.items() if k in options}
    cases = {k: tree for k, tree in own.items() if tree is not None}
    if not options <= cases.keys():
        cases[MADE] = made(x)
    return next(iter(cases.values())) if code is None else Chosen(code, cases)


def of_one_kind(session: Session, x: Either) -> Abstract:
    """What leaves a program is of one kind: it raises where the result is another, a constant."""
    kinds = session.codes.possible(x)
    found = [kind for kind in kinds if not is_static(x.cases[kind])]
    if len(found) != 1:
        raise error("E129", None, what="the result")
    for kind in kinds:
        if kind != found[0]:
            cond = session.emit(operator.eq, (x.code, session.codes.number(kind)))
            with session.block() as body:
                message = f"the result is {x.cases[kind]!r}, not a number or an array"
                session.effect(raise_, Ref(TypeError, ""), message)
            session.builder.body.append(
                If(cond, Block([], body, []), Block([], [], []), (), session.builder.loc)
            )
    return x.cases[found[0]]
