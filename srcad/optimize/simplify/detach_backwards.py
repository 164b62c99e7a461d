"""What `fwd=` and `bwd=` of a rule attached to a result, taken out once all derivatives are made.

y_2 = attached(y, lu, a, b, backward=bwd)    ->    y
"""

from __future__ import annotations

from srcad import runtime
from srcad.ir.nodes import Function, Op
from srcad.optimize.rewriter import Rewriter
from srcad.rules.core.sequences import whole


def detach_backwards(fn: Function, *, again: bool = False) -> Function:
    """The program with results for results that have a backward attached.

    Args:
        again: it is to be differentiated, and stays as it is.
    """
    return fn if again else _Detaching().run(fn)


class _Detaching(Rewriter):
    def op(self, op: Op) -> None:
        if whole(op.fn) is not runtime.attached:
            self.body.append(op)
            return
        for out, y in zip(op.outs, op.args, strict=False):
            self.replace(out, y)


__all__ = ["detach_backwards"]
