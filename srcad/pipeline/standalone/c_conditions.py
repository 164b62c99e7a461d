"""What a function of C checks of its arguments: the program is right for these alone.

Guard("A[0]", "leaf", (float64, (False,)))         n == 1, where one entry is another program
Guard("A[1].shape[0] == A[0].shape[0]", ...)       !(m == n)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from srcad.errors import error
from srcad.ir.guards import Guard
from srcad.ir.interface import paths
from srcad.ir.types import Dim, shape_of
from srcad.pipeline.standalone.c_program import Whole

_EXTENT = re.compile(r"(A\[\d+\](?:\[[^]]*\]|\.\w+)*)\.shape\[(\d+)\]( [+-] \d+)?")


def conditions(
    whole: Whole, general: frozenset[str], extents: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Conditions under which the program does not serve the arguments, each with its message.

    Raises:
        CacheError: E506, it serves the default of a parameter alone.
    """
    interface = whole.program.interface
    assert interface is not None
    types = {
        path: whole.program.params[slot].type
        for k, param in enumerate(interface.params)
        for slot, path in paths(param.tree, f"A[{k}]").items()
    }
    types = {path.replace('"', "'"): t for path, t in types.items()}
    seen: set[str] = set()
    for guard in whole.lowered.guards:
        if guard.kind == "is" and guard.path in types:
            name = interface.params[int(guard.path[2:-1])].name
            what = f"a program for `{name}` as it is by default"
            fix = f"pass `{name}`: state `in_axes` for each argument, None for this one"
            raise error("E506", None, what=what, fix=fix)
        for cond, told in _check(guard, types, general, extents):
            if cond not in seen:
                seen.add(cond)
                yield cond, told


def _check(
    guard: Guard, types: Mapping[str, Any], general: frozenset[str], extents: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    if guard.kind == "leaf" and guard.path in types:
        for axis, extent in enumerate(shape_of(types[guard.path]) or ()):
            if isinstance(extent, Dim) and f"{guard.path}.shape[{axis}]" not in general:
                text = _written(extent, extents)
                if text is not None:
                    yield f"{text} == 1", f"{text} is 1: this is another program, save it too"
        return
    for sign in (" == ", " <= "):
        sides = guard.path.split(sign)
        if len(sides) != 2 or guard.kind != "equals":
            continue
        texts = [_side(side, types, extents) for side in sides]
        if None in texts or texts[0] == texts[1]:
            continue
        one, other = texts
        cond = f"{one}{sign}{other}"
        told = f"{cond} is {'not so' if guard.expected else 'so'}: sizes do not fit"
        yield (f"!({cond})" if guard.expected else cond), told


def _side(side: str, types: Mapping[str, Any], extents: Mapping[str, str]) -> str | None:
    """One side of a relation of extents."""
    if side.isdigit():
        return side
    found = _EXTENT.fullmatch(side)
    if found is None or found[1] not in types:
        return None
    shape = shape_of(types[found[1]]) or ()
    text = _written(shape[int(found[2])], extents)
    return None if text is None else f"{text}{found[3] or ''}"


def _written(extent: Any, extents: Mapping[str, str]) -> str | None:
    if not isinstance(extent, Dim):
        return str(extent)
    if extent.symbol not in extents:
        return None
    return extents[extent.symbol] + (f" - {extent.minus}" if extent.minus else "")


__all__ = ["conditions"]
