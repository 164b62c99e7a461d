"""The part of a linear program that depends on its directions, and the part that does not.

t = np.cos(x)                   before   t = np.cos(x)
x_bar = y_bar * t               inside   x_bar = y_bar * t
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from srcad.ir.effects import has_effect
from srcad.ir.nodes import Atom, Function, Stmt, Value
from srcad.ir.types import rank_of
from srcad.ir.walk import outputs, reads
from srcad.rules.core.zero import ZERO
from srcad.transform.forward.effects_apart import effects_apart, started_again
from srcad.transform.forward.tangent import build_tangent
from srcad.transform.forward.walk import Dot


def split(body: Sequence[Stmt], seeds: Iterable[Value]) -> tuple[list[Stmt], list[Stmt]]:
    """The statements that do not depend on `seeds`, and those that do."""
    depends: set[Value] = set(seeds)
    before: list[Stmt] = []
    inside: list[Stmt] = []
    for stmt in body:
        if any(value in depends for value in reads(stmt)):
            depends.update(outputs(stmt))
            inside.append(stmt)
        else:
            before.append(stmt)
    return before, inside


@dataclass(frozen=True, slots=True)
class SplitTangent:
    """`before` computes the `results` of the primal, `inside` the `tangents` along a direction."""

    params: list[Value]
    before: list[Stmt]
    inside: list[Stmt]
    results: list[Atom]
    tangents: list[Dot]


def split_tangent(
    fn: Function, dots: Sequence[Dot], seeds: Sequence[Value], needed: Iterable[int]
) -> SplitTangent | None:
    """The tangent program of `fn` in two parts, the second of which may be run any number of times.

    A loop that computes results beside tangents goes inside; those `needed` are computed before,
    with all effects. None where what has an effect has a derivative as well.

    Args:
        dots: of each parameter, made of `seeds`.
        needed: the positions of the results that are read.
    """
    tangent = build_tangent(fn, dots, are_directions=are_several(seeds))
    before, inside = split(tangent.body, seeds)
    bound = {out for stmt in inside for out in outputs(stmt)}
    wanted = (tangent.results[k] for k in needed)
    is_bound = any(x in bound for x in wanted if isinstance(x, Value))
    if not is_bound and not any(map(has_effect, inside)):
        return SplitTangent(tangent.params, before, inside, tangent.results, tangent.tangents)
    n = len(fn.params)
    apart = effects_apart(
        fn, [x for x, dot in zip(fn.params, dots, strict=True) if dot is not ZERO]
    )
    if apart is None:
        return None
    every = [*dots, *[ZERO] * (len(apart.quiet.params) - n)]
    tangent = build_tangent(apart.quiet, every, are_directions=are_several(seeds))
    before, inside = started_again(*split(tangent.body, seeds))
    primal, results = apart.primal(tangent.params)
    return SplitTangent(tangent.params[:n], [*primal, *before], inside, results, tangent.tangents)


def are_several(seeds: Sequence[Value]) -> bool:
    """Whether there is more than one direction: each has zeros then, where others have a part."""
    return len(seeds) > 1 or any(rank_of(seed.type) != 0 for seed in seeds)


__all__ = ["SplitTangent", "are_several", "split", "split_tangent"]
