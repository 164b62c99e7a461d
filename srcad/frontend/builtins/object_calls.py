"""Builtins about objects: `print`, `isinstance`, `type`, `getattr`, `str`, `functools.partial`."""

from __future__ import annotations

import copy
import functools
import inspect
import io
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.changes import (
    check_changeable,
    delete_attribute,
    is_stand_in,
    set_attribute,
)
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    ITEMS,
    DictObj,
    ListObj,
    RecordObj,
    holds_itself,
    is_dict_record,
)
from srcad.frontend.abstract.containers.contents import contents, like, set_contents
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import (
    UNBOUND,
    Abstract,
    CaughtClass,
    Closed,
    Conflict,
    Instance,
    Method,
    Partial,
    Ref,
    describe,
    is_static,
)
from srcad.frontend.builtins.cached_calls import cache
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.expressions.texts import emit_object, settled, shown
from srcad.frontend.laid.reading import AnyLaid, laid_copy, shallow_copy
from srcad.frontend.objects.attributes import attribute, has_attribute
from srcad.frontend.objects.class_functions import check_end, find, gives, may_lack
from srcad.frontend.objects.classes import construct_plainly
from srcad.frontend.objects.members import method_of
from srcad.frontend.objects.namespaces import namespace
from srcad.frontend.python_types import array_classes, joined_classes, possible_classes, python_type
from srcad.frontend.statements.truth import as_bool
from srcad.frontend.written import attributes as written
from srcad.frontend.written.streams import StringIO, print_to
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import EXCEPTION, NumberType


def _print(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> None:
    file = kwargs.get("file")
    if isinstance(file, RecordObj):  # one that is read in place
        options = {name: x for name, x in kwargs.items() if name != "file"}
        call(frame, Ref(print_to, ""), (file, args), options)
        return
    frame.session.effect(print, *(shown(frame, x) for x in args), **kwargs)


def _string_io(frame: Frame, initial_value: Abstract = "", newline: Abstract = "\n") -> Abstract:
    if initial_value not in ("", None) or newline != "\n":
        fix = "begin with an empty one, and write into it"
        raise error("E120", None, what="`io.StringIO` with a text or a `newline`", fix=fix)
    return call(frame, Ref(StringIO, ""), ())


# What a value may be that is a number on one path and an array on another.
_NUMERIC = (bool, int, float, complex, np.ndarray, np.bool_, np.int64, np.float64, np.float32)


def is_instance(frame: Frame, x: Abstract, classes: Abstract) -> bool | Value:
    """`isinstance(x, classes)`, known while compiling unless `x` was caught."""
    wanted = _classes(frame, classes)
    if isinstance(x, RecordObj) and issubclass(x.cls, wanted):
        return True
    if isinstance(x, Ref) and x.path:
        answer: bool = isinstance(x.obj, wanted)
        return answer
    if isinstance(x, Value) and x.type == EXCEPTION:
        return is_caught_instance(frame, x, wanted)
    if isinstance(x, Value) and not frame.session.is_certain(x):
        answers = {issubclass(cls, wanted) for cls in joined_classes(frame, x) or _NUMERIC}
        if len(answers) == 1:
            return answers.pop()
    is_joined = x in frame.session.kinds  # a number or an array, say
    if isinstance(x, Value) and not is_joined and (classes_of_arrays := array_classes(frame, x)):
        answers = {issubclass(cls, wanted) for cls in classes_of_arrays}
        if len(answers) == 1:
            return answers.pop()
    agreed = {issubclass(cls, wanted) for cls in possible_classes(frame, x)}
    return agreed.pop() if len(agreed) == 1 else issubclass(python_type(frame, x), wanted)


def is_caught_instance(frame: Frame, x: Value | None, wanted: Any) -> Value:
    """Ask when the program runs whether a caught exception is one of `wanted`."""
    is_one = Value("", NumberType(bool))
    frame.session.add(Op(isinstance, (x, wanted), {}, (is_one,), frame.session.builder.loc))
    return is_one


def _classes(frame: Frame, x: Abstract) -> Any:
    if isinstance(x, tuple):
        return tuple(_classes(frame, item) for item in x)
    cls = frame.session.raw(x)
    for meta in type(cls).__mro__:
        home = meta.__module__.partition(".")[0]
        if "__instancecheck__" in vars(meta) and home not in sys.stdlib_module_names:
            what = f"the class `{cls.__name__}`, whose metaclass says what its instances are,"
            raise error("E120", None, what=what)
    return cls


def _issubclass(frame: Frame, cls: Abstract, classes: Abstract) -> bool | Value:
    if isinstance(cls, CaughtClass):
        return is_caught_instance(frame, cls.error, _classes(frame, classes))
    return issubclass(frame.session.raw(cls), _classes(frame, classes))


def _type(frame: Frame, x: Abstract) -> Abstract:
    return Ref(python_type(frame, x), "")


def is_callable(frame: Frame, x: Abstract) -> bool:
    """What `callable(x)` is."""
    if isinstance(x, FunctionObj | Partial | Bound | Closed | Method):
        return True
    if isinstance(x, Ref):
        return callable(x.obj)
    cls = python_type(frame, x)
    return any("__call__" in vars(each) for each in cls.__mro__)


def _getattr(frame: Frame, x: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    known = frame.session.static(name, "the name of an attribute")
    if default and may_lack(x, known):
        return call_python(frame, Ref(written.get, ""), (x, known, *default), {}, None)
    if not default or has_attribute(frame, x, known):
        return attribute(frame, x, known)
    return default[0]


def _getattr_static(frame: Frame, x: Abstract, name: Abstract, *default: Abstract) -> Abstract:
    """`inspect.getattr_static`, of what has no attributes of its own."""
    known = frame.session.static(name, "the name of an attribute")
    cls = python_type(frame, x)
    if isinstance(x, Ref | RecordObj) or (hasattr(cls, "__dict__") and cls.__dictoffset__):
        raise error("E120", None, what=f"`getattr_static` of {describe(x)}")
    found = inspect.getattr_static(cls, known, UNBOUND)
    if found is not UNBOUND:
        return Ref(found, "")
    if default:
        return default[0]
    raise fails(frame, AttributeError(known))


def _substituted(frame: Frame, /, *args: Abstract, **options: Abstract) -> Abstract:
    """`re.sub`: of constants a constant, else a text when the program runs."""
    if is_static((*args, *options.values())):
        return re.sub(*args, **options)
    return emit_object(frame, re.sub, args, "str", options)


def _hasattr(frame: Frame, x: Abstract, name: Abstract) -> Abstract:
    known = frame.session.static(name, "the name of an attribute")
    if may_lack(x, known):
        return call_python(frame, Ref(written.has, ""), (x, known), {}, None)
    return has_attribute(frame, x, known)


def _setattr(frame: Frame, x: Abstract, name: Abstract, value: Abstract) -> None:
    known = frame.session.static(name, "the name of an attribute")
    set_attribute(frame, x, known, value, f"`setattr(..., {known!r}, ...)`")


def _delattr(frame: Frame, x: Abstract, name: Abstract) -> None:
    known = frame.session.static(name, "the name of an attribute")
    delete_attribute(frame, x, known, f"`delattr(..., {known!r})`")


def _plain_setattr(frame: Frame, x: Abstract, name: Abstract, value: Abstract) -> None:
    """`object.__setattr__(self, name, value)`: how a frozen dataclass sets its fields."""
    known = frame.session.static(name, "the name of an attribute")
    what = f"`object.__setattr__(..., {known!r}, ...)`"
    if isinstance(x, RecordObj):
        frame.session.inputs.beside.ask_if_held(x.cls, known)
    _, own = (isinstance(x, RecordObj) and find(x.cls, known)) or (None, None)
    is_fixed = is_stand_in(frame, x) or not isinstance(x, RecordObj) or x.is_tuple
    if is_fixed or gives(own, "__set__"):
        raise error("E118", None, what=what)
    check_changeable(frame, x, what)
    x.fields[known] = value


def _new(frame: Frame, cls: Abstract) -> RecordObj:
    """`object.__new__(cls)`: what `__init__` may fill."""
    known = frame.session.raw(cls)
    check_end(known)
    return RecordObj(known, {})


def _made(frame: Frame, cls: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    return construct_plainly(
        frame, Ref(frame.session.raw(cls), getattr(cls, "path", "")), args, kwargs
    )


def _partial(frame: Frame, fn: Abstract, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
    """`functools.partial(fn, ...)`: of a partial, one of the function that this holds."""
    if isinstance(fn, Partial) and isinstance(fn.named, DictObj) and fn.opens:
        return Partial(fn.fn, (*fn.args, *args), DictObj({**fn.kwargs, **kwargs}))
    return Partial(fn, args, DictObj(dict(kwargs)))


def _to_string(frame: Frame, x: Abstract = "") -> Abstract:
    x = settled(frame, x)
    if is_static(x):
        return str(x)
    return emit_object(frame, str.format, ("{!s}", shown(frame, x)), "str")


def _repr(frame: Frame, x: Abstract) -> Abstract:
    x = settled(frame, x)
    if is_static(x):
        return repr(x)
    return emit_object(frame, str.format, ("{!r}", shown(frame, x)), "str")


def _bool(frame: Frame, x: Abstract = False) -> Abstract:
    return as_bool(frame, x)


def _identity(frame: Frame, fn: Abstract) -> Abstract:
    return fn


def _wraps(frame: Frame, wrapped: Abstract, *rest: Abstract, **options: Abstract) -> Abstract:
    return Closed(_identity, "wraps")


def _copy(frame: Frame, x: Abstract) -> Abstract:
    if isinstance(x, CONTAINERS):
        _check_copied(frame, x, "__copy__")
        if isinstance(x, ListObj) and isinstance(x.form, AnyLaid):
            return shallow_copy(frame.session, x.form)
        if isinstance(x, RecordObj) and is_dict_record(x):
            return like(x, contents(x) | {ITEMS: _copy(frame, x.fields[ITEMS])})
        return like(x, contents(x))
    if is_array(x):
        return frame.session.emit(np.copy, (x,))
    return _shared(x)


def _deepcopy(frame: Frame, x: Abstract) -> Abstract:
    """What is one object before is one object after."""
    made: dict[Any, Abstract] = {}

    def copied(x: Abstract) -> Abstract:
        key = frame.session.memory.handle(x) if isinstance(x, Value) else id(x)
        if key in made:
            return made[key]
        if isinstance(x, CONTAINERS):
            _check_copied(frame, x, "__deepcopy__")
            if isinstance(x, ListObj) and isinstance(x.form, LaidRow):
                x.form.decline()  # the list of which it is a row may be copied as well
            if isinstance(x, ListObj) and isinstance(x.form, Laid):
                made[key] = ListObj([], form=laid_copy(frame.session, x.form))
                return made[key]
            made[key] = new = like(x, {})
            set_contents(new, {name: copied(item) for name, item in contents(x).items()})
            return new
        if isinstance(x, tuple):
            return tuple(map(copied, x))
        made[key] = _copy(frame, x)
        return made[key]

    return copied(x)


def _check_copied(frame: Frame, x: Abstract, name: str) -> None:
    """Refuse objects of which their class says how they are copied."""
    if isinstance(x, RecordObj) and method_of(frame, x, name) is not None:
        raise error("E120", None, what=f"a copy of {describe(x)}, which has `{name}`,")
    if holds_itself(x):
        raise error("E120", None, what=f"a copy of {describe(x)}, which is its `__dict__`,")
    if isinstance(x, RecordObj):
        frame.session.inputs.beside.ask_all(x.cls)
        check_end(x.cls)


def _shared(x: Abstract) -> Abstract:
    """What is its own copy: numbers, functions, classes."""
    if isinstance(x, Instance | Conflict | OneShot):
        raise error("E120", None, what=f"a copy of {describe(x)}")
    return x


def _vars(frame: Frame, *objects: Abstract) -> Abstract:
    if len(objects) != 1:
        raise error("E204", None, what="`vars()`", fix="write the expression itself")
    return namespace(frame, objects[0])


OBJECT_CALLS: dict[Any, Callable[..., Abstract]] = {
    print: _print,
    io.StringIO: _string_io,
    isinstance: is_instance,
    issubclass: _issubclass,
    type: _type,
    callable: is_callable,
    getattr: _getattr,
    hasattr: _hasattr,
    inspect.getattr_static: _getattr_static,
    re.sub: _substituted,
    setattr: _setattr,
    delattr: _delattr,
    vars: _vars,
    object.__setattr__: _plain_setattr,
    object.__new__: _new,
    type.__call__: _made,
    str: _to_string,
    repr: _repr,
    bool: _bool,
    functools.partial: _partial,
    functools.wraps: _wraps,
    functools.lru_cache: cache,
    functools.cache: cache,
    copy.copy: _copy,
    copy.deepcopy: _deepcopy,
}
