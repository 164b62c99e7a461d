"""Results and large temporaries are made by the caller, who knows where memory is to be had.

    def loss_1(x):                              def loss_1(x, y):
        n = x.shape[0]                              n = x.shape[0]
        y = np.empty((n,))                  ->      for i in range(n): y[i] = ...
        for i in range(n): y[i] = ...               return y
        return y
                                                y = loss_1(x, kernels.empty_like(x))
    y = loss_1(x)

That is possible where the extents follow from those of the arguments. What the caller takes is
memory of arrays that nobody has any more (`srcad.kernels.recycled`), so that a gradient does not
wait for the system to clear pages, call after call.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir import Block, Function, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, as_atom
from srcad.ir.types import ArrayType, TupleType, dtype_of, shape_of
from srcad.kernels.recycled import empty, empty_like
from srcad.native.code import INT
from srcad.native.indexing import is_int
from srcad.native.temporaries import temporaries
from srcad.native.work import axes_read


def given(fn: Function, args: Mapping[Value, Any]) -> tuple[Function, list[Stmt], list[Value]]:
    """The function with parameters for its results and large temporaries, what makes the arrays,
    and these.

    Args:
        args: what is passed, by the parameter.
    """
    caller, inner = _Caller(fn, args), temporaries(fn)
    made: dict[Value, Value] = {}
    for op in fn.body.body:
        if not isinstance(op, Op) or op.fn is not np.empty:
            continue
        if op.out in inner or fn.body.results.count(op.out) == 1:
            array = caller.array(op)
            if array is not None:
                made[op.out] = array
    if not made:
        return fn, [], []
    body = [
        s for s in fn.body.body if not (isinstance(s, Op) and s.fn is np.empty and s.out in made)
    ]
    block = Block([*fn.params, *made], body, fn.body.results)
    return replace(fn, body=block), caller.body, list(made.values())


class _Caller:
    """The statements ahead of the call."""

    def __init__(self, fn: Function, args: Mapping[Value, Any]) -> None:
        self.args = args
        self.forms = Forms(fn.body)
        self.body: list[Stmt] = []
        self.axes = axes_read(fn)
        self.shapes: dict[Value, Value] = {}
        self.known: dict[Value, Any] = {p: args[p] for p in fn.params if is_int(p)}

    def array(self, op: Op) -> Value | None:
        """An array for a result, where its extents can be told here."""
        shape = op.args[0]
        forms = [self.forms.of(n) for n in shape] if isinstance(shape, tuple) else [None]
        if any(form is None or not self.is_known(form) for form in forms):
            return None
        t = op.out.type
        assert isinstance(t, ArrayType)
        out = Value(op.out.name, t)
        like = self.like([form for form in forms if form is not None], t)
        if like is not None:
            self.body.append(Op(empty_like, (like,), {}, (out,), op.loc))
        else:
            extents = tuple(self.extent(form) for form in forms if form is not None)
            args = (extents, t.dtype) if t.dtype != np.float64 else (extents,)
            self.body.append(Op(empty, args, {}, (out,), op.loc))
        return out

    def is_known(self, form: Affine) -> bool:
        return all(value in self.axes or value in self.known for value, _ in form.terms)

    def like(self, forms: Sequence[Affine], t: ArrayType) -> Value | None:
        """The argument that has this shape and dtype, if there is one."""
        axes = [self.axes.get(value) for value in map(_only, forms) if value is not None]
        param = axes[0][0] if axes and axes[0] is not None else None
        if param is None or dtype_of(param.type) != t.dtype:
            return None
        shape = shape_of(param.type) or ()
        if len(shape) != len(forms):
            return None
        for k, (form, n) in enumerate(zip(forms, shape, strict=True)):
            value = _only(form)
            is_same = form.number is not None and form.number == n
            if not is_same and (value is None or self.axes.get(value) != (param, k)):
                return None
        found: Value = self.args[param]
        return found

    def extent(self, form: Affine) -> Any:
        """The atom of an extent."""
        for value, _ in form.terms:
            if value not in self.known:
                self.known[value] = self.axis(*self.axes[value])
        by = {value: self.known[value] for value, _ in form.terms}
        constants = {v: Affine(atom) for v, atom in by.items() if type(atom) is int}
        others = {v: Affine.of(atom) for v, atom in by.items() if isinstance(atom, Value)}
        return as_atom(form.replaced({**constants, **others}), self.integer)

    def axis(self, param: Value, k: int) -> Value:
        array = self.args[param]
        if array not in self.shapes:
            rank = len(shape_of(param.type) or ())
            shape = self.shapes[array] = Value("", TupleType((INT,) * rank))
            self.body.append(Op(np.shape, (array,), {}, (shape,)))
        return self.integer(operator.getitem, (self.shapes[array], k))

    def integer(self, fn: Any, args: tuple[Any, ...]) -> Value:
        out = Value("n", INT)
        self.body.append(Op(fn, args, {}, (out,)))
        return out


def _only(form: Affine) -> Value | None:
    """The value that a form is."""
    return (
        form.terms[0][0] if len(form.terms) == 1 and form == Affine.of(form.terms[0][0]) else None
    )
