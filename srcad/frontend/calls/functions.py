"""Functions of the user's, read in place: each call lowers the body in a frame of its own."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator as Items
from functools import partial
from typing import Any

import gast

from srcad.errors import error
from srcad.frontend.abstract.closures import FunctionObj, Suspended
from srcad.frontend.abstract.frame import Frame, errors_at, fixed
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.signals import Raising, Recurs
from srcad.frontend.calls.known_results import known_result
from srcad.frontend.calls.recursion import check_repetition, run_call
from srcad.frontend.dispatch import Args, Kwargs, block, expression, handles_call
from srcad.frontend.iterators.pulled import made_here
from srcad.frontend.iterators.stepped import stepped
from srcad.frontend.kinds import is_read
from srcad.frontend.reading.binding import Default, bind, declared, local_names, yields
from srcad.frontend.reading.source import get_source
from srcad.frontend.statements.branches import choose

MAX_DEPTH = 1000
MAX_RECURSIVE_CALLS = 400
MAX_FOLLOWED = 10_000  # of functions that call themselves; then each is lowered once


def call_python(
    frame: Frame,
    callee: Ref,
    args: Args,
    kwargs: Kwargs,
    node: Any,
    written: Callable[[Any], Any] = lambda definition: definition,
) -> Abstract:
    """Read a function in place, with its own globals and closure; those of srcad are fixed.

    `written` gives the definition that is read in place of the function's own.
    """
    fn = callee.obj
    source = get_source(fn)
    if not isinstance(source.node, gast.FunctionDef | gast.Lambda):
        raise error("E110", source.at(source.node))
    if callee.path:
        frame.session.inputs.guard(callee.path, "code", (fn, fn.__code__))
    is_of_library = is_read(str(fn.__globals__.get("__name__")))
    is_ours = (fn.__module__ or "").startswith("srcad.")
    inner = Frame(
        frame.session, source.file, fn.__name__, fn=fn, path=callee.path,
        callers=frame.calls(node),
        brief=_is_brief(source.node, node) or is_of_library,
        receiver=_first_parameter(source.node),
        is_ours=is_ours, place=frame.session.builder.loc if is_ours else None,
    )  # fmt: skip
    # Read only where the call leaves the parameter out: an unused default is no input.
    lift: Callable[..., Abstract] = frame.session.inputs.lift
    if is_ours:
        lift = _fixed
    elif is_of_library:
        lift = partial(_fixed_if_plain, lift)
    defaults: list[Default] = [
        partial(lift, d, f"{callee.path}.__defaults__[{i}]", "default")
        for i, d in enumerate(fn.__defaults__ or ())
    ]
    kw_defaults: dict[str, Default] = {
        name: partial(lift, d, f"{callee.path}.__kwdefaults__[{name!r}]", name)
        for name, d in (fn.__kwdefaults__ or {}).items()
    }
    inner.env.update(bind(fn.__name__, source.node.args, args, kwargs, defaults, kw_defaults))
    return _run_body(inner, written(source.node), fn.__code__)


def _fixed(default: Any, path: str, name: str) -> Abstract:
    return fixed(default)


def _fixed_if_plain(lift: Callable[..., Abstract], default: Any, path: str, name: str) -> Abstract:
    """A default of a function that never changes; a container is read as any other."""
    return lift(default, path, name) if isinstance(default, tuple | list | dict) else fixed(default)


@handles_call(FunctionObj)
def _call_nested(
    frame: Frame, callee: FunctionObj, args: Args, kwargs: Kwargs, node: Any
) -> Abstract:
    """Run a function defined inside the program, in a frame whose outer frame is where it was
    defined.
    """
    home = callee.frame
    inner = Frame(
        frame.session, home.file, callee.name, outer=home,
        callers=frame.calls(node), brief=_is_brief(callee.node, node),
        receiver=_first_parameter(callee.node),
    )  # fmt: skip
    if callee.home is not None:
        inner.env["__class__"] = Ref(callee.home, "")
    kw_defaults: dict[str, Default] = {n: partial(_same, d) for n, d in callee.kw_defaults.items()}
    defaults: list[Default] = [partial(_same, d) for d in callee.defaults]
    inner.env.update(bind(callee.name, callee.node.args, args, kwargs, defaults, kw_defaults))
    return _run_body(inner, callee.node, callee.node)


def _first_parameter(node: Any) -> str:
    names = [*node.args.posonlyargs, *node.args.args]
    return str(names[0].id) if names else ""


def _same(x: Abstract) -> Abstract:
    return x


def _is_brief(node: Any, call: Any) -> bool:
    """Whether a function is one expression, so that its call says as much as its body.

    Where nothing names the call, as where a derivative is taken, the body says more.
    """
    if call is None:
        return False
    if isinstance(node, gast.Lambda):
        return True
    body = [stmt for stmt in node.body if not _is_docstring(stmt)]
    return len(body) == 1 and isinstance(body[0], gast.Return)


def _is_docstring(stmt: Any) -> bool:
    return isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant)


def _run_body(inner: Frame, node: Any, identity: Any) -> Abstract:
    """Lower a function's body in its frame; its returned value."""
    first = None if isinstance(node, gast.Lambda) else next(yields(node), None)
    if first is not None:
        run = partial(_resume, inner, node, identity)
        steps = partial(_stepped, inner, node, identity)
        return made_here(inner.session, Suspended(inner, node, inner.at(first), run, steps))
    place = (inner.file, inner.name, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    return known_result(
        inner, lambda: run_call(inner, place, lambda: _read_body(inner, node, identity))
    )


def _resume(inner: Frame, node: Any, identity: Any, take: Callable[[Abstract], Abstract]) -> None:
    """Read the body of a generator, which gives `take` what it yields."""
    session = inner.session
    around = session.stops

    def taking(item: Abstract) -> Abstract:
        with session.stopping(around):
            return take(item)

    inner.take = taking
    with session.stopping("generator"):
        returned = _read_body(inner, node, identity)
    if returned is not None:
        what = "a generator that returns a value"
        raise error("E111", inner.at(node), what=what, called_from=inner.callers)


def _stepped(inner: Frame, node: Any, identity: Any) -> Items[Abstract]:
    """What a generator yields, its body read as far as it is asked for."""
    _enter(inner, node)
    return stepped(inner, node, identity)


def _enter(inner: Frame, node: Any) -> None:
    """Say which names a body binds, and where."""
    inner.local_names = local_names(node)
    inner.global_names = declared(node, gast.Global)
    inner.nonlocal_names = declared(node, gast.Nonlocal)


def _read_body(inner: Frame, node: Any, identity: Any) -> Abstract:
    session = inner.session
    _check_recursion(inner, identity)
    loc = session.builder.loc
    session.active_calls.append(identity)
    session.frames.append(inner)
    try:
        if isinstance(node, gast.Lambda):
            session.builder.loc = inner.at(node.body)
            return expression(inner, node.body)
        _enter(inner, node)
        outcome = block(inner, node.body)
    finally:
        session.active_calls.pop()
        session.frames.pop()
        session.builder.loc = loc
    if outcome is not None and outcome.kind == "raise":
        raise Raising
    if outcome is None:
        return None
    if outcome.kind == "maybe" and outcome.value is not None:  # else the end returns None
        place = next(each for each in gast.walk(node) if isinstance(each, gast.Return))
        with errors_at(inner, place):
            return choose(inner, outcome.flags[2], lambda: outcome.value, lambda: None)
    return outcome.value


def _check_recursion(frame: Frame, identity: Any) -> None:
    """A recursive call under a run-time condition: specialise to the ints it depends on; not
    without end.
    """
    session = frame.session
    if identity not in session.active_calls:
        return
    what = f"`{frame.name}`"
    first = session.active_calls.index(identity)
    for depth, cond in session.conditions:
        if depth > first and session.can_be_static(cond):
            session.static(cond, f"the condition that ends the recursion of {what}")
    conditional = any(depth > first for depth, _ in session.conditions)
    session.recursive_calls += conditional
    session.followed_calls += 1
    if conditional:
        check_repetition(session)
    elif session.followed_calls > MAX_FOLLOWED:
        key = session.activations[-1].key()
        if key in session.recursive:
            raise error("E126", None, what=what, notes=(f"{MAX_FOLLOWED:,} calls are followed",))
        raise Recurs(key)
    if len(session.active_calls) > MAX_DEPTH or session.recursive_calls > MAX_RECURSIVE_CALLS:
        limit = f"{MAX_DEPTH:,} calls inside one another are followed, {MAX_RECURSIVE_CALLS} under"
        raise error("E126", None, what=what, notes=(f"{limit} conditions on data",))
