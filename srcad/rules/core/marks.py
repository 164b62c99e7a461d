"""What is noted of the values of a derivative while it is made."""

from __future__ import annotations

from dataclasses import dataclass, field

from srcad.ir.nodes import Value

Values = set[Value]


@dataclass(frozen=True, slots=True)
class Marks:
    """Sets of values; of those in none of them nothing has been found out.

    `masked`: entries may be zero because a choice left them out, `unmasked`: they are not.
    `missing`: of these, entries that were looked for as NaN, `found`: they are not.
    `idle`: entries may be zero because they have no part in the result, `busy`: they are not.
    `units`: entries may be zero because they are those of unit directions, `others`: they are not.
    `singular`: entries may be infinite or NaN where the program has none, `regular`: they are not.
    The first eight belong to `srcad.rules.core.masks`, the others to `srcad.rules.core.regularity`.
    """

    masked: Values = field(default_factory=set)
    unmasked: Values = field(default_factory=set)
    missing: Values = field(default_factory=set)
    found: Values = field(default_factory=set)
    idle: Values = field(default_factory=set)
    busy: Values = field(default_factory=set)
    units: Values = field(default_factory=set)
    others: Values = field(default_factory=set)
    singular: Values = field(default_factory=set)
    regular: Values = field(default_factory=set)


__all__ = ["Marks"]
