"""The place of a derivative: that of its statement, with the operation whose derivative it is.

y = np.log(x)       model.py:14         y_bar / x       model.py:14, the derivative of `np.log`
"""

from __future__ import annotations

from srcad.errors import Location
from srcad.ir.nodes import Function, Op, Stmt
from srcad.ops import row_of
from srcad.rules.core.table import name_of


def symbol_of(fn: object) -> str:
    """The sign of an operator with two arguments; empty for other functions."""
    form, sign = row_of(fn).syntax or ("", "")
    return sign if form in ("binary", "comparison") else ""


def place_of_derivative(stmt: Stmt) -> Location | None:
    """Where the derivative of a statement is computed."""
    loc = stmt.loc
    if loc is None or not isinstance(stmt, Op) or isinstance(stmt.fn, Function):
        return loc
    operation = loc.operation or symbol_of(stmt.fn) or name_of(stmt.fn)
    return loc.at_part(operation, "derivative")


__all__ = ["place_of_derivative", "symbol_of"]
