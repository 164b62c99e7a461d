"""Kernel fusion: convolution, bias, max pooling and ReLU in sequence become one kernel.

    y = conv2d(x, w)                        h, places = conv_pool2d(x, w, b, 2)
    t = getitem(b, (:, None, None))
    t_2 = add(y, t)
    m, p = max_pool2d(t_2, 2)
    h = relu(m)

Signals, with their axis of one row put in and taken out in between, likewise. For the program
before it is differentiated, which gives the kernel's own transposes; where something else reads a
value in between, or the places, it stays as it is. Worth it where that kernel is compiled, since
then nothing as large as the convolution's result is ever written.
"""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from srcad import kernels, runtime
from srcad.ir.nodes import Atom, Function, Op, Value
from srcad.ir.types import ArrayType, rank_of
from srcad.ir.walk import statements
from srcad.optimize.rewriter import BlockRewriter

_ALL = slice(None)
_MOST = 254  # entries of a window: a byte says which one, or that ReLU is off


def fuse_conv_pool(fn: Function) -> Function:
    """The program with `conv_pool2d` where its parts were."""
    if not any(isinstance(s, Op) and s.fn is kernels.max_pool2d for s in statements(fn.body)):
        return fn
    return _Chains(fn).run(fn)


class _Chain(NamedTuple):
    """What was found: the convolution, its bias, and what becomes of nothing."""

    conv: Op
    bias: Atom
    dead: list[Op]


class _Chains(BlockRewriter):
    def op(self, op: Op) -> None:
        self.body.append(op)
        self.made |= dict.fromkeys(op.outs, op)
        if op.fn is kernels.max_pool2d:
            self.end(op, op, [])
        elif op.fn is runtime.relu:
            pool, between = self.behind(op.args[0], [])
            if pool is not None and pool.fn is kernels.max_pool2d:
                self.end(pool, op, [op, *between])

    def behind(self, atom: Atom, passed: list[Op]) -> tuple[Op | None, list[Op]]:
        """What made an atom that is read once, behind an axis put in or taken out."""
        made = self.sole(atom)
        if made is not None and _is_view(made):
            return self.behind(made.args[0], [*passed, made])
        return made, passed

    def end(self, pool: Op, last: Op, after: list[Op]) -> None:
        """Put the kernel in place of a chain that ends with `last`, if there is one."""
        size = _size(pool)
        if size is None or self.uses.get(pool.outs[1]):
            return
        found = self.chain(pool, has_relu=bool(after))
        if found is None:
            return
        dead = {id(op) for op in (*found.dead, pool, *after)}
        self.body = [s for s in self.body if id(s) not in dead]
        conv, places = found.conv, Value("", pool.outs[1].type)
        views = [op for op in after if _is_view(op)]
        out = Value("", pool.outs[0].type) if views else last.outs[0]
        args = (*conv.args, found.bias, size)
        self.body.append(Op(kernels.conv_pool2d, args, conv.kwargs, (out, places), conv.loc))
        for view in views[::-1]:
            value = last.out if view is views[0] else Value("", view.out.type)
            self.body.append(Op(view.fn, (out, *view.args[1:]), view.kwargs, (value,), view.loc))
            out = value

    def chain(self, pool: Op, has_relu: bool) -> _Chain | None:
        """The chain before a pooling, with a ReLU in it unless one follows."""
        op, dead = self.behind(pool.args[0], [])
        if not has_relu:
            if op is None or op.fn is not runtime.relu:
                return None
            dead.append(op)
            op, dead = self.behind(op.args[0], dead)
        if op is None or op.fn is not operator.add:
            return None
        dead.append(op)
        for term, other in (op.args, op.args[::-1]):
            conv, views = self.behind(term, [])
            bias = self.bias(other, rank_of(op.out.type))
            if conv is None or conv.fn is not kernels.conv2d or len(conv.args) != 2:
                continue
            if bias is not None and _fits(bias, conv):
                return _Chain(conv, bias, [*dead, *views, conv])
        return None

    def bias(self, atom: Atom, rank: int | None) -> Atom | None:
        """`b` where an atom is `b[:, None, None]`, of images, or `b[:, None]`, of signals."""
        made = self.made.get(atom) if isinstance(atom, Value) else None
        if made is None or made.fn is not operator.getitem or rank not in (3, 4):
            return None
        wanted = (_ALL, *[None] * (rank - 2))
        return made.args[0] if made.args[1] == wanted else None


def _is_view(op: Op) -> bool:
    """Whether the axis of the rows is put in or taken out."""
    if op.fn is operator.getitem:
        return bool(op.args[1] == (_ALL, _ALL, None)) and rank_of(op.out.type) == 4
    return op.fn is np.squeeze and op.kwargs == {"axis": 2} and rank_of(op.out.type) == 3


def _fits(bias: Atom, conv: Op) -> bool:
    """Whether there is a number for each filter, and not one for all."""
    b, y = (a.type if isinstance(a, Value) else None for a in (bias, conv.out))
    if not isinstance(b, ArrayType) or not isinstance(y, ArrayType) or not b.shape or not y.shape:
        return False
    return len(b.shape) == 1 and b.shape[0] == y.shape[1]


def _size(pool: Op) -> Any:
    """The size of windows that lie side by side; None where they overlap or are not known."""
    size, *strides = pool.args[1:]
    stride = strides[0] if strides else pool.kwargs.get("stride")
    pair, step = (v if isinstance(v, tuple) else (v, v) for v in (size, stride))
    is_known = len(pair) == 2 and all(type(n) is int and n > 0 for n in pair)
    if not is_known or (stride is not None and step != pair) or pair[0] * pair[1] > _MOST:
        return None
    return size


__all__ = ["fuse_conv_pool"]
