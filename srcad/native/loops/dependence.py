"""Dependence test: whether an iteration of a loop touches what another one writes.

    for i in range(n):
        y[i] = x[i + 1] * c[0]          independent: y[i] and y[k] are the same for i = k only
        x[i] = x[i - 1]                 not: x[i - 1] is what the iteration before wrote
        s[p[i]] += y[i]                 not proved: nothing is known of p

Two iterations i < k and two accesses: that both are at the same place has to be impossible, from
the ranges of the loops around them.
"""

from __future__ import annotations

from srcad.ir import For, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, within
from srcad.ir.inequalities import are_impossible
from srcad.ir.walk import bound_in
from srcad.native.loops.accesses import Access, Accesses

# Pairs of accesses for which a proof is worth its time.
_MANY = 150


class Iterations:
    """Two iterations of a loop."""

    def __init__(self, loop: For, forms: Forms) -> None:
        self.loop, self.forms = loop, forms
        self.varying = bound_in(loop.body)
        # What the other iteration has for each of them.
        self.other = {v: Affine.of(Value(v.name, v.type)) for v in self.varying}
        self.index = Affine.of(loop.index)

    def are_apart(self, memory: Value, accesses: Accesses) -> bool:
        """Whether no iteration touches what another writes in an array."""
        mine = accesses.of(memory)
        writes = [access for access in mine if access.kind != "read"]
        pairs = [(w, x) for w in writes for x in mine if not self.are_in_own_rows(w, x)]
        return len(pairs) <= _MANY and not any(self.may_meet(w, x) for w, x in pairs)

    def are_in_own_rows(self, a: Access, b: Access) -> bool:
        """Whether along some axis both are where no other iteration is: that needs no proof."""
        return len(a.place) == len(b.place) and any(
            p is not None and p == q and self.is_own(p)
            for p, q in zip(a.place, b.place, strict=True)
        )

    def may_meet(self, a: Access, b: Access) -> bool:
        """Whether accesses of different iterations may be at the same place."""
        if len(a.place) != len(b.place):
            return True
        pairs = [
            (p, q) for p, q in zip(a.place, b.place, strict=True) if p is not None and q is not None
        ]
        system = within((self.loop, *a.loops), self.forms)
        system += [f.replaced(self.other) for f in within((self.loop, *b.loops), self.forms)]
        for p, q in pairs:
            difference = p - q.replaced(self.other)
            system += [difference, -difference]
        ahead = self.index.replaced(self.other) - self.index
        return not (are_impossible([*system, ahead - 1]) and are_impossible([*system, -ahead - 1]))

    def is_own(self, form: Affine) -> bool:
        """Whether each iteration has another value of a sum, which does not depend on anything
        else.
        """
        if not form.coefficient(self.loop.index):
            return False
        return all(v is self.loop.index or v not in self.varying for v, _ in form.terms)
