"""Values of which the text is asked: by `print`, `str`, `repr` and formats.

f"{x} of {xs}"          str.format("{} of {}", x, [x_0, x_1]), at run time
f"{point}"              the named tuple or dataclass is made, for its class to write
", ".join(texts)        their items in a template, where one is known at run time alone
f"{self}"               refused: only the caller's object could tell
"""

from __future__ import annotations

import enum
import types
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    ITEMS,
    DictObj,
    ListObj,
    RecordObj,
    SetObj,
    is_dict_record,
)
from srcad.frontend.abstract.containers.contents import values_of
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import (
    Abstract,
    Ref,
    ShapeTuple,
    describe,
    is_local_class,
    is_static,
)
from srcad.frontend.expressions.missing import fails
from srcad.frontend.kinds import record_fields
from srcad.frontend.objects.class_functions import field_of, is_written
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, ObjectType
from srcad.runtime.fields import dict_of
from srcad.runtime.records import is_dataclass, record

# What is guarded to be this very object, and writes itself the same way always.
_FIXED = (
    types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type, np.ufunc, enum.Enum,
)  # fmt: skip


def emit_object(
    frame: Frame,
    fn: Any,
    args: tuple[Abstract, ...],
    kind: str,
    kwargs: dict[str, Abstract] | None = None,
) -> Value:
    """Emit a call whose result is no number: a string, say."""
    session, out = frame.session, Value("", ObjectType(kind))
    atoms = session.atom(args), session.atom(kwargs or {})
    session.add(Op(fn, *atoms, (out,), session.builder.loc))
    return out


def is_string(x: Abstract) -> bool:
    """Whether `x` is a string of NumPy's, which only data knows."""
    return (
        isinstance(x, Value)
        and isinstance(x.type, ArrayType)
        and x.type.dtype.kind == "U"
        and x.type.scalar
    )


def is_text(x: Abstract) -> bool:
    """Whether `x` is a text of Python's, known while compiling or not."""
    return isinstance(x, str) or (isinstance(x, Value) and x.type == ObjectType("str"))


def joined(frame: Frame, between: str, items: tuple[Abstract, ...]) -> Abstract:
    """`between.join(items)`: a constant where all items are, else at run time.

    Raises:
        UnsupportedSyntax: E121, for run-time values that are no texts.
    """
    if not values_of(items):
        try:
            return between.join(frame.session.raw(items))
        except TypeError as problem:  # of an item that is no text
            raise fails(frame, problem) from None
    if not all(map(is_text, items)):
        raise error("E121", None, what="method `join` of run-time values that are no texts")
    marks = ("{}" if isinstance(x, Value) else braced(x) for x in items)
    parts = [x for x in items if isinstance(x, Value)]
    return emit_object(frame, str.format, (braced(between).join(marks), *parts), "str")


def braced(text: str) -> str:
    """A text as a template of `str.format`, which gives it back."""
    return text.replace("{", "{{").replace("}", "}}")


def text_of(frame: Frame, x: Value) -> Value:
    """The text that an array of strings without axes holds, as Python's."""
    return emit_object(frame, str.format, ("{}", x), "str")


def shown(frame: Frame, x: Abstract) -> Abstract:
    """A value as what formats it gets it at run time.

    Raises:
        UnsupportedSyntax: E120, for objects of which only the caller's own could tell their text.
    """
    if isinstance(x, np.dtype):  # as an argument it may be written as its type
        return emit_object(frame, np.dtype, (x,), "dtype")
    frame.session.kinds.check_kind(x, "which its text tells,")
    if is_static(x) or isinstance(x, Value | ShapeTuple):
        return x
    if isinstance(x, SetObj) and len(x.items) < 2:  # several have no order
        return set(x.items)
    if isinstance(x, ListObj) and x.cls is list:
        return ListObj([shown(frame, item) for item in x.items])
    if isinstance(x, DictObj) and x.cls is dict:
        return {key: shown(frame, item) for key, item in x.items.items()}
    if type(x) is tuple:
        return tuple(shown(frame, item) for item in x)
    is_inside = isinstance(x, RecordObj) and (
        is_local_class(x.cls) or is_written(x.cls) or (is_dict_record(x) and len(x.fields) > 1)
    )
    if isinstance(x, RecordObj) and not is_inside and not x.is_result:
        return _made(frame, x)
    if isinstance(x, Ref) and isinstance(x.obj, _FIXED) and not _is_made_inside(x.obj):
        return Ref(x.obj, "")
    fix = "write the text of its attributes"
    raise error("E120", None, what=f"the text of {describe(x)}", fix=fix)


def settled(frame: Frame, x: Abstract) -> Abstract:
    """A value as what formats it gets it now: a class writes itself the same way always."""
    if isinstance(x, Ref) and isinstance(x.obj, type) and not is_local_class(x.obj):
        is_plain = type(x.obj).__repr__ is type.__repr__ and type(x.obj).__str__ is object.__str__
        return frame.session.raw(x) if is_plain else x
    return tuple(settled(frame, item) for item in x) if type(x) is tuple else x


def _made(frame: Frame, x: RecordObj) -> Value:
    """An object like this one, made at run time."""
    session, out = frame.session, Value("", ObjectType(x.cls.__name__))
    if is_dict_record(x) and len(x.fields) == 1:
        items = {key: shown(frame, item) for key, item in x.fields[ITEMS].items.items()}
        return emit_object(frame, dict_of, (Ref(x.cls, ""), items), x.cls.__name__)
    session.inputs.beside.ask_all(x.cls)
    for name in record_fields(x.cls) if is_dataclass(x.cls) else ():
        field_of(x, name)
    fields = {name: session.atom(shown(frame, item)) for name, item in x.fields.items()}
    made = Op(x.cls, (), fields, (out,), session.builder.loc)
    if not x.is_tuple:
        made = Op(record, (x.cls,), fields, (out,), session.builder.loc)
    session.add(made)
    return out


def _is_made_inside(obj: Any) -> bool:
    return isinstance(obj, type) and is_local_class(obj)


__all__ = ["braced", "emit_object", "is_string", "is_text", "joined", "settled", "shown", "text_of"]
