"""Data of other packages, by what it holds: what is read in place of it, and what its package does.

df["x"].values            an input: the array that the column holds
df.groupby("k").mean()    another table: pandas makes it in each call, before the program runs

What stands for an object reads of it what the program asks for (`srcad.frontend.written.labelled`).
What only its own package can do is part of the path to what comes of it; so it has no derivative.
"""

from __future__ import annotations

import types
from typing import Any, Protocol

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj
from srcad.frontend.abstract.objects import Abstract, Closed, Ref
from srcad.frontend.kinds import has_source
from srcad.frontend.reading.pure_functions import FUNCTIONS, METHODS
from srcad.frontend.written import data_arrays, labelled, opaque
from srcad.frontend.written.masked.arrays import Masked, Unmasked
from srcad.frontend.written.pandas import held_frames, series
from srcad.ir.guards import GuardKind
from srcad.runtime.outside import OUTSIDE, is_masked, is_outside


class Reader(Protocol):
    """Where guards are noted and what is found at a path is lifted."""

    def guard(self, path: str, kind: GuardKind, expected: Any) -> None:
        """Note that the program holds only while this stays true."""

    def lift(self, obj: Any, path: str, name: str) -> Abstract:
        """The abstract value of what is found at a path."""


def lift_outside(
    reader: Reader, obj: Any, path: str, name: str, *, is_made: bool = False
) -> RecordObj | None:
    """What stands for an object of another package that holds data; None for other objects.

    Args:
        is_made: its package makes it, on the way to another perhaps: its values are read if needed.
    """
    if not is_outside(obj):
        return None
    reader.guard(path, "type", type(obj))
    if is_masked(obj):
        return _masked(reader, obj, path, name)
    fields: dict[str, Abstract] = {"_outside": Ref(obj, path)}
    kind = type(obj).__name__

    def read(frame: Any) -> Abstract:
        return reader.lift(obj.values, f"{path}.values", name)

    if kind == "DataFrame":
        return RecordObj(held_frames.HeldFrame, {**fields, "_rows": rows_of(reader, obj, path)})
    if not holds_numbers(obj):
        return RecordObj(opaque.Opaque, fields)
    fields.update({"_read": Closed(read, "values")} if is_made else {"_held": read(None)})
    if kind == "DataArray":
        return RecordObj(data_arrays.HeldDataArray, {**fields, **_axes_of(reader, obj, path)})
    if kind == "Series":
        return RecordObj(series.HeldSeries, {**fields, "_rows": rows_of(reader, obj, path)})
    return RecordObj(labelled.HeldIndex, {**fields, "_is_range": kind == "RangeIndex"})


def _masked(reader: Reader, obj: Any, path: str, name: str) -> RecordObj:
    """A masked array: its data, and its mask if it has one."""
    has_none = obj.mask is np.ma.nomask
    reader.guard(f"{path}.mask is __import__('numpy').ma.nomask", "equals", has_none)
    fields = {"_values": reader.lift(obj.data, f"{path}.data", name)}
    if has_none:
        return RecordObj(Unmasked, {**fields, "_as_given": True}, path)
    mask = reader.lift(obj.mask, f"{path}.mask", f"{name}_mask")
    return RecordObj(Masked, {**fields, "_mask": mask, "_as_given": True}, path)


def holds_numbers(obj: Any) -> bool:
    """Whether an object is a Series, an Index or a DataArray of numbers that NumPy holds."""
    dtype = getattr(obj, "dtype", None)
    if not isinstance(dtype, np.dtype) or dtype.kind not in "biufc":
        return False
    return type(obj).__name__ in ("Series", "Index", "RangeIndex", "DataArray")


def rows_of(reader: Reader, obj: Any, path: str) -> RecordObj:
    """The labels of the rows of an object."""
    return labels_at(reader, obj.index, f"{path}.index")


def labels_at(reader: Reader, index: Any, path: str) -> RecordObj:
    """The labels that an index of pandas holds."""

    def read(frame: Any) -> Abstract:
        return reader.lift(index, path, "index")

    return RecordObj(
        labelled.Whole, {"_outside": Ref(index, path), "as_index": Closed(read, "index")}
    )


def _axes_of(reader: Reader, obj: Any, path: str) -> dict[str, Abstract]:
    """The names of the axes of a DataArray, and the labels along those that have them."""
    found = tuple((name, name in obj.indexes) for name in obj.dims)
    reader.guard(f"tuple((d, d in {path}.indexes) for d in {path}.dims)", "equals", found)
    labels = tuple(
        labels_at(reader, obj.indexes[name], f"{path}.indexes[{name!r}]") if has_labels else None
        for name, has_labels in found
    )
    return {"dims": obj.dims, "_labels": labels}


def ask(reader: Reader, owner: Ref, name: str) -> Abstract:
    """An attribute of an object, or a method that computes from what is known while compiling.

    Raises:
        SrcadError: E120, what may do more than that.
    """
    what = f"`{name}` of a {type(owner.obj).__name__} of {package_of(owner.obj)}"
    found = inspected(owner, name, what)
    if not isinstance(found, types.MethodType | types.BuiltinMethodType | types.MethodWrapperType):
        return _made(reader, found, f"{owner.path}.{name}", name)
    if name not in METHODS:
        raise _refused(what)
    return _asking(reader, owner, found, name, what)


def ask_function(reader: Reader, fn: Any, args: Any, kwargs: Any) -> Abstract:
    """What a function of an object's package makes of it: `pd.get_dummies(df["city"])`; None where
    it is not known only to compute.
    """
    name = fn.__name__
    given = [x for x in args if isinstance(x, RecordObj) and "_outside" in x.fields]
    if name not in FUNCTIONS or not given or given[0] is not args[0]:
        return None
    owner = outside_of(args[0])
    if not hasattr(owner.obj, "pipe"):
        return None
    way = f"__import__({package_of(owner.obj)!r}).{name}"
    what = f"`{name}` of {package_of(owner.obj)}"
    asking = _asking(
        reader, owner, lambda *rest, **named: fn(owner.obj, *rest, **named), "pipe", what, way
    )
    return asking.call(None, *args[1:], **kwargs)


def _asking(reader: Reader, owner: Ref, found: Any, name: str, what: str, *first: str) -> Closed:
    def called(frame: Any, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        texts = [*first, *(_text(owner, x, what) for x in args)]
        texts += [f"{key}={_text(owner, x, what)}" for key, x in kwargs.items()]
        if "inplace" in kwargs:
            raise _refused(f"{what} with `inplace=`")
        path = f"{owner.path}.{name}({', '.join(texts)})"
        is_item = name == "__getitem__" and len(texts) == 1
        if is_item:
            path = f"{owner.path}[{texts[0]}]"
        given, named = [_object(x) for x in args], {k: _object(x) for k, x in kwargs.items()}
        try:
            made = found(*given, **named)
        except Exception as problem:
            told = f"{what}, which raises {type(problem).__name__}: {problem},"
            raise error("E120", None, what=told) from None
        if made is NotImplemented:
            return Ref(NotImplemented, "")
        label = str(args[0]) if is_item and isinstance(args[0], str) else name.strip("_")
        return _made(reader, made, path, label)

    return Closed(called, name)


def is_labelled(x: Abstract) -> bool:
    """Whether `x` stands for data of another package."""
    return isinstance(x, RecordObj) and issubclass(x.cls, labelled.Labelled)


def outside_of(x: RecordObj) -> Ref:
    """The object that `x` stands for.

    Raises:
        SrcadError: E129, data says which it is.
    """
    found = x.fields["_outside"]
    if not isinstance(found, Ref):
        raise error("E129", None, what=f"which {x.cls.__name__} this is")
    return found


def _made(reader: Reader, obj: Any, path: str, name: str) -> Abstract:
    found = lift_outside(reader, obj, path, name, is_made=True)
    return reader.lift(obj, path, name) if found is None else found


def inspected(owner: Ref, name: str, what: str) -> Any:
    """An attribute of an object outside."""
    try:
        return getattr(owner.obj, name)
    except AttributeError:
        raise error("E121", None, what=what) from None


def package_of(obj: Any) -> str:
    """The package of an object's class."""
    return type(obj).__module__.partition(".")[0]


def _refused(what: str) -> Exception:
    fix = "compute it before the call, or from the arrays that it holds: `x.to_numpy()`"
    return error("E120", None, what=what, fix=fix)


def _text(owner: Ref, x: Abstract, what: str) -> str:
    """What is given to a method of an object outside, as Python writes it."""
    if isinstance(x, RecordObj) and "_outside" in x.fields:
        path = outside_of(x).path
        # What an argument is given for has no part in what comes of another one.
        if _root(path) == _root(owner.path):
            return str(path)
    if isinstance(x, Ref) and x.obj in (int, float, bool, str, complex, list):
        return str(x.obj.__name__)
    if isinstance(x, list | ListObj):
        items = x.items if isinstance(x, ListObj) else x
        return f"[{', '.join(_text(owner, item, what) for item in items)}]"
    if isinstance(x, tuple):
        return f"({''.join(f'{_text(owner, item, what)}, ' for item in x)})"
    if isinstance(x, DictObj):
        pairs = (f"{_text(owner, k, what)}: {_text(owner, v, what)}" for k, v in x.items.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(x, slice):
        parts = (_text(owner, part, what) for part in (x.start, x.stop, x.step))
        return f"slice({', '.join(parts)})"
    if isinstance(x, np.dtype) and x.isbuiltin:
        return repr(x.str)
    if has_source(x):
        return repr(x)
    fix = "compute it before the call, or from the arrays that it holds: `x.to_numpy()`"
    raise error("E120", None, what=f"{what}, given what is not known while compiling,", fix=fix)


def _root(path: str) -> str:
    """The argument that a path starts from; "" if it is none."""
    return path.partition("]")[0] if path.startswith("A[") else ""


def _object(x: Abstract) -> Any:
    if isinstance(x, RecordObj):
        return outside_of(x).obj
    if isinstance(x, Ref):
        return x.obj
    if isinstance(x, ListObj):
        return [_object(item) for item in x.items]
    if isinstance(x, DictObj):
        return {_object(key): _object(item) for key, item in x.items.items()}
    return tuple(map(_object, x)) if isinstance(x, tuple) else x


__all__ = [
    "OUTSIDE",
    "ask",
    "ask_function",
    "holds_numbers",
    "inspected",
    "is_labelled",
    "labels_at",
    "lift_outside",
    "outside_of",
    "package_of",
    "rows_of",
]
