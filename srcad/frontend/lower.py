"""Lowering: a Python function and example arguments in, an IR program with its interface out.

    def loss(w, x):                       def loss(w: f64[s0_0], x: f64[s1_0, s1_1]):
        y = np.tanh(x @ w)                    t: f64[s1_0] = matmul(x, w)
        return y.sum()                        y: f64[s1_0] = tanh(t)
                                              t_2: f64 = sum(y)
                                              return t_2

The function is interpreted once over abstract values (`srcad.frontend.abstract.objects`): what is
known while compiling leaves nothing, the rest becomes ops. Only the arguments' signature matters,
never their numbers.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from types import FunctionType
from typing import Any

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract.assigned_globals import Key
from srcad.frontend.abstract.frame import Frame, errors_at
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.results import varied_tree
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import (
    Asks,
    Assigns,
    ChangesCaptured,
    Raising,
    Recurs,
)
from srcad.frontend.builtins import evaluated, reports
from srcad.frontend.calls import by_kind, calls
from srcad.frontend.calls.of_scipy import is_fixed
from srcad.frontend.calls.origins import is_library
from srcad.frontend.comparisons import comparisons
from srcad.frontend.dispatch import call
from srcad.frontend.exceptions import attempts, contexts, messages
from srcad.frontend.expressions import methods, operators
from srcad.frontend.extents.extents import unify_extents
from srcad.frontend.extents.raising import mark_raising
from srcad.frontend.extents.shape_speculation import assume_fits
from srcad.frontend.extents.windows import measure_windows
from srcad.frontend.library import call_variants, creation_options, labels, named_axes, strided
from srcad.frontend.lists.returned import aux_tree
from srcad.frontend.loops import comprehensions
from srcad.frontend.loops.unrolling import tell_unrolled
from srcad.frontend.memory.write_back import WriteBack, guard_dense
from srcad.frontend.nested.mapping import call_mapped
from srcad.frontend.other_ways import other_way
from srcad.frontend.reading import acting_functions, declarations
from srcad.frontend.reading.argument_trees import argument_tree, tell_apart
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.reading.deriving import Deriving
from srcad.frontend.reading.hidden_changes import refuse_read
from srcad.frontend.reading.signature import signature_of
from srcad.frontend.reading.source import place_of_result
from srcad.frontend.statements import local_classes, matching, statements, unpacking
from srcad.ir.guards import Guard
from srcad.ir.interface import Interface, Param, Slot
from srcad.ir.nodes import Block, Function
from srcad.rules import RULES
from srcad.rules.core import facts

# These register their handlers by being imported.
_ = (
    acting_functions,
    attempts,
    by_kind,
    calls,
    comparisons,
    comprehensions,
    contexts,
    creation_options,
    declarations,
    labels,
    named_axes,
    local_classes,
    matching,
    messages,
    methods,
    operators,
    evaluated,
    reports,
    call_variants,
    strided,
    statements,
    unpacking,
)

# What a function may be differentiated by.
_VARIED = (int, float, complex, np.generic, np.ndarray)


@dataclass(frozen=True, slots=True)
class Lowered:
    """A lowered function.

    `captures` are the paths of the captured inputs, in the order of `function.interface.captures`;
    `kept` are the objects that paths `K[i]` mean. What is `assumed` stays as it is in this process.
    """

    function: Function
    captures: tuple[str, ...]
    guards: tuple[Guard, ...]
    kept: tuple[Any, ...]
    assumed: tuple[Guard, ...]


def _as_it_is(fn: Function) -> Function:
    return fn


def lower(
    fn: Callable[..., Any],
    args: Sequence[Any],
    *,
    statics: frozenset[str] = frozenset(),
    derive: Deriving,
    simplify: Callable[[Function], Function] = _as_it_is,
    writes: bool = False,
    keeps_calls: bool = False,
    axes: tuple[Any, Any] | None = None,
    general: frozenset[str] = frozenset(),
    has_aux: bool = False,
    changing: list[object] | None = None,
) -> Lowered:
    """Lower `fn` for arguments like `args`, one for each parameter of its signature (defaults
    filled in).

    Args:
        statics: paths of int inputs to be taken as constants.
        derive: the transforms, for srcad's own functions used inside.
        simplify: what makes programs that were derived inside smaller.
        writes: the arguments are the caller's own, to be changed
            (`srcad.frontend.memory.write_back`).
        axes: those of the samples in the arguments and in the result, for all of which it is
            lowered at once (`srcad.frontend.nested.mapping`).
        keeps_calls: composed functions stay calls (`srcad.optimize.simplify.expand_composed`).
        has_aux: the second of two results is handed through, without a derivative.
        changing: what the function changes of what it captures, as far as earlier calls have found
            out; this one adds to it.
        general: paths of extents that may be 1, and of dicts whose keys may have another order.

    Raises:
        UnsupportedSyntax: the function does something that srcad does not do.
        NeedStatic: lower again with more `statics`.
    """
    recursive: frozenset[Hashable] = frozenset()
    assigns: frozenset[Key] = frozenset()
    asked: frozenset[tuple[type | str, str]] = frozenset()
    changing = [] if changing is None else changing
    while True:
        try:
            session = Session(
                Inputs(statics, changing, general, asked), derive, simplify, recursive=recursive,
                assigns=assigns, keeps_calls=keeps_calls, has_aux=has_aux, writes=writes,
            )  # fmt: skip
            with facts.start_program(session.inputs.is_zero):
                return _lower(fn, args, session, writes, axes)
        except Recurs as found:
            recursive |= {found.key}
        except Assigns as found:
            assigns |= {found.key}
        except Asks as found:
            asked |= {found.key}
        except ChangesCaptured as found:
            changing.append(found.obj)


def _lower(
    fn: Callable[..., Any], args: Sequence[Any], session: Session, writes: bool, axes: Any
) -> Lowered:
    inputs = session.inputs
    session.codes.which.is_asked = writes or session.has_aux
    parameters = list(signature_of(fn).parameters.values())
    if len(parameters) != len(args):  # it had others when the call was bound
        raise error("E315", None, what=f"`{getattr(fn, '__name__', 'f')}`")
    abstract = [
        inputs.lift(x, f"A[{i}]", p.name)
        for i, (p, x) in enumerate(zip(parameters, args, strict=True))
    ]
    outer = Frame(session, "", getattr(fn, "__name__", "f"))
    defined = inspect.unwrap(fn)  # a gradient has no source of its own
    if isinstance(defined, FunctionType) and not is_library(defined):
        outer.place = Location.of_function(defined)
    left_out = _left_out(fn, parameters, args, axes)
    for i in left_out:
        inputs.guard(f"A[{i}]", "is", args[i])
    positional, keywords = _call_arguments(parameters, abstract, left_out)
    try:
        result = _run(outer, fn, positional, keywords, axes)
        lowered = _finish(fn, session, parameters, args, result, writes)
        tell_unrolled(session.unrolled)
        return lowered
    except SrcadError as refusal:
        if needed := other_way(session, refusal):
            raise needed from None
        raise


def _run(
    outer: Frame, fn: Callable[..., Any], args: tuple[Abstract, ...], kwargs: dict[str, Abstract],
    axes: Any,
) -> Abstract:  # fmt: skip
    try:
        with errors_at(outer, None):
            if axes is not None:
                return call_mapped(outer, axes, Ref(fn, "F"), args, kwargs, is_derived=False)
            return call(outer, Ref(fn, "F"), args, kwargs)
    except Raising:  # on every path: what happens before the exception is kept
        return 0.0  # which is never seen; derivatives may be made of it


def _left_out(
    fn: Any, parameters: list[inspect.Parameter], args: Sequence[Any], axes: tuple[Any, Any] | None
) -> frozenset[int]:
    """The options of a function with a rule that were not given: `np.mean` has marks for those,
    `np.exp` an `out`, which its rule need not know. Of a function that is mapped, all defaults:
    they have no axis for the samples, but where axes are stated for each argument.
    """
    if axes is not None:
        stated = len(axes[0]) if isinstance(axes[0], tuple) else 0
        pairs = zip(parameters, args, strict=True)
        return frozenset(i for i, (p, x) in enumerate(pairs) if i >= stated and x is p.default)
    while isinstance(fn, functools.partial):
        fn = fn.func
    if fn not in RULES:
        return frozenset()
    return frozenset(
        i
        for i, (p, x) in enumerate(zip(parameters, args, strict=True))
        if x is p.default and (isinstance(x, bool) or not isinstance(x, _VARIED))
    )


def _call_arguments(
    parameters: list[inspect.Parameter], abstract: list[Abstract], left_out: frozenset[int]
) -> tuple[tuple[Abstract, ...], dict[str, Abstract]]:
    positional: list[Abstract] = []
    keywords: dict[str, Abstract] = {}
    for i, (p, x) in enumerate(zip(parameters, abstract, strict=True)):
        if i in left_out:
            continue
        if p.kind is p.VAR_POSITIONAL:
            positional.extend(x)
        elif p.kind is p.VAR_KEYWORD:
            keywords.update(x.items)
        elif p.kind is p.KEYWORD_ONLY or any(j < i for j in left_out):
            keywords[p.name] = x
        else:
            positional.append(x)
    return tuple(positional), keywords


def _finish(
    fn: Any,
    session: Session,
    parameters: list[inspect.Parameter],
    args: Sequence[Any],
    result: Abstract,
    writes: bool,
) -> Lowered:
    inputs = session.inputs
    inputs.guard_changed()
    for path, held in inputs.beside.guards(by_all=not writes):
        inputs.guard(path, "equals", held)
    inputs.forget(path for path in session.hidden if path.startswith("A["))
    object_reads = [p for p in inputs.values if p.startswith("A[")]
    captured = [p for p in inputs.values if not p.startswith("A[")]
    found = {path: inputs.values[path] for path in (*object_reads, *captured)} | inputs.wholes
    order = {path: i for i, path in enumerate(found)}
    places = {path: order[path] for path in object_reads}
    params = tuple(
        Param(p.name, argument_tree(inputs, x, f"A[{i}]", places), p.kind, p.default)
        for i, (p, x) in enumerate(zip(parameters, args, strict=True))
    )
    try:
        results, interface = _results(session, result, order, writes, Location.of_function(fn))
    except SrcadError as problem:
        raise problem.located(place_of_result(fn)) from None
    found |= inputs.wholes  # those that leave the function among them
    order = {path: i for i, path in enumerate(found)}
    captured += inputs.wholes
    captures = tuple(Param(found[path].name, Slot(order[path]), captured=path) for path in captured)
    refuse_read(session, results, fn)
    values = [*found.values()]
    tell_apart(values)
    block = Block(values, session.builder.body, results)
    name = getattr(fn, "__name__", type(fn).__name__)
    name = name if name.isidentifier() else "f"
    interface = replace(interface, params=params, captures=captures)
    function = Function(name, block, interface)
    unify_extents(function, inputs)
    assume_fits(function, inputs)
    measure_windows(function)
    assume_fits(function, inputs)
    mark_raising(function)
    for array, where in session.memory.written.items():
        inputs.guard_apart(array, where)
    guards: dict[bool, list[Guard]] = {False: [], True: []}
    for guard in inputs.guards.values():
        guards[is_fixed(guard, inputs.kept)].append(guard)
    live, assumed = (tuple(guards[each]) for each in (False, True))
    return Lowered(function, tuple(captured), live, tuple(inputs.kept), assumed)


def _results(
    session: Session, result: Abstract, order: dict[str, int], writes: bool, where: Location | None
) -> tuple[list[Any], Interface]:
    """The leaves of what leaves the function, and where they go."""
    if not writes:
        results: list[Any] = []
        if session.has_aux and isinstance(result, tuple) and len(result) == 2:
            tree: Any = varied_tree(session, result[0], results, where)
            tree = (tree, aux_tree(session, result[1], results))
        else:
            tree = varied_tree(session, result, results, where)
        return results, Interface((), result=tree)
    back = WriteBack(session)
    tree = back.tree(result)
    guard_dense(session)
    writes_back = back.writes(order)
    back.check_fields()
    return back.results, Interface(
        (), result=tree, writes=writes_back, shared=frozenset(back.shared | back.beside.read()),
        joint=frozenset(back.joint),
        views=frozenset(back.views), is_primal=True,
    )  # fmt: skip


__all__ = ["Lowered", "lower", "signature_of"]
