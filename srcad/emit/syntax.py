"""Which functions are operators, attributes and methods in Python text, by the table of operations.

operator.add    x + y          np.shape    x.shape          np.sum    x.sum(axis=0)
"""

from __future__ import annotations

import ast
from typing import Any, Final

from srcad.emit.printing.precedence import BINARY, COMPARISONS, UNARY_OPERATORS
from srcad.ops import row_of
from srcad.ops.table import Form

_BINARY: Final = {sign: node for node, (sign, _) in BINARY.items()}
_UNARY: Final = {sign: node for node, (sign, _) in UNARY_OPERATORS.items()}
_COMPARISONS: Final = {sign: node for node, sign in COMPARISONS.items()}


def form_of(fn: Any) -> Form | None:
    """How a call is written; None for one of a function by its name."""
    syntax = row_of(fn).syntax
    return None if syntax is None else syntax[0]


def binary_of(fn: Any) -> ast.operator:
    """The operator with two operands that a function is."""
    return _BINARY[_text_of(fn)]()


def unary_of(fn: Any) -> ast.unaryop:
    """The operator with one operand that a function is."""
    return _UNARY[_text_of(fn)]()


def comparison_of(fn: Any) -> ast.cmpop:
    """The comparison that a function is."""
    return _COMPARISONS[_text_of(fn)]()


def member_of(fn: Any) -> str | None:
    """The attribute or method of its first argument that a function is."""
    return _text_of(fn) if form_of(fn) in ("attribute", "method", "method by keyword") else None


def _text_of(fn: Any) -> str:
    syntax = row_of(fn).syntax
    assert syntax is not None
    return syntax[1]


__all__ = ["binary_of", "comparison_of", "form_of", "member_of", "unary_of"]
