"""Copies views that outlive a store into their array, so that the array need not be copied.

    row = getitem(a, i)                     t = getitem(a, i)
    b = index_update(a, i, getitem(a, j))   row = copy(t)
    c = index_update(b, j, row)             ...

    for i in ... carrying u:                for i in ... carrying u:
        v = getitem(u, 1:)                      t = getitem(u, 1:)
        w = index_update(u, 1:, tanh(v))        v = copy(t)
        yield w, v                              ...         # the tape holds the slice of then

The array itself must not be read later (else it is copied anyway), nor be a parameter, which is
copied before the first store. Where two views as large as the array itself live on, one copy of the
array is cheaper.
"""

from __future__ import annotations

from dataclasses import replace

from srcad.analysis.accumulators import accumulators
from srcad.analysis.liveness import Liveness, find_later
from srcad.analysis.views import viewed
from srcad.ir.nodes import Atom, Block, Closure, For, Function, Op, Value, While
from srcad.ir.types import ArrayType, Dim
from srcad.ir.walk import blocks, outputs, statements, values_in
from srcad.optimize.memory.copiers import Copier, copier_in
from srcad.optimize.memory.read_before_write import is_store
from srcad.optimize.rewriter import Rewriter


def copy_escaping_views(fn: Function) -> Function:
    """The program with copies of the views that live beyond a store into their array."""
    if not any(map(is_store, statements(fn.body))):
        return fn
    finder = _OutlivingViews(find_later(fn))
    finder.block(fn.body, set())
    return _Copier(finder.chosen(), copier_in(fn)).run(fn) if finder.outliving else fn


class _OutlivingViews:
    """Gathers the views that outlive a store; `owned` are the values made in this function."""

    def __init__(self, found: Liveness) -> None:
        self.later, self.bits = found.later, found.bits
        self.parent: dict[Value, Value] = {}
        self.roots: dict[Value, Value] = {}
        self.views: dict[Value, list[Value]] = {}  # of each root
        self.outliving: set[Value] = set()

    def chosen(self) -> set[Value]:
        """Of a view and a view of that the first alone."""
        return {v for v in self.outliving if self.parent.get(v) not in self.outliving}

    def block(self, block: Block, owned: set[Value]) -> None:
        for stmt in block.body:
            array = viewed(stmt)
            if array is not None and isinstance(stmt, Op):
                self.parent[stmt.out] = array
                root = self.roots[stmt.out] = self.roots.get(array, array)
                self.views.setdefault(root, []).append(stmt.out)
            if is_store(stmt):
                self.written(stmt.args[0], self.later[stmt], owned)
            if isinstance(stmt, For | While):
                self.loop(stmt, owned)
            elif isinstance(stmt, Closure):
                self.block(stmt.function.body, set())
            else:
                for inner in blocks(stmt):
                    self.block(inner, owned)
            owned.update(outputs(stmt))

    def loop(self, stmt: For | While, owned: set[Value]) -> None:
        carried = stmt.carried
        owned.update(carried)
        for inner in blocks(stmt):
            self.block(inner, owned)
        for k in accumulators(stmt, carried):
            self.written(stmt.init[k], self.later[stmt], owned)
            others = [*stmt.yielded[:k], *stmt.yielded[k + 1 :], *stmt.written]
            self.written(stmt.yielded[k], self.bits.of(values_in(others)), owned)

    def written(self, array: Atom, later: int, owned: set[Value]) -> None:
        """Note the views of `array` in `later`, if it is not itself read later."""
        if not isinstance(array, Value):
            return
        wholes = {array}
        while (found := self.parent.get(array)) is not None:
            wholes.add(array := found)
        if array not in owned or self.bits.of(wholes) & later:
            return
        views = set(self.bits.values(self.bits.of(self.views.get(array, ())) & later))
        if sum(_is_as_large(v, array) for v in views) < 2:
            self.outliving |= views


def _is_as_large(view: Value, array: Value) -> bool:
    """Whether a view has most of the entries of its array."""
    a, b = view.type, array.type
    if not isinstance(a, ArrayType) or not isinstance(b, ArrayType):
        return False
    if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
        return False
    for mine, whole in zip(a.shape, b.shape, strict=True):
        if isinstance(mine, Dim):
            if not isinstance(whole, Dim) or mine.symbol != whole.symbol:
                return False
        elif not isinstance(whole, int) or 2 * mine < whole:
            return False
    return True


class _Copier(Rewriter):
    def __init__(self, views: set[Value], copier: Copier) -> None:
        super().__init__()
        self.views, self.copier = views, copier

    def op(self, op: Op) -> None:
        if len(op.outs) == 1 and op.out in self.views:
            view = Value("", op.out.type)
            self.body.append(replace(op, outs=(view,)))
            op = Op(self.copier(view.type), (view,), {}, op.outs, op.loc)
        self.body.append(op)


__all__ = ["copy_escaping_views"]
