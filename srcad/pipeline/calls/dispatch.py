"""Guards and captured inputs as one generated function: the warm path of every call.

def dispatch(a0, a1):
    while True:
        try:
            if type(a0) is not ndarray or a0.dtype is not k0 and a0.dtype != k0: break
            n1, n2 = a0.shape
            if n1 == 1 or n2 == 1: break
            ...
            c0 = k1['scale']
            if type(c0) is not float: break
        except Exception as problem:
            raise_users_own(problem)
            break
        return entry(a0, a1, c0)
    return MISS

The loop never turns: it is what `break` leaves. A guard that raises does not hold: what it reads is
not there, or raises by itself. What a signal's handler raised meanwhile goes on. What the program
raises is not caught here.

Where there is a table of entries, the size of the arguments chooses one:

    return entry[(a0.size + a1.size).bit_length()](a0, a1, c0)

What a user calls is such a function too (`build_call`), so that a call costs little more than its
guards. It counts, and hands all that is not plain to `general`, what the program raises to
`failed`, which raises it or calls NumPy's program:

def call(a0=ABSENT, a1=ABSENT, /, *rest, **named):
    nonlocal hits
    try:
        if a1 is ABSENT or rest or named:
            return general(*[a for a in (a0, a1) if a is not ABSENT], *rest, **named)
        while version == rules.current:
            ...
            hits += 1
            try:
                return entry(a0, a1, c0)
            except BaseException as problem:
                return failed(problem, (a0, a1))
        return missed((a0, a1))
    except BaseException as problem:
        hide_own_frames(problem)
        raise
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from srcad.interrupts import raise_users_own
from srcad.ir.guards import Guard, rule_version
from srcad.pipeline.calls.conditions import Conditions
from srcad.pipeline.calls.generated import DISPATCH
from srcad.pipeline.calls.tracebacks import hide_own_frames

MISS = object()
_ABSENT = object()
_MAX_SIZES = 6

Programs = Callable[..., Any] | list[Callable[..., Any]]

_DISPATCH = """\
def dispatch({given}):
    while True:
        try:
            {guards}
        except Exception as problem:
            raise_users_own(problem)
            break
        return {chosen}({passed})
    return MISS
"""

_CALL = """\
def make(entry, version, general, failed, missed):
    hits = 0

    def call({optional}*rest, **named):
        nonlocal hits
        try:
            if {absent}rest or named:
                return general(*[a for a in ({given}) if a is not ABSENT], *rest, **named)
            while version == rules.current:
                try:
                    {guards}
                except Exception as problem:
                    raise_users_own(problem)
                    break
                hits += 1
                try:
                    return {chosen}({passed})
                except BaseException as problem:
                    return failed(problem, ({given}))
            return missed(({given}))
        except BaseException as problem:
            hide_own_frames(problem)
            raise

    def served(ends=False):
        nonlocal version
        version = None if ends else version
        return hits

    return call, served
"""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a `call` leaves to others.

    `general` gets arguments that are not one for each parameter; `failed` what the program raised
    and the arguments; `missed` arguments that the guards do not hold for.
    """

    general: Callable[..., Any]
    failed: Callable[[BaseException, tuple[Any, ...]], Any]
    missed: Callable[[tuple[Any, ...]], Any]


def build_dispatch(
    entry: Programs,
    fn: Callable[..., Any],
    n_args: int,
    n_extra: int,
    guards: Sequence[Guard],
    captures: tuple[str, ...],
    kept: tuple[Any, ...],
) -> Callable[..., Any]:
    """A function of the arguments that calls `entry` if every guard holds, else returns `MISS`.

    Args:
        entry: the program; or one for each number of bits that the arguments' size has.
        n_args: number of the primal's arguments; `n_extra` more are passed on unchecked (tangents).
    """
    namespace: dict[str, Any] = {
        "entry": entry,
        "MISS": MISS,
        "raise_users_own": raise_users_own,
        "__name__": DISPATCH,
    }
    conditions = Conditions(namespace, fn, n_args, captures, kept)
    conditions.add(guards)
    parameters = [f"a{i}" for i in range(n_args + n_extra)]
    text = _DISPATCH.format(
        given=", ".join(parameters),
        guards=f"\n{' ' * 12}".join(conditions.lines) or "pass",
        chosen=_chosen(entry, conditions, guards),
        passed=", ".join([*parameters, *conditions.captured]),
    )
    exec(_code(text), namespace)
    dispatch: Callable[..., Any] = namespace["dispatch"]
    return dispatch


def build_call(
    entry: Programs,
    fn: Callable[..., Any],
    n_args: int,
    guards: Sequence[Guard],
    captures: tuple[str, ...],
    kept: tuple[Any, ...],
    rest: Rest,
) -> tuple[Callable[..., Any], Callable[[bool], int]]:
    """The function that users call; and one that tells how many calls it served, and may end it.

    One that was ended leaves all calls to `rest`, as it does when rules have changed.
    """
    namespace: dict[str, Any] = {
        "ABSENT": _ABSENT,
        "rules": rule_version,
        "raise_users_own": raise_users_own,
        "hide_own_frames": hide_own_frames,
        "__name__": DISPATCH,
    }
    conditions = Conditions(namespace, fn, n_args, captures, kept)
    conditions.add(guards)
    parameters = [f"a{i}" for i in range(n_args)]
    text = _CALL.format(
        optional="".join(f"{name}=ABSENT, " for name in parameters) + "/, " * bool(parameters),
        absent=f"{parameters[-1]} is ABSENT or " if parameters else "",
        given="".join(f"{name}, " for name in parameters),
        guards=f"\n{' ' * 20}".join(conditions.lines) or "pass",
        chosen=_chosen(entry, conditions, guards),
        passed=", ".join([*parameters, *conditions.captured]),
    )
    exec(_code(text), namespace)
    made: tuple[Callable[..., Any], Callable[[bool], int]] = namespace["make"](
        entry, rule_version.number, rest.general, rest.failed, rest.missed
    )
    return made


# The same guards are asked of other arguments, too, without a call.
@functools.lru_cache(maxsize=256)
def _code(text: str) -> CodeType:
    return compile(text, "<srcad dispatch>", "exec")


def _chosen(entry: Programs, conditions: Conditions, guards: Sequence[Guard]) -> str:
    """The program; of several that for the bits of the number of entries of the arrays that come
    in, of the first, if many.
    """
    if callable(entry):
        return "entry"
    paths = [guard.path for guard in guards if guard.kind == "leaf" and _has_axes(guard.expected)]
    # What stands in containers comes last: parameters of a model, which rarely change in size.
    paths = sorted(paths, key=lambda path: path.count("["))[:_MAX_SIZES]
    sizes = " + ".join(f"{conditions.text(path)}.size" for path in paths)
    return f"entry[({sizes}).bit_length()]" if sizes else "entry[0]"


def _has_axes(key: Any) -> bool:
    """Whether a `leaf_key` is that of an array with axes."""
    return isinstance(key, tuple) and len(key) > 1 and bool(key[1])
