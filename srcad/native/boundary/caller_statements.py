"""The statements ahead of a call: they compute what the compiled function is given besides.

    y = loss_1(x)           ->      n = x.shape[0]
                                    y = loss_1(x, kernels.empty((n - 1,)))

Extents follow from those of the arguments, and from integers among these.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from srcad.ir import Function, If, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import Forms, as_atom
from srcad.ir.nodes import Atom, Block
from srcad.ir.types import TupleType, Type, dtype_of, shape_of
from srcad.native.scalarize.handlers.indexing import is_int
from srcad.native.scalarize.loop_builder import INT
from srcad.native.threads.work_estimate import axes_read


class Caller:
    """The caller of a function.

    Args:
        args: what is passed, by the parameter, as it lies in memory.
        own: what is passed, parameter by parameter, in the form that the function takes.
    """

    def __init__(self, fn: Function, args: Mapping[Value, Any], own: Sequence[Any] = ()) -> None:
        self.args, self.own = args, list(own)
        self.forms = Forms(fn.body)
        self.body: list[Stmt] = []
        self.passed: list[Value] = []  # besides the arguments
        self.measures: list[Stmt] = []  # what takes extents of arrays that are not passed
        self.axes = axes_read(fn)
        self.shapes: dict[Value, Value] = {}
        self.known: dict[Value, Any] = {p: args[p] for p in fn.params if is_int(p)}
        self.choices: dict[Value, tuple[Atom, Atom]] = {}  # what parameters are one of

    @property
    def arguments(self) -> list[Any]:
        """All that is passed, parameter by parameter."""
        return [*self.own, *self.passed]

    def is_known(self, form: Affine | None) -> bool:
        """Whether an integer of the function can be computed here."""
        if form is None:
            return False
        return all(value in self.axes or value in self.known for value, _ in form.terms)

    def like(self, forms: Sequence[Affine], dtype: Any) -> Value | None:
        """The argument that has this shape and dtype, if there is one."""
        axes = [self.axes.get(value) for value in map(_only, forms) if value is not None]
        param = axes[0][0] if axes and axes[0] is not None else None
        if param is None or dtype_of(param.type) != dtype:
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
        """The atom of an integer that is known."""
        for value, _ in form.terms:
            if value not in self.known:
                self.known[value] = self.axis(*self.axes[value])
        by = {value: self.known[value] for value, _ in form.terms}
        constants = {v: Affine(atom) for v, atom in by.items() if type(atom) is int}
        others = {v: Affine.of(atom) for v, atom in by.items() if isinstance(atom, Value)}
        return as_atom(form.replaced({**constants, **others}), self.integer)

    def axis(self, param: Value, k: int) -> Value:
        """The extent of an argument along an axis."""
        array = self.args[param]
        if array not in self.shapes:
            rank = len(shape_of(param.type) or ())
            shape = self.shapes[array] = Value("", TupleType((INT,) * rank))
            self.body.append(Op(np.shape, (array,), {}, (shape,)))
        return self.integer(operator.getitem, (self.shapes[array], k))

    def integer(self, fn: Any, args: tuple[Any, ...]) -> Value:
        """An integer that is computed here."""
        return self.op(fn, args, INT, "n")

    def op(self, fn: Any, args: tuple[Any, ...], type_: Type, name: str = "") -> Value:
        """What an operation gives here."""
        out = Value(name, type_)
        self.body.append(Op(fn, args, {}, (out,)))
        return out

    def chosen(self, cond: Value, choices: Mapping[Value, tuple[Atom, Atom]]) -> None:
        """Pass integers as parameters of the function: the first of two if a truth holds here."""
        outs = tuple(Value(param.name, param.type) for param in choices)
        then, orelse = (Block([], [], [pair[k] for pair in choices.values()]) for k in range(2))
        self.body.append(If(cond, then, orelse, outs))
        self.known.update(zip(choices, outs, strict=True))
        self.choices.update(choices)
        self.passed += outs


def _only(form: Affine) -> Value | None:
    """The value that a form is."""
    return (
        form.terms[0][0] if len(form.terms) == 1 and form == Affine.of(form.terms[0][0]) else None
    )
