"""Pickling transformed functions by reference to their primal."""

from __future__ import annotations

import sys
from typing import Any

from srcad.pipeline.request import Request


def by_reference(request: Request) -> Any:
    """The transformed function for a request; the one a decorator left at the primal's name, if there."""
    from srcad.api.transformed import Transformed

    return Transformed(request)


def find_decorated(module: str, qualname: str) -> Any:
    """The object at `module.qualname`: a transformed function that stands where its primal stood."""
    found: Any = sys.modules.get(module) or __import__(module, fromlist=["_"])
    for part in qualname.split("."):
        found = getattr(found, part)
    return found
