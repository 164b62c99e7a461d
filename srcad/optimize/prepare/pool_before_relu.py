"""Commutes max pooling with ReLU, which then has a quarter of the work or less, and so has its
derivative.

    t = relu(y)                         m, places = max_pool2d(y, 2)
    h, places = max_pool2d(t, 2)        h = relu(m)

The same numbers to the bit, and the same derivatives: of a window without a positive entry there
are none, and in any other the first of the greatest entries is the same one. For the program before
it is differentiated; where something else reads `t` or `places` it stays as it is.
"""

from __future__ import annotations

from srcad import kernels, runtime
from srcad.ir.nodes import Function, Op, Value
from srcad.ir.walk import statements
from srcad.optimize.rewriter import ReadsRewriter


def pool_before_relu(fn: Function) -> Function:
    """The program with ReLU after pooling where it was before."""
    if not any(isinstance(s, Op) and s.fn is kernels.max_pool2d for s in statements(fn.body)):
        return fn
    return _Pooled(fn).run(fn)


class _Pooled(ReadsRewriter):
    def op(self, op: Op) -> None:
        if op.fn is kernels.max_pool2d and len(op.outs) == 2 and not self.uses.get(op.outs[1]):
            made = self.sole(op.args[0])
            if made is not None and made in self.body:
                self.body.remove(made)
                h, places = op.outs
                most = Value("", h.type)
                args = (made.args[0], *op.args[1:])
                self.body.append(Op(op.fn, args, op.kwargs, (most, places), op.loc))
                self.body.append(Op(runtime.relu, (most,), {}, (h,), made.loc))
                return
        if op.fn is runtime.relu:
            self.made[op.out] = op
        self.body.append(op)


__all__ = ["pool_before_relu"]
