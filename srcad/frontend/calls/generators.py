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
from srcad.frontend.calls.builtin_calls import BUILTINS
from srcad.ir.nodes import Op, Value
from srcad.ir.walk import map_tree
from srcad.rules.core.facts import UncoveredError
from srcad.rules.draws import GENERATOR, METHODS, type_of_draw
from srcad.rules.legacy_draws import LEGACY, type_of_legacy

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

    def handler(frame: Frame, *args: Abstract, **kwargs: Abstract) -> Value:
        session = frame.session
        atoms, options = session.atom(args), session.atom(kwargs)
        types = map_tree(lambda a: a.type if isinstance(a, Value) else a, (atoms, options))
        try:
            made = type_of_legacy(fn, *types)
        except UncoveredError as reason:
            what = f"`np.random.{fn.__name__}` with {reason}, which draws random numbers,"
            raise error("E120", None, what=what, fix=_FIX) from None
        except TypeError as reason:
            raise error("E131", None, what=f"`np.random.{fn.__name__}` ({reason})") from None
        out = Value("", made)
        session.add(Op(fn, atoms, options, (out,), session.builder.loc, effect=True))
        return out

    return handler


def _random_state(frame: Frame, seed: Abstract = None) -> Abstract:
    what = "the class `RandomState`"
    fix = (
        "draw from `rng = np.random.default_rng(seed)`; or call `np.random.seed(seed)`, and draw "
        "by `np.random.rand` and its kin"
    )
    raise error("E120", None, what=what, fix=fix)


def _seed(frame: Frame, seed: Abstract = None) -> None:
    frame.session.effect(np.random.seed, seed)


BUILTINS[np.random.default_rng] = _default_rng
BUILTINS.update({fn: _legacy(fn) for fn in LEGACY})
BUILTINS[np.random.seed] = _seed
BUILTINS[np.random.RandomState] = _random_state

__all__ = ["generator_method"]
