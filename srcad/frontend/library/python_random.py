"""Generators of Python's own `random`: passed in, captured, made inside, or the one that the
functions of the module share; draws are effects of the program.

random.gauss(mu, sigma)         z: float = Random.gauss(rng, 0.0, 1.0); add(mu, mul(z, sigma))
random.choice(xs)               k: int = Random.randrange(rng, 3); getitem(xs, k)

A draw is made once for each run of its statement, in the order of the program, and kept for the
reverse sweep. Where a distribution is one without parameters, scaled, its parameters have
derivatives, for the same draw.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, SetObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Method, Ref, describe
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import call
from srcad.frontend.expressions.missing import fails
from srcad.frontend.written import python_random as written
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType, Type, rank_of
from srcad.rules.core.facts import shape_from
from srcad.rules.core.staged import type_of
from srcad.rules.draws import PYTHON_RANDOM
from srcad.runtime import python_draws

_FIX = "draw these numbers outside and pass them as an argument"
_FLOAT, _INT = NumberType(float), NumberType(int)
_UNIT = (0.0, 1.0)
_NUMBERS = (int, float, bool, type(None))
# Distributions by what is drawn for them: the function of the draw and the parameters.
_SCALED: dict[str, tuple[str, tuple[float, ...], Callable[..., Any]]] = {
    "uniform": ("random", (), written.uniform),
    "triangular": ("random", (), written.triangular),
    "expovariate": ("random", (), written.expovariate),
    "paretovariate": ("random", (), written.paretovariate),
    "weibullvariate": ("random", (), written.weibullvariate),
    "gauss": ("gauss", _UNIT, written.normal),
    "normalvariate": ("normalvariate", _UNIT, written.normal),
    "lognormvariate": ("normalvariate", _UNIT, written.lognormal),
}
_DRAWN: dict[str, Type] = {
    **dict.fromkeys(("random", "betavariate", "gammavariate", "vonmisesvariate"), _FLOAT),
    **dict.fromkeys(("randrange", "randint", "getrandbits", "binomialvariate"), _INT),
}


def method_of_random(
    frame: Frame, rng: Value | None, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Abstract:
    """`rng.name(*args, **kwargs)` of a generator of Python's `random`, or `random.name` of the one
    that the functions of the module share, where `rng` is None.

    Raises:
        UnsupportedSyntax: E121 for methods that do not draw numbers, E131 for arguments that do not
            fit.
    """
    method = getattr(random.Random, name)
    try:
        bound = inspect.signature(method).bind(rng, *args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"the method `{name}` ({reason})") from None
    if name in _SCALED:
        drawn, parameters, of = _SCALED[name]
        draw = _draw(frame, rng, drawn, parameters, _FLOAT)
        bound.apply_defaults()
        _, *given = bound.arguments.values()
        return call_python(frame, Ref(of, ""), (draw, *given), {}, None)
    if name in _DRAWN:
        _check_numbers(name, (*args, *kwargs.values()))
        return _draw(frame, rng, name, args, _DRAWN[name], kwargs)
    if name == "seed":
        fn, receiver = _function(rng, name)
        frame.session.effect(fn, *receiver, *args, **kwargs)
        return None
    if name in _OF_SEQUENCES:
        bound.apply_defaults()
        _, *given = bound.arguments.values()
        return _OF_SEQUENCES[name](frame, rng, *given)
    raise error("E121", None, what=f"method `{name}` of a random generator", fix=_FIX)


def _function(rng: Value | None, name: str) -> tuple[Any, tuple[Value, ...]]:
    """A method, and what it takes first."""
    return (getattr(random, name), ()) if rng is None else (getattr(random.Random, name), (rng,))


def _draw(
    frame: Frame,
    rng: Value | None,
    name: str,
    args: tuple[Abstract, ...],
    made: Type,
    kwargs: dict[str, Any] | None = None,
) -> Value:
    fn, receiver = _function(rng, name)
    return _effect(frame, fn, (*receiver, *args), made, kwargs or {})


def _effect(
    frame: Frame, fn: Any, args: tuple[Abstract, ...], made: Type, kwargs: dict[str, Any]
) -> Value:
    session = frame.session
    out = Value("", made)
    atoms, options = session.atom(args), session.atom(kwargs)
    session.add(Op(fn, atoms, options, (out,), session.builder.loc, effect=True))
    return out


def _check_numbers(name: str, parameters: tuple[Abstract, ...]) -> None:
    """Refuse parameters that are NumPy's: of a float's the draw might be NumPy's as well."""
    for x in parameters:
        is_number = isinstance(x.type, NumberType) if isinstance(x, Value) else type(x) in _NUMBERS
        if not is_number:
            what = f"`{name}` of a random generator with {describe(x)}"
            raise error("E121", None, what=what, fix="give it Python numbers: `float(x)`")


def _length(frame: Frame, x: Abstract) -> Abstract:
    return call(frame, Ref(len, ""), (x,))


def _places(frame: Frame, fn: Any, rng: Value | None, k: Abstract, *args: Abstract) -> Value:
    """So many places in a sequence, which a function of the run time draws."""
    made = ArrayType(np.dtype(np.int64), shape_from(type_of(k)))
    return _effect(frame, fn, (Ref(random, "") if rng is None else rng, *args), made, {})


def _choice(frame: Frame, rng: Value | None, seq: Abstract) -> Abstract:
    count = _length(frame, seq)
    randrange = Ref(random.randrange, "") if rng is None else Method(rng, "randrange")
    return call_python(frame, Ref(written.choice, ""), (randrange, seq, count), {}, None)


def _choices(
    frame: Frame, rng: Value | None, population: Abstract, weights: Abstract, cumulative: Abstract,
    k: Abstract,
) -> Abstract:  # fmt: skip
    count = _length(frame, population)
    places = _places(frame, python_draws.choices, rng, k, count, weights, cumulative, k)
    return call_python(frame, Ref(written.taken, ""), (population, places), {}, None)


def _sample(
    frame: Frame, rng: Value | None, population: Abstract, k: Abstract, counts: Abstract
) -> Abstract:
    if counts is not None:
        raise error("E121", None, what="`sample` with `counts=` of a random generator", fix=_FIX)
    if isinstance(population, Value | DictObj | SetObj):
        text = "Population must be a sequence.  For dicts or sets, use sorted(d)."
        raise fails(frame, TypeError(text))
    places = _places(frame, python_draws.sample, rng, k, _length(frame, population), k)
    return call_python(frame, Ref(written.taken, ""), (population, places), {}, None)


def _shuffle(frame: Frame, rng: Value | None, x: Abstract) -> None:
    if isinstance(x, Value) and rank_of(x.type) != 1:
        fix = "shuffle its places: `random.shuffle(order)`, `x = x[order]`"
        raise error("E121", None, what=f"`shuffle` of {describe(x)}", fix=fix)
    count = _length(frame, x)
    places = _places(frame, python_draws.shuffle, rng, count, count)
    call_python(frame, Ref(written.rearrange, ""), (x, places), {}, None)


_OF_SEQUENCES: dict[str, Callable[..., Abstract]] = {
    "choice": _choice, "choices": _choices, "sample": _sample, "shuffle": _shuffle,
}  # fmt: skip


def _random(frame: Frame, seed: Abstract = None) -> Value:
    """`random.Random(seed)`: a generator of the program's own."""
    session = frame.session
    out = Value("rng", PYTHON_RANDOM)
    args = () if seed is None else (session.atom(seed),)
    session.add(Op(random.Random, args, {}, (out,), session.builder.loc, effect=True))
    return out


BUILTINS[random.Random] = _random

__all__ = ["method_of_random"]
