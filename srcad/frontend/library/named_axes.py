"""Arrays of xarray by the labels along their axes: what is asked of them while compiling.

a.sel(lat=30.0)                  the position of the label, guarded
a.sel(lat=slice(10, 30))         the slice of positions
a.sel(lat=28.0, method="pad")    the position of the label that xarray finds
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import ListObj, RecordObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.kinds import has_source
from srcad.frontend.library.beyond import OF_LABELS
from srcad.frontend.reading.outside import is_labelled, labels_at, outside_of
from srcad.frontend.written import labelled, named_axes
from srcad.ir.nodes import Value


def _index_outside(frame: Frame, outside: Ref, name: str) -> Abstract:
    inputs = frame.session.inputs
    has_labels = name in outside.obj.indexes
    inputs.guard(f"{name!r} in {outside.path}.indexes", "equals", has_labels)
    if not has_labels:
        return None
    return labels_at(inputs, outside.obj.indexes[name], f"{outside.path}.indexes[{name!r}]")


def _place_along(frame: Frame, rows: Abstract, label: Abstract, method: Abstract) -> Abstract:
    if rows is None or is_labelled(label) or isinstance(label, np.ndarray | Value):
        if rows is None or _is_mask(label):
            return label
        raise error("E120", None, what="entries by an array of labels", fix="use `.isel(...)`")
    if isinstance(rows, RecordObj) and rows.cls is labelled.Names:
        return _place_among(frame, rows.fields["_names"], label)
    if not isinstance(rows, RecordObj) or rows.cls is not labelled.Whole:
        raise error("E120", None, what="a label of a DataArray that is computed", fix=OF_LABELS)
    asked = label.items if isinstance(label, ListObj) else label
    parts = [asked.start, asked.stop, asked.step] if isinstance(asked, slice) else asked
    for part in parts if isinstance(parts, list) else [parts]:
        if not has_source(part):
            fix = "use its position: `.isel(...)`"
            raise error("E120", None, what="a label that is no number and no text", fix=fix)
    outside = outside_of(rows)
    way, ask = _asking(asked, method)
    place = _found(outside.obj, ask, label)
    frame.session.inputs.guard(f"{outside.path}{way}", "equals", place)
    return ListObj(place) if isinstance(place, list) else place


def _place_among(frame: Frame, names: tuple[Any, ...], label: Abstract) -> Abstract:
    """The position of a label among those that the program writes, or of each of a list."""
    if isinstance(label, ListObj):
        return ListObj([_place_among(frame, names, each) for each in label.items])
    known = frame.session.static(label, "a label")
    if isinstance(known, slice) or known not in names:
        raise error("E135", None, what=f"{known!r}")
    return names.index(known)


def _asking(label: Any, method: Abstract) -> tuple[str, Callable[[Any], Any]]:
    """How an index of pandas tells where labels stand: what is written after it, and a call."""
    if isinstance(label, slice):
        ends = (label.start, label.stop, label.step)
        return f".slice_indexer{ends!r}", lambda index: index.slice_indexer(*ends)
    if isinstance(label, list) or method is not None:
        labels = label if isinstance(label, list) else [label]
        way = f".get_indexer({labels!r}, method={method!r}).tolist()"

        def places(index: Any) -> Any:
            return index.get_indexer(labels, method=method).tolist()

        if isinstance(label, list):
            return way, places
        return f"{way}[0]", lambda index: places(index)[0]
    return f".get_loc({label!r})", lambda index: index.get_loc(label)


def _found(index: Any, ask: Callable[[Any], Any], label: Abstract) -> Any:
    try:
        place = ask(index)
    except (KeyError, TypeError, ValueError):
        raise error("E135", None, what=f"{label!r}") from None
    if place == -1 or (isinstance(place, list) and -1 in place):
        raise error("E135", None, what=f"{label!r}")
    if type(place) not in (int, slice, list):
        raise error("E120", None, what=f"the label {label!r}, which stands at several places,")
    return place


def _is_mask(label: Abstract) -> bool:
    """Whether truth values choose, and no labels."""
    values = label.fields.get("_held") if isinstance(label, RecordObj) else label
    dtype = getattr(getattr(values, "type", values), "dtype", None)
    if isinstance(label, RecordObj) and isinstance(label.fields.get("_outside"), Ref):
        dtype = outside_of(label).obj.dtype
    return bool(dtype == np.bool_)


CALLS: dict[Any, Callable[..., Abstract]] = {
    named_axes.index_outside: _index_outside,
    named_axes.place_along: _place_along,
}
BUILTINS.update(CALLS)
