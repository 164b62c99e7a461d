"""Objects by module and name, under which another process finds them again.

    path_by_name(signal.welch)      -> "M['scipy.signal._spectral_py'].welch"
    path_by_name(sys.modules)       -> "M"

`M` is `sys.modules`. Whether what stands there in the other process is the same, its description
tells (`describe`), and the guards of what is read of it.
"""

from __future__ import annotations

import enum
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

from srcad.pipeline.disk.surroundings import Opaque


def path_by_name(obj: Any) -> str:
    """An expression for `obj` with the name of its module; raises `Opaque` where there is none."""
    if obj is sys.modules:
        return "M"
    if isinstance(obj, types.ModuleType):
        if sys.modules.get(obj.__name__) is obj:
            return f"M[{obj.__name__!r}]"
        raise Opaque
    if isinstance(obj, enum.Enum):
        return f"{path_by_name(type(obj))}[{obj.name!r}]"
    own, name = (getattr(obj, each, None) for each in ("__module__", "__qualname__"))
    if not isinstance(name, str):
        raise Opaque
    names = name.split(".")
    for home in _homes(own, names[0]):
        found: Any = sys.modules[home]
        for name in names:
            found = inspect.getattr_static(found, name, None)
        if found is obj:
            return ".".join([f"M[{home!r}]", *names])
    raise Opaque


def _homes(own: str | None, name: str) -> Iterator[str]:
    """The modules that may have an object: its own, and those of which one has a wrapper that took
    the name and the module of what it wraps.
    """
    if own in sys.modules:
        yield str(own)
    for home, module in sorted(sys.modules.items()):
        if name in getattr(module, "__dict__", ()):
            yield home


__all__ = ["path_by_name"]
