"""The unit directions of one or several values, and a linear program run along them.

    e_0, e_1, ...           for start in range(0, n, 64):
                                n_rows = min(64, n - start)
                                y_bar = np.eye(n_rows, n, start)
                                x_bar = ...          # what depends on the directions
                                x_jac[start : start + 64] = x_bar

Some are taken at a time (`batch`), so that values grow by 64 and not by n; fewer of large values
that nothing mixes (`along`). A program that has no such form is run for each:

                            for i in range(n):
                                y_bar = np.zeros(n)
                                y_bar[i] = 1.0
                                x_bar = ...
                                x_jac[i] = x_bar
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from srcad import runtime
from srcad.errors import SrcadError
from srcad.ir.nodes import Atom, Block, For, If, Op, Stmt, Value
from srcad.ir.types import ArrayType, NumberType, rank_of, shape_of
from srcad.ir.walk import copy_statements, substitute
from srcad.rules.arrays.shaping import dims
from srcad.rules.core.facts import unknown_extent
from srcad.rules.core.staged import Builder, type_of, unwrap
from srcad.rules.core.zero import ZERO
from srcad.transform.boundary import or_zero
from srcad.transform.jacobians.bare_products import without_masks
from srcad.transform.jacobians.batch import Batch, Form, NotBatched
from srcad.transform.jacobians.batch_forms import form_of
from srcad.transform.jacobians.direction_sizes import (
    TOGETHER,
    added,
    dtype_option,
    extent_of,
    like,
    moved_last,
    number_dtype,
    place_of,
    size_of,
    width_of,
)
from srcad.transform.reverse.scope import Cotangent


class _Batch(Batch):
    def form_of(self, op: Op) -> Form:
        """The form of an operation with the axis."""
        return form_of(op)


class Directions:
    """The directions along each entry of `values`, numbered through; `seeds` are bound to them.

    `beside`: arrays as large as which values of the sweeps may be; so many directions are taken
    together as fit into the caches.
    """

    def __init__(
        self,
        builder: Builder,
        values: Sequence[Atom],
        seeds: Sequence[Value],
        beside: Sequence[Atom] = (),
    ) -> None:
        self.builder = builder
        self.beside = beside
        self.values = values
        self.seeds = seeds
        self.sizes = [size_of(builder, value) for value in values]
        self.starts: list[Atom] = []
        total: Atom = 0
        for size in self.sizes:
            self.starts.append(total)
            total = added(builder, total, size)
        self.total = total

    @staticmethod
    def placeholders(values: Sequence[Atom], name: Callable[[Value], str]) -> list[Value]:
        """Values for the directions, to be bound later: the types are known, not yet the shapes."""
        made = []
        for value in values:
            t = type_of(value)
            dtype, shape = number_dtype(value), shape_of(t)
            scalar = t if isinstance(t, NumberType) else ArrayType(dtype, (), scalar=True)
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

    def along(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent]
    ) -> list[Atom]:
        """What is found for `outs`, with the axis of the directions first; products are masked
        only where a result without masks has a NaN.
        """
        bare_seeds = [like(seed) for seed in self.seeds]
        env: dict[Value, Any] = dict(zip(self.seeds, bare_seeds, strict=True))
        bare = without_masks(inside, env)
        if bare is None:
            return self._sweep(inside, outs, found, leading=True)
        first = copy(self)
        first.seeds = bare_seeds
        made = first._sweep(bare, outs, substitute(found, env), leading=True)
        again: list[Stmt] = []
        with self.builder.into(again):
            masked = self._sweep(inside, outs, found, leading=True)
        is_nan: Any = False
        for atom in made:
            here = self.builder.emit(np.any, (self.builder.emit(np.isnan, (atom,)),))
            is_nan = here if is_nan is False else self.builder.emit(operator.or_, (is_nan, here))
        results = tuple(like(atom) for atom in made)
        blocks = Block([], again, masked), Block([], [], made)
        self.builder.body.append(If(is_nan, *blocks, results, self.builder.loc))
        return [*results]

    def _sweep(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent], leading: bool
    ) -> list[Atom]:
        """What is found for `outs`, along a new axis: the first (`leading`) or the last."""
        if not self.values:  # nothing reads what is found
            return [*outs]
        if self.total == 1:
            return self._alone(inside, outs, found, leading)
        batched = self._batched(inside, outs, found, leading)
        return batched or self._looped(inside, outs, found, leading)

    def _batched(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent], leading: bool
    ) -> list[Atom] | None:
        """All directions at once, or some at a time; None where that cannot be."""
        known = isinstance(self.total, int) and self.total <= TOGETHER
        body, ahead = Builder([]), Builder([], self.builder.loc)
        start = Value("start", NumberType(int))
        width = width_of(ahead, (*self.beside, *outs)) if self.beside else TOGETHER
        count = self.total if known else self._count(body, start, width)
        batch = _Batch(body, count, extent_of(count))
        try:
            self._unit_rows(batch, 0 if known else start)
            batch.run(inside)
            parts = {j: batch.of(each) for j, each in enumerate(found) if each is not ZERO}
        except (NotBatched, SrcadError):  # the second: a type that is not known
            return None
        stop = None if known else body.emit(operator.add, (start, width))
        self.builder.body.extend(ahead.body)
        made = [self._zeros(out, each, leading) if not known or each is ZERO else None
                for out, each in zip(outs, found, strict=True)]  # fmt: skip
        for j, part in parts.items():
            if not leading and rank_of(type_of(outs[j])) != 0:
                parts[j] = moved_last(body, part)
        if known:
            self.builder.body.extend(body.body)
            return [parts.get(j, zeros) for j, zeros in enumerate(made)]
        return self._carried(body, start, width, made, {
            j: (slice(start, stop), part) for j, part in parts.items()
        }, leading)  # fmt: skip

    def _count(self, body: Builder, start: Value, width: Atom) -> Value:
        """How many directions are left, at most so many as are taken together."""
        left = body.emit(operator.sub, (self.total, start))
        count: Value = body.emit(min, (width, left), name="n_rows")
        count.type = NumberType(int, unknown_extent())
        return count

    def _unit_rows(self, batch: Batch, start: Atom) -> None:
        """Bind the seeds, with an axis, to the directions from number `start` on."""
        body = batch.builder
        dtype = np.result_type(*(number_dtype(seed) for seed in self.seeds))
        options = dtype_option(dtype)
        whole = start == 0 if isinstance(start, int) else False
        args = (self.total,) if whole else (batch.count, self.total, start)
        eye = body.emit(np.eye, args, options)
        for k, seed in enumerate(self.seeds):
            part = eye
            if len(self.seeds) > 1 or rank_of(seed.type) == 0:
                stop = added(body, self.starts[k], self.sizes[k])
                at = self.starts[k] if rank_of(seed.type) == 0 else slice(self.starts[k], stop)
                part = body.emit(operator.getitem, (eye, (slice(None), at)))
            if number_dtype(seed) != dtype:
                part = body.emit(np.astype, (part, number_dtype(seed).type))
            if (rank_of(seed.type) or 0) > 1:
                shape = (batch.count, *batch.shape(self.values[k]))
                part = body.emit(np.reshape, (part, shape))
            part.type = batch.type_with_axis(seed.type)
            if not part.name:
                part.name = seed.name
            batch.with_axis[seed] = part

    def _looped(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent], leading: bool
    ) -> list[Atom]:
        """One direction after the other."""
        made: list[Any] = [
            self._zeros(out, each, leading) for out, each in zip(outs, found, strict=True)
        ]
        inner = Builder([])
        index = Value("i", NumberType(int))
        self._seed(inner, index)
        inner.body.extend(inside)
        parts = {j: (index, each) for j, each in enumerate(found) if each is not ZERO}
        return self._carried(inner, index, 1, made, parts, leading)

    def _carried(
        self,
        inner: Builder,
        index: Value,
        step: Atom,
        made: list[Any],
        parts: dict[int, tuple[Any, Atom]],
        leading: bool,
    ) -> list[Atom]:
        """A loop with the statements of `inner` that writes `parts` into what is `made`."""
        if not parts:
            return made
        params = {j: like(made[j]) for j in parts}
        ends = [
            inner.emit(runtime.index_update, (params[j], place_of(params[j], at, leading), part))
            for j, (at, part) in parts.items()
        ]
        body = Block([index, *params.values()], inner.body, ends)
        outs = [like(made[j]) for j in parts]
        init = [made[j] for j in parts]
        loop = For(0, self.total, step, False, init, [], body, tuple(outs), (), self.builder.loc)
        self.builder.body.append(loop)
        for j, out in zip(parts, outs, strict=True):
            made[j] = out
        return made

    def _zeros(self, out: Atom, found: Cotangent, leading: bool) -> Value:
        """Zeros of the shape of `out` with an axis for the directions."""
        shape = dims(self.builder.wrap(out))
        whole = unwrap((self.total, *shape) if leading else (*shape, self.total))
        dtype = number_dtype(out if found is ZERO else found)
        made: Value = self.builder.emit(np.zeros, (whole,), dtype_option(dtype), "jac")
        return made

    def _alone(
        self, inside: list[Stmt], outs: Sequence[Atom], found: Sequence[Cotangent], leading: bool
    ) -> list[Atom]:
        """The only direction, that of a single number."""
        builder = self.builder
        (seed,) = self.seeds
        dtype, shape = number_dtype(seed), shape_of(seed.type)
        one: Atom = (seed.type.kind if isinstance(seed.type, NumberType) else dtype.type)(1)
        if shape:
            one = builder.emit(np.ones, (shape,), dtype_option(dtype))
        env: dict[Value, Any] = {seed: one}
        builder.body.extend(copy_statements(inside, env))
        parts = [
            or_zero(builder, each if each is ZERO else substitute(each, env), out)
            for each, out in zip(found, outs, strict=True)
        ]
        if shape == ():
            return parts
        return [self._with_axis(part, out, leading) for part, out in zip(parts, outs, strict=True)]

    def _seed(self, builder: Builder, index: Value) -> None:
        """Bind the seeds to the direction number `index`."""
        dtype = np.result_type(*(number_dtype(seed) for seed in self.seeds))
        zeros = builder.emit(np.zeros, ((self.total,),), dtype_option(dtype))
        if len(self.seeds) == 1 and rank_of(self.seeds[0].type) == 1:
            self._bind(builder, self.seeds[0], runtime.index_update, (zeros, index, 1.0))
            return
        one = builder.emit(runtime.index_update, (zeros, index, 1.0))
        for k in range(len(self.seeds)):
            self._take(builder, one, k, dtype)

    def _take(self, builder: Builder, one: Atom, k: int, dtype: np.dtype[Any]) -> None:
        """Bind seed `k` to its entries of the direction `one`."""
        seed = self.seeds[k]
        own, t = number_dtype(seed), seed.type
        if shape_of(t) == ():
            if own == dtype and not isinstance(t, NumberType):
                return self._bind(builder, seed, operator.getitem, (one, self.starts[k]))
            part = builder.emit(operator.getitem, (one, self.starts[k]))
            kind = t.kind if isinstance(t, NumberType) else own.type
            return self._bind(builder, seed, kind, (part,))
        part = one if len(self.seeds) == 1 else self._slice(builder, one, k, leading=True)
        if own != dtype:
            part = builder.emit(np.astype, (part, own.type))
        whole = unwrap(builder.wrap(self.values[k]).shape)
        return self._bind(builder, seed, np.reshape, (part, whole))

    def _bind(self, builder: Builder, seed: Value, fn: Any, args: Any, kwargs: Any = None) -> None:
        builder.body.append(Op(fn, args, kwargs or {}, (seed,), builder.loc))

    def _slice(self, builder: Builder, jac: Atom, k: int, leading: bool) -> Atom:
        """The part of `jac` for the directions of value `k`."""
        part = slice(self.starts[k], added(builder, self.starts[k], self.sizes[k]))
        return builder.emit(operator.getitem, (jac, part if leading else (Ellipsis, part)))

    def _row(self, k: int, jac: Atom, x: Atom) -> Atom:
        """The entries of `jac` for value `k`, in shape `y.shape + x.shape`."""
        return self._shaped(k, jac, self.values[k], x, leading=True)

    def _column(self, k: int, jac: Atom, y: Atom) -> Atom:
        return self._shaped(k, jac, y, self.values[k], leading=False)

    def _shaped(self, k: int, jac: Atom, y: Atom, x: Atom, leading: bool) -> Atom:
        builder = self.builder
        rank = rank_of(type_of(self.values[k]))
        if rank == 0 and self.total == 1:
            return jac
        if rank == 0:
            start = self.starts[k]
            return builder.emit(operator.getitem, (jac, place_of(jac, start, leading)))
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


__all__ = ["Directions"]
