"""The unit directions of one or several values, and a linear program run along each of them.

e_0, e_1, ...           for i in range(n):
                            y_bar = np.zeros(n)
                            y_bar[i] = 1.0
                            x_bar = ...          # what depends on the direction
                            x_jac[i] = x_bar
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad import runtime
from srcad.ir.nodes import Atom, Block, For, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, dtype_of, rank_of, shape_of
from srcad.ir.walk import outputs, reads, statements
from srcad.rules.shaping import dims
from srcad.rules.staged import Builder, type_of, unwrap
from srcad.rules.zero import ZERO
from srcad.transform.boundary import or_zero
from srcad.transform.scope import Cotangent


def split(body: Sequence[Stmt], seeds: Sequence[Value]) -> tuple[list[Stmt], list[Stmt]]:
    """The statements that do not depend on `seeds`, and those that do."""
    depends: set[Value] = set(seeds)
    before: list[Stmt] = []
    inside: list[Stmt] = []
    for stmt in body:
        if any(value in depends for value in reads(stmt)):
            depends.update(outputs(stmt))
            inside.append(stmt)
        else:
            before.append(stmt)
    return before, inside


def has_effect(body: Sequence[Stmt]) -> bool:
    """Whether running the statements does more than bind values."""
    block = Block([], list(body), [])
    return any(isinstance(stmt, Op) and stmt.effect for stmt in statements(block))


class Directions:
    """The directions along each entry of `values`, numbered through; `seeds` are bound to them."""

    def __init__(self, builder: Builder, values: Sequence[Atom], seeds: Sequence[Value]) -> None:
        self.builder = builder
        self.values = values
        self.seeds = seeds
        self.sizes = [_size(builder, value) for value in values]
        self.starts: list[Atom] = []
        total: Atom = 0
        for size in self.sizes:
            self.starts.append(total)
            total = _sum(builder, total, size)
        self.total = total

    @staticmethod
    def placeholders(values: Sequence[Atom], name: Callable[[Value], str]) -> list[Value]:
        """Values for the directions, to be bound later: the types are known, not yet the shapes."""
        made = []
        for value in values:
            dtype, shape = _dtype(value), shape_of(type_of(value))
            scalar = ArrayType(dtype, (), scalar=True)
            named = name(value) if isinstance(value, Value) else ""
            made.append(Value(named, scalar if shape == () else ArrayType(dtype, shape)))
        return made

    def rows(
        self, inside: list[Stmt], xs: Sequence[Atom], bars: Sequence[Cotangent]
    ) -> list[list[Atom]]:
        """The Jacobian of each of `values` by each of `xs`; `inside` computes `bars` of a seed."""
        stacked = self._sweep(inside, xs, bars, leading=True)
        return [
            [self._row(k, jac, x) for jac, x in zip(stacked, xs, strict=True)]
            for k in range(len(self.values))
        ]

    def columns(
        self, inside: list[Stmt], ys: Sequence[Atom], dots: Sequence[Cotangent]
    ) -> list[list[Atom]]:
        """For each of `values`, the Jacobian of each of `ys`; `inside` computes their `dots`."""
        stacked = self._sweep(inside, ys, dots, leading=False)
        return [
            [self._column(k, jac, y) for jac, y in zip(stacked, ys, strict=True)]
            for k in range(len(self.values))
        ]

    def _sweep(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent], leading: bool
    ) -> list[Atom]:
        """What is found for `outs`, along a new axis: the first (`leading`) or the last."""
        builder = self.builder
        if self.total == 1:
            (seed,) = self.seeds
            self._one(seed)
            builder.body.extend(inside)
            return [
                self._with_axis(or_zero(builder, each, out), out, leading)
                for each, out in zip(found, outs, strict=True)
            ]
        made = [self._zeros(out, each, leading) for out, each in zip(outs, found, strict=True)]
        carried = [j for j, each in enumerate(found) if each is not ZERO]
        if carried:
            params = [_like(made[j]) for j in carried]
            index = Value("i", NumberType(int))
            inner = Builder([])
            self._seed(inner, index)
            inner.body.extend(inside)
            ends = [
                inner.emit(runtime.index_update, (param, _at(param, index, leading), found[j]))
                for j, param in zip(carried, params, strict=True)
            ]
            results = [_like(made[j]) for j in carried]
            body = Block([index, *params], inner.body, ends)
            init = [made[j] for j in carried]
            builder.body.append(
                For(0, self.total, 1, False, init, [], body, tuple(results), (), builder.loc)
            )
            for j, result in zip(carried, results, strict=True):
                made[j] = result
        return made

    def _zeros(self, out: Atom, found: Cotangent, leading: bool) -> Value:
        """Zeros of the shape of `out` with an axis for the directions."""
        builder = self.builder
        shape = dims(builder.wrap(out))
        whole = unwrap((self.total, *shape) if leading else (*shape, self.total))
        dtype = _dtype(out if found is ZERO else found)
        made: Value = builder.emit(np.zeros, (whole,), _dtype_option(dtype), "jac")
        return made

    def _one(self, seed: Value) -> None:
        """Bind the only seed, of one entry, to 1."""
        dtype, shape = _dtype(seed), shape_of(seed.type)
        if shape:
            self._bind(self.builder, seed, np.ones, (shape,), _dtype_option(dtype))
        else:
            self._bind(self.builder, seed, dtype.type, (1.0,))

    def _seed(self, builder: Builder, index: Value) -> None:
        """Bind the seeds to the direction number `index`."""
        dtype = np.result_type(*(_dtype(seed) for seed in self.seeds))
        zeros = builder.emit(np.zeros, ((self.total,),), _dtype_option(dtype))
        if len(self.seeds) == 1 and rank_of(self.seeds[0].type) == 1:
            self._bind(builder, self.seeds[0], runtime.index_update, (zeros, index, 1.0))
            return
        one = builder.emit(runtime.index_update, (zeros, index, 1.0))
        for k in range(len(self.seeds)):
            self._take(builder, one, k, dtype)

    def _take(self, builder: Builder, one: Atom, k: int, dtype: np.dtype[Any]) -> None:
        """Bind seed `k` to its entries of the direction `one`."""
        seed = self.seeds[k]
        own = _dtype(seed)
        if shape_of(seed.type) == ():
            if own == dtype:
                return self._bind(builder, seed, operator.getitem, (one, self.starts[k]))
            part = builder.emit(operator.getitem, (one, self.starts[k]))
            return self._bind(builder, seed, own.type, (part,))
        part = one if len(self.seeds) == 1 else self._slice(builder, one, k, leading=True)
        if own != dtype:
            part = builder.emit(np.astype, (part, own.type))
        whole = unwrap(builder.wrap(self.values[k]).shape)
        return self._bind(builder, seed, np.reshape, (part, whole))

    def _bind(self, builder: Builder, seed: Value, fn: Any, args: Any, kwargs: Any = None) -> None:
        builder.body.append(Op(fn, args, kwargs or {}, (seed,), builder.loc))

    def _slice(self, builder: Builder, jac: Atom, k: int, leading: bool) -> Atom:
        """The part of `jac` for the directions of value `k`."""
        stop = _sum(builder, self.starts[k], self.sizes[k])
        part = slice(self.starts[k], stop)
        return builder.emit(operator.getitem, (jac, part if leading else (Ellipsis, part)))

    def _row(self, k: int, jac: Atom, x: Atom) -> Atom:
        """The entries of `jac` for value `k`, in shape `y.shape + x.shape`."""
        return self._shaped(k, jac, self.values[k], x, leading=True)

    def _column(self, k: int, jac: Atom, y: Atom) -> Atom:
        return self._shaped(k, jac, y, self.values[k], leading=False)

    def _shaped(self, k: int, jac: Atom, y: Atom, x: Atom, leading: bool) -> Atom:
        builder = self.builder
        rank = rank_of(type_of(self.values[k]))
        if rank == 0:
            start = self.starts[k]
            return builder.emit(operator.getitem, (jac, _at(jac, start, leading)))
        if len(self.values) > 1:
            jac = self._slice(builder, jac, k, leading)
        if rank == 1:
            return jac
        shape = unwrap((*dims(builder.wrap(y)), *dims(builder.wrap(x))))
        return builder.emit(np.reshape, (jac, shape))

    def _with_axis(self, atom: Atom, out: Atom, leading: bool) -> Atom:
        """`atom` with an axis of length 1."""
        shape = unwrap(dims(self.builder.wrap(out)))
        whole = (1, *shape) if leading else (*shape, 1)
        return self.builder.emit(np.reshape, (atom, whole))


def _at(jac: Value, index: Atom, leading: bool) -> Any:
    """The index of one direction."""
    return index if leading or rank_of(jac.type) == 1 else (Ellipsis, index)


def _size(builder: Builder, value: Atom) -> Atom:
    shape = shape_of(type_of(value))
    if shape is not None and all(isinstance(extent, int) for extent in shape):
        return math.prod(shape)
    return builder.emit(np.size, (value,))


def _sum(builder: Builder, a: Atom, b: Atom) -> Atom:
    if isinstance(a, int) and isinstance(b, int):
        return a + b
    return b if isinstance(a, int) and a == 0 else builder.emit(operator.add, (a, b))


def _dtype(atom: Atom) -> np.dtype[Any]:
    dtype = dtype_of(type_of(atom))
    assert dtype is not None, atom
    return dtype


def _dtype_option(dtype: np.dtype[Any]) -> dict[str, Any]:
    return {} if dtype == np.float64 else {"dtype": dtype.type}


def _like(value: Value) -> Value:
    return Value(value.name, value.type)


__all__ = ["Directions", "has_effect", "split"]
