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
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.rules.core import facts
from srcad.rules.core.table import Body, name_of

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


def elementwise_type(fn: Any) -> facts.TypeFunction:
    """The type function of an elementwise function that states none."""
    return facts.ufunc_type(fn) if isinstance(fn, np.ufunc) else facts.elementwise_type(fn)


def default_type(fn: Any) -> facts.TypeFunction:
    """The type function of any other: it is called on ones."""
    if isinstance(fn, np.ufunc):
        return facts.ufunc_type(fn)
    return lambda *args, **kwargs: facts.probe(fn, args, kwargs)


__all__ = [
    "check_function",
    "default_type",
    "elementwise_signature",
    "elementwise_type",
    "given",
    "named_vjps",
]
