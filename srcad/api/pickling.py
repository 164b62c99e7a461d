"""Pickling transformed functions: by the name where they stand, or by their primal's.

    @srcad.grad
    def slope(x): ...                     the name `slope`, as Python pickles functions

    srcad.grad(energy)                    `create` of a request, in which `energy` is a name

Which objects a name may stand for is pickle's affair (`Unpickler.find_class`): nothing here looks
up names.
"""

from __future__ import annotations

import sys
from typing import Any

from srcad.errors import error
from srcad.pipeline.request import Request


def name_of(transformed: object, request: Request) -> str | None:
    """The name where a transformed function stands; None where it is made again from its request.

    Raises:
        CacheError: E504, neither the function nor its primal can be imported by name.
    """
    primal = request.primal
    module = getattr(primal, "__module__", None)
    qualname: str = getattr(primal, "__qualname__", "<unknown>")
    if _stands_at(module, qualname, transformed):
        return qualname  # of the module `transformed.__module__`, which is the primal's
    if _stands_at(module, qualname, primal) or not hasattr(primal, "__code__"):
        return None
    raise error("E504", None, what=f"the gradient of `{request.name}`")


def _stands_at(module: str | None, qualname: str, wanted: object) -> bool:
    """Whether `module.qualname` is this object."""
    found: Any = None if module is None else sys.modules.get(module)
    for part in qualname.split("."):
        found = getattr(found, part, None)
    return found is wanted
