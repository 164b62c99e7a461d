"""Derivatives of arrays in files are arrays in memory, of the plain class.

x = np.memmap("data", float)        of class np.memmap; so is np.zeros_like(x)
srcad.grad(f)(x)                    of class np.ndarray
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request
from srcad.runtime.records import rebuilt

Program = Callable[..., Any]


def with_plain_results(entry: Program, artifact: Artifact, request: Request) -> Program:
    """The program, the arrays of whose results are plain ones; itself where they are anyway.

    What a function returns beside its value (`has_aux`) stays as it is.
    """
    keys = (guard.expected for guard in artifact.guards if guard.kind == "leaf")
    if request.kind == "compile" or not any(type(k) is tuple and len(k) > 2 for k in keys):
        return entry

    @functools.wraps(entry)
    def call(*args: Any) -> Any:
        result = entry(*args)
        if request.kind in ("vjp", "linearize"):
            y, pullback, *aux = result
            return (_plain(y), lambda *bars: _plain(pullback(*bars)), *aux)
        if request.kind == "jvp":
            y, y_dot, *aux = result
            return (_plain(y), _plain(y_dot), *aux)
        if not request.has_aux:
            return _plain(result)
        if request.kind == "value_and_grad":
            (value, aux), found = result
            return (_plain(value), aux), _plain(found)
        found, aux = result
        return _plain(found), aux

    return call


def _plain(x: Any) -> Any:
    """A result without arrays of other classes; itself where it has none."""
    made: dict[int, Any] = {}  # by id: objects may refer to each other

    def plain(x: Any) -> Any:
        if isinstance(x, np.ndarray):
            return np.asarray(x)
        if id(x) not in made:
            made[id(x)] = x
            made[id(x)] = rebuilt(x, plain)
        return made[id(x)]

    return plain(x)
