"""`out=`: the caller gives arrays that the gradient is written to.

    g = srcad.grad(loss)
    w_bar = np.empty_like(w)
    for _ in range(100):
        g(w, x, out=w_bar)          # w_bar, filled

A compiled program writes there directly where that is safe: the array is *offered* for the gradient
by the argument in its place. Whatever did not take the offer is copied when the program has run, so
that nothing depends on it.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.api.arguments import trees
from srcad.devices import is_array, is_on_device
from srcad.errors import error
from srcad.interrupts import raise_users_own
from srcad.kernels.recycled import offering

if TYPE_CHECKING:
    from srcad.pipeline.request import Request
    from srcad.pipeline.specialize import Specializer

_KINDS = ("grad", "value_and_grad")


def takes_out(request: Request, parameters: Sequence[inspect.Parameter]) -> bool:
    """Whether the keyword `out` is for the gradient: it is the primal's where that takes one."""
    if request.kind not in _KINDS:
        return False
    return not any(p.name == "out" or p.kind is p.VAR_KEYWORD for p in parameters)


def call_into(specializer: Specializer, out: Any, args: Sequence[Any]) -> Any:
    """What the call returns, with the gradient in the arrays of `out`, and `out` in its place."""
    request = specializer.request
    buffers, structure = trees.flatten(out)
    places = [f"out{path}" for path in trees.paths(out)]
    given = [x for arg in args for x in trees.leaves(arg) if is_array(x)]
    _check(buffers, places, given)
    offers = _offers(specializer, buffers, args)
    with offering(offers):
        result = specializer(args, len(args))
    if request.kind == "grad" and not request.has_aux:
        _fill(result, buffers, structure, places)
        return out
    parts, at = [*result], int(request.kind == "value_and_grad")
    _fill(parts[at], buffers, structure, places)
    parts[at] = out
    return tuple(parts)


def _check(buffers: Sequence[Any], places: Sequence[str], given: Sequence[Any]) -> None:
    """Refuse what cannot be written to, or must not be."""
    for k, (x, place) in enumerate(zip(buffers, places, strict=True)):
        if not _is_plain(x):
            raise error("E319", None, what=f"`{place}`, no array,")
        if not getattr(x.flags, "writeable", True):
            raise error("E319", None, what=f"`{place}`, which is read-only,")
        if any(_meet(x, other) for other in given):
            raise error("E319", None, what=f"`{place}`, which overlaps an argument,")
        if any(_meet(x, other) for other in buffers[:k]):
            raise error("E319", None, what=f"`{place}`, which overlaps another of them,")


def _fill(gradient: Any, buffers: Sequence[Any], structure: Any, places: Sequence[str]) -> None:
    """Copy what was not written in place."""
    found, form = trees.flatten(gradient)
    if form != structure:
        raise error("E319", None, what=f"`out`, a container {structure} for a gradient {form},")
    for x, y, place in zip(buffers, found, places, strict=True):
        is_number = isinstance(y, int | float | complex | np.number)
        lies_there = type(y) is type(x)  # a plain array, as was checked
        wanted = (np.shape(y), np.result_type(y)) if is_number or lies_there else None
        if wanted != (x.shape, x.dtype):
            has = f"of shape {x.shape} and dtype {x.dtype}"
            needs = f"shape {wanted[0]} and dtype {wanted[1]}" if wanted else type(y).__name__
            raise error("E319", None, what=f"`{place}`, {has} for a gradient of {needs},")
    pairs = [(x, y) for x, y in zip(buffers, found, strict=True) if x is not y]
    # A part of the gradient may lie in an array that was offered for another one.
    taken = [np.copy(y) if _overlaps(y, buffers) else y for _, y in pairs]
    for (x, _), y in zip(pairs, taken, strict=True):
        np.copyto(x, y)


def _overlaps(y: Any, others: Sequence[Any]) -> bool:
    return _is_plain(y) and any(_meet(y, x) for x in others)


def _is_plain(x: Any) -> bool:
    return type(x) is np.ndarray or is_on_device(x)


def _meet(x: Any, y: Any) -> bool:
    """Whether two arrays may share memory: not one on the host and one on a device."""
    if type(x) is not type(y) and is_on_device(x) != is_on_device(y):
        return False
    return bool(np.may_share_memory(x, y))


# Offers ------------------------------------------------------------------------------------------


def _offers(
    specializer: Specializer, buffers: Sequence[Any], args: Sequence[Any]
) -> list[tuple[Any, Any]]:
    """Arguments with the arrays for the gradients by them, where nothing else is read from those
    while the program runs.
    """
    request = specializer.request
    positions = [k for k in request.argnums if isinstance(k, int)]
    varied = [x for k in positions for x in trees.leaves(args[k])]
    programs = specializer.programs
    if request.has_aux or len(varied) != len(buffers) or not programs:
        return []
    for program in programs:
        if program.artifact.globals or not _is_closed(program.artifact.text):
            return []
        scope = {"F": request.primal, "A": args, "K": program.artifact.kept}
        for path in program.artifact.captures:
            try:
                captured = eval(path, dict(scope))
            except Exception as problem:  # a program for other arguments
                raise_users_own(problem)
                continue
            if any(_overlaps(x, buffers) for x in trees.leaves(captured)):
                return []
    return list(zip(varied, buffers, strict=True))


@functools.lru_cache(maxsize=1024)
def _is_closed(text: str) -> bool:
    """Whether a program calls nothing of the user's, which could read anything."""
    names = [
        module
        for node in ast.parse(text).body
        for module in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    known = {"numpy", "scipy", "numba", "srcad", *sys.stdlib_module_names}
    return all(name.split(".")[0] in known for name in names)


__all__ = ["call_into", "takes_out"]
