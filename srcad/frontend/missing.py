"""Items that a container does not have, where that is known while compiling.

rates = {"a": 0.1}
r = rates["b"]                          refused
try: r = rates["b"]                     raised, as Python raises it: it may be handled
except KeyError: r = 0.0
"""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.frontend.frame import Frame
from srcad.frontend.objects import Ref
from srcad.frontend.signals import Raising
from srcad.runtime.effects import raise_


def missing(frame: Frame, cls: type[LookupError], key: Any, what: str | None = None) -> Exception:
    """What is to be raised where there is no such item: of a dict a `KeyError`, else an
    `IndexError`.
    """
    if frame.session.watchers:  # the body of a `try`
        frame.session.effect(raise_, Ref(cls, ""), key)
        return Raising()
    kind = "key" if cls is KeyError else "index"
    return error("E135", None, what=f"{kind} {key!r}" if what is None else what)


__all__ = ["missing"]
