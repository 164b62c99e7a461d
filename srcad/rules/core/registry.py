"""The constructors: one statement per function, from which forward and reverse mode both come.

The same six for the library and for users (`srcad.rules`):

    elementwise(np.tanh, lambda y, x: 1 - y * y)             partials only
    linear(np.flip, m=lambda g, y, m, axis=None: np.flip(g, axis=axis))     transposes only
    rule(np.linalg.inv, jvp=..., a=...)                      both modes written out
    rule(solve, vjp=lambda g, y, a, b: ...)                  reverse mode alone, of all inputs
    rule(solve, fwd=..., bwd=...)                            the same with residuals kept
    composed(np.trapezoid, lambda y, ...: ...)               made of functions that have rules
    zero(np.floor)                                           the derivative is zero
    nondiff(np.argmax)                                       the result cannot be varied (an index)

Bodies are plain functions of arrays: they compute when called with arrays and emit IR when called
with staged values. `y` is the output, `g` its cotangent, `ts` the tangents of the inputs (`ZERO`
where inactive). With several outputs `y` and `g` are tuples, and so is what `jvp` returns. A
function that has a rule is a primitive: it is not looked into.

*Composed functions.* What NumPy itself writes in terms of others needs no derivative: the body
gives the value, in its dtype and shape, and stands in the program in place of each call.

*Inputs and options.* The parameters of a body without a default are the inputs: positional in the
IR. Those with a default are options: by name, and only where given. An input may be `*operands`;
its vjp then takes `at`, which of them is meant: `operands=lambda g, y, subscripts, *operands, at:
...`.

*More.* `type_of` gives the result's type (without it the function is called on ones); `note` states
a convention (`abs'(0) = 0`); `normalize` brings arguments to the rule's inputs, for functions that
take them in several ways; `override=True` replaces a rule that comes with srcad.

*Cases.* `tests/rules/test_all_rules.py` runs every rule in both modes, on arrays and staged, at
`cases=(Case((3, 4), axis=0), ...)`, with entries from `domain`. Without cases it uses `Case((3, 4),
..., (3, 4))`, one shape for each input with a vjp, and for `elementwise` broadcasting pairs, 0-d,
empty and number arguments as well. A rule that cannot be run there without cases fails.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.rules.core import facts
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import composed_type
from srcad.rules.core.declaration.by_partials import jvp_by, vjps_by
from srcad.rules.core.declaration.constants import DOMAIN, nondiff, same, zero
from srcad.rules.core.declaration.declared import (
    as_cotangents,
    check_function,
    default_type,
    elementwise_signature,
    elementwise_type,
    joint_vjps,
    named_vjps,
    states_partials,
)
from srcad.rules.core.declaration.own_backward import OwnForward
from srcad.rules.core.declaration.registration import register
from srcad.rules.core.staged import call
from srcad.rules.core.table import RULES, Body, Case, Rule, name_of
from srcad.rules.core.zero import ZERO


def elementwise(
    fn: Callable[..., Any],
    *partials: Body | None,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    note: str = "",
    normalize: Callable[..., Arguments] | None = None,
    batched: Body | None = None,
    override: bool = False,
) -> Any:
    """Declare an elementwise function by its partials `(y, *inputs) -> array`, one for each input.

    y_dot = sum_i partial_i * x_i_dot, and x_i_bar = y_bar * partial_i, summed where x_i was
    broadcast. A partial may be a number, `over(d)` for 1 / d, or `ZERO`. By an input with None in
    the place of a partial the function is not differentiated (E202). Ints come to partials as
    floats, as NumPy computes with them; orders stay whole. Given partials alone, it is a decorator
    of the function. `batched` is as in `rule`.

    Args:
        fn: the function.
        partials: one for each input, in their order.
        type_of, domain, cases, note, normalize, override: as of `rule`.

    Returns:
        The function, or a decorator of one.

    Raises:
        RuleError: as `rule`.

    >>> import srcad
    >>> @srcad.rules.elementwise(lambda y, x: (1 - abs(y)) ** 2)
    ... def softsign(x):
    ...     return x / (1 + abs(x))
    >>> float(srcad.grad(softsign)(1.0))
    0.25
    """
    if states_partials((fn, *partials)):
        options: dict[str, Any] = {
            "type_of": type_of, "domain": domain, "cases": cases, "note": note,
            "normalize": normalize, "batched": batched, "override": override,
        }  # fmt: skip
        return lambda own: elementwise(own, fn, *partials, **options)
    check_function(fn)
    signature = elementwise_signature(fn, partials)
    register(
        Rule(
            fn, "elementwise", signature, jvp_by(fn, partials, note), vjps_by(fn, partials),
            type_of or elementwise_type(fn), partials, domain, cases, note, normalize,
            batched=batched,
        ),
        override,
    )  # fmt: skip
    return fn


def linear(
    fn: Callable[..., Any] | None = None,
    *,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    note: str = "",
    normalize: Callable[..., Arguments] | None = None,
    batched: Body | None = None,
    override: bool = False,
    **transposes: Body,
) -> Any:
    """Declare a function linear in each named input (`matmul` is in each alone) by its transposes.

    A transpose is `(g, y, *inputs, **options) -> x_bar`; the tangent is `fn` itself, one term per
    active input. The inputs' names are the parameters of the transpose without a default. Without a
    function it is a decorator of one. `batched` is as in `rule`.

    Args:
        fn: the function; left out, it is a decorator of one.
        transposes: one for each input, by its name.
        type_of, domain, cases, note, normalize, override: as of `rule`.

    Returns:
        The function, or a decorator of one.

    Raises:
        RuleError: as `rule`.

    >>> import srcad
    >>> @srcad.rules.linear(x=lambda g, y, x: halved(g))
    ... def halved(x):
    ...     return x / 2
    >>> srcad.grad(lambda x: halved(x) ** 2)(3.0)
    1.5
    """
    if fn is None:
        return functools.partial(
            linear, type_of=type_of, domain=domain, cases=cases, note=note, normalize=normalize,
            batched=batched, override=override, **transposes,
        )  # fmt: skip
    check_function(fn)
    signature, vjps = named_vjps(fn, transposes)

    def jvp(ts: Any, y: Any, *xs: Any, **options: Any) -> Any:
        terms = (
            call(fn, *xs[:i], t, *xs[i + 1 :], **options)
            for i, t in enumerate(ts)
            if t is not ZERO and i in vjps  # of an input without transpose only the form matters
        )
        return cast_like(sum(terms, start=ZERO), y)

    found = type_of or default_type(fn)
    register(
        Rule(
            fn, "linear", signature, jvp, vjps, found, (), domain, cases, note, normalize,
            batched=batched,
        ),
        override,
    )  # fmt: skip
    return fn


def rule(
    fn: Callable[..., Any] | None = None,
    *,
    jvp: Body | None = None,
    vjp: Body | None = None,
    fwd: Body | None = None,
    bwd: Body | None = None,
    type_of: facts.TypeFunction | None = None,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    note: str = "",
    normalize: Callable[..., Arguments] | None = None,
    batched: Body | None = None,
    override: bool = False,
    **vjps: Body,
) -> Any:
    """Declare a function by `jvp(ts, y, *inputs, **options)` and a vjp for each input.

    Args:
        fn: the function; left out, `rule` is a decorator of it.
        jvp: the tangent of the result. Without it, forward mode is refused (E206).
        vjp: `vjp(g, y, *inputs, **options)`, the cotangents of all inputs: a tuple, or the one of
            the only input.
        vjps: the cotangent of one input each, by its name, in place of `vjp`.
        fwd, bwd: another way to state reverse mode alone. `fwd(*inputs, **options)` computes the
            result and what the backward needs, `(y, residuals)`; `bwd(residuals, g)` gives the
            cotangents of all inputs.
        batched: the function for all samples at once, which `srcad.vmap` calls in place of a loop.
            Each input that is a number or an array has the axis of the samples first; one that is
            the same for all is repeated along it. So have the results, with the dtypes of one
            sample. Where a derivative of the mapped function is taken, it serves if it has a rule.
        type_of: `type_of(*inputs, **options)`, the type of the result from those of the inputs.
            Without it the function is called on made-up arguments.
        domain: between which numbers tests draw entries.
        cases: calls at which tests evaluate the rule.
        note: what the list of rules says of it.
        normalize: brings the arguments of a call into the form that the bodies take.
        override: replace the rule that the function has.

    Returns:
        The function.

    Raises:
        RuleError: E601 to E609, the rule is faulty; what is wrong is named.

    >>> import numpy as np
    >>> import srcad
    >>> @srcad.rules.rule(vjp=lambda g, y, x: np.clip(g, -1, 1))
    ... def clipped(x):  # the value passes, of its cotangent what is in [-1, 1]
    ...     return x.copy()
    >>> srcad.grad(lambda x: np.sum(clipped(x) ** 2))(np.array([0.2, 5.0]))
    array([0.4, 1. ])
    """
    if fn is None:
        return functools.partial(
            rule, jvp=jvp, vjp=vjp, fwd=fwd, bwd=bwd, type_of=type_of, domain=domain, cases=cases,
            note=note, normalize=normalize, batched=batched, override=override, **vjps,
        )  # fmt: skip
    check_function(fn)
    for body in (jvp, fwd, bwd):
        if body is not None:
            check_function(body)
    if fwd is not None and bwd is not None and not (jvp or vjp or vjps):
        if type_of is not None or normalize is not None or batched is not None:
            fix = "leave out type_of=, normalize= and batched=: `fwd` tells the result"
            raise error("E603", None, what=f"`{name_of(fn)}`", fix=fix)
        body = OwnForward(fn, fwd, bwd)
        composed(fn, body, domain=domain, cases=cases, note=note, override=override)
        return fn
    if fwd is not None or bwd is not None or (vjp is None) is not bool(vjps):
        raise error("E603", None, what=f"`{name_of(fn)}`")
    signature, positions = named_vjps(fn, vjps) if vjp is None else joint_vjps(fn, vjp)
    found = type_of or default_type(fn)
    register(
        Rule(
            fn, "general", signature, jvp, positions, found, (), domain, cases, note, normalize,
            joint=None if vjp is None else as_cotangents(fn, vjp), batched=batched,
        ),
        override,
    )  # fmt: skip
    return fn


def composed(
    fn: Callable[..., Any],
    body: Body,
    *,
    domain: tuple[float, float] = DOMAIN,
    cases: Sequence[Case] = (),
    note: str = "",
    override: bool = False,
) -> None:
    """Declare what a function is made of: `body` is called as `fn`, and put in place of its calls.

    Its parameters without a default are the inputs. See `srcad.rules.core.compose`.

    Args:
        fn: the function.
        body: a Python function of the same arguments.
        domain, cases, note, override: as of `rule`.

    Raises:
        RuleError: as `rule`.

    >>> import numpy as np
    >>> import srcad
    >>> cube = np.frompyfunc(lambda x: x**3, 1, 1)  # has no source
    >>> srcad.rules.composed(cube, lambda x: x * x * x)
    >>> srcad.grad(lambda x: cube(x))(2.0)
    12.0
    """
    check_function(fn)
    check_function(body)
    signature = inspect.signature(body)
    found = composed_type(body)
    register(
        Rule(fn, "composed", signature, None, {}, found, (), domain, cases, note, None, body),
        override,
    )


__all__ = [
    "RULES", "Case", "Rule", "composed", "elementwise", "linear", "nondiff", "rule", "same", "zero",
]  # fmt: skip
