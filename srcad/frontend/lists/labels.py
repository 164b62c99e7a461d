"""What lowering calls a list that a loop appends to: after what holds it.

self.history.append(v)           history
p["loss"].append(v)              loss
"""

from __future__ import annotations

from collections.abc import Collection

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import ListObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.paths import name_at


def label_of(frame: Frame, x: ListObj, taken: Collection[str]) -> str:
    """The label of a list, which is none of those that are `taken`, nor one that a loop around has
    given.
    """
    places = [(owner, key) for owner, key, y in st.snapshot(frame).locations() if y is x]
    label = next(filter(None, map(name_at, places)), "") or "items"
    used = {*taken, *(name.removesuffix(".last") for name in frame.env if name.endswith(".last"))}
    labels = (label, *(f"{label}.{k}" for k in range(2, len(used) + 3)))
    return next(each for each in labels if each not in used)


__all__ = ["label_of"]
