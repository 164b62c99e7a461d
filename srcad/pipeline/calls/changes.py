"""What tells the programs of one function apart: the guards that differ, in the user's words.

Guard("A[0]['w']", "leaf", float32[:])    `params['w']` is float32[:], was float64[:]
Guard("A[2]", "static", 3)                `n` is 3, was 2
Guard("F.__closure__[0]...", "is", ...)   `model` is another object
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact

_WIDTH = 60
_LARGEST = 3


class Changed(NamedTuple):
    """A guard of a program, and that of another program in its place; None where it has none."""

    new: Guard | None
    old: Guard | None


def changes(made: Artifact, others: Sequence[Artifact]) -> list[Changed]:
    """How a program differs from that of the others that is most like it."""
    found = [_differences(made, each) for each in others]
    return min(found, key=len, default=[])


def describe_changes(found: Sequence[Changed], primal: Callable[..., Any]) -> str:
    """`x` is float32[:], was float64[:]; `n` is 3, was 2"""
    told = dict.fromkeys(_sentence(each, primal) for each in found)
    more = f"; and {len(told) - _LARGEST} more" if len(told) > _LARGEST else ""
    return "; ".join([*told][:_LARGEST]) + more


def are_same(a: Guard, b: Guard) -> bool:
    """Whether two guards ask the same."""
    if (a.path, a.kind) != (b.path, b.kind):
        return False
    if a.kind == "code":
        return all(x is y for x, y in zip(a.expected, b.expected, strict=True))
    if a.kind in ("is", "type"):
        return a.expected is b.expected
    return type(a.expected) is type(b.expected) and bool(a.expected == b.expected)


def as_read(path: str, primal: Callable[..., Any]) -> str:
    """A path as the user writes it: `A[0].w` is `model.w`, `F.__globals__['rate']` is `rate`."""
    # Not above: what is read from disk needs nothing of the compiler.
    from srcad.frontend.reading.signature import signature_of

    names = [*signature_of(primal).parameters]
    free = getattr(getattr(primal, "__code__", None), "co_freevars", ())
    path = re.sub(r"\bA\[(\d+)\]", lambda found: names[int(found[1])], path)
    path = re.sub(r"\bF\.__globals__\['(\w+)'\]", r"\1", path)
    cell = r"\bF\.__closure__\[(\d+)\]\.cell_contents"
    path = re.sub(cell, lambda found: free[int(found[1])], path) if free else path
    return path.replace("F.__self__", "self")


def describe(guard: Guard) -> str:
    """What a guard asks of what its path leads to."""
    expected = guard.expected
    match guard.kind:
        case "leaf":
            return _describe_leaf(expected)
        case "length":
            return f"a {expected[0].__name__} of {expected[1]}"
        case "keys":
            return _short(f"a dict of {', '.join(map(repr, expected))}")
        case "type":
            return str(expected.__name__)
        case "is" | "code" | "apart":
            return "another object"
    return _short(repr(expected))


def _differences(made: Artifact, other: Artifact) -> list[Changed]:
    new, old = (_by_place(each) for each in (made, other))
    pairs = [Changed(new.get(place), old.get(place)) for place in {**new, **old}]
    differing = [p for p in pairs if not (p.new and p.old and are_same(p.new, p.old))]
    # What only one of them asks mostly follows from another difference.
    return [pair for pair in differing if pair.new and pair.old] or differing


def _by_place(program: Artifact) -> dict[tuple[str, str], Guard]:
    return {(g.path, "value" if g.kind == "leaf" else g.kind): g for g in program.guards}


def _sentence(changed: Changed, primal: Callable[..., Any]) -> str:
    new, old = changed
    guard = new or old
    assert guard is not None
    name = f"`{as_read(guard.path, primal)}`"
    if guard.kind == "apart":
        return f"{name} {'share no' if new else 'may share'} memory"
    if new is None:
        return f"{name} is not {describe(guard)} any more"
    if old is None or new.kind in ("is", "code"):
        return f"{name} is {describe(new)}"
    return f"{name} is {describe(new)}, was {describe(old)}"


def _describe_leaf(key: Any) -> str:
    if not isinstance(key, tuple):
        return str(key.__name__)
    if len(key) == 1:
        return f"np.{key[0].name}"
    axes = ", ".join("1" if is_one else ":" for is_one in key[1])
    return f"{key[0].name}[{axes}]"


def _short(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 3]}..."


__all__ = ["Changed", "are_same", "as_read", "changes", "describe", "describe_changes"]
