"""Warn of a function that is compiled again and again, and tell what keeps changing.

f(x, 1), f(x, 2), ..., f(x, 9)      `f` has a program for each of 9 values of `n` (1, 2, 3, ...)
f(x, [a]), f(x, [a, b]), ...        `f` has 9 programs: `terms` changes, a list of 1, a list of 2
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.changes import are_same, as_read, describe
from srcad.pipeline.calls.generated import levels_to_caller
from srcad.pipeline.request import Request

# Programs of one function before the caller is warned, once.
MANY = 8

_SHOWN = 3
_ADVICE = {
    "leaf": "give it one dtype and number of axes: np.asarray(x, float)",
    "length": "use an array where its length varies",
    "keys": "give the dict the same keys each time",
    "is": "make it once, ahead of the calls",
    "code": "define it once, ahead of the calls",
    "type": "give it objects of one class",
}


def warn_of_many(request: Request, artifacts: Sequence[Artifact]) -> None:
    """Warn when one program more than `MANY` was compiled for a function."""
    if len(artifacts) != MANY + 1:
        return
    places = _places(artifacts)
    most = max(map(len, places.values()), default=1)
    changing = {path: found for path, found in places.items() if len(found) == most}
    if most < 2:  # each is for another combination of facts that hold or do not
        return
    kinds = {found[0].kind for found in changing.values()}
    if most == len(artifacts) and kinds <= {"static", "equals"}:
        named = " and ".join(
            f"`{as_read(path, request.primal)}` ({_listed(found)})"
            for path, found in changing.items()
        )
        text = (
            f"`{request.name}` has a program for each of {most} values of {named}, and "
            "compiles one more for each new value (srcad explain E123)"
        )
    else:
        path, found = next(iter(changing.items()))
        advice = _ADVICE.get(found[0].kind, "")
        text = (
            f"`{request.name}` has {len(artifacts)} programs, and compiles one more whenever "
            f"`{as_read(path, request.primal)}` changes, which was {_listed(found)}"
            + f"; {advice}"
            * bool(advice)
        )
    warnings.warn(text, RuntimeWarning, stacklevel=levels_to_caller())


def _places(artifacts: Sequence[Artifact]) -> dict[str, list[Guard]]:
    """For each path what different guards ask of it, that of the oldest program first."""
    found: dict[str, list[Guard]] = {}
    for artifact in reversed(artifacts):
        for guard in artifact.guards:
            known = found.setdefault(guard.path, [])
            if guard.kind != "apart" and not any(are_same(guard, each) for each in known):
                known.append(guard)
    return found


def _listed(found: Sequence[Guard]) -> str:
    told = [*dict.fromkeys(map(describe, found))]
    return ", ".join([*told[:_SHOWN], *["..."] * (len(told) > _SHOWN)])


__all__ = ["MANY", "warn_of_many"]
