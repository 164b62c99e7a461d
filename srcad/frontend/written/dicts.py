"""What classes of the user's have of `dict` behind them: read in place of dict's own methods.

class Rec(dict):                          r["n"]    r._srcad_items["n"]
    __getattr__ = dict.__getitem__        r.n       r["n"]
"""

from __future__ import annotations

from typing import Any


class Dict:
    """An object whose items stand in a dict."""

    _srcad_items: Any
    __missing__: Any

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1:
            raise TypeError(f"dict expected at most 1 argument, got {len(args)}")
        self._srcad_items.update(dict(*args, **kwargs))

    def __getitem__(self, key: Any, /) -> Any:
        if key in self._srcad_items:
            return self._srcad_items[key]
        if hasattr(type(self), "__missing__"):
            return self.__missing__(key)
        raise KeyError(key)

    def __setitem__(self, key: Any, value: Any, /) -> None:
        self._srcad_items[key] = value

    def __delitem__(self, key: Any, /) -> None:
        del self._srcad_items[key]

    def __contains__(self, key: Any, /) -> Any:
        return key in self._srcad_items

    def __len__(self) -> Any:
        return len(self._srcad_items)

    def __iter__(self) -> Any:
        return iter(self._srcad_items)

    def __reversed__(self) -> Any:
        return reversed(self._srcad_items)

    def __eq__(self, other: object) -> Any:
        return self._srcad_items == (dict(other) if isinstance(other, dict) else other)

    def __ne__(self, other: object) -> Any:
        return self._srcad_items != (dict(other) if isinstance(other, dict) else other)

    __hash__ = None  # type: ignore[assignment]

    def __or__(self, other: Any, /) -> Any:
        return self._srcad_items | dict(other)

    def keys(self) -> Any:
        """`d.keys()`."""
        return self._srcad_items.keys()

    def values(self) -> Any:
        """`d.values()`."""
        return self._srcad_items.values()

    def items(self) -> Any:
        """`d.items()`."""
        return self._srcad_items.items()

    def get(self, key: Any, default: Any = None, /) -> Any:
        """`d.get(key)`."""
        return self._srcad_items.get(key, default)

    def update(self, /, *args: Any, **kwargs: Any) -> None:
        """`d.update(other)`."""
        if len(args) > 1:
            raise TypeError(f"update expected at most 1 argument, got {len(args)}")
        self._srcad_items.update(dict(*args, **kwargs))

    def pop(self, key: Any, /, *default: Any) -> Any:
        """`d.pop(key)`."""
        return self._srcad_items.pop(key, *default)

    def setdefault(self, key: Any, default: Any = None, /) -> Any:
        """`d.setdefault(key, [])`."""
        return self._srcad_items.setdefault(key, default)

    def popitem(self) -> Any:
        """`d.popitem()`."""
        return self._srcad_items.popitem()

    def clear(self) -> None:
        """`d.clear()`."""
        self._srcad_items.clear()

    def copy(self) -> Any:
        """`d.copy()`, which is a plain dict."""
        return self._srcad_items.copy()
