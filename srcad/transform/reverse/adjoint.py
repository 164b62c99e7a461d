"""Reverse mode: the program that computes cotangents of inputs from cotangents of results.

    def f(x):                            forward:  y = np.sin(x)
        y = np.sin(x)                              s = np.sum(y)
        s = np.sum(y)                    reverse:  y_bar = np.broadcast_to(1.0, y.shape)
        return s                                   x_bar = y_bar * np.cos(x)

Statements are walked backwards; each op hands the cotangent of its result to the rule of its
function. The first contribution to a cotangent is assigned, later ones are added; where nothing
contributes, nothing is emitted. The result is IR again and may be differentiated again. Its parts:
`branches`, `loops`, `calls`, `checkpoints`, and solvers (`srcad.transform.solvers`), which are all
given the `Sweep`; `residuals` decides which values are saved.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from srcad.errors import error
from srcad.ir.nodes import Atom, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.walk import copy_block, free_values, values_in
from srcad.ops.raising import is_told_by_derivative
from srcad.rules.core.staged import Staged
from srcad.rules.core.table import RULES, name_of
from srcad.rules.core.zero import ZERO
from srcad.rules.draws import missing_rule
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import find_useful, find_varied
from srcad.transform.reverse.binding import Binding
from srcad.transform.reverse.branches import reverse_branch
from srcad.transform.reverse.calls import reverse_call, reverse_saved
from srcad.transform.reverse.checkpoints import reverse_recomputed
from srcad.transform.reverse.loops import reverse_loop
from srcad.transform.reverse.residuals import Recompute, effort_of
from srcad.transform.reverse.scope import Cotangent, Scope
from srcad.transform.reverse.sweep import AdjointForms, Sweep
from srcad.transform.rule_results import run_body
from srcad.transform.solvers import solver_of


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
    *,
    is_final: bool = True,
    are_directions: bool = False,
) -> Adjoint:
    """The adjoint of `fn` (of a fresh copy) with respect to the parameters at the positions `wrt`.

    Args:
        fn: the primal; it is left as it is.
        wrt: positions in `fn.params`.
        seeds: the cotangent of each result, an atom bound before the reverse sweep, or `ZERO`.
        recompute: which ops of a branch or a loop are computed again instead of saved.
        is_final: it is not differentiated again, which would take out what raises for the primal.
        are_directions: the seeds are unit directions, whose zeros are no part of the result.
    """
    block = copy_block(fn.body)
    inputs = [block.params[i] for i in wrt]
    forms = AdjointForms(recompute, _Adjoint, is_final)
    varied = find_varied(block, inputs, forms.activity)
    seeded = zip(block.results, seeds, strict=True)
    targets = [r for r, g in seeded if g is not ZERO and isinstance(r, Value)]
    sweep = _Adjoint(varied, find_useful(block, targets, varied, forms.activity), forms)
    scope = Scope(block, Binding(block))
    if are_directions:
        scope.builder.marks.units.update(seed for seed in seeds if isinstance(seed, Value))
    for result, seed in zip(block.results, seeds, strict=True):
        sweep.accumulate(scope, result, seed)
    sweep.block(scope)
    cotangents = [scope.get(x) for x in inputs]
    return Adjoint(block.params, block.body, block.results, scope.builder.body, cotangents)


class _Adjoint(Sweep):
    """The walk backwards, statement by statement."""

    def statement(self, stmt: Stmt, scope: Scope) -> None:
        """Reverse one statement."""
        match stmt:
            case Op():
                self.op(stmt, scope)
            case If():
                reverse_branch(self, stmt, scope)
            case For() | While():
                reverse_loop(self, stmt, scope)
            case Closure():
                self.refuse_closure(stmt)

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
        solver = solver_of(op)
        if solver is not None:
            return solver.reverse(self, op, gs, scope)
        rule = RULES.get(op.fn)
        if rule is None:
            raise missing_rule(op)
        if any(v in self.varied for v in values_in(op.kwargs)):
            raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
        if self.forms.is_final and is_told_by_derivative(op):
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

    def refuse_closure(self, stmt: Closure) -> None:
        """Refuse a function made inside the primal that reads varied values."""
        if any(v in self.varied for v in free_values(stmt.function.body)):
            raise error("E100", stmt.loc, what="the pullback of `srcad.vjp`")
