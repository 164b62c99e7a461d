"""Sparsity pattern: the program that finds which entries of a Jacobian may not be zero.

    def f(x):                          def f_sparsity(x):
        y = x[1:] * x[:-1]                 x_from = own_places(x)
        return np.sin(y)                   y_from = x_from[1:] | x_from[:-1]
                                           rows, columns, m = placed(y_from)
                                           return (rows, columns, m), ()

Each value that varies gets its index sets beside it, as forward mode gives it a tangent. Entries
chosen by `np.where` may come from both sides, and so does what a branch on data makes, unless the
path is asked for that the arguments lead to. The last result names the parameters of which values
decide the pattern: indices, numbers of iterations, paths that cannot be joined. With others, and in
other shapes, it is another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from srcad.errors import error
from srcad.ir.effects import CONTROL
from srcad.ir.interface import Slot, Static
from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Block,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.types import NumberType, ObjectType, Type
from srcad.ir.walk import copy_block, values_in
from srcad.ops.raising import is_told_by_derivative
from srcad.rules.core.staged import Builder, type_of
from srcad.rules.core.zero import ZERO
from srcad.rules.draws import is_draw, is_shared_draw
from srcad.runtime import index_sets
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import find_varied
from srcad.transform.boundary import differentiable_slots, interface_of, wanted_params
from srcad.transform.forward.tangent import TangentWalk
from srcad.transform.forward.walk import TangentForms
from srcad.transform.sparsity.deciding import deciding_params
from srcad.transform.sparsity.forms import push_sets, sets_of
from srcad.transform.sparsity.paths import Paths
from srcad.transform.sparsity.sums import add_in_place

_PLACES = ObjectType("places")
_SAVES = (pack, unpack, unpack_one)


def sparsity(fn: Function, argnums: Sequence[int | str], *, of_path: bool) -> Function:
    """The function that gives the rows and columns of the entries, the number of rows, and the
    names of the parameters that decide them.

    Args:
        of_path: only of the path that the arguments take.

    Raises:
        ArgumentTypeError: E321, the argument or the result is no single array or number.
    """
    interface = interface_of(fn)
    if not isinstance(interface.result, Slot):
        raise error("E321", None, what="a result that is no single array")
    block = copy_block(fn.body)
    x, result = block.params[_wrt(fn, argnums)], block.results[interface.result.index]
    forms = TangentForms(TangentWalk)
    walk = _Sets(find_varied(block, [x], forms.activity), forms)
    walk.paths = None if of_path else Paths(block)
    walk.dots[x] = own = Value(_name(x), sets_of(x.type))
    builder = Builder([Op(index_sets.own_places, (x,), {}, (own,))])
    walk.block(block, builder)
    found = walk.end(builder, result, Value("", sets_of(type_of(result))))
    outs = Value("rows", _PLACES), Value("columns", _PLACES), Value("m", NumberType(int))
    builder.body.append(Op(index_sets.placed, (found,), {}, outs))
    made = Block(block.params, builder.body, [*outs])
    add_in_place(made)
    names = deciding_params(interface, made)
    interface = replace(interface, result=((Slot(0), Slot(1), Slot(2)), Static(names)))
    return Function(f"{fn.name}_sparsity", made, interface)


def _wrt(fn: Function, argnums: Sequence[int | str]) -> int:
    """The slot of the array that is differentiated by."""
    wanted = wanted_params(fn, argnums)
    found = differentiable_slots(fn, wanted, False)
    if len(found) != 1 or not isinstance(wanted[0].tree, Slot):
        raise error("E321", None, what="an argument that is no single array")
    return found[0]


def _name(value: Value) -> str:
    return f"{value.name}_from" if value.name else ""


class _Sets(TangentWalk):
    """Forward mode with index sets in the place of tangents.

    `paths` tells which branches have the sets of both paths; without it none has.
    """

    paths: Paths | None = None

    def statement(self, stmt: Stmt, builder: Builder) -> None:
        """Append one statement with its index sets."""
        match stmt:
            case Op() if isinstance(stmt.fn, Function) or stmt.fn in _SAVES:
                raise error("E321", stmt.loc, what="a function that calls itself")
            case Op() if is_draw(stmt.fn) or is_shared_draw(stmt.fn):
                raise error("E321", stmt.loc, what="a function that draws random numbers")
            case Op(effect=True) if stmt.fn not in CONTROL:  # the Jacobian's own program prints
                return
            case Closure():
                raise error("E321", stmt.loc, what="the pullback of `srcad.vjp`")
            case If():
                count = len(stmt.outs)
                self.branch(stmt, builder)
                joined = self.paths.join(stmt, count, builder) if self.paths else None
                if joined is None:
                    builder.body.append(stmt)
                else:
                    met = dict(zip(stmt.outs[count:], joined, strict=True))
                    self.dots.update(
                        (v, met[self.dots[v]]) for v in stmt.outs[:count] if v in self.dots
                    )
            case _:
                super().statement(stmt, builder)

    def op(self, op: Op, builder: Builder) -> None:
        """The index sets of an op's results."""
        if any(self.of(v) is not ZERO for v in values_in((op.args, op.kwargs))):
            for out, made in zip(op.outs, push_sets(builder, op, self.known), strict=True):
                if out in self.varied:
                    made.name = made.name or _name(out)
                    self.dots[out] = made
            if is_told_by_derivative(op, by_last=self.of(op.args[-1]) is not ZERO):
                op.raises = False

    def known(self, atom: Atom) -> Value | None:
        """The index sets of an atom, None where it has none."""
        return self.dots.get(atom) if isinstance(atom, Value) else None

    def new_dot(self, value: Value, t: Type) -> Value:
        """The index sets of `value`, or of the sequence that it is."""
        return Value(_name(value), sets_of(value.type), value.partial)

    def write_elements(
        self, stmt: For | While, written: list[Atom], builder: Builder, numbers: bool
    ) -> tuple[list[Atom], list[Value]]:
        """The index sets of the sequences that a loop writes, each with what is written to it."""
        elements, seqs = [], []
        for result, seq in zip(written, stmt.seqs, strict=True):
            if self.of(result) is not ZERO:
                elements.append(self.of(result))
                self.dots[seq] = self.new_dot(seq, seq.type)
                seqs.append(self.dots[seq])
        return elements, seqs

    def end(self, builder: Builder, atom: Atom, like: Value) -> Atom:
        """The index sets of `atom` on a path that ends in `like`, empty ones where it has none."""
        if atom is UNDEFINED:
            return UNDEFINED
        found = self.of(atom)
        if found is not ZERO:
            return found
        none = Value("", sets_of(like.type))
        builder.body.append(Op(index_sets.no_places, (atom,), {}, (none,), builder.loc))
        return none


__all__ = ["sparsity"]
