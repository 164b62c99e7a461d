"""Pickling transformed functions: by the name where they stand, or by their primal's.

    @srcad.grad
    def slope(x): ...                     the name `slope`, as Python pickles functions

    srcad.grad(energy)                    `_transform` of a request, in which `energy` is a name

Which objects a name may stand for is pickle's affair (`Unpickler.find_class`): nothing here looks
up names.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from srcad.errors import error
from srcad.pipeline.request import Request

if TYPE_CHECKING:
    from srcad.api.transformed import Transformed


def reduce(transformed: Transformed) -> str | tuple[Callable[..., Any], tuple[Any, ...]]:
    """What `__reduce__` returns.

    Raises:
        CacheError: E504, neither the function nor its primal can be imported by name.
    """
    request = transformed.__srcad_request__
    primal = request.primal
    module = getattr(primal, "__module__", None)
    qualname = getattr(primal, "__qualname__", "<unknown>")
    if _stands_at(module, qualname, transformed):
        return qualname  # of the module `transformed.__module__`, which is the primal's
    if _stands_at(module, qualname, primal) or not hasattr(primal, "__code__"):
        return _transform, (request,)
    raise error("E504", None, what=f"the gradient of `{request.name}`")


def _stands_at(module: str | None, qualname: str, wanted: object) -> bool:
    """Whether `module.qualname` is this object."""
    found: Any = None if module is None else sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found is wanted


def _transform(request: Request) -> Transformed:
    from srcad.api.transformed import create

    if type(request) is not Request:
        raise TypeError(f"expected a pickled derivative of srcad's, got {type(request).__name__}")
    return create(request)
