"""Activity: which values depend differentiably on the inputs asked for, and which reach a result.

    def f(x, n):            # wrt x
        k = n * 2           # not varied: does not depend on x
        y = np.sin(x)       # varied and useful
        z = y * 3           # varied, not useful: nothing reads it
        return y

Both analyses look through branches and loops; what a loop carries is followed to a fixpoint.
"""

from __future__ import annotations

from collections.abc import Iterable

from srcad.ir.nodes import Atom, Block, Closure, For, Function, If, Op, Stmt, Value, While
from srcad.ir.types import is_inexact
from srcad.ir.walk import inputs, outputs, values_in
from srcad.rules.registry import RULES


def find_varied(body: Function | Block, wrt: Iterable[Value]) -> set[Value]:
    """The values in `body`, inner blocks included, that depend differentiably on those of `wrt`."""
    varied = {v for v in wrt if is_inexact(v.type)}
    _vary_block(body.body if isinstance(body, Function) else body, varied)
    return varied


def find_useful(body: Function | Block, targets: Iterable[Value], varied: set[Value]) -> set[Value]:
    """The varied values on which `targets` depend (perhaps a few too many, never too few)."""
    useful = {v for v in targets if v in varied}
    _use_block(body.body if isinstance(body, Function) else body, useful, varied)
    return useful


def has_derivative(op: Op) -> bool:
    """Whether the results of `op` may vary with its arguments (assumed where there is no rule)."""
    rule = None if isinstance(op.fn, Function) else RULES.get(op.fn)
    return rule is None or rule.kind not in ("zero", "nondiff")


def _vary_block(block: Block, varied: set[Value]) -> None:
    for stmt in block.body:
        _vary(stmt, varied)


def _vary(stmt: Stmt, varied: set[Value]) -> None:
    match stmt:
        case Op():
            if has_derivative(stmt) and any(v in varied for v in values_in(inputs(stmt))):
                varied.update(v for v in stmt.outs if is_inexact(v.type))
        case If():
            for block in (stmt.then, stmt.orelse):
                _vary_block(block, varied)
                _pass_on(block.results, stmt.outs, varied)
        case For():
            _pass_on(stmt.ins, stmt.elements, varied)
            _vary_loop(stmt, [*stmt.carried], varied)
        case While():
            _vary_loop(stmt, stmt.body.params, varied)
        case Closure():
            _vary_block(stmt.function.body, varied)


def _vary_loop(stmt: For | While, carried: list[Value], varied: set[Value]) -> None:
    _pass_on(stmt.init, carried, varied)
    before = -1
    while len(varied) != before:
        before = len(varied)
        _vary_block(stmt.body, varied)
        _pass_on(stmt.body.results, carried, varied)
    _pass_on(carried, stmt.outs, varied)
    _pass_on(stmt.body.results[len(carried) :], stmt.seqs, varied)


def _pass_on(sources: Iterable[Atom], targets: Iterable[Value], marked: set[Value]) -> None:
    """Mark each target whose source is marked (results beyond the targets are left alone)."""
    for source, target in zip(sources, targets, strict=False):
        if isinstance(source, Value) and source in marked and is_inexact(target.type):
            marked.add(target)


def _pass_back(
    sources: Iterable[Atom], targets: Iterable[Value], useful: set[Value], varied: set[Value]
) -> None:
    """Mark each varied source whose target is useful."""
    for source, target in zip(sources, targets, strict=False):
        if target in useful and isinstance(source, Value) and source in varied:
            useful.add(source)


def _use_block(block: Block, useful: set[Value], varied: set[Value]) -> None:
    for stmt in reversed(block.body):
        if any(v in useful for v in outputs(stmt)):
            _use(stmt, useful, varied)


def _use(stmt: Stmt, useful: set[Value], varied: set[Value]) -> None:
    match stmt:
        case Op():
            useful.update(v for v in values_in(inputs(stmt)) if v in varied)
        case If():
            for block in (stmt.then, stmt.orelse):
                _pass_back(block.results, stmt.outs, useful, varied)
                _use_block(block, useful, varied)
        case For():
            _use_loop(stmt, [*stmt.carried], useful, varied)
            _pass_back(stmt.ins, stmt.elements, useful, varied)
        case While():
            _use_loop(stmt, stmt.body.params, useful, varied)


def _use_loop(
    stmt: For | While, carried: list[Value], useful: set[Value], varied: set[Value]
) -> None:
    results = stmt.body.results
    _pass_back(results[len(carried) :], stmt.seqs, useful, varied)
    _pass_back(results, stmt.outs, useful, varied)
    before = -1
    while len(useful) != before:
        before = len(useful)
        _pass_back(results, carried, useful, varied)
        _use_block(stmt.body, useful, varied)
    _pass_back(stmt.init, stmt.outs, useful, varied)
    _pass_back(stmt.init, carried, useful, varied)
