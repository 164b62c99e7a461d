"""Programs lowered lately: another derivative of the same function starts from a copy of one.

    grad(loss)(w); hvp(loss)(w, v)        `loss` is lowered once

What the frontend makes does not depend on the derivative that is asked for, and it serves all
arguments for which its guards hold. Transforms change the operations that they are given, so each
derivative gets a copy of its own.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcad.frontend.lower import Lowered
from srcad.ir.calls import copy_program
from srcad.ir.guards import Guard, rule_version
from srcad.ir.interface import Record, Static
from srcad.pipeline.calls.holding import holds

Statics = frozenset[str]

# So many are kept, newest first.
_LIMIT = 8
# Stands in guards for the function itself, which would never be freed.
_PRIMAL = object()


@dataclass(frozen=True, slots=True)
class _Entry:
    """A program of `primal`, lowered with the `asked` paths as constants; it needed the `found`."""

    primal: weakref.ref[Callable[..., Any]]
    rules: int
    asked: Statics
    found: Statics
    lowered: Lowered


_entries: tuple[_Entry, ...] = ()  # replaced as a whole: threads need no lock


def find_lowered(
    primal: Callable[..., Any], args: Sequence[Any], statics: Statics
) -> tuple[Lowered, Statics] | None:
    """A copy of a program lowered for arguments like `args`, and the paths that it is specialised
    to; None where there is none.
    """
    for entry in _entries:
        if entry.primal() is not primal or entry.rules != rule_version.number:
            continue
        if statics not in (entry.asked, entry.found):
            continue
        guards = _exchanged(entry.lowered.guards, _PRIMAL, primal)
        lowered = replace(entry.lowered, guards=guards)
        if holds(lowered, args, primal, len(args)):
            return _copied(lowered), entry.found
    return None


def keep_lowered(
    primal: Callable[..., Any], asked: Statics, found: Statics, lowered: Lowered
) -> None:
    """Keep a copy of a program, and forget those of functions that are gone. One that holds on to
    an argument, which may be large, is not kept.
    """
    if _holds_argument(lowered):
        return
    try:
        reference = weakref.ref(primal)
    except TypeError:  # an object of a class with slots
        return
    global _entries
    guards = _exchanged(lowered.guards, primal, _PRIMAL)
    kept = replace(_copied(lowered), guards=guards)
    made = _Entry(reference, rule_version.number, asked, found, kept)
    alive = [entry for entry in _entries if entry.primal() is not None]
    _entries = (made, *alive[: _LIMIT - 1])


def _copied(lowered: Lowered) -> Lowered:
    return replace(lowered, function=copy_program(lowered.function))


def _exchanged(guards: tuple[Guard, ...], old: Any, new: Any) -> tuple[Guard, ...]:
    """The guards, where the function that is differentiated is `new` in place of `old`."""
    return tuple(
        replace(guard, expected=(new, guard.expected[1]))
        if guard.kind == "code" and guard.expected[0] is old
        else guard
        for guard in guards
    )


def _holds_argument(lowered: Lowered) -> bool:
    """Whether an argument that is an object is part of the program, or of its guards."""
    interface = lowered.function.interface
    assert interface is not None
    return any(
        guard.kind in ("is", "code")
        and guard.path.startswith("A[")
        and not _is_plain(guard.expected)
        for guard in lowered.guards
    ) or any(not _is_plain(obj) for param in interface.params for obj in _constants(param.tree))


def _constants(tree: Any) -> Iterator[Any]:
    """The parts of an argument that the program does not read."""
    match tree:
        case Static(value):
            yield value
        case Record():
            yield from (obj for part in tree.fields.values() for obj in _constants(part))
        case list() | tuple():
            yield from (obj for part in tree for obj in _constants(part))
        case dict():
            yield from (obj for part in tree.values() for obj in _constants(part))


def _is_plain(obj: Any) -> bool:
    return obj is None or isinstance(obj, str | int | float | complex | type)
