"""Runs rule bodies on staged values and checks each op's type fact against what it computes."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.ir import ArrayType, Dim, NumberType, SeqType, TupleType, Type, Value
from srcad.ir.evaluate import evaluate
from srcad.ir.nodes import Block, Function, Op, Stmt
from srcad.ir.walk import free_values, outputs
from srcad.rules import ZERO
from srcad.rules.core.facts import type_of_constant
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import Builder, Staged, type_of
from tests.rules.calls import Call, leaves


def is_array(x: Any) -> bool:
    """Whether `x` is an array or a NumPy scalar."""
    return isinstance(x, np.ndarray | np.generic)


def is_sequence(x: Any) -> bool:
    """Whether a value is staged as one sequence, not as its elements."""
    return isinstance(x, Staged) and isinstance(x.type, SeqType)


class FactChecker:
    """A builder beside the numbers: every staged value knows what it stands for."""

    def __init__(self, extents: str) -> None:
        self.extents = extents
        self.builder = Builder()
        self.numbers: dict[Value, Any] = {}
        self.dims: dict[str, int] = {}
        self.done = 0

    def stage(self, x: Any, name: str, like: Any = None) -> Any:
        """A staged value for each array or float in `x`, of the types of `like`; constants stay."""
        if is_sequence(like):
            value = Value(name, like.type)
            self.numbers[value] = x
            return Staged(value, self.builder)
        if isinstance(x, list | tuple) and any(is_array(i) for i in leaves(x)):
            likes = like if isinstance(like, list | tuple) else [None] * len(x)
            parts = zip(x, likes, strict=True)
            return type(x)(self.stage(a, f"{name}_{k}", b) for k, (a, b) in enumerate(parts))
        if not is_array(x) and type(x) not in (float, complex):
            return x
        t = type_of_constant(x)
        value = Value(name, like.type if isinstance(like, Staged) else self.loosen(t, name, x))
        if isinstance(t, ArrayType) and t.scalar != getattr(value.type, "scalar", t.scalar):
            value.type = t
        self.numbers[value] = x
        return Staged(value, self.builder)

    def loosen(self, t: Type, name: str, x: Any) -> Type:
        """The type with its extents as known as this checker is told to make them."""
        if not isinstance(t, ArrayType) or self.extents == "known":
            return t
        sure = self.extents == "symbolic"
        extents = tuple(
            1 if n == 1 and sure else Dim(f"{name}{k}", never_one=sure)
            for k, n in enumerate(t.shape or ())
        )
        self.dims |= {e.symbol: n for e, n in zip(extents, x.shape, strict=True) if e != 1}
        return ArrayType(t.dtype, extents, t.scalar)

    def primal(self, call: Call, y: Any) -> tuple[list[Any], Any]:
        """The staged arguments and result; the rule's type function must tell the result's type."""
        xs = [self.stage(a, f"x{i}") for i, a in enumerate(call.args)]
        types = infer(call.rule.fn, _atoms(xs), call.kwargs)
        several = isinstance(types, list | tuple)
        if several:
            assert type(types) is type(y), "the result is of another class"
            pairs = list(zip(types, y, strict=True))
        else:
            pairs = [(types, y)]
        staged = []
        for k, (t, number) in enumerate(pairs):
            self.conforms(t, number, f"{call.rule.fn} result {k}")
            value = Value("y", t)
            self.numbers[value] = number
            staged.append(Staged(value, self.builder))
        return xs, tuple(staged) if several else staged[0]

    def assert_equal(self, got: Any, want: Any, like: Any) -> None:
        """The staged result, evaluated, is `want`, and its type is that of the primal `like`."""
        if want is ZERO:  # a fact that may rest on extents, which the staged body does not know
            assert got is ZERO or not np.any(self.compute(got))
            return
        if is_sequence(got):
            np.testing.assert_allclose(self.compute(got), want, rtol=1e-5, atol=1e-6)
            return
        for a, b, x in zip(leaves(got), leaves(want), leaves(like), strict=True):
            if b is ZERO:
                assert a is ZERO
                continue
            number = self.compute(a)
            np.testing.assert_allclose(number, b, rtol=1e-5, atol=1e-6)
            assert np.asarray(number).dtype == np.asarray(b).dtype
            t = type_of(a)
            self.conforms(t, number, "result")
            if isinstance(t, ArrayType) and hasattr(x, "dtype"):
                assert t.dtype == x.dtype

    def compute(self, a: Any) -> Any:
        """What a staged value is: runs the ops emitted since last time and checks their types."""
        for stmt in self.builder.body[self.done :]:
            made = self.run(stmt)
            what = stmt.fn if isinstance(stmt, Op) else type(stmt)
            for out, number in zip(outputs(stmt), made, strict=True):
                self.numbers[out] = number
                self.conforms(out.type, number, getattr(what, "__name__", str(what)))
        self.done = len(self.builder.body)
        return self.numbers[a.value] if isinstance(a, Staged) else a

    def run(self, stmt: Stmt) -> list[Any]:
        inputs = list(free_values(Block([], [stmt], [])))
        body = Block(inputs, [stmt], list(outputs(stmt)))
        return evaluate(Function("stmt", body), *(self.numbers[x] for x in inputs))

    def conforms(self, t: Type, value: Any, what: str) -> None:
        """`t` is a true statement about `value`, as exact as it can be."""
        # Said only of what fails: to print each array would take longer than all else.
        assert self.is_of(t, value), f"{what}: {t} for {value!r}"
        if isinstance(t, TupleType):
            for item, number in zip(t.items, value, strict=True):
                self.conforms(item, number, what)

    def is_of(self, t: Type, value: Any) -> bool:
        """Whether `value` is what `t` says; of a tuple, whether it is one of so many items."""
        match t:
            case NumberType():
                known = t.extent is None or value == self.extent(t.extent, value)
                return type(value) is t.kind and known
            case ArrayType():
                if not isinstance(value, np.ndarray | np.generic) or value.dtype != t.dtype:
                    return False
                if t.scalar != isinstance(value, np.generic):
                    return False
                if t.shape is None:
                    return True
                same_rank = len(t.shape) == value.ndim
                return same_rank and value.shape == tuple(map(self.extent, t.shape, value.shape))
            case TupleType():
                return isinstance(value, tuple) and len(value) == len(t.items)
            case _:
                return True

    def extent(self, e: Any, actual: int) -> int:
        """The number that the extent stands for; the first sight of a symbol says which."""
        if isinstance(e, int):
            return e
        if e.minus:
            return max(0, self.dims[e.symbol] - e.minus) if e.symbol in self.dims else actual
        assert not (e.never_one and actual == 1), e
        return self.dims.setdefault(e.symbol, actual)


def _atoms(xs: Any) -> Any:
    if isinstance(xs, list | tuple):
        return (
            type(xs)(_atoms(x) for x in xs) if not isinstance(xs, list) else [_atoms(x) for x in xs]
        )
    return xs.value if isinstance(xs, Staged) else xs
