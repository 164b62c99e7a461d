"""What a declaration must be: bodies that are functions of the same inputs, one for each input.

    elementwise(np.arctan2, lambda y, a, b: ..., lambda y, a, b: ...)      inputs (a, b)
    rule(f, jvp=..., x=lambda g, y, x, w, axis=None: ...)                  inputs (x, w)

A parameter of a body without a default is an input, one with a default an option. What does not fit
is refused here, when the rule is stated (E602, E604, E605, E607).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.rules.core import facts
from srcad.rules.core.declaration import probing
from srcad.rules.core.table import Body, name_of

_LIBRARIES = {"", "_operator", "builtins", "cmath", "math", "numpy", "scipy", "srcad"}
_MANY = 32  # of `*operands`: as many as NumPy's own functions take


def given(fn: Any, partial: Any) -> Any:
    """A partial, which a body may have forgotten to return."""
    if partial is None:
        raise error("E605", None, what=f"`{name_of(fn)}`", notes=("a partial is None",))
    return partial


def check_function(fn: Any) -> None:
    """Refuse what is no function, or cannot stand in the table."""
    if not callable(fn):
        raise error("E607", None, what=f"`{fn!r}`")
    try:
        hash(fn)
    except TypeError:  # functions of `ctypes`
        fix = "define a function that calls it, and give the rule to that"
        raise error("E607", None, what=f"`{name_of(fn)}`", fix=fix) from None


def elementwise_signature(fn: Any, partials: Sequence[Body | None]) -> inspect.Signature:
    """The inputs of the first partial; each partial must take one input for each partial."""
    bodies = [partial for partial in partials if partial is not None]
    for partial in bodies:
        check_function(partial)
    counts = {_count_inputs(_inputs_of(partial, skip=1)) for partial in bodies}
    if isinstance(fn, np.ufunc):
        counts.add(fn.nin)
    if counts - {None} != {len(partials)} and counts - {None}:
        raise error("E604", None, what=f"`{name_of(fn)}`")
    if not partials:
        raise error("E604", None, what=f"`{name_of(fn)}`")
    if not bodies:
        names = [f"x{i}" for i in range(len(partials))]
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature([inspect.Parameter(name, kind) for name in names])
    return _inputs_of(bodies[0], skip=1)


def states_partials(given: Sequence[Any]) -> bool:
    """Whether all that `elementwise` is given are partials, as where it is a decorator: of n of
    them each takes n inputs beside `y`; beside a function, one less.
    """
    if len(given) == 1:
        first = next(iter(_parameters(given[0])), "")
        return len(_parameters(given[0])) == 2 and (first == "y" or given[0].__name__ == "<lambda>")
    counts = {len(_parameters(each)) for each in given[1:] if callable(each)}
    return counts == {len(given) + 1} and len(_parameters(given[0])) == len(given) + 1


def _parameters(fn: Any) -> list[str]:
    """The names of the parameters without a default; none of what is no Python function."""
    if not isinstance(fn, FunctionType):
        return []
    found = inspect.signature(fn).parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in found):
        return []
    return [p.name for p in found if p.default is p.empty]


def _count_inputs(signature: inspect.Signature) -> int | None:
    """The number of inputs, None where a body takes any number (`*xs`)."""
    parameters = signature.parameters.values()
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return None
    return sum(p.default is p.empty for p in parameters)


def _inputs_of(body: Body, skip: int) -> inspect.Signature:
    """The signature of the primitive's inputs: the body's, without `y` or `g, y`."""
    parameters = list(inspect.signature(body).parameters.values())[skip:]
    return inspect.Signature([p for p in parameters if p.name != "at"])


def named_vjps(fn: Any, bodies: Mapping[str, Body]) -> tuple[inspect.Signature, dict[int, Body]]:
    """The signature that the bodies agree on, and each body by the position of its input."""
    if not bodies:
        raise error("E604", None, what=f"`{name_of(fn)}`", fix="give one transpose for each input")
    for body in bodies.values():
        check_function(body)
    signature = _inputs_of(next(iter(bodies.values())), skip=2)
    inputs = [p for p in signature.parameters.values() if p.default is p.empty]
    names = [p.name for p in inputs]
    vjps: dict[int, Body] = {}
    for name, body in bodies.items():
        if name not in names:
            what = f"`{name}`"
            fix = f"the inputs of `{name_of(fn)}` are: {', '.join(names)}"
            raise error("E602", None, what=what, fix=fix)
        start = names.index(name)
        if inputs[start].kind is inspect.Parameter.VAR_POSITIONAL:
            vjps |= {start + k: functools.partial(body, at=k) for k in range(_MANY)}
        else:
            vjps[start] = body
    return signature, vjps


def joint_vjps(fn: Any, body: Body) -> tuple[inspect.Signature, dict[int, Body]]:
    """The signature of a body that gives the cotangents of all inputs, and the one of each."""
    check_function(body)
    signature = _inputs_of(body, skip=2)
    several = as_cotangents(fn, body)
    count = _count_inputs(signature)

    def one(g: Any, y: Any, *xs: Any, position: int, **options: Any) -> Any:
        return several(g, y, *xs, **options)[position]

    positions = range(_MANY if count is None else count)
    return signature, {k: functools.partial(one, position=k) for k in positions}


def as_cotangents(fn: Any, body: Body) -> Body:
    """A body that gives a tuple of cotangents, one for each input, also of the only one."""

    def cotangents(g: Any, y: Any, *xs: Any, **options: Any) -> tuple[Any, ...]:
        return one_for_each(fn, body(g, y, *xs, **options), len(xs))

    return cotangents


def one_for_each(fn: Any, found: Any, count: int) -> tuple[Any, ...]:
    """The cotangents that a body of the rule of `fn` gives for `count` inputs."""
    if count == 1 and not isinstance(found, tuple):
        return (found,)
    if not isinstance(found, tuple | list) or len(found) != count:
        given = f"{len(found)} cotangents" if isinstance(found, tuple | list) else "one result"
        note = f"it gives {given}; it has {count} input{'s' * (count != 1)}"
        raise error("E605", None, what=f"`{name_of(fn)}`", notes=(note,))
    return tuple(found)


def elementwise_type(fn: Any) -> facts.TypeFunction:
    """The type function of an elementwise function that states none."""
    if isinstance(fn, np.ufunc):
        return facts.ufunc_type(fn)
    return _tried(fn, probing.elementwise_type(fn))


def default_type(fn: Any) -> facts.TypeFunction:
    """The type function of any other: it is called on made-up arguments."""
    if isinstance(fn, np.ufunc):
        return facts.ufunc_type(fn)

    def probed(*args: Any, **kwargs: Any) -> Any:
        probe = probing.probe if _is_of_library(fn) else probing.probe_once
        return probe(fn, args, kwargs)

    found = _tried(fn, probed)
    found.calls_it = True  # type: ignore[attr-defined]  # read by `is_called_by`
    return found


def _tried(fn: Any, type_of: facts.TypeFunction) -> facts.TypeFunction:
    """A type function that calls `fn`; what a user's function raises there is refused (E207)."""
    if _is_of_library(fn):
        return type_of  # what they raise is about the types

    def tried(*args: Any, **kwargs: Any) -> Any:
        try:
            return type_of(*args, **kwargs)
        except (SrcadError, facts.UncoveredError):
            raise
        except Exception as reason:
            note = f"called with made-up numbers and arrays, it raised {reason!r}"
            raise error("E207", None, what=f"`{name_of(fn)}`", notes=(note,)) from reason

    tried.by_trial = True  # type: ignore[attr-defined]  # read by `is_by_trial`
    return tried


def _is_of_library(fn: Any) -> bool:
    home = getattr(fn, "__module__", None) or ""
    return home.partition(".")[0] in _LIBRARIES


def is_by_trial(type_of: facts.TypeFunction) -> bool:
    """Whether a type function calls the user's function to see what it gives."""
    return getattr(type_of, "by_trial", False)


def is_called_by(type_of: facts.TypeFunction) -> bool:
    """Whether a type function calls its function, of whatever library, with all its arguments."""
    return getattr(type_of, "calls_it", False)


__all__ = [
    "as_cotangents",
    "check_function",
    "default_type",
    "elementwise_signature",
    "elementwise_type",
    "given",
    "is_by_trial",
    "is_called_by",
    "joint_vjps",
    "named_vjps",
    "one_for_each",
    "states_partials",
]
