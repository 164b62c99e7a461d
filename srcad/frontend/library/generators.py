"""NumPy's random generators: passed in, captured, made inside, or the one that the older functions
share; draws are effects of the program.

rng.standard_normal(x.shape)        x_noise: f64[n] = Generator.standard_normal(rng, (n,))

A draw is made once for each run of its statement, in the order of the program, and kept for the
reverse sweep: value and gradient see the same numbers, as plain Python does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.ir.nodes import Op, Value
from srcad.ir.walk import map_tree
from srcad.rules.core.facts import UncoveredError
from srcad.rules.draws import GENERATOR, METHODS, RANDOM_STATE, type_of_draw
from srcad.rules.legacy_draws import LEGACY, STATE_METHODS, type_of_legacy

_FIX = "draw from a generator, `rng = np.random.default_rng(seed)`, passed as an argument"
_FIXES = {
    "shuffle": "write `x = rng.permutation(x)`",
    "spawn": "make generators outside and pass them as arguments",
}


def generator_method(
    frame: Frame, rng: Value, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Value:
    """`rng.name(*args, **kwargs)`, kept as an effect.

    Raises:
        UnsupportedSyntax: E121 for methods that do not draw numbers, or write into an array; E131
            for arguments that do not fit.
    """
    session = frame.session
    if name not in METHODS or kwargs.get("out") is not None:
        what = f"method `{name}` of a random generator"
        what = what if name not in METHODS else f"{what} with `out=`"
        fix = _FIXES.get(name, "draw these numbers outside and pass them as an argument")
        raise error("E121", None, what=what, fix=fix)
    atoms, options = session.atom(args), session.atom(kwargs)
    types = map_tree(lambda a: a.type if isinstance(a, Value) else a, (atoms, options))
    try:
        made = type_of_draw(name, *types)
    except TypeError as reason:
        raise error("E131", None, what=f"the method `{name}` ({reason})") from None
    out = Value("", made)
    receiver = session.atom(rng)
    op = Op(METHODS[name], (receiver, *atoms), options, (out,), session.builder.loc, effect=True)
    session.add(op)
    return out


def _default_rng(frame: Frame, seed: Abstract = None) -> Value:
    """`np.random.default_rng(seed)`: a generator of the program's own."""
    if isinstance(seed, Value) and seed.type == GENERATOR:
        return seed
    session = frame.session
    out = Value("rng", GENERATOR)
    args = () if seed is None else (session.atom(seed),)
    session.add(Op(np.random.default_rng, args, {}, (out,), session.builder.loc, effect=True))
    return out


def _legacy(fn: Any) -> Callable[..., Value]:
    """A draw from the generator that NumPy's older functions share, kept as an effect."""

    def handler(frame: Frame, /, *args: Abstract, **kwargs: Abstract) -> Value:
        return _drawn(frame, fn, fn, (), args, kwargs)

    return handler


def _drawn(
    frame: Frame, shared: Any, fn: Any, receiver: tuple[Value, ...], args: tuple[Abstract, ...],
    kwargs: dict[str, Any],
) -> Value:  # fmt: skip
    """A draw by `fn`, which gives what the `shared` function gives."""
    session = frame.session
    atoms, options = session.atom(args), session.atom(kwargs)
    types = map_tree(lambda a: a.type if isinstance(a, Value) else a, (atoms, options))
    name = f"`np.random.{shared.__name__}`" if shared is fn else f"the method `{fn.__name__}`"
    try:
        made = type_of_legacy(shared, *types)
    except UncoveredError as reason:
        what = f"{name} with {reason}, which draws random numbers,"
        raise error("E120", None, what=what, fix=_FIX) from None
    except TypeError as reason:
        raise error("E131", None, what=f"{name} ({reason})") from None
    out = Value("", made)
    before = tuple(map(session.atom, receiver))
    op = Op(fn, (*before, *atoms), options, (out,), session.builder.loc, effect=True)
    session.add(op)
    return out


def method_of_state(
    frame: Frame, rng: Value, name: str, args: tuple[Abstract, ...], kwargs: dict[str, Any]
) -> Value | None:
    """`rng.name(*args, **kwargs)` of a `RandomState`, kept as an effect."""
    if name == "seed":
        frame.session.effect(np.random.RandomState.seed, rng, *args, **kwargs)
        return None
    if name not in STATE_METHODS:
        what = f"method `{name}` of a random generator"
        fix = _FIXES.get(name, "draw these numbers outside and pass them as an argument")
        raise error("E121", None, what=what, fix=fix)
    return _drawn(frame, getattr(np.random, name), STATE_METHODS[name], (rng,), args, kwargs)


def _random_state(frame: Frame, seed: Abstract = None) -> Value:
    """`np.random.RandomState(seed)`: a generator of the program's own."""
    session = frame.session
    out = Value("rng", RANDOM_STATE)
    args = () if seed is None else (session.atom(seed),)
    session.add(Op(np.random.RandomState, args, {}, (out,), session.builder.loc, effect=True))
    return out


def _seed(frame: Frame, seed: Abstract = None) -> None:
    frame.session.effect(np.random.seed, seed)


BUILTINS[np.random.default_rng] = _default_rng
BUILTINS.update({fn: _legacy(fn) for fn in LEGACY})
BUILTINS[np.random.seed] = _seed
BUILTINS[np.random.RandomState] = _random_state

__all__ = ["generator_method", "method_of_state"]
