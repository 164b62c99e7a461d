"""Pickling transformed functions: by the name where they stand, or by their primal's."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcad.errors import error
from srcad.pipeline.request import Request

if TYPE_CHECKING:
    from srcad.api.transformed import Transformed


def reduce(transformed: Transformed) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """What `__reduce__` returns.

    Raises:
        CacheError: E504, neither the function nor its primal can be imported by name.
    """
    request = transformed.__srcad_request__
    primal = request.primal
    module = getattr(primal, "__module__", None)
    qualname = getattr(primal, "__qualname__", "<unknown>")
    found = None if module is None or "<" in qualname else _find(module, qualname)
    if found is transformed:
        return _find, (module, qualname)
    if found is primal or not hasattr(primal, "__code__"):
        return _transform, (request,)
    raise error("E504", None, what=f"the gradient of `{request.name}`")


def _find(module: str, qualname: str) -> Any:
    """The object `module.qualname`: a decorated function stands where its primal stood."""
    found: Any = importlib.import_module(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found


def _transform(request: Request) -> Transformed:
    from srcad.api.transformed import create

    return create(request)
