"""What a saved module need not ask of its arguments: the program is right without it.

Programs are made for arrays whose extents are not 1, and for dicts with their keys in one order.
A second program is made of the function, for which neither is known; where it is the same to the
byte, nothing in it depends on that.

    x @ w, x: f64[n, m]         n and m may be 1
    x[1:] + y                   what has one entry is broadcast: y may not have one
    for key in params: ...      the keys must come in this order
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.errors import SrcadError
from srcad.ir.guards import Guard, are_alike
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

Paths = frozenset[str]

_PLAIN = re.compile(r"A\[\d+\]")
_ROOT = re.compile(r"\b[AFK]\b")
# So many sets of equal extents are looked at one by one.
_MOST = 8


def general_paths(artifact: Artifact, request: Request, args: Sequence[Any]) -> Paths:
    """The paths of extents that may be 1, and of dicts whose keys may have any order.

    Args:
        args: of the primal, like those that the program was made for.
    """

    def make(general: Request, statics: Paths) -> tuple[str, Sequence[Guard]]:
        made, _ = compile_request(general, args, statics)
        return made.text, made.guards

    return general_of(artifact.guards, artifact.text, make, request) if args else frozenset()


def for_more(
    artifact: Artifact, request: Request, args: Sequence[Any]
) -> tuple[Artifact, Paths] | None:
    """The program for arrays of more entries where `artifact` is for ones of one row, and what it
    need not ask: an extent of 1 neither. None where there is no such program.

    Args:
        args: as of `general_paths`.
    """
    ones = [
        (int(guard.path[2:-1]), axis)
        for guard in artifact.guards
        if guard.kind == "leaf" and _PLAIN.fullmatch(guard.path) and type(guard.expected) is tuple
        for axis, is_one in enumerate(guard.expected[1] if len(guard.expected) == 2 else ())
        if is_one
    ]
    for axes in dict.fromkeys((tuple(ones), *((each,) for each in ones[:_MOST]))):
        more = list(args)
        for k, axis in axes:
            more[k] = np.repeat(more[k], 2, axis)
        try:
            made, _ = compile_request(request, more, frozenset())
        except (SrcadError, ValueError):
            continue
        general = general_paths(made, request, more)
        if not all(_holds(guard, args) for guard in made.guards):
            continue
        if axes and general.issuperset(f"A[{k}].shape[{axis}]" for k, axis in axes):
            return made, general
    return None


def _holds(guard: Guard, args: Sequence[Any]) -> bool:
    """Whether these arguments are as a guard asks. Only of extents can they not be: their entries
    and all else are as they were.
    """
    roots = set(_ROOT.findall(guard.path))
    if guard.kind not in ("static", "equals") or ".shape[" not in guard.path or "A" not in roots:
        return True
    return roots == {"A"} and are_alike(eval(guard.path, {"A": args}), guard.expected)


def general_of(
    guards: Sequence[Guard],
    text: str,
    make: Callable[[Request, Paths], tuple[str, Sequence[Guard]]],
    request: Request,
) -> Paths:
    """The same of a program in any form: its text, and what it assumes.

    Args:
        make: the same of another request, specialised to these paths.
    """
    sets = _equal_extents(guards)
    dicts = frozenset(_dict_of(g) for g in guards if _dict_of(g))

    def without(paths: Paths) -> Paths:
        """Those of the paths of which nothing has to be known; none if the program is another."""
        try:
            made, found = make(replace(request, general=paths), frozenset(_facts(guards)))
        except SrcadError:
            return frozenset()
        known = {(_sides(guard), guard.kind) for guard in guards}
        if made != text or any((_sides(guard), guard.kind) not in known for guard in found):
            return frozenset()
        return paths - {_dict_of(guard) for guard in found}

    every = dicts.union(*sets)
    if not every:
        return frozenset()
    return without(every) or without(dicts.union(*filter(without, sets[:_MOST])))


def _sides(guard: Guard) -> frozenset[str]:
    return frozenset(guard.path.split(" == "))


def _facts(guards: Sequence[Guard]) -> Iterator[str]:
    """What a program was specialised to: sizes, and which of them are equal."""
    order = {guard.path: k for k, guard in enumerate(guards) if guard.kind == "leaf"}
    for guard in guards:
        if guard.kind == "static" or " <= " in guard.path:
            yield guard.path
        sides = guard.path.split(" == ")
        arrays = [side.partition(".shape[")[0] for side in sides]
        if len(sides) == 2 and all(array in order for array in arrays):
            is_plain = "] " not in guard.path.replace(" == ", "")
            first = sorted(sides, key=lambda side: order[side.partition(".shape[")[0]])
            yield " == ".join(first if is_plain else sides)


def _equal_extents(guards: Sequence[Guard]) -> list[Paths]:
    """The extents of arguments that are not known to be 1; those that are equal are one set."""
    sets = [
        {f"{guard.path}.shape[{axis}]"}
        for guard in guards
        if guard.kind == "leaf" and isinstance(guard.expected, tuple) and len(guard.expected) > 1
        for axis, is_one in enumerate(guard.expected[1])
        if not is_one and guard.path.startswith("A[")
    ]
    for guard in guards:
        sides = _sides(guard)
        if len(sides) == 2 and guard.expected is True:
            joined = [each for each in sets if not sides.isdisjoint(each)]
            sets = [each for each in sets if each not in joined]
            sets += [set().union(*joined)] if joined else []
    return [frozenset(each) for each in sets]


def _dict_of(guard: Guard) -> str:
    """The path of the dict of whose keys a guard tells the order; "" for another guard."""
    is_order = guard.path.startswith("tuple(A[") and guard.kind == "equals"
    return guard.path.removeprefix("tuple(").removesuffix(")") if is_order else ""


__all__ = ["for_more", "general_of", "general_paths"]
