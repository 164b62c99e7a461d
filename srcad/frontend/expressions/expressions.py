"""Names, constants, displays, subscripts and strings."""

from __future__ import annotations

import enum
import operator
from functools import partial
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    as_dict,
    form_of,
    formed,
)
from srcad.frontend.abstract.frame import Frame, check_conflict, fixed
from srcad.frontend.abstract.iterators import OneShot, Reversed
from srcad.frontend.abstract.objects import (
    Abstract,
    Either,
    Range,
    Ref,
    ShapeTuple,
    describe,
    is_static,
)
from srcad.frontend.builtins.library_containers import missing_item
from srcad.frontend.dispatch import assign, call, expression, handles_expression
from srcad.frontend.expressions.by_case import by_case
from srcad.frontend.expressions.chosen_items import chosen_array, chosen_item
from srcad.frontend.expressions.index_tricks import is_trick, made_by_index
from srcad.frontend.expressions.missing import (
    check_bounds,
    check_is_array,
    fails,
    missing,
    raised_by_class,
    refuse_slice,
)
from srcad.frontend.expressions.texts import braced, emit_object, settled, shown
from srcad.frontend.kinds import has_source
from srcad.frontend.known_objects import known_item
from srcad.frontend.laid.asking import ask_by_index
from srcad.frontend.laid.known import displayed
from srcad.frontend.laid.reading import AnyLaid, item_of
from srcad.frontend.lists.by_data import array_form, is_by_data
from srcad.frontend.lists.grown_lists import row
from srcad.frontend.lists.open_lists import read
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.lists.tables import key_of, new_dict, read_table
from srcad.frontend.loops.iteration import is_listed, items_of, iterated, tuple_items
from srcad.frontend.objects.attributes import attribute
from srcad.frontend.objects.members import method_of
from srcad.frontend.python_types import possible_classes
from srcad.frontend.reading.binding import assigns_outside
from srcad.frontend.statements.stores import as_index
from srcad.ir.kinds import index_parts, is_array
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, ObjectType, SeqType, TupleType, rank_of


@handles_expression(gast.Constant)
def _constant(frame: Frame, node: gast.Constant) -> Abstract:
    return node.value


@handles_expression(gast.Name)
def _name(frame: Frame, node: gast.Name) -> Abstract:
    return frame.lookup(node.id)


@handles_expression(gast.Attribute)
def _attribute(frame: Frame, node: gast.Attribute) -> Abstract:
    return attribute(frame, expression(frame, node.value), node.attr)


@handles_expression(gast.NamedExpr)
def _named(frame: Frame, node: gast.NamedExpr) -> Abstract:
    x = expression(frame, node.value)
    assign(frame.function(), node.target, x)
    return x


@handles_expression(gast.Lambda)
def _lambda(frame: Frame, node: gast.Lambda) -> Abstract:
    return make_function(frame, node)


def make_function(frame: Frame, node: gast.FunctionDef | gast.Lambda) -> FunctionObj:
    """The function object of a nested `def` or lambda, its defaults evaluated now."""
    defaults = [expression(frame, d) for d in node.args.defaults]
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    kw_defaults = {a.id: expression(frame, d) for a, d in named if d is not None}
    home = frame.around_class()
    if assigns_outside(node):
        home.share()
    return FunctionObj(node, home, defaults, kw_defaults)


# Displays ----------------------------------------------------------------------------------------


def elements(frame: Frame, nodes: list[Any]) -> list[Abstract]:
    """The items of a display or the positional arguments of a call, stars spread."""
    items: list[Abstract] = []
    for node in nodes:
        if not isinstance(node, gast.Starred):
            items.append(expression(frame, node))
            continue
        inner = iterated(frame, expression(frame, node.value))
        if is_listed(inner) is False and not _has_rows(inner):
            raise error("E125", frame.at(node), what=f"`*{gast.unparse(node.value)}`")
        items.extend(items_of(frame, inner, "a starred argument"))
    return items


def _has_rows(x: Abstract) -> bool:
    """Whether `x` is an array that has rows, a range, or goes through such."""
    return isinstance(x, Range | OneShot) or (isinstance(x, Value) and bool(rank_of(x.type)))


@handles_expression(gast.Tuple)
def _tuple(frame: Frame, node: gast.Tuple) -> Abstract:
    return tuple(elements(frame, node.elts))


@handles_expression(gast.List)
def _list(frame: Frame, node: gast.List) -> Abstract:
    return displayed(frame, ListObj(elements(frame, node.elts)), node)


@handles_expression(gast.Dict)
def _dict(frame: Frame, node: gast.Dict) -> Abstract:
    pairs: list[tuple[Abstract, Abstract]] = []
    for key, value in zip(node.keys, node.values, strict=True):
        if key is not None:
            pairs.append((expression(frame, key), expression(frame, value)))
            continue
        x = as_dict(expression(frame, value))
        if not isinstance(x, DictObj):
            raise error("E125", frame.at(value), what=f"`**{gast.unparse(value)}`")
        pairs.extend(x.items.items())
    return new_dict(frame, pairs)


# Strings -----------------------------------------------------------------------------------------


@handles_expression(gast.JoinedStr)
def _formatted(frame: Frame, node: gast.JoinedStr) -> Abstract:
    """An f-string: a constant where its parts are, else `str.format` at run time."""
    template, parts = "", []
    for piece in node.values:
        if isinstance(piece, gast.Constant):
            template += braced(str(piece.value))
            continue
        parts.append(settled(frame, expression(frame, piece.value)))
        spec = "" if piece.format_spec is None else _formatted(frame, piece.format_spec)
        if not isinstance(spec, str):
            raise error("E123", frame.at(node), what="the format of an f-string")
        mark = "" if piece.conversion in (-1, None) else f"!{chr(piece.conversion)}"
        template += "{" + mark + (f":{spec}" if spec else "") + "}"
    return by_case(frame, tuple(parts), partial(_written, frame, template), template.format)


def _written(frame: Frame, template: str, *parts: Abstract) -> Abstract:
    if all(map(is_static, parts)):
        return template.format(*parts)
    return emit_object(frame, str.format, (template, *(shown(frame, x) for x in parts)), "str")


# Subscripts --------------------------------------------------------------------------------------


@handles_expression(gast.Slice)
def _slice(frame: Frame, node: gast.Slice) -> Abstract:
    bounds = (node.lower, node.upper, node.step)
    return slice(*(None if p is None else expression(frame, p) for p in bounds))


@handles_expression(gast.Subscript)
def _subscript(frame: Frame, node: gast.Subscript) -> Abstract:
    return item(frame, expression(frame, node.value), expression(frame, node.slice))


def item(frame: Frame, owner: Abstract, index: Abstract) -> Abstract:
    """`owner[index]`."""
    session = frame.session
    if isinstance(owner, Either) or isinstance(index, Either):
        return by_case(frame, (owner, index), partial(item, frame), operator.getitem)
    if isinstance(owner, Ref) and type(owner.obj).__module__ == "typing":  # `Optional[float]`
        return Ref(owner.obj[session.raw(index)], "")
    method = method_of(frame, owner, "__getitem__")
    if method is not None:
        return call(frame, method, (index,))
    refuse_slice(frame, owner, index)
    ask_by_index(session, owner, index)
    if isinstance(owner, ListObj) and isinstance(owner.form, AnyLaid):
        return item_of(frame, owner, index)
    match form_of(owner):
        case Value(type=TupleType()) if isinstance(index, slice):
            return item(frame, tuple_items(session, owner), index)
        case Value(type=ArrayType() | TupleType() | SeqType()):
            check_bounds(frame, owner, index)
            check_is_array(frame, owner, index)
            if owner in session.ends:
                return _of_steps(frame, owner, index)
            if owner in session.memory.flat:
                return _of_flat(frame, owner, index)
            return session.emit(operator.getitem, (owner, as_index(frame, index)))
        case Range() if isinstance(index, slice) and _is_reversal(index):
            return Reversed(owner)
        case Grown() as form if isinstance(index, slice):
            columns = tuple(item(frame, c, index) for c in form.columns)
            return formed(form.of_columns(columns))
        case Grown() as form:
            return row(frame, form, as_index(frame, index))
        case Open() as form:
            return read(frame, form, index)
        case Pieces() as form:
            form.decline()
        case DictObj() if (table := read_table(frame, owner, index)) is not None:
            return item(frame, table, index)
        case DictObj():
            key = key_of(frame, owner, index)
            if key not in owner.items:
                return missing_item(frame, owner, key)
            return owner.items[key]
        case Ref() if is_trick(owner.obj):
            return made_by_index(frame, owner.obj, index)
        case Ref(obj=list() | tuple() | dict()):
            return _captured_item(frame, owner, index)
        case RecordObj() if owner.is_tuple:
            return _sequence_item(frame, owner.items, index)
        case RecordObj() if owner.is_result and isinstance(index, str):
            return attribute(frame, owner, index)
        case ListObj() | tuple() | str() | range():
            return _sequence_item(frame, owner, index)
        case np.dtype():
            return known_item(frame, owner, index)
    refusal = error("E132", None, what=f"indexing of {describe(owner)}")
    if any(hasattr(cls, "__getitem__") for cls in possible_classes(frame, owner)):
        raise refusal
    raise raised_by_class(frame, owner, lambda x: x[0], refusal)


def _of_flat(frame: Frame, owner: Value, index: Abstract) -> Abstract:
    """`x.flat[index]`: an entry, or a copy of several."""
    parts = index_parts(index)
    if len(parts) != 1 or parts[0] is None:
        try:
            np.zeros(1).flat[tuple(None if each is None else 0 for each in parts)]  # type: ignore[index]
        except IndexError as problem:
            raise fails(frame, problem) from None
    found = frame.session.emit(operator.getitem, (owner, as_index(frame, index)))
    return frame.session.emit(np.copy, (found,)) if is_array(found) else found


def _of_steps(frame: Frame, owner: Value, index: Abstract) -> Abstract:
    """`y[index]` of the steps of a solver: the end, `y[:, -1]`, is a value of its own."""
    session, end = frame.session, frame.session.ends[owner]
    is_changed = session.memory.contents.get(owner, owner) is not owner
    parts = index if isinstance(index, tuple) else (index,)
    at_end = parts[-1:] == (-1,) and type(parts[-1]) is int
    if not is_changed and at_end and len(parts) == rank_of(owner.type):
        return item(frame, end, parts[:-1]) if parts[:-1] else end
    found = session.emit(operator.getitem, (owner, as_index(frame, index)))
    if not is_changed and type(index) is int:
        session.ends[found] = item(frame, end, index)
    return found


def _is_reversal(index: slice) -> bool:
    """Whether a slice is `[::-1]`."""
    return index.start is None and index.stop is None and is_static(index) and index.step == -1


def _captured_item(frame: Frame, owner: Ref, index: Abstract) -> Abstract:
    key = frame.session.static(index, "this index")
    if type(owner.obj) not in (list, tuple, dict) or isinstance(key, slice):
        raise error("E132", None, what=f"indexing of {describe(owner)}")
    key = key.item() if isinstance(key, np.generic) else key  # which is found by it as well
    inputs = frame.session.inputs
    source = repr(key) if has_source(key) else ""
    is_object = isinstance(key, type | np.dtype | FunctionType | enum.Enum)
    if is_object and not owner.path.startswith("A["):
        source = inputs.keep(key)
    if not source:
        fix = "use a string, an int or a tuple of these as the key: `key.name` of an enum's member"
        raise error("E100", None, what=f"the key {key!r} of a dict", fix=fix)
    try:
        found = owner.obj[key]
    except (KeyError, IndexError):
        raise error("E135", None, what=f"{key!r}") from None
    if not owner.path:  # of a module whose contents are fixed
        return fixed(found)
    return inputs.lift(found, f"{owner.path}[{source}]", getattr(key, "__name__", str(key)))


def _item_by_data(frame: Frame, owner: Any, index: Abstract) -> Abstract:
    """`owner[index]` of a list or tuple, by an int or slice that data gives; None where it is to be
    a constant, or the items are many or a slice's, and of no form.
    """
    is_part = isinstance(index, slice)
    parts = (index.start, index.stop, index.step) if isinstance(index, slice) else (index,)
    is_plain = isinstance(owner, ListObj) and owner.cls is list
    if not any(is_by_data(frame.session, part) for part in parts) or (is_part and not is_plain):
        return None
    chosen = None if is_part else chosen_array(frame, owner, index)
    form = array_form(frame, owner) if chosen is None else None
    if form is not None:
        return item(frame, formed(form), index)
    is_data = frame.session.carries or not frame.session.can_be_static(index)
    is_asked = chosen is None and not is_part and is_data
    return chosen_item(frame, owner, index) if is_asked else chosen


def _sequence_item(frame: Frame, owner: Any, index: Abstract) -> Abstract:
    if is_array(index) and rank_of(index.type) == 0:
        index = frame.session.emit(operator.getitem, (index, ()))  # its entry
    is_empty = isinstance(owner, ListObj) and owner.cls is list and not owner.items
    if is_empty and is_by_data(frame.session, index):
        raise fails(frame, IndexError("list index out of range"))
    if (found := _item_by_data(frame, owner, index)) is not None:
        return found
    key = frame.session.static(index, "the index of a list or tuple")
    items = owner.items if isinstance(owner, ListObj) else owner
    if isinstance(key, slice):
        if isinstance(owner, ListObj) and owner.cls is not list:
            raise error("E132", None, what=f"a slice of {describe(owner)}")
        part = items[key]
        if isinstance(owner, ListObj):
            return ListObj(part)
        return tuple(part) if isinstance(owner, ShapeTuple) else part
    try:
        return check_conflict(items[key])
    except IndexError as problem:
        raise missing(frame, problem, key) from None


__all__ = ["ObjectType", "elements", "item", "make_function", "shown"]
