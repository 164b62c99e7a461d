"""Flattening: arrays get one index, and their extents are integers of the program.

    t = shape(x)                                    def f(x, n, m):
    n = getitem(t, 0); m = getitem(t, 1)
    a = empty((n, m))                       ->          a = room(n * m)
    y = getitem(x, at(i, j))                            y = getitem(x, i * m + j)

So everything that an access reads is a variable that is seen to be read there.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.ir import ArrayType, Block, For, Function, If, NumberType, Op, Stmt, TupleType, Value
from srcad.ir import While as WhileLoop
from srcad.ir.effects import destroys
from srcad.ir.types import Dim, shape_of
from srcad.ir.walk import map_tree
from srcad.native.decompositions import CHOLESKY, SOLVED
from srcad.native.growing_memory import held, latest, lengthened, opened, part, reserved
from srcad.native.helpers import counted
from srcad.native.scalarize.loop_builder import Unsuited
from srcad.native.vectorised import AT, AT_COMMON, MATMUL_INTO
from srcad.runtime.saved import pack

INT = NumberType(int)
Sizes = tuple[Any, ...]  # an atom for each axis


def room(count: int) -> None:
    """Memory for so many entries."""


def longer(tape: Any, row: int) -> None:
    """Memory for four times as many rows of `row` entries, which starts as the tape."""


def product(
    out: Any, rows: int, columns: int, inner: int, x: Any, x_at: int, x_width: int,
    x_transposed: bool, y: Any, y_at: int, y_width: int, y_transposed: bool,
) -> None:  # fmt: skip
    """A product of matrices that lie by rows, from a place on, with so many entries in a row."""


def solve(a: Any, rows: int, b: Any, count: int) -> None:
    """Solve a system of equations for so many right sides; matrices lie by columns."""


def cholesky(a: Any, rows: int) -> None:
    """The lower factor of a positive definite matrix, which lies by columns."""


def give(result: int, array: Any, count: int) -> None:
    """Copy an array to the memory that the caller gives for a result."""


@dataclass(frozen=True, slots=True)
class Flat:
    """A flat program. `sizes` are the extents of arrays, `extents` the parameters for those of
    arguments, by their symbols, `tapes` what may be given longer memory, `results` the arrays that
    are made in the caller's memory, by the number of the result.
    """

    fn: Function
    extents: dict[str, Value]
    sizes: dict[Value, Sizes]
    tapes: set[Value]
    results: dict[int, Value]


def flatten(fn: Function, known: Mapping[str, int], names: Mapping[str, str]) -> Flat:
    """The program with one index for each entry.

    Args:
        known: numbers of extents, by their symbols, that captured arrays have.
        names: what other extents are called.
    """
    walk = _Flattening(known, names)
    for param in fn.params:
        walk.parameter(param)
    body = walk.block(fn.body)
    results, own = body.results, {}
    top = {stmt.out for stmt in body.body if isinstance(stmt, Op) and stmt.fn is room}
    walk.made = body.body
    for k, result in enumerate(results):
        if not (_is_value(result) and result in walk.sizes):
            continue
        if result in top - walk.tapes and results.count(result) == 1:
            own[k] = result
        else:
            count = walk.count(walk.sizes[result])
            walk.made.append(Op(give, (k, result, count), {}, (), None, effect=True))
    params = [*fn.params, *walk.extents.values()]
    made = replace(fn, body=Block(params, [*walk.head, *body.body], results))
    return Flat(made, walk.extents, walk.sizes, walk.tapes, own)


@dataclass
class _Flattening:
    known: Mapping[str, int]
    names: Mapping[str, str]
    extents: dict[str, Value] = field(default_factory=dict)
    sizes: dict[Value, Sizes] = field(default_factory=dict)
    head: list[Stmt] = field(default_factory=list)
    made: list[Stmt] = field(default_factory=list)
    env: dict[Value, Any] = field(default_factory=dict)
    tuples: dict[Value, tuple[Any, ...]] = field(default_factory=dict)
    places: set[Value] = field(default_factory=set)
    tapes: set[Value] = field(default_factory=set)

    def parameter(self, param: Value) -> None:
        """The extents of an argument."""
        shape = shape_of(param.type)
        if isinstance(param.type, ArrayType) and shape:
            self.made = self.head
            self.sizes[param] = tuple(map(self.extent, shape))

    def extent(self, extent: Any) -> Any:
        """The atom of an extent: a parameter, or so much less."""
        if not isinstance(extent, Dim):
            return extent
        if extent.symbol in self.known:
            return max(0, self.known[extent.symbol] - extent.minus)
        if extent.symbol not in self.extents:
            name = self.names.get(extent.symbol, "n")
            self.extents[extent.symbol] = Value(name, INT)
        base = self.extents[extent.symbol]
        return self.plus(base, -extent.minus)

    # Integers

    def plus(self, a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return a + b
        if type(b) is int and b < 0:
            return self.op(operator.sub, (a, -b))
        if b == 0 and type(b) is int:
            return a
        return b if type(a) is int and a == 0 else self.op(operator.add, (a, b))

    def times(self, a: Any, b: Any) -> Any:
        if type(a) is int and type(b) is int:
            return a * b
        if type(a) is int:
            a, b = b, a
        if type(b) is int and b in (0, 1):
            return a if b else 0
        return self.op(operator.mul, (a, b))

    def op(self, fn: Any, args: tuple[Any, ...]) -> Value:
        out = Value("", INT)
        self.made.append(Op(fn, args, {}, (out,)))
        return out

    def offset(self, sizes: Sizes, place: Sequence[Any], is_natural: bool) -> Any:
        """The position of an entry, by rows."""
        total: Any = 0
        for at, n in zip(place, sizes, strict=True):
            if not is_natural and not (type(at) is int and at >= 0):
                at = self.op(counted, (at, n))
            total = self.plus(self.times(total, n), at)
        return total

    def count(self, sizes: Sizes) -> Any:
        total: Any = 1
        for n in sizes:
            total = self.times(total, n)
        return total

    # Statements

    def new(self, tree: Any) -> Any:
        return map_tree(lambda x: self.env.get(x, x) if isinstance(x, Value) else x, tree)

    def block(self, block: Block) -> Block:
        outer, self.made = self.made, []
        for stmt in block.body:
            self.statement(stmt)
        body, self.made = self.made, outer
        return Block(block.params, body, [self.new(x) for x in block.results])

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Op():
                self.operation(stmt)
            case For():
                bounds = {k: self.new(getattr(stmt, k)) for k in ("start", "stop", "step", "init")}
                self.refuse_sequences(stmt.seqs or stmt.ins or stmt.reverse)
                self.made.append(replace(stmt, body=self.block(stmt.body), **bounds))
            case WhileLoop():
                self.refuse_sequences(stmt.seqs)
                init, test = self.new(stmt.init), self.block(stmt.test)
                self.made.append(replace(stmt, init=init, test=test, body=self.block(stmt.body)))
            case If() if stmt.is_branch:
                then, orelse = self.block(stmt.then), self.block(stmt.orelse)
                self.made.append(replace(stmt, cond=self.new(stmt.cond), then=then, orelse=orelse))
            case _:
                raise Unsuited("a `try`, a `with` or a function inside")
        if any(isinstance(x.type, TupleType) for x in getattr(stmt, "init", ()) if _is_value(x)):
            raise Unsuited("a tuple that a loop changes")

    def refuse_sequences(self, found: Any) -> None:
        if found:
            raise Unsuited("a list that a loop makes")

    def operation(self, op: Op) -> None:
        args = self.new(op.args)
        if op.fn is np.shape:
            self.tuples[op.out] = self.sizes[args[0]]
        elif op.fn in (AT, AT_COMMON, pack):
            self.tuples[op.out] = args
            self.places.update([op.out] if op.fn is not pack else [])
        elif op.fn is np.size:
            self.env[op.out] = self.count(self.sizes[args[0]])
        elif op.fn is operator.getitem and args[0] in self.tuples:
            self.env[op.out] = self.tuples[args[0]][args[1]]
        elif op.fn is operator.getitem:
            self.made.append(replace(op, args=(args[0], self.place(args[0], args[1]))))
        elif op.fn is np.empty:
            shape = self.tuples.get(args[0], args[0]) if _is_value(args[0]) else args[0]
            self.sizes[op.out] = shape if isinstance(shape, tuple) else (shape,)
            self.made.append(replace(op, fn=room, args=(self.count(self.sizes[op.out]),)))
        elif op.fn in (held, latest):
            self.env[op.out] = args[0]
            self.tapes.update([args[0]] if op.fn is held else [])
        elif op.fn in (opened, part, reserved):
            why = Unsuited("an array that changes its length in a loop")
            why.loc = op.loc
            raise why
        elif op.fn is lengthened:
            row = self.count(self.sizes[args[0]][1:])
            self.made.append(replace(op, fn=longer, args=(args[0], row)))
        elif op.fn is SOLVED["f"]:
            a, b = args
            sizes = (a, self.sizes[a][-1], b, self.sizes[b][0])
            self.made.append(replace(op, fn=solve, args=sizes))
        elif op.fn is CHOLESKY["f"]:
            self.made.append(replace(op, fn=cholesky, args=(args[0], self.sizes[args[0]][-1])))
        elif op.fn is MATMUL_INTO:
            self.product(op, args)
        elif destroys(op) and not op.outs:
            place = self.place(args[0], args[1])
            self.made.append(replace(op, args=(args[0], place, args[2])))
        else:
            self.made.append(replace(op, args=args, kwargs=self.new(op.kwargs)))

    def place(self, array: Any, index: Any) -> Any:
        is_natural = _is_value(index) and index in self.places
        parts = self.tuples[index] if _is_value(index) and index in self.tuples else index
        return self.offset(self.sizes[array], parts if isinstance(parts, tuple) else (parts,),
                           is_natural)  # fmt: skip

    def product(self, op: Op, args: tuple[Any, ...]) -> None:
        out, x, x_at, x_transposed, y, y_at, y_transposed, inner = args
        sizes = self.sizes[out]
        parts: list[Any] = [out, self.count(sizes[:-1]), sizes[-1], inner]
        for array, at, transposed in ((x, x_at, x_transposed), (y, y_at, y_transposed)):
            place = self.tuples.get(at, at) if _is_value(at) else at
            natural = self.offset(self.sizes[array], place, False)
            parts += [array, natural, self.sizes[array][-1], bool(transposed)]
        self.made.append(replace(op, fn=product, args=tuple(parts)))


def _is_value(x: Any) -> bool:
    return isinstance(x, Value)


__all__ = ["Flat", "cholesky", "flatten", "give", "longer", "product", "room", "solve"]
