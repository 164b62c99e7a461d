"""What `bool(x)` is: a constant where it is known while compiling, else the value to test."""

from __future__ import annotations

import operator

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, FunctionObj, Managed
from srcad.frontend.abstract.containers.containers import (
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    View,
    form_of,
)
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import (
    Abstract,
    CaughtClass,
    Closed,
    Either,
    Method,
    Partial,
    Raised,
    Range,
    Ref,
    Super,
    Traceback,
    describe,
    is_static,
)
from srcad.frontend.dispatch import call
from srcad.frontend.iterators.counted import length
from srcad.frontend.laid.reading import AnyLaid, size_of
from srcad.frontend.lists import open_lists
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.objects.members import method_of
from srcad.frontend.objects.protocols import asked
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType, TupleType, shape_of


def truth(frame: Frame, x: Abstract) -> Abstract:
    """`bool(x)` as a constant if it is known while compiling, else the value to test."""
    if isinstance(x, ListObj) and isinstance(x.form, AnyLaid):
        return frame.session.emit(operator.gt, (size_of(frame.session, x.form), 0))
    match form_of(x):
        case Value(type=TupleType(items=items)):
            return len(items) > 0
        case Value():
            if (known := frame.session.known_truth(x)) is not None:
                return known
            return frame.session.emit(bool, (x,)) if _may_be_many(x) else x
        case ListObj() | DictObj() | SetObj() | View() | tuple():
            return len(x.items if not isinstance(x, tuple) else x) > 0
        case Grown(columns=columns):
            return frame.session.emit(operator.gt, (length(frame.session, columns[0]), 0))
        case Open() as form:
            return open_lists.truth(frame, form)
        case Pieces() as form:
            form.decline()
        case RecordObj():
            return _truth_of_object(frame, x, x.cls)
        case Either():
            return call(frame, Ref(bool, ""), (x,))
        case Ref():
            return _truth_of_object(frame, x, type(x.obj))
        case Range(step=int(step)) if step:
            fn = operator.lt if step > 0 else operator.gt
            return frame.session.emit(fn, (x.start, x.stop))
        case Raised():
            return _truth_of_object(frame, x, x.cls)
        case _ if isinstance(x, _TRUE):
            return True
        case _ if is_static(x):
            return bool(x)
    raise error("E132", None, what=f"the truth of {describe(x)}")


def _may_be_many(x: Value) -> bool:
    """Whether it may be an array of other than one entry, of which there is no truth."""
    return is_array(x) and shape_of(x.type) != ()


# What has neither a length nor a truth of its own: functions and iterators.
_TRUE = (
    FunctionObj, Method, Bound, Partial, Closed, Super, OneShot, Managed, CaughtClass, Traceback,
)  # fmt: skip


def _truth_of_object(frame: Frame, x: Abstract, cls: type) -> Abstract:
    method = method_of(frame, x, "__bool__")
    if method is not None:
        return asked(frame, bool, method)
    method = method_of(frame, x, "__len__")
    if method is not None:
        return truth(frame, asked(frame, len, method))
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return len(cls._fields) > 0
    if hasattr(cls, "__bool__") or hasattr(cls, "__len__"):
        raise error("E121", None, what=f"the truth of {describe(x)}")
    return True


def as_bool(frame: Frame, x: Abstract) -> Abstract:
    """`bool(x)` itself, which is no number and no array."""
    known = truth(frame, x)
    if not isinstance(known, Value):
        return bool(known)
    return known if known.type == NumberType(bool) else frame.session.emit(bool, (known,))


__all__ = ["as_bool", "truth"]
