"""Speculation on attempts: compiled code takes it that the body of a `try` comes to its end.

    try:                                      x = solve(a, b)
        x = solve(a, b)             ->        s_2 = add(s, sum(x))
        s_2 = add(s, sum(x))
    except LinAlgError:
        s_2 = add(s, 1.0)

Where something raises, compiled code refuses the call, and NumPy runs it: its program has the
handler. That is for what fails seldom, a factorisation or an overflow; a `try` around a quotient or
an index that is tried in each call stays with NumPy, as does one that raises by itself, and one
after which a name has another type.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import UNDEFINED, Closure, For, Function, If, Op, Value, While
from srcad.ir.regions import Attempt
from srcad.ir.walk import statements
from srcad.optimize.rewriter import Rewriter, is_same_type
from srcad.rules.core.staged import type_of
from srcad.runtime.effects import raise_

_SELDOM = (np.linalg.LinAlgError, OverflowError)


def speculate_attempts(fn: Function) -> Function:
    """The function to be compiled with the bodies of `try` in the places of these."""
    if not any(isinstance(s, If) and isinstance(s.cond, Attempt) for s in statements(fn.body)):
        return fn
    return _Attempts().run(fn)


class _Attempts(Rewriter):
    def region(self, stmt: If | For | While | Closure) -> None:
        if not isinstance(stmt, If) or not _is_to_go(stmt):
            self.body.append(stmt)
            return
        self.body += stmt.then.body
        self.env.update(zip(stmt.outs, stmt.then.results, strict=True))


def _is_to_go(stmt: If) -> bool:
    cond = stmt.cond
    if not isinstance(cond, Attempt) or not all(issubclass(e, _SELDOM) for e in cond.exceptions):
        return False
    if any(isinstance(each, Op) and each.fn is raise_ for each in statements(stmt.then)):
        return False
    return all(map(_is_alike, stmt.then.results, stmt.outs))


def _is_alike(result: Any, out: Value) -> bool:
    return result is not UNDEFINED and is_same_type(type_of(result), out.type)


__all__ = ["speculate_attempts"]
