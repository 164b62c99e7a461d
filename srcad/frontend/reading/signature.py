"""The signature of what is differentiated."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.ir.marks import checkpointed, request_of
from srcad.rules import RULES

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def signature_of(fn: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function; of a NumPy function or builtin, that of its rule, which has the
    inputs and the options that the rule knows, where arguments by position mean the same in both.
    """
    request = request_of(fn)
    if request is not None:
        return signature_for(request)
    wrapped = checkpointed(fn)
    if wrapped is not None:
        return signature_of(wrapped)
    rule = RULES.get(fn)
    stated: inspect.Signature | None = None
    if rule is not None and not inspect.isfunction(fn):
        stated = rule.signature
    try:
        own: inspect.Signature | None = inspect.signature(fn)
    except (ValueError, TypeError):
        own = stated
    if own is None:
        raise error("E101", None, what=f"`{getattr(fn, '__name__', fn)}`")
    return stated if stated is not None and _means_the_same(stated, own) else own


def _means_the_same(stated: inspect.Signature, own: inspect.Signature) -> bool:
    """Whether each argument that a rule takes by position is that of the function."""
    pairs = zip(stated.parameters.values(), own.parameters.values(), strict=False)
    return all(
        own.default is own.empty if stated.default is stated.empty else own.name == stated.name
        for stated, own in pairs
        if stated.kind in _POSITIONAL and own.kind in _POSITIONAL
    )


def signature_for(request: Any) -> inspect.Signature:
    """The signature of the function that a request makes: the primal's, for `hvp` with a vector,
    for `jvp` with the tangents.
    """
    signature = signature_of(request.primal)
    if request.kind == "jvp":
        return _with_tangents(request.name, [*signature.parameters.values()])
    if request.kind != "hvp":
        return signature
    return inspect.Signature(_with_vector(list(signature.parameters.values()), request.argnums))


def vector_position(
    parameters: Sequence[inspect.Parameter], argnums: Sequence[int | str]
) -> int | None:
    """Where `hvp` takes its vector: after the last argument differentiated by; None by name only.

    f(x, a), argnums 0           hvp(x, v, a)
    f(x, y, a), argnums (0, 1)   hvp(x, y, (x_v, y_v), a)
    """
    names = [p.name for p in parameters]
    last = 0
    for each in argnums:
        position = names.index(each) if isinstance(each, str) else each
        kinds = [p.kind for p in parameters]
        star = inspect.Parameter.VAR_POSITIONAL
        inside = star in kinds and isinstance(each, int) and position >= kinds.index(star)
        if not inside and parameters[position].kind not in _POSITIONAL:
            return None
        last = max(last, position + 1)
    return last


def vector_name(parameters: Sequence[inspect.Parameter]) -> str:
    """`v`, unless the function itself has a parameter of this name."""
    name = "v"
    while any(p.name == name for p in parameters):
        name = f"{name}_"
    return name


def _with_tangents(name: str, parameters: Sequence[inspect.Parameter]) -> inspect.Signature:
    """f(x, k=1.0)   (x, k, x_dot, k_dot)"""
    if any(p.kind not in _POSITIONAL for p in parameters):
        what = f"the pushforward of `{name}`, whose parameters are not all passed by position,"
        raise error("E503", None, what=what)
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [p.name for p in parameters]
    return inspect.Signature(
        [inspect.Parameter(each, either) for each in (*names, *(f"{n}_dot" for n in names))]
    )


def _with_vector(
    parameters: list[inspect.Parameter], argnums: Sequence[int | str]
) -> list[inspect.Parameter]:
    """The parameters with the vector; those before it by position lose their defaults."""
    at, name = vector_position(parameters, argnums), vector_name(parameters)
    by_position = sum(p.kind in _POSITIONAL for p in parameters)
    if at is None or at > by_position:
        keyword = inspect.Parameter.KEYWORD_ONLY
        last = bool(parameters) and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD
        end = len(parameters) - last
        return [*parameters[:end], inspect.Parameter(name, keyword), *parameters[end:]]
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    if at < by_position and parameters[at].kind is inspect.Parameter.POSITIONAL_ONLY:
        kind = inspect.Parameter.POSITIONAL_ONLY
    before = [p.replace(default=p.empty) for p in parameters[:at]]
    return [*before, inspect.Parameter(name, kind), *parameters[at:]]
