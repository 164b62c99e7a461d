"""Functions whose module is imported when they are called first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function by its place, `module:function`, imported when it is called first."""

    place: str

    @property
    def __wrapped__(self) -> Callable[..., Any]:
        module, _, name = self.place.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return self.__wrapped__(*args, **kwargs)


__all__ = ["Deferred"]
