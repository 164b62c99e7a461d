"""The registry: one statement per function, from which forward and reverse mode both come.

Five constructors, the same for the library and for users (`srcad.rules`):

    elementwise(np.tanh, lambda y, x: 1 - y * y)             partials only
    linear(np.flip, m=lambda g, y, m, axis=None: np.flip(g, axis=axis))     transposes only
    rule(np.linalg.inv, jvp=..., a=...)                      both modes written out
    zero(np.floor)                                           the derivative is zero
    nondiff(np.argmax)                                       the result cannot be varied (an index, a shape)

Bodies are plain functions of arrays: they compute when called with arrays and emit IR when called with staged
values. `y` is the output, `g` its cotangent, `ts` the tangents of the inputs (`ZERO` where inactive).
A function that has a rule is a primitive: it is not looked into.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from srcad.errors import error
from srcad.rules import facts
from srcad.rules.broadcast import unbroadcast
from srcad.rules.zero import ZERO

Kind = Literal["elementwise", "linear", "general", "zero", "nondiff"]
Body = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of one function.

    `signature` is that of the inputs in canonical form (None: taken as written). `jvp(ts, y, *xs, **kw)`
    gives the tangent; `vjps[i](g, y, *xs, **kw)` the cotangent of the i-th positional input. `domain` and
    `cases` tell the registry-driven test where to evaluate.
    """

    fn: Callable[..., Any]
    kind: Kind
    signature: inspect.Signature | None
    jvp: Body | None
    vjps: Mapping[int, Body]
    type_of: facts.TypeFunction
    partials: tuple[Body, ...] = ()
    domain: tuple[float, float] = (-2.0, 2.0)
    cases: Sequence[Any] = field(default=())

    def bind(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Canonical arguments: inputs positional, options by name and only where given.

        Raises `MissingRule` (E202) for an argument that the rule does not cover, such as `where=`.
        """
        if self.signature is None:
            return args, kwargs
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as reason:
            raise error("E203", None, what=f"{self.fn.__name__}: {reason}") from None
        positional: list[Any] = []
        options: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            parameter = self.signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                options.update(value)
            elif parameter.default is parameter.empty:
                positional.append(value)
            elif value is not parameter.default:
                options[name] = value
        return tuple(positional), options


RULES: dict[Any, Rule] = {}


def elementwise(
    fn: Callable[..., Any],
    *partials: Body,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = (-2.0, 2.0),
    cases: Sequence[Any] = (),
) -> None:
    """Declare an elementwise function by its partials `(y, *inputs) -> array`, one for each input.

    y_dot = sum_i partial_i * x_i_dot, and x_i_bar = y_bar * partial_i, summed where x_i was broadcast.
    """

    def jvp(ts: Any, y: Any, *xs: Any) -> Any:
        terms = (t * p(y, *xs) for p, t in zip(partials, ts, strict=True) if t is not ZERO)
        return sum(terms, start=ZERO)

    def vjp(i: int) -> Body:
        return lambda g, y, *xs: unbroadcast(g * partials[i](y, *xs), xs[i])

    _register(
        Rule(
            fn=fn,
            kind="elementwise",
            signature=_inputs_of(partials[0], skip=1),
            jvp=jvp,
            vjps={i: vjp(i) for i in range(len(partials))},
            type_of=type_of or _elementwise_type(fn),
            partials=partials,
            domain=domain,
            cases=cases,
        )
    )


def linear(
    fn: Callable[..., Any],
    *,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = (-2.0, 2.0),
    cases: Sequence[Any] = (),
    **transposes: Body,
) -> None:
    """Declare a function linear in each named input (in each alone: `matmul` is one) by its transposes.

    A transpose is `(g, y, *inputs, **options) -> x_bar`; the tangent is `fn` itself, one term per active
    input. The inputs' names are the parameters of the transpose without a default.
    """
    signature = _inputs_of(next(iter(transposes.values())), skip=2)
    positions = _positions(fn, signature, transposes)

    def jvp(ts: Any, y: Any, *xs: Any, **options: Any) -> Any:
        from srcad.rules.staged import call

        terms = (
            call(fn, *xs[:i], t, *xs[i + 1 :], **options) for i, t in enumerate(ts) if t is not ZERO
        )
        return sum(terms, start=ZERO)

    _register(
        Rule(fn, "linear", signature, jvp, positions, type_of or _probed(fn), (), domain, cases)
    )


def rule(
    fn: Callable[..., Any],
    *,
    jvp: Body,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = (-2.0, 2.0),
    cases: Sequence[Any] = (),
    **vjps: Body,
) -> None:
    """Declare a function by both modes: `jvp(ts, y, *inputs, **options)` and a vjp for each named input."""
    if not vjps:
        raise error("E602", None, what=f"{fn.__name__}: `rule` needs a vjp for at least one input")
    signature = _inputs_of(next(iter(vjps.values())), skip=2)
    positions = _positions(fn, signature, vjps)
    _register(
        Rule(fn, "general", signature, jvp, positions, type_of or _probed(fn), (), domain, cases)
    )


def zero(*fns: Callable[..., Any], type_of: facts.TypeFunction | None = None) -> Any:
    """Declare functions with derivative zero (`np.floor`). With one function, usable as a decorator."""
    return _without_derivative("zero", fns, type_of)


def nondiff(*fns: Callable[..., Any], type_of: facts.TypeFunction | None = None) -> Any:
    """Declare functions whose result cannot be varied (`np.argmax`). With one, usable as a decorator."""
    return _without_derivative("nondiff", fns, type_of)


def same(fn: Callable[..., Any], as_fn: Callable[..., Any]) -> None:
    """Give `fn` the rule of another function with the same meaning (`np.abs`, `np.absolute`)."""
    known = RULES[as_fn]
    type_of = _elementwise_type(fn) if isinstance(fn, np.ufunc) else known.type_of
    _register(
        Rule(
            fn,
            known.kind,
            known.signature,
            known.jvp,
            known.vjps,
            type_of,
            known.partials,
            known.domain,
            known.cases,
        )
    )


def _without_derivative(
    kind: Kind, fns: tuple[Any, ...], type_of: facts.TypeFunction | None
) -> Any:
    for fn in fns:
        found = type_of or (_elementwise_type(fn) if isinstance(fn, np.ufunc) else _probed(fn))
        _register(Rule(fn, kind, None, None, {}, found))
    return fns[0] if len(fns) == 1 else None


def _register(new: Rule) -> None:
    RULES[new.fn] = new


def _inputs_of(body: Body, skip: int) -> inspect.Signature:
    """The signature of the primitive's inputs: the body's, without `y` or `g, y`."""
    parameters = list(inspect.signature(body).parameters.values())[skip:]
    return inspect.Signature(parameters)


def _positions(
    fn: Any, signature: inspect.Signature, bodies: Mapping[str, Body]
) -> dict[int, Body]:
    names = [p.name for p in signature.parameters.values() if p.default is p.empty]
    unknown = [name for name in bodies if name not in names]
    if unknown:
        expected = ", ".join(names)
        raise error(
            "E602", None, what=f"{fn.__name__} has no input `{unknown[0]}` (inputs: {expected})"
        )
    return {names.index(name): body for name, body in bodies.items()}


def _elementwise_type(fn: Any) -> facts.TypeFunction:
    if isinstance(fn, np.ufunc):
        return facts.ufunc_type(fn)
    return _probed(fn)


def _probed(fn: Any) -> facts.TypeFunction:
    return lambda *args, **kwargs: facts.probe(fn, args, kwargs)
