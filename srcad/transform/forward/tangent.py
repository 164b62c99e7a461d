"""Forward mode: the program that computes tangents of results from tangents of inputs.

    def f(x):                   y = np.sin(x)
        y = np.sin(x)           y_dot = x_dot * np.cos(x)
        s = np.sum(y)           s = np.sum(y)
        return s                s_dot = np.sum(y_dot)

Each statement stays and gets its tangent beside it: loops carry, read and write the tangents of
what they carry, read and write, branches return them, called functions get a form that takes and
returns them (`calls`). Where there is no tangent, nothing is emitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from srcad import runtime
from srcad.errors import error
from srcad.ir.calls import called
from srcad.ir.nodes import (
    UNDEFINED,
    Atom,
    Closure,
    For,
    Function,
    If,
    Op,
    Stmt,
    Value,
    While,
)
from srcad.ir.regions import Context
from srcad.ir.types import SeqType
from srcad.ir.walk import copy_block, free_values, fresh_like, statements, values_in
from srcad.ops.raising import is_told_by_derivative
from srcad.rules.core.declaration.own_backward import is_adjoint_only
from srcad.rules.core.masks import hand_on, has_choice
from srcad.rules.core.regularity import may_be_singular
from srcad.rules.core.staged import Builder
from srcad.rules.core.table import RULES, name_of
from srcad.rules.core.zero import ZERO
from srcad.rules.draws import missing_rule
from srcad.runtime.saved import pack, unpack, unpack_one
from srcad.transform.activity import find_useful, find_varied, has_derivative
from srcad.transform.conform import (
    as_form,
    has_numbers_only,
    is_number,
    meeting_type,
)
from srcad.transform.forward.calls import push_call, push_saved
from srcad.transform.forward.deferred_tangents import must_split, push_split
from srcad.transform.forward.walk import Dot, TangentForms, Walk, builder_of
from srcad.transform.rule_results import must_cover_inputs, require_count, require_fit, run_body
from srcad.transform.solvers import solver_of


@dataclass(frozen=True, slots=True)
class Tangent:
    """`body` computes `results` of the primal and a tangent of each, an atom or `ZERO`."""

    params: list[Value]
    body: list[Stmt]
    results: list[Atom]
    tangents: list[Dot]


def build_tangent(
    fn: Function, tangents: Sequence[Dot], *, are_directions: bool = False
) -> Tangent:
    """The tangent program of `fn` (a fresh copy of it), for a tangent of each parameter.

    Args:
        are_directions: they are unit directions, whose zeros are no part of the result.
    """
    block = copy_block(fn.body)
    given = [(p, t) for p, t in zip(block.params, tangents, strict=True) if t is not ZERO]
    forms = TangentForms(TangentWalk)
    walk = TangentWalk(find_varied(block, [p for p, _ in given], forms.activity), forms)
    targets = [r for r in block.results if isinstance(r, Value)]
    walk.useful = find_useful(block, targets, walk.varied, forms.activity)
    walk.dots.update(given)
    builder = builder_of(block)
    if are_directions:
        builder.marks.units.update(dot for _, dot in given if isinstance(dot, Value))
    walk.block(block, builder)
    results = [walk.of(r) for r in block.results]
    return Tangent(block.params, builder.body, block.results, results)


def has_tangent(fn: Function) -> bool:
    """Whether forward mode takes a program: each rule states it."""
    ops = (stmt for each in (*called(fn), fn) for stmt in statements(each.body))
    found = (RULES.get(op.fn) for op in ops if isinstance(op, Op))
    return not any(rule is not None and is_adjoint_only(rule) for rule in found)


class TangentWalk(Walk):
    """The walk forwards, statement by statement."""

    def statement(self, stmt: Stmt, builder: Builder) -> None:
        """Append one statement with its tangent."""
        match stmt:
            case Op(fn=Function()):
                return push_call(self, stmt, builder)
            case Op():
                builder.body.append(stmt)
                if any(out in self.varied for out in stmt.outs) and has_derivative(stmt):
                    self.op(stmt, builder)
                return
            case If():
                if must_split(stmt):
                    return push_split(self, stmt, builder)
                self.branch(stmt, builder)
            case For() | While():
                self.loop(stmt, builder)
            case Closure():
                if any(v in self.varied for v in free_values(stmt.function.body)):
                    raise error("E100", stmt.loc, what="the pullback of `srcad.vjp`")
        builder.body.append(stmt)

    def op(self, op: Op, builder: Builder) -> None:
        """The tangents of an op's results by the rule of its function."""
        if op.fn in (pack, unpack, unpack_one):
            return push_saved(self, op, builder)
        solver = solver_of(op)
        if solver is not None:
            return solver.push(self, op, builder)
        rule = RULES.get(op.fn)
        if rule is None:
            raise missing_rule(op)
        if any(self.of(v) is not ZERO for v in values_in(op.kwargs)):
            raise error("E203", op.loc, what=f"`{name_of(op.fn)}`")
        wrap = builder.wrap
        ts = tuple(wrap(_dots_of(self, arg)) for arg in op.args)
        if all(t is ZERO for t in ts):
            return
        for at, t in enumerate(ts):
            if t is not ZERO and at not in rule.vjps and must_cover_inputs(op.fn):
                notes = (rule.note,) if rule.note else ()
                raise error("E202", op.loc, what=f"`{name_of(op.fn)}`", notes=notes)
        if rule.jvp is None:
            stated = op.kwargs["backward"].fn if op.fn is runtime.attached else op.fn
            raise error("E206", op.loc, what=f"`{name_of(stated)}`")
        y = wrap(op.outs if len(op.outs) > 1 else op.out)
        found = run_body(op.fn, rule.jvp, ts, y, *wrap(op.args), **wrap(op.kwargs))
        if len(op.outs) == 1 or found is ZERO:
            found = [found] * len(op.outs)
        found = require_count(found, op.outs, op.fn, "tangent")
        for out, dot in zip(op.outs, found, strict=True):
            require_fit(dot, out.type, op.fn, "tangent")
            self.set(builder, out, dot)
            is_read = dot is not ZERO and out in self.useful
            if is_read and is_told_by_derivative(op, by_last=ts[-1] is not ZERO):
                op.raises = False

    def branch(self, stmt: If, outer: Builder) -> None:
        """Add the tangents of a branch's results to its results."""
        builders = []
        for block in (stmt.then, stmt.orelse):
            builder = outer.nested(stmt.loc)
            self.block(block, builder)
            block.body = builder.body
            builders.append(builder)
        outs = list(stmt.outs)
        for j, out in enumerate(stmt.outs):
            pair = [block.results[j] for block in (stmt.then, stmt.orelse)]
            dots = [self.of(result) for result in pair]
            if all(dot is ZERO for dot in dots):
                continue
            known = [dot for dot in dots if dot is not ZERO]
            form = meeting_type(out.type, numbers=all(map(is_number, known)))
            out_dot = self.dots[out] = self.new_dot(out, form)
            if len(known) == 1:
                outer.marks.idle.add(out_dot)
            for block, builder, result in zip(
                (stmt.then, stmt.orelse), builders, pair, strict=True
            ):
                is_path = block is stmt.then or not isinstance(stmt.cond, Context)
                block.results.append(self.end(builder, result, out_dot) if is_path else UNDEFINED)
                hand_on(builder, block.results[-1], out_dot)
            outs.append(out_dot)
        stmt.outs = tuple(outs)

    def loop(self, stmt: For | While, outer: Builder) -> None:
        """Carry, read and write the tangents of what the loop carries, reads and writes."""
        numbers = has_numbers_only(stmt.body)
        params = stmt.carried
        carried = [j for j, param in enumerate(params) if param in self.varied]
        dots = [
            self.new_dot(params[j], meeting_type(params[j].type, numbers=numbers)) for j in carried
        ]
        init = [self.end(outer, stmt.init[j], dot) for j, dot in zip(carried, dots, strict=True)]
        self.dots.update(zip((params[j] for j in carried), dots, strict=True))
        read = self.read_elements(stmt) if isinstance(stmt, For) else []
        for seq_dot, dot in read:
            hand_on(outer, seq_dot, dot)
        self.note_carried(stmt, outer, init, dots)

        builder = outer.nested(stmt.loc)
        self.block(stmt.body, builder)
        builder.loc = stmt.loc
        yielded, written, leaves = stmt.yielded, stmt.written, stmt.leaves
        ends = [self.end(builder, yielded[j], dot) for j, dot in zip(carried, dots, strict=True)]
        # An extent of the body is another number in each iteration: the outs have the primal's.
        outs = [
            self.new_dot(out, meeting_type(out.type, numbers=numbers))
            for out in map(stmt.outs.__getitem__, carried)
        ]
        self.dots.update(zip((stmt.outs[j] for j in carried), outs, strict=True))
        for end, dot, out in zip(ends, dots, outs, strict=True):
            hand_on(builder, end, out)
            hand_on(builder, dot, out)
        elements, seqs = self.write_elements(stmt, written, builder, numbers)

        stmt.body.body = builder.body
        stmt.body.results = [*yielded, *ends, *written, *elements, *leaves]
        stmt.init, stmt.outs = [*stmt.init, *init], (*stmt.outs, *outs)
        stmt.seqs = (*stmt.seqs, *seqs)
        if isinstance(stmt, While):
            stmt.body.params = [*params, *dots]
            stmt.test.params = [*stmt.test.params, *map(fresh_like, dots)]
        else:
            own = stmt.body.params[1 + len(yielded) :]
            stmt.body.params = [stmt.index, *params, *dots, *own, *(dot for _, dot in read)]
            stmt.ins = [*stmt.ins, *(seq for seq, _ in read)]

    def note_carried(
        self, stmt: For | While, outer: Builder, init: list[Atom], dots: list[Value]
    ) -> None:
        """Note of what a loop carries what is known before it, and what its body may do."""
        for start, dot in zip(init, dots, strict=True):
            hand_on(outer, start, dot)
        if may_be_singular(stmt.body):
            outer.marks.singular.update(dots)
        if has_choice(stmt.body):
            outer.marks.idle.update(dots)

    def read_elements(self, stmt: For) -> list[tuple[Atom, Value]]:
        """The tangents of the sequences that a loop reads, with the parameters that read them."""
        read = []
        for element, seq in zip(stmt.elements, stmt.ins, strict=True):
            seq_dot = self.of(seq)
            if seq_dot is not ZERO:
                assert isinstance(seq_dot.type, SeqType)
                self.dots[element] = self.new_dot(element, seq_dot.type.elem)
                read.append((seq_dot, self.dots[element]))
        return read

    def write_elements(
        self, stmt: For | While, written: list[Atom], builder: Builder, numbers: bool
    ) -> tuple[list[Atom], list[Value]]:
        """The tangents of the sequences that a loop writes, each with what is written to it."""
        elements, seqs = [], []
        for result, seq in zip(written, stmt.seqs, strict=True):
            dot = self.of(result)
            if dot is ZERO:
                continue
            form = meeting_type(result.type, numbers=numbers)
            elements.append(as_form(builder, dot, form))
            self.dots[seq] = self.new_dot(seq, SeqType(form))
            hand_on(builder, dot, self.dots[seq])
            seqs.append(self.dots[seq])
        return elements, seqs


def _dots_of(walk: Walk, arg: Any) -> Any:
    """The tangent of an argument: one for an atom, a list for a list unless all are `ZERO`."""
    if not isinstance(arg, tuple | list):
        if not isinstance(arg, Value) and any(walk.of(v) is not ZERO for v in values_in(arg)):
            raise error("E203", None, what="a function of values in a dict or slice")
        return walk.of(arg)
    dots = [_dots_of(walk, item) for item in arg]
    return ZERO if all(dot is ZERO for dot in dots) else dots
