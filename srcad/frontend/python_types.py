"""The Python classes of what lowering knows: what `type`, `isinstance` and `x.__class__` answer.

    type(np.sum(x))          numpy.float64
    isinstance(range(n), range)   True

There is no default answer: a class that is not known is refused.
"""

from __future__ import annotations

import functools
import random
import sys
import types
from typing import Any

import numpy as np

from srcad.devices import device_class, is_on_device
from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, FunctionObj, Generator, Suspended
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Enumerate, Map, Zip
from srcad.frontend.abstract.objects import (
    Abstract,
    Flags,
    Partial,
    Raised,
    Range,
    Ref,
    describe,
    is_static,
)
from srcad.frontend.objects.class_functions import is_written
from srcad.frontend.written import groups, labelled, streams, tables
from srcad.frontend.written.masked.arrays import Masked
from srcad.frontend.written.scipy import rotation_makers, rotations, sparse
from srcad.frontend.written.structured.arrays import Fields, Structured
from srcad.ir.nodes import Value
from srcad.ir.types import EXCEPTION, ArrayType, NumberType, ObjectType, SeqType, TupleType
from srcad.rules.core.joined_kinds import is_numpys
from srcad.rules.draws import GENERATOR, PYTHON_RANDOM, RANDOM_STATE

# The classes of objects that the program makes; no other is known.
_OBJECTS: dict[Any, type] = {
    GENERATOR: np.random.Generator,
    RANDOM_STATE: np.random.RandomState,
    PYTHON_RANDOM: random.Random,
    ObjectType("str"): str,
    ObjectType("bytes"): bytes,
    ObjectType("range"): range,
    ObjectType("slice"): slice,
    ObjectType("NoneType"): type(None),
    ObjectType("function"): types.FunctionType,
}
# The classes of what lowering has objects of its own for.
_CLASSES: dict[type, type] = {
    FunctionObj: types.FunctionType, Partial: functools.partial, Bound: types.MethodType,
    Range: range, Zip: zip, Map: map, Enumerate: enumerate, Generator: types.GeneratorType,
    Suspended: types.GeneratorType, Flags: type(np.zeros(0).flags), slice: slice,
}  # fmt: skip
_ASK = "ask with `isinstance(problem, SomeError)`, or write one handler for each class"
_FIX = "compute it outside and pass what it decides as an argument"

_STANDING = tables.Keyed | tables.View | groups.Shown | streams.StringIO


def python_type(frame: Frame, x: Abstract) -> type:
    """The class that the run-time object has."""
    classes = possible_classes(frame, x)
    if len(classes) == 1:
        return classes.pop()
    fix: str | None
    what, fix = f"the class of {describe(x)}", _ASK if _is_caught(x) else _FIX
    if isinstance(x, Value) and not frame.session.is_certain(x):
        what, fix = f"whether `{x.name or 'this'}` is an int, a float or an array", None
    elif classes:
        what, fix = f"the class of the array `{x.name or 'this'}`", None
    raise error("E123", None, what=what, fix=fix)


def _is_caught(x: Abstract) -> bool:
    return isinstance(x, Value) and x.type == EXCEPTION


def possible_classes(frame: Frame, x: Abstract) -> set[type]:
    """The classes of which the run-time object may be one; none where they are not known."""
    match x:
        case Value():
            if not frame.session.is_certain(x):
                return set()
            return array_classes(frame, x) or _classes_of_value(x) | _of_entries(frame, x)
        case RecordObj() if issubclass(x.cls, sparse.Matrix):
            return {class_of_matrix(x)}
        case RecordObj() if issubclass(x.cls, rotations.Rotation | rotation_makers.Slerp):
            return {class_of_rotation(x)}
        case RecordObj() if issubclass(x.cls, Masked):
            return {np.ma.MaskedArray}  # NumPy has read it where there is one
        case RecordObj() if issubclass(x.cls, Fields):
            return {class_with_fields(x)}
        case RecordObj() if isinstance(x.fields.get("_outside"), Ref):
            return {type(x.fields["_outside"].obj)}
        case RecordObj() if issubclass(x.cls, labelled.Labelled):
            return {getattr(sys.modules[x.cls.package], x.cls.__name__)}
        case RecordObj() if issubclass(x.cls, _STANDING):
            return {x.cls.stands_for}
        case RecordObj() if is_written(x.cls):
            return set()  # nothing is known of what it stands for
        case ListObj() | DictObj() | SetObj() | RecordObj() | Raised():
            return {x.cls}
        case Ref():
            return {type(x.obj)}
        case tuple():
            return {tuple}
    if type(x) in _CLASSES:
        return {_CLASSES[type(x)]}
    return {type(x)} if is_static(x) else set()


def class_with_fields(x: RecordObj) -> type:
    """NumPy's class of an array with fields, or of an entry of one."""
    plain, of_record = (np.ndarray, np.recarray) if x.cls is Structured else (np.void, np.record)
    return of_record if x.fields["_is_record"] else plain


def class_of_matrix(x: RecordObj) -> type:
    """SciPy's class of a sparse matrix."""
    from scipy import sparse as scipy_s

    form = "csc" if x.fields["_by_columns"] else "csr"
    form = form if issubclass(x.cls, sparse.Compressed) else "dia"
    kind = "array" if issubclass(x.cls, sparse.Array) else "matrix"
    found: type = getattr(scipy_s, f"{form}_{kind}")
    return found


def class_of_rotation(x: RecordObj) -> type:
    """SciPy's class of a rotation, or of an interpolation of rotations."""
    from scipy.spatial import transform

    is_slerp = issubclass(x.cls, rotation_makers.Slerp)
    found: type = transform.Slerp if is_slerp else transform.Rotation
    return found


def joined_classes(frame: Frame, x: Value) -> set[type]:
    """The classes of which a value of several kinds may be; none where one is not known."""
    kinds = frame.session.kinds.of(x)
    if kinds is None or frame.session.kinds.is_cast(x):
        return set()
    found: set[type] = set()
    for kind in kinds:
        if isinstance(kind, type):
            found.add(kind)
        elif is_numpys(kind):
            dtype, is_scalar = kind
            found |= {dtype.type} if is_scalar else _classes_of_arrays(frame)
        else:
            return set()
    return found


def array_classes(frame: Frame, x: Value) -> set[type]:
    """The classes that an array may have: of what is derived from one in a file, perhaps its own,
    as of a slice, or the plain one, as of a sum.
    """
    if not isinstance(x.type, ArrayType) or x.type.scalar:
        return set()
    if x in frame.session.memory.flat:
        return {np.flatiter}
    inputs = frame.session.inputs
    if x in inputs.paths:
        return {type(inputs.samples[inputs.paths[x]])}
    return _classes_of_arrays(frame)


def is_plain(frame: Frame, x: Value) -> bool:
    """Whether an array is of NumPy's own class, or of that of arrays on a device."""
    return array_classes(frame, x) in ({np.ndarray}, {device_class()})


def _classes_of_arrays(frame: Frame) -> set[type]:
    samples = frame.session.inputs.samples.values()
    if on_device := {type(y) for y in samples if is_on_device(y)}:
        return on_device
    return {np.ndarray, *(type(y) for y in samples if isinstance(y, np.ndarray))}


def _of_entries(frame: Frame, x: Value) -> set[type]:
    """What entries and sums of arrays on a device may be besides NumPy's scalars: such arrays."""
    is_scalar = isinstance(x.type, ArrayType) and x.type.scalar
    inputs = frame.session.inputs
    if not is_scalar or x in inputs.paths:
        return set()
    return {type(y) for y in inputs.samples.values() if is_on_device(y)}


def _classes_of_value(x: Value) -> set[type]:
    match x.type:
        case ArrayType():
            return {x.type.dtype.type if x.type.scalar else np.ndarray}
        case NumberType():
            return {x.type.kind}
        case TupleType():
            return {tuple}
        case SeqType():
            return {list}
        case ObjectType():
            return {_OBJECTS[x.type]} if x.type in _OBJECTS else set()
