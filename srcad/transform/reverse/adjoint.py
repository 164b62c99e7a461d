"""Reverse mode: the program that computes cotangents of inputs from cotangents of results.

    def f(x):                            forward:  y = np.sin(x)
        y = np.sin(x)                              s = np.sum(y)
        s = np.sum(y)                    reverse:  y_bar = np.broadcast_to(1.0, y.shape)
        return s                                   x_bar = y_bar * np.cos(x)

Statements are walked backwards; each op hands the cotangent of its result to the rule of its
function. The first contribution to a cotangent is assigned, later ones are added; where nothing
contributes, nothing is emitted. The result is IR again and may be differentiated again. Branches
and loops: `regions`; calls: `call_adjoints`; saved values: `residuals`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcad import runtime
from srcad.errors import SrcadError, error
from srcad.ir.calls import passes_function
from srcad.ir.nodes import Atom, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import SeqType
from srcad.ir.walk import copy_block, free_values, outputs, reads, values_in
from srcad.ops import row_of
from srcad.ops.raising import is_told_by_derivative
from srcad.ops.solvers import equation_of, is_integral
from srcad.rules.core.masks import add_masked
from srcad.rules.core.staged import Builder, Staged, unwrap
from srcad.rules.core.table import RULES, name_of
from srcad.rules.core.zero import ZERO
from srcad.rules.draws import missing_rule
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import find_useful, find_varied
from srcad.transform.conform import add_sequences, bar_name, conform, require_rank
from srcad.transform.implicit import reverse_implicit
from srcad.transform.integrals import reverse_integral
from srcad.transform.places import place_of_derivative
from srcad.transform.reverse.binding import Binding
from srcad.transform.reverse.calls import AdjointForms, reverse_call, reverse_saved
from srcad.transform.reverse.checkpoints import reverse_recomputed
from srcad.transform.reverse.residuals import Recompute, effort_of
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.rule_results import require_count, require_fit, run_body
from srcad.transform.solutions import reverse_solution


@dataclass(frozen=True, slots=True)
class Adjoint:
    """`forward` and `reverse` in one scope; the primal's `results`; a cotangent for each `wrt`."""

    params: list[Value]
    forward: list[Stmt]
    results: list[Atom]
    reverse: list[Stmt]
    cotangents: list[Cotangent]


def build_adjoint(
    fn: Function,
    wrt: Sequence[int],
    seeds: Sequence[Cotangent],
    recompute: Recompute = effort_of,
) -> Adjoint:
    """The adjoint of `fn` (of a fresh copy) with respect to the parameters at the positions `wrt`.

    Args:
        fn: the primal; it is left as it is.
        wrt: positions in `fn.params`.
        seeds: the cotangent of each result, an atom bound before the reverse sweep, or `ZERO`.
        recompute: which ops of a branch or a loop are computed again instead of saved.
    """
    block = copy_block(fn.body)
    inputs = [block.params[i] for i in wrt]
    forms = AdjointForms(recompute)
    varied = find_varied(block, inputs, forms.activity)
    seeded = zip(block.results, seeds, strict=True)
    targets = [r for r, g in seeded if g is not ZERO and isinstance(r, Value)]
    sweep = Sweep(varied, find_useful(block, targets, varied, forms.activity), forms)
    scope = Scope(block, Binding(block))
    for result, seed in zip(block.results, seeds, strict=True):
        sweep.accumulate(scope, result, seed)
    sweep.block(scope)
    cotangents = [scope.get(x) for x in inputs]
    return Adjoint(block.params, block.body, block.results, scope.builder.body, cotangents)


class Sweep:
    """The walk backwards. `same` maps elements that a loop reads from one sequence to the first."""

    def __init__(self, varied: set[Value], useful: set[Value], forms: AdjointForms) -> None:
        self.varied = varied
        self.useful = useful
        self.forms = forms
        self.recompute = forms.recompute
        self.same: dict[Value, Value] = {}

    def block(self, scope: Scope) -> None:
        """Reverse all statements of the scope's block."""
        for at in reversed(range(len(scope.block.body))):
            scope.at = at
            self.located(scope.block.body[at], scope)

    def located(self, stmt: Stmt, scope: Scope) -> None:
        """Reverse one statement of the scope's block or of one around it, at its own line."""
        scope.builder.loc = place_of_derivative(stmt)
        try:
            self.statement(stmt, scope)
        except SrcadError as refusal:
            raise refusal.located(stmt.loc) from None

    def statement(self, stmt: Stmt, scope: Scope) -> None:
        """Reverse one statement."""
        from srcad.transform.reverse.branches import reverse_branch
        from srcad.transform.reverse.loops import reverse_loop

        match stmt:
            case Op():
                self.op(stmt, scope)
            case If():
                reverse_branch(self, stmt, scope)
            case For() | While():
                reverse_loop(self, stmt, scope)
            case Closure():
                self.refuse_closure(stmt)

    def users(self, scope: Scope, value: Value) -> list[int]:
        """The positions of the statements of the scope's block that give `value` a cotangent."""
        if scope.users is None:
            scope.users = {}
            for at, stmt in enumerate(scope.block.body):
                if any(v in self.useful and v in self.varied for v in outputs(stmt)):
                    for v in set(reads(stmt)):
                        scope.users.setdefault(v, []).append(at)
        return [at for at in scope.users.get(value, []) if at <= scope.at]

    def op(self, op: Op, scope: Scope) -> None:
        """Contribute to the cotangents of what `op` reads."""
        gs = [scope.pop(out) for out in op.outs]
        if all(g is ZERO for g in gs):
            return
        if isinstance(op.fn, Function):
            if op.fn.recomputed:
                return reverse_recomputed(self, op, gs, scope)
            return reverse_call(self, op, gs, scope)
        if op.fn in (pack, unpack, unpack_one):
            return reverse_saved(self, op, gs, scope)
        if equation_of(op.fn) is not None:
            return reverse_implicit(self, op, gs[0], scope)
        if is_integral(op.fn):
            return reverse_integral(self, op, gs[0], scope)
        if passes_function(op):
            return reverse_solution(self, op, gs, scope)
        rule = RULES.get(op.fn)
        if rule is None:
            raise missing_rule(op)
        if any(v in self.varied for v in values_in(op.kwargs)):
            raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
        if is_told_by_derivative(op):
            op.raises = False
        wrap = scope.builder.wrap
        staged = tuple(g if g is ZERO else Staged(g, scope.builder) for g in gs)
        g, y = (staged[0], wrap(op.out)) if len(gs) == 1 else (staged, wrap(op.outs))
        xs, options = wrap(op.args), wrap(op.kwargs)
        if rule.joint is not None:
            bars = run_body(op.fn, rule.joint, g, y, *xs, **options)
            for arg, bar in zip(op.args, bars, strict=True):
                if any(v in self.varied for v in values_in(arg)):
                    self.distribute(scope, op.fn, arg, bar, len(scope.builder.body))
            return
        for position, arg in enumerate(op.args):
            if not any(v in self.varied for v in values_in(arg)):
                continue
            vjp = rule.vjps.get(position)
            if vjp is None:
                notes = (rule.note,) if rule.note else ()
                raise error("E202", op.loc, what=f"`{name_of(op.fn)}`", notes=notes)
            mark = len(scope.builder.body)
            bar = run_body(op.fn, vjp, g, y, *xs, **options)
            self.distribute(scope, op.fn, arg, bar, mark)

    def distribute(self, scope: Scope, fn: Any, arg: Any, bar: Any, mark: int) -> None:
        """Accumulate a rule's cotangent of one argument: an atom, or a list of them for a list."""
        if isinstance(arg, Value):
            require_fit(bar, arg.type, fn, "cotangent")
            self.accumulate(scope, arg, bar, mark)
        elif isinstance(arg, tuple | list) and bar is not ZERO:
            for item, item_bar in zip(arg, require_count(bar, arg, fn, "cotangent"), strict=True):
                if any(v in self.varied for v in values_in(item)):  # else a list of constants, say
                    self.distribute(scope, fn, item, item_bar, mark)
        elif bar is not ZERO:
            raise error("E203", scope.builder.loc, what=f"`{name_of(fn)}`")

    def accumulate(
        self, scope: Scope, target: Atom, bar: Cotangent, mark: int | None = None
    ) -> None:
        """Add `bar` to the cotangent of `target`: the first contribution assigns.

        What the builder emitted after `mark` was made for this contribution alone.
        """
        if bar is ZERO or not isinstance(target, Value) or target not in self.varied:
            return
        target = self.same.get(target, target)
        builder = scope.builder
        require_rank(bar, target.type, target.name or "a temporary")
        scattered = None if mark is None else _take_scatter(builder, bar, mark)
        if scattered is None:
            bar = conform(builder, bar, target.type)
            so_far = scope.get(target)
            if isinstance(target.type, SeqType) and so_far is not ZERO:
                scope.bars[target] = add_sequences(builder, so_far, bar)
                return
            total = bar if so_far is ZERO else unwrap(add_masked(*builder.wrap((so_far, bar))))
        else:
            values, shape, index = scattered.args
            values = conform(builder, values, target.type)
            so_far = scope.get(target)
            if so_far is ZERO:
                total = builder.emit(scattered.fn, (values, shape, index))
            else:
                total = builder.emit(runtime.index_add, (so_far, index, values))
        scope.bars[target] = _named(builder, total, bar_name(target))

    def refuse_closure(self, stmt: Closure) -> None:
        """Refuse a function made inside the primal that reads varied values."""
        if any(v in self.varied for v in free_values(stmt.function.body)):
            raise error("E100", stmt.loc, what="the pullback of `srcad.vjp`")


def _take_scatter(builder: Builder, bar: Cotangent, mark: int) -> Op | None:
    """The op that made `bar` if it is a scatter emitted just now for it alone; it is taken back."""
    last = builder.body[-1] if len(builder.body) > mark else None
    if not isinstance(last, Op) or not row_of(last.fn).scatters or last.out is not bar:
        return None
    builder.body.pop()
    return last


def _named(builder: Builder, atom: Atom, name: str) -> Atom:
    """Name the value that was emitted last, if it is `atom` and has no name yet."""
    last = builder.body[-1] if builder.body else None
    if isinstance(atom, Value) and not atom.name and isinstance(last, Op) and atom in last.outs:
        atom.name = name
    return atom
