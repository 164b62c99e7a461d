"""Inlining of composed functions, in programs that are to be differentiated.

y = np.median(x)               s = np.sort(x)
                               y = (s[(n - 1) // 2] + s[n // 2]) / 2

A function that is run as it is keeps the call (`srcad.frontend.abstract.session`): NumPy's own
value to the last bit, its order in memory, its exceptions. The derivative is that of the body.
"""

from __future__ import annotations

import numpy as np

from srcad.ir.kinds import is_array
from srcad.ir.nodes import Function, Op
from srcad.ir.walk import statements, values_in
from srcad.ops import row_of
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.sequences import whole
from srcad.rules.core.staged import Builder, unwrap
from srcad.rules.core.table import Rule, rule_for


def expand_composed(fn: Function) -> Function:
    """The program with the body of each composed function in place of its calls."""
    if not any(_body_of(stmt) for stmt in statements(fn.body) if isinstance(stmt, Op)):
        return fn
    return _Expanding().run(fn)


def _body_of(op: Op) -> Rule | None:
    """The rule of a function that is known by what it is made of."""
    if isinstance(op.fn, Function) or op.key is None:
        return None
    rule = rule_for(op.fn, op.kwargs)
    return rule if rule is not None and rule.kind == "composed" else None


class _Expanding(Rewriter):
    def op(self, op: Op) -> None:
        """Append what an operation is made of."""
        rule = _body_of(op)
        if rule is None:
            self.body.append(op)
            return
        builder = Builder(self.body, op.loc)
        found = unwrap(builder.expand(rule, op.args, op.kwargs))
        given = values_in((op.args, op.kwargs))
        items = found if isinstance(found, list | tuple) else (found,)
        for out, item in zip(op.outs, items, strict=True):
            is_given = is_array(item) and any(item is value for value in given)
            if is_given and row_of(whole(op.fn)).memory != "unknown":
                item = builder.emit(np.copy, (item,))
            self.replace(out, item)


__all__ = ["expand_composed"]
