"""Whether whole numbers can satisfy inequalities: `f >= 0` for each of some sums.

    i - k - 1 >= 0,  k - i >= 0         impossible: their sum is -1 >= 0

By elimination (Fourier 1826, Motzkin 1936): a variable goes by adding each inequality that bounds
it from above to each that bounds it from below. "Impossible" is a proof; the other answer is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import gcd

from srcad.ir.affine import Affine
from srcad.ir.nodes import Value

_MANY = 300


def are_impossible(sums: Iterable[Affine]) -> bool:
    """Whether no values make all of `sums` at least 0."""
    system = [_reduced(f) for f in sums]
    while True:
        if any(f.number is not None and f.number < 0 for f in system):
            return True
        # Without repetitions, in an order that is the same in every process.
        system = [f for f in dict.fromkeys(system) if f.terms]
        variable = _cheapest(system)
        if variable is None or len(system) > _MANY:
            return False
        system = _without(system, variable)


def _reduced(f: Affine) -> Affine:
    """`f` divided by the common factor of its coefficients; the constant rounds down."""
    common = gcd(*(k for _, k in f.terms))
    if common <= 1:
        return f
    return Affine(f.const // common, tuple((value, k // common) for value, k in f.terms))


def _cheapest(system: list[Affine]) -> Value | None:
    """The variable whose elimination makes the fewest inequalities."""
    above: Counter[Value] = Counter()
    below: Counter[Value] = Counter()
    for f in system:
        for value, k in f.terms:
            (below if k > 0 else above)[value] += 1
    found = {**dict.fromkeys(above), **dict.fromkeys(below)}
    return min(found, key=lambda v: above[v] * below[v], default=None)


def _without(system: list[Affine], variable: Value) -> list[Affine]:
    rest: list[Affine] = []
    above: list[Affine] = []
    below: list[Affine] = []
    for f in system:
        k = f.coefficient(variable)
        if k == 0:
            rest.append(f)
        else:
            (below if k > 0 else above).append(f)
    for f in below:
        for g in above:
            a, b = f.coefficient(variable), -g.coefficient(variable)
            rest.append(_reduced(f * b + g * a))
    return rest
