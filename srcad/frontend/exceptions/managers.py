"""Context managers of the user's: read in place, in Python's order.

    with Setting(s, 2.0) as y:         m = Setting(s, 2.0); t = m.__enter__()
        z = f(y)                       try: y = t; z = f(y)
                               ->      except: if not m.__exit__(type, error, traceback): raise
                                       else: m.__exit__(None, None, None)

Of a function under `contextlib.contextmanager` the statements of the `with` stand at its `yield`:
what they raise is raised there, and what leaves the block does so when the generator has ended.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.closures import Bound, FunctionObj, Managed, Suspended
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.objects import (
    CAUGHT,
    UNBOUND,
    Abstract,
    CaughtClass,
    Closed,
    Ref,
    Traceback,
    describe,
)
from srcad.frontend.abstract.outcomes import Ended, flags_of, outcome_of
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.calls.functions import call_python
from srcad.frontend.dispatch import assign, block, call, expression
from srcad.frontend.exceptions.attempts import Attempted, of_try
from srcad.frontend.exceptions.divided import Division, within
from srcad.frontend.exceptions.finals import may_be_seen
from srcad.frontend.exceptions.made_nodes import Computed, Entering, Expanding
from srcad.frontend.expressions.operators import negation
from srcad.frontend.iterators.pulled import consume
from srcad.frontend.objects.members import method_of
from srcad.frontend.reading.binding import yields
from srcad.frontend.reading.source import get_source
from srcad.frontend.statements.truth import truth

# Names of lowering's own in the frame of a generator: how the statements at its `yield` ended.
_MANAGER, _ENTERED, _YIELDED = "manager.with", "entered.with", "yielded.with"
_FLAGS, _RESULT = ("skip.with", "left.with", "returned.with"), "result.with"
_SWALLOWED = "swallowed.with"  # and in the frame of a `with`: what `__exit__` returned


def enter(
    frame: Frame, made: Any, node: gast.With, rest: list[Any], around: Division | None,
    is_generator: bool,
) -> Ended:  # fmt: skip
    """Lower a `with` of one manager, which `made` makes, and what stands after it; in the body
    `around` if that is divided.
    """

    def make(frame: Frame) -> None:
        frame.env[_MANAGER] = expression(frame, made)

    def stand_in(manager: Managed) -> Any:
        return Expanding(lambda frame: _at_the_yield(frame, manager.generator, node), node)

    def run(frame: Frame) -> list[Any]:
        manager = check_conflict(frame.env.pop(_MANAGER))
        if isinstance(manager, Managed):
            return [stand_in(manager)]
        enters, exits = (method_of(frame, manager, name) for name in ("__enter__", "__exit__"))
        if enters is None or exits is None:
            fix = "give its class `__enter__` and `__exit__`, or move the `with` out"
            what = f"`with` of {describe(manager)}"
            raise error("E104", frame.at(place), what=what, fix=fix)

        frame.subjects[held] = manager  # what its methods change is the program's, named or not

        def enter(frame: Frame) -> None:
            frame.env[_ENTERED] = call(frame, enters, (), {}, place)

        def go_in(frame: Frame) -> list[Any]:
            entered = check_conflict(frame.env.pop(_ENTERED))
            return _around(frame, exits, entered, node, around)

        return part([Entering(enter, node)], [Expanding(go_in, node)])

    place = node.items[0].context_expr
    held = f"{len(frame.subjects)}.with"
    part = _together if around is None else around.part
    first = _together if is_generator else part
    try:
        return Ended(block(frame, [*first([Entering(make, node)], [Expanding(run, node)]), *rest]))
    finally:
        frame.subjects.pop(held, None)


def _together(body: list[Any], rest: list[Any]) -> list[Any]:
    return [*body, *rest]


# Classes -----------------------------------------------------------------------------------------


def _around(
    frame: Frame, exits: Bound, entered: Abstract, node: gast.With, around: Division | None
) -> list[Any]:
    """The block as the body of a `try` that calls `exits` on each way out."""
    place, target = node, node.items[0].optional_vars
    body = list(node.body)
    if target is not None:
        body.insert(0, Entering(lambda frame: assign(frame, target, entered), target))
    manager = node.items[0].context_expr

    def exit_with(frame: Frame, *about: Abstract) -> Abstract:
        return _call_exit(frame, exits, about, manager)

    leave = [Entering(lambda frame: exit_with(frame, None, None, None), place)]
    if not _needs_handler(frame, exits):
        plain = gast.copy_location(gast.Try(body, [], [], leave), place)
        return of_try(frame, plain, around)
    again = gast.copy_location(gast.Raise(None, None), place)
    caught = Entering(lambda frame: _exit_by_error(frame, exit_with), place)
    test = Computed(lambda frame: negation(frame, frame.env.pop(_SWALLOWED)), place)
    choice = (
        again if _returns_nothing(exits) else gast.copy_location(gast.If(test, [again], []), place)
    )
    handler = gast.copy_location(gast.ExceptHandler(None, None, [caught, choice]), place)
    attempt = gast.copy_location(gast.Try(body, [handler], leave, []), place)
    return Attempted(frame, attempt, leave, around).lowered()


def _call_exit(frame: Frame, exits: Bound, about: tuple[Abstract, ...], place: Any) -> Abstract:
    """`__exit__` of a manager, of which the truth is asked: what returns nothing says False."""
    fn, args = exits.fn, (exits.receiver, *about)
    if isinstance(fn, FunctionObj):
        return call(frame, replace(fn, node=_answering(fn.node)), args, {}, place)
    return call_python(frame, fn, args, {}, place, _answering)


def _answering(node: Any) -> Any:
    """A function that returns False where it returns None."""
    answering: Any = _Answering().visit(copy.deepcopy(node))
    last = gast.Return(gast.Constant(False, None))
    answering.body.append(gast.fix_missing_locations(gast.copy_location(last, node)))
    return answering


class _Answering(gast.NodeTransformer):  # type: ignore[misc]  # gast has no types
    """`return` and `return None` as `return False`, those of functions inside aside."""

    def visit_FunctionDef(self, node: Any) -> Any:  # noqa: N802 - gast's name
        """The function itself."""
        if not hasattr(self, "outer"):
            self.outer = node
            self.generic_visit(node)
        return node

    def visit_Return(self, node: Any) -> Any:  # noqa: N802 - gast's name
        """A `return` of the function."""
        value = node.value
        if value is None or (isinstance(value, gast.Constant) and value.value is None):
            made = gast.Return(gast.copy_location(gast.Constant(False, None), node))
            return gast.copy_location(made, node)
        return node


def _exit_by_error(frame: Frame, exit_with: Callable[..., Abstract]) -> None:
    """`__exit__` of the exception that is being handled."""
    problem: Any = frame.env[CAUGHT]
    answer = exit_with(frame, CaughtClass(problem), problem, Traceback())
    frame.env[_SWALLOWED] = truth(frame, answer)


def _needs_handler(frame: Frame, exits: Bound) -> bool:
    """Whether an exception that leaves the block does something on its way through `__exit__`."""
    node = _node_of(exits)
    args = node.args
    about = {a.id for a in (*args.posonlyargs, *args.args, args.vararg) if a is not None}
    about -= {each.id for each in (*args.posonlyargs, *args.args)[:1]}
    names = {n.id for stmt in node.body for n in gast.walk(stmt) if isinstance(n, gast.Name)}
    # What `__exit__` sets is read after the exception; a global may be.
    is_caught = frame.session.protected > 0 or bool(frame.session.globals.env)
    seen = any(map(may_be_seen, node.body))
    return is_caught or seen or bool(names & about) or not _returns_nothing(exits)


def _returns_nothing(exits: Bound) -> bool:
    """Whether `__exit__` lets every exception through, as its source says."""
    returned = [n.value for n in gast.walk(_node_of(exits)) if isinstance(n, gast.Return)]
    return all(v is None or (isinstance(v, gast.Constant) and not v.value) for v in returned)


def _node_of(method: Bound) -> Any:
    fn = method.fn
    return fn.node if isinstance(fn, FunctionObj) else get_source(fn.obj).node


# Generators --------------------------------------------------------------------------------------


def made_by_generator(frame: Frame, fn: Abstract) -> Closed:
    """`contextlib.contextmanager(fn)`."""

    def make(inner: Frame, /, *args: Abstract, **kwargs: Abstract) -> Abstract:
        return managed(inner, fn, args, kwargs)

    return Closed(make, "contextmanager", (fn,))


def managed(frame: Frame, fn: Abstract, args: Any, kwargs: Any, node: Any = None) -> Managed:
    """The manager that a call of a function under `contextlib.contextmanager` gives."""
    made = call(frame, fn, args, kwargs, node)
    if not isinstance(made, Suspended):
        raise error("E104", None, what="a context manager of a function without `yield`")
    return Managed(made)


_HELPER = contextlib.contextmanager(lambda: iter(())).__code__


def makes_generator(fn: Abstract) -> bool:
    """Whether a function is one under `contextlib.contextmanager`."""
    if isinstance(fn, Closed):
        return fn.name == "contextmanager"
    return isinstance(fn, Ref) and is_manager_function(fn.obj)


def yield_within(frame: Frame, node: gast.Expr, around: Division, rest: list[Any]) -> Ended:
    """Lower a `yield` in a body that is divided: the block that stands there, too."""

    def keep(frame: Frame) -> None:
        value = node.value.value
        frame.env[_YIELDED] = None if value is None else expression(frame, value)

    def give(frame: Frame) -> None:
        frame.yields_in = around
        assert frame.take is not None
        shared = frame.session.shared_frames
        is_shared = frame in shared
        frame.share()  # the parts in the block note what they raise here
        frame.take(check_conflict(frame.env.pop(_YIELDED)))
        if not is_shared:
            shared.remove(frame)
        frame.yields_in = None

    made = around.part([Entering(keep, node)], [Entering(give, node)])
    if frame.env.keys().isdisjoint(_FLAGS):  # a loop's body is none of the generator's
        made = around.part([node], [])
    return Ended(block(frame, [*made, *rest]))


def is_manager_function(fn: Any) -> bool:
    """Whether a function was made by `contextlib.contextmanager`."""
    return getattr(fn, "__code__", None) is _HELPER


def generator_behind(frame: Frame, callee: Ref) -> Abstract:
    """The function that `contextlib.contextmanager` was given."""
    return frame.session.inputs.lift(
        callee.obj.__wrapped__, f"{callee.path}.__wrapped__", callee.obj.__name__
    )


def _at_the_yield(frame: Frame, generator: Suspended, node: gast.With) -> list[Any]:
    """Run the generator with the block in place of its `yield`; how the block ended."""
    consume(frame.session, generator)
    _check_yields_once(generator)
    frame.share()
    env, target = generator.frame.env, node.items[0].optional_vars
    env.update(dict.fromkeys(_FLAGS, False))
    names: tuple[str, ...] = _FLAGS

    def take(item: Abstract) -> bool:
        nonlocal names
        body = list(node.body)
        if target is not None:
            body.insert(0, Entering(lambda frame: assign(frame, target, item), target))
        outcome = block(frame, within(body, generator.frame.yields_in))
        if outcome is not None and outcome.kind == "raise":
            raise Raising
        flags = flags_of(outcome)
        names = tuple(_FLAGS[flags.index(flag)] for flag in flags)  # what was one flag stays one
        env.update(zip(names, flags, strict=True))
        env[_RESULT] = UNBOUND if outcome is None else outcome.value
        return False

    generator.run(take)
    skip, left, returned = (check_conflict(env[name]) for name in names)
    left_by = outcome_of((skip, left, returned), check_conflict(env.get(_RESULT, UNBOUND)))
    return [] if left_by is None else [left_by]


def _check_yields_once(generator: Suspended) -> None:
    """Refuse a generator that may yield more than once, or not at all."""
    found = list(yields(generator.node))
    body, only = generator.node.body, found[0]
    while body is not None:
        holder = next(each for each in body if any(n is only for n in gast.walk(each)))
        body = holder.body if isinstance(holder, gast.Try | gast.With) else None
    is_plain = isinstance(holder, gast.Expr) and holder.value is only
    returns = [n for n in gast.walk(generator.node) if isinstance(n, gast.Return)]
    is_reached = all(n.lineno > only.lineno for n in returns)
    if len(found) > 1 or not is_plain or not is_reached or isinstance(only, gast.YieldFrom):
        what = "a context manager that may yield twice or not at all"
        fix = "let one `yield` stand outside branches and loops of it"
        raise error("E104", generator.place, what=what, fix=fix)
