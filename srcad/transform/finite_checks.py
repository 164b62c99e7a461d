"""Checks for `srcad.debug_nans`: after each operation that computes, whether it made NaN.

    y = log(x)                      y = log(x)
    x_bar = truediv(y_bar, x)  ->   check_value("np.log(x)", y, {"x": x})
                                    x_bar = truediv(y_bar, x)
                                    check_derivative("np.log", "x_bar", x_bar, {"x": x, ...})

Of a derivative only tangents and cotangents are checked, of a function that is made of several
operations only what it gives: what is computed on the way there may be masked. These were made of
what stands ahead of all its steps. What a `with np.errstate(divide="ignore")` of the user's says is
expected counts as that, of the function itself: not of its derivative, of which it tells nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.ir.nodes import (
    Block,
    Closure,
    CotangentName,
    DerivativeName,
    Function,
    If,
    Op,
    Stmt,
    Value,
)
from srcad.ir.regions import Context
from srcad.ir.types import ArrayType, NumberType, ObjectType, is_inexact
from srcad.ir.walk import map_tree, statements, values_in, with_blocks
from srcad.ops import row_of
from srcad.rules.core.table import RULES, name_of
from srcad.runtime import stop_gradient
from srcad.runtime.finite import check_derivative, check_value
from srcad.transform.places import symbol_of

# What floating-point errors make, by the name that `np.errstate` has for them.
_MADE = {"divide": ("inf",), "over": ("inf",), "invalid": ("nan",), "all": ("inf", "nan")}
_LONGEST = 60
_ELLIPSIS = "..."

Allowed = frozenset[str]


def check_finite(fn: Function) -> Function:
    """The program with a check after each operation."""
    return replace(fn, body=_Checks(fn.body).block(fn.body, frozenset()))


class _Checks:
    def __init__(self, body: Block) -> None:
        ops = [stmt for stmt in statements(body) if isinstance(stmt, Op)]
        self.made = {out: op for op in ops for out in op.outs}

    def block(self, block: Block, allowed: Allowed) -> Block:
        """The block with checks; `allowed` is what its operations may make."""
        body: list[Stmt] = []
        for stmt in block.body:
            if isinstance(stmt, Op):
                body += [stmt, *self.checks(stmt, allowed)]
            else:
                body.append(self.structure(stmt, allowed))
        return Block(block.params, body, block.results)

    def structure(self, stmt: Stmt, allowed: Allowed) -> Stmt:
        if isinstance(stmt, Closure):
            function = replace(stmt.function, body=self.block(stmt.function.body, allowed))
            return replace(stmt, function=function)
        if isinstance(stmt, If) and isinstance(stmt.cond, Context):
            allowed = _allowed_in(stmt.cond, allowed)
        return with_blocks(stmt, lambda inner: self.block(inner, allowed))

    def checks(self, op: Op, allowed: Allowed) -> Iterator[Op]:
        """The checks of what an operation binds."""
        if isinstance(op.fn, Function):
            return
        for out in op.outs:
            if not (_is_number(out) and is_inexact(out.type)) or not _is_result(op, out):
                continue
            given = self.labelled(self.given(op))
            args: tuple[Any, ...]
            if _is_derived(op):
                name = _as_called(op.loc.operation) if op.loc else ""
                args = (name, _derivative(out), out, given)
                yield Op(check_derivative, args, {}, (), op.loc, effect=True)
            elif len(may := allowed | _given_as_constants(op)) < 2:
                args = (self.operation(op), out, given, *may)
                yield Op(check_value, args, {}, (), op.loc, effect=True)

    def given(self, op: Op) -> Iterator[Value]:
        """The numbers that an operation has been given, or the first of the steps up to it."""
        waiting, seen = [*reversed(values_in((op.args, op.kwargs)))], set()
        while waiting:
            value = waiting.pop()
            if value in seen:
                continue
            seen.add(value)
            step = self.made.get(value)
            if step is not None and _is_step_to(step, value, op):
                waiting += reversed(values_in((step.args, step.kwargs)))
            elif _is_number(value):
                yield value

    # What messages call things ----------------------------------------------------------------

    def operation(self, op: Op) -> str:
        """An operation as the user writes it, or nearly so."""
        if op.loc is not None and op.loc.operation:
            return _as_called(op.loc.operation)
        return self.call(op, 3)

    def labelled(self, values: Iterable[Value]) -> dict[str, Value]:
        """Values by what the user writes for them."""
        found: dict[str, Value] = {}
        for value in values:
            label = self.text(value, 3)
            while label in found:
                label += "'"
            found[label] = value
        return found

    def text(self, atom: Any, depth: int) -> str:
        if not isinstance(atom, Value):
            return _constant(atom)
        if atom.name:
            return str(atom.name)
        op = self.made.get(atom)
        if op is None or depth == 0:
            return _ELLIPSIS
        if op.fn is stop_gradient:  # which may be the compiler's
            return self.text(op.args[0], depth)
        if _is_derived(op):
            return _derivative(atom) if isinstance(atom.name, DerivativeName) else _ELLIPSIS
        if op.loc is not None and op.loc.operation:
            return f"{_as_called(op.loc.operation)}({_ELLIPSIS})"
        return self.call(op, depth - 1)

    def call(self, op: Op, depth: int) -> str:
        symbol = symbol_of(op.fn)
        texts = [self.tree(arg, depth) for arg in op.args]
        if symbol and len(texts) == 2:
            inner = [_in_parentheses(text) for text in texts]
            return _shortened(f" {symbol} ".join(inner))
        if op.fn is operator.neg:
            return _shortened(f"-{_in_parentheses(texts[0])}")
        if op.fn is operator.getitem:
            return _shortened(f"{texts[0]}[{texts[1]}]")
        if isinstance(op.fn, Function):
            return f"{op.fn.name}({_ELLIPSIS})"
        texts += [f"{key}={self.tree(arg, depth)}" for key, arg in op.kwargs.items()]
        return _shortened(f"{_as_called(name_of(op.fn))}({', '.join(texts)})")

    def tree(self, tree: Any, depth: int) -> str:
        if isinstance(tree, list | tuple):
            inner = ", ".join(self.tree(item, depth) for item in tree)
            return f"[{inner}]" if isinstance(tree, list) else f"({inner})"
        return _ELLIPSIS if isinstance(tree, dict | slice) else self.text(tree, depth)


def _as_called(name: str) -> str:
    """The name of a function, with its module where that is one of the libraries'."""
    is_known = name.startswith(("np.", "scipy.", "math.", "cmath."))
    return name if is_known else name.rpartition(".")[2]


def _derivative(value: Value) -> str:
    """A tangent or cotangent."""
    kind = "cotangent" if isinstance(value.name, CotangentName) else "tangent"
    return str(value.name) or f"the {kind}"


def _is_derived(op: Op) -> bool:
    """Whether an operation belongs to a derivative; what starts one has no place."""
    return op.loc is None or op.loc.part == "derivative"


def _is_result(op: Op, out: Value) -> bool:
    """Whether a value is more than a step on the way to one."""
    if _is_derived(op):
        return isinstance(out.name, DerivativeName)
    if op.loc is not None and op.loc.operation:
        return not op.loc.part
    return _computes(op)


def _is_step_to(step: Op, value: Value, op: Op) -> bool:
    """Whether an operation is a step on the way to another, in a rule or in what a function is
    made of.
    """
    if _is_derived(op):
        return _is_derived(step) and not isinstance(value.name, DerivativeName)
    return step.loc is not None and step.loc.part == "step"


def _is_number(value: Value) -> bool:
    return isinstance(value.type, ArrayType | NumberType)


def _computes(op: Op) -> bool:
    """Whether the function of the user's program computes numbers here: it does not read them from
    somewhere, or move them.
    """
    row = row_of(op.fn)
    if (
        op.fn is getattr
        or op.fn is operator.getitem
        or row.allocates
        or row.store
        or row.shape_only
    ):
        return False
    given = values_in((op.args, op.kwargs))
    is_method = any(isinstance(value.type, ObjectType) for value in given) and op.fn not in RULES
    return row.memory not in ("view", "either") and not is_method and any(map(_is_number, given))


def _given_as_constants(op: Op) -> Allowed:
    """What a constant argument is."""
    found: set[str] = set()

    def look(atom: Any) -> Any:
        if isinstance(atom, float | complex | np.ndarray | np.generic):
            numbers = np.asarray(atom)
            if numbers.dtype.kind in "fc" and not np.isfinite(numbers).all():
                found.update(("inf", "nan") if np.isnan(numbers).any() else ("inf",))
        return atom

    map_tree(look, (op.args, op.kwargs))
    return frozenset(found)


def _allowed_in(cond: Context, allowed: Allowed) -> Allowed:
    """What is expected in a `with np.errstate(...)`."""
    if cond.manager is not np.errstate:
        return allowed
    for key, mode in cond.kwargs.items():
        made = _MADE.get(key, ())
        allowed = allowed.union(made) if mode == "ignore" else allowed.difference(made)
    return allowed


def _constant(atom: Any) -> str:
    is_short = isinstance(atom, int | float | complex | str | np.number) or atom is None
    text = str(atom) if isinstance(atom, np.number) else repr(atom)
    return text if is_short and len(text) < _LONGEST else _ELLIPSIS


def _in_parentheses(text: str) -> str:
    """An expression as an operand."""
    depth = 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == " " and depth == 0:
            return f"({text})"
    return text


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


__all__ = ["check_finite"]
