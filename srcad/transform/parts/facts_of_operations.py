"""The fact of what an operation makes of samples, by the form of its function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from srcad.ir.nodes import Op
from srcad.ir.walk import values_in
from srcad.ops import row_of
from srcad.transform.parts import arithmetic, joining, places, products, reductions, shapes
from srcad.transform.parts.facts import (
    OWN,
    SAME,
    ZERO,
    Fact,
    Mixed,
    first_mixed,
)
from srcad.transform.parts.forms import Facts, Form, name_of, pointwise

_FORMS: Mapping[Any, Form] = {
    **arithmetic.FORMS,
    **reductions.FORMS,
    **products.FORMS,
    **shapes.FORMS,
    **joining.FORMS,
    **places.FORMS,
}


def fact_of(facts: Facts, op: Op) -> Fact:
    """The fact of all results of an operation that has no effect.

    Raises:
        Mixed: none is known.
    """
    given = [facts.known[value] for value in values_in((op.args, op.kwargs))]
    if (lost := first_mixed(given)) is not None:
        return lost
    form = None if op.key is None else _form_of(op.key)
    if all(fact.is_same for fact in given):
        return _constant(op)
    if all(fact.is_own for fact in given):
        return OWN
    if form is None:
        raise Mixed(f"it is not known that {name_of(op)} treats each sample alike")
    return form(facts, op)


def _constant(op: Op) -> Fact:
    made_zero = op.fn in (np.zeros, np.zeros_like) and "dtype" not in op.kwargs
    return ZERO if made_zero else SAME


def _form_of(fn: Any) -> Form | None:
    if fn in _FORMS:
        return _FORMS[fn]
    if (getattr(fn, "__module__", None) or "").startswith("scipy."):  # which may not be there
        by_name = reductions.OF_SCIPY.get(getattr(fn, "__name__", ""))
        if by_name is not None:
            return by_name
    row = row_of(fn)
    return pointwise if row.elementwise or row.entries == "each" else None


__all__ = ["fact_of"]
