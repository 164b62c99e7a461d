"""`try`: the body is lowered on its own, then a branch on whether it succeeded.

    try:                                 ok, y' = try: y = f(x)
        y = f(x)                         if ok: g(y')
    except ValueError:             ->    else:  y = 0.0
        y = 0.0
    else:
        g(y)

Several handlers ask in order what was caught. `finally` stands at the end of each way out; where
an exception goes through it, it is run by a handler that raises the exception again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import ShapeError, UndefinedName, error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import CAUGHT, Abstract, Raised, Ref
from srcad.frontend.abstract.outcomes import Ended, Outcome, flags_of
from srcad.frontend.abstract.signals import Raising
from srcad.frontend.builtins.object_calls import is_caught_instance
from srcad.frontend.dispatch import (
    block,
    expression,
    handles_statement,
)
from srcad.frontend.exceptions.changes import Asked, asked_of, key_of
from srcad.frontend.exceptions.divided import Division, Part, within
from srcad.frontend.exceptions.finals import Whole, with_final
from srcad.frontend.exceptions.made_nodes import Computed, Entering
from srcad.frontend.exceptions.protected import (
    Region,
    hand_out_error,
    join_handler,
    state_at_handler,
)
from srcad.ir.nodes import If, Op, Value
from srcad.ir.regions import Attempt
from srcad.ir.types import EXCEPTION
from srcad.ops.raising import always_raises
from srcad.runtime.effects import caught

Classes = tuple[type[BaseException], ...]


@handles_statement(gast.Try)
def _try(frame: Frame, node: gast.Try, rest: list[Any]) -> Ended:
    """Lower a `try` and what stands after it."""
    return Ended(block(frame, [*of_try(frame, node, None), *rest]))


@handles_statement(Part)
def _part(frame: Frame, node: Part, rest: list[Any]) -> Ended:
    """Lower a part of a body that is divided."""
    return Ended(block(frame, [*Attempted(frame, node, [], None).lowered(), *rest]))


def of_try(frame: Frame, node: gast.Try, around: Division | None) -> list[Any]:
    """Lower the body of a `try`, in the body `around` if that is divided; what stands after it."""
    final = node.finalbody
    if final:
        node = with_final(frame, node)
    attempt = Attempted(frame, node, final, around)
    after = final if around is None else around.unless_raised(around.parts(final))
    return [*attempt.lowered(), *after]


class Attempted:
    """The `try` being lowered."""

    def __init__(
        self, frame: Frame, node: gast.Try, final: list[Any], around: Division | None
    ) -> None:
        self.frame = frame
        self.node = node
        self.final = final
        self.around = around
        self.handlers = [_handled(frame, each) for each in node.handlers]
        self.exceptions = tuple(cls for classes, _ in self.handlers for cls in classes)

    def lowered(self) -> list[Any]:
        """Lower the body; the statements to be lowered after it."""
        frame, node = self.frame, self.node
        if isinstance(node, Whole):
            outcome = block(frame, within(node.body, self.around))
            if outcome is not None and outcome.kind == "raise":
                raise Raising
            return self._after(outcome)
        if not self.handlers:
            return within([*node.body, *node.orelse], self.around)
        key = node.division.key if isinstance(node, Part) else key_of(frame.file, node)
        asked = asked_of(key, frame.session.inputs.statics)
        if not isinstance(node, Part) and (self.around is not None or asked):
            return self._divided(key, asked)
        region = Region(frame, key)
        frame.session.protected += 1
        frame.session.catching.append(self.exceptions)
        frame.session.taking.append(self._taken())
        try:
            outcome = region.body(lambda: block(frame, node.body), self.exceptions)
        except ShapeError as problem:
            if self.may_catch(problem):
                what = f"a `try` whose body raises for these shapes ({problem.title})"
                raise error("E103", frame.at(node), what=what) from None
            raise
        finally:
            frame.session.protected -= 1
            frame.session.catching.pop()
            frame.session.taking.pop()
        states = region.risks.of(self.exceptions)
        raises = outcome is not None and outcome.kind == "raise"
        if not states:  # none of these exceptions can be raised
            region.inline()
            if raises:
                raise Raising
            return self._after(outcome)
        if raises:
            return self._raised(region, states)
        return self._ended(region, states, outcome)

    def _divided(self, key: str, asked: Asked) -> list[Any]:
        """Lower the body in parts; the statements to be lowered after it."""
        classes = self.exceptions, self._taken()
        division = Division(self.frame, self.node, key, asked, self.around, *classes, self._asks())
        outcome, raised, caught_ = division.lowered()
        chosen: list[Any] = []
        if self.around is not None:
            hand_on = self.around.hand_on
            chosen = [Entering(lambda frame: hand_on(caught_), self.node)]
        for classes, each in reversed(self.handlers):
            body = self._entered(lambda: None, each, caught_)
            if not chosen or BaseException in classes:
                chosen = body
                continue
            test = Computed(_is_instance(caught_, classes), each)
            chosen = [gast.copy_location(gast.If(test, body, chosen), each)]
        return self._either(raised, chosen, self._after(outcome))

    def _asks(self) -> bool:
        """Whether the handlers need the exception itself."""
        return len(self.handlers) != 1 or any(_asks(each) for _, each in self.handlers)

    def _taken(self) -> Classes:
        """The classes of which an exception may end here: no handler raises it again."""
        if isinstance(self.node, Part):
            return self.node.division.taken
        ending = [
            classes
            for classes, each in self.handlers
            if not isinstance(each.body[-1], gast.Raise) or each.body[-1].exc is not None
        ]
        return tuple(cls for classes in ending for cls in classes)

    def may_catch(self, problem: ShapeError) -> bool:
        """Whether a handler may be for what NumPy raises where shapes do not fit."""
        for cls in self.exceptions:
            if isinstance(problem, cls) or issubclass(cls, ValueError | IndexError):
                return True
        return False

    def _ended(self, region: Region, states: list[st.State], outcome: Outcome | None) -> list[Any]:
        """The body may come to its end."""
        body = self.frame.session.builder.body
        if all(isinstance(each.body[-1], gast.Raise) for _, each in self.handlers):
            handler = self._raising(region, states)
            return self._after(region.leave(self._cond(), outcome, handler))
        caught_, other = self._caught()
        outcome = region.leave(self._cond(), outcome, other, certain=False)
        if caught_ is not None:
            attempt = body[-1]
            assert isinstance(attempt, If)
            caught_ = hand_out_error(attempt, caught_)
        handler = self._handler(region, states, caught_)
        branch = self._branch(region.ok, self._after(outcome), handler)
        return [branch, Entering(lambda frame: join_handler(frame, region.ok), self.node)]

    def _cond(self) -> Attempt:
        cond = Attempt(tuple(dict.fromkeys(self.exceptions)))
        if isinstance(self.node, Part):
            self.node.division.covers(cond)
        return cond

    def _after(self, outcome: Outcome | None) -> list[Any]:
        """The statements after a body that ended in this way."""
        skip, left, returned = flags_of(outcome)
        value = None if outcome is None else outcome.value
        if not self.frame.loop_depth:  # it is left by `return` alone
            left = returned = bool(returned)
        leaving = self._either(left, [gast.Break()], [gast.Continue()])
        back = gast.Return(Computed(lambda frame: value, self.node))
        away = within([*self.final, *self._either(returned, [back], leaving)], self.around)
        return self._either(skip, away, within(self.node.orelse, self.around))

    def _either(self, cond: Abstract, then: list[Any], orelse: list[Any]) -> list[Any]:
        """`then if cond else orelse`, statements both."""
        for each in (*then, *orelse):
            if not hasattr(each, "lineno"):
                gast.copy_location(each, self.node)
        if isinstance(cond, Value):
            return [self._branch(cond, then, orelse)]
        return then if cond else orelse

    def _branch(self, ok: Value, then: list[Any], orelse: list[Any]) -> Any:
        made = gast.If(Computed(lambda frame: ok, self.node), then, orelse)
        return gast.copy_location(made, self.node)

    # The exception ----------------------------------------------------------------------------

    def _caught(self) -> tuple[Value | None, list[Any]]:
        """The exception, where a handler asks for it, and the statement that binds it."""
        if not self._asks():
            return None, []
        named = next((each.name.id for _, each in self.handlers if each.name is not None), "error")
        value = Value(named.partition(".")[0], EXCEPTION)
        loc = self.frame.at(self.node.handlers[0])
        return value, [Op(caught, (), {}, (value,), loc, effect=True)]

    # Handlers ---------------------------------------------------------------------------------

    def _handler(self, region: Region, states: list[st.State], caught_: Value | None) -> list[Any]:
        """The statements that handle an exception, whichever it is."""
        chosen: list[Any] = []

        def enter() -> None:
            st.restore(state_at_handler(region, states))

        for classes, each in reversed(self.handlers):
            body = self._entered(enter, each, caught_)
            if not chosen:
                chosen = body
                continue
            test = Computed(_is_instance(caught_, classes), each)
            chosen = [gast.copy_location(gast.If(test, body, chosen), each)]
        return chosen

    def _entered(self, begin: Callable[[], None], handler: Any, caught_: Value | None) -> list[Any]:
        """The statements of one handler, which `begin` sets the state for."""
        name = None if handler.name is None else handler.name.id
        around: dict[str, Abstract] = {}

        def enter(frame: Frame) -> None:
            begin()
            around.clear()
            around.update((k, x) for k, x in frame.env.items() if k == CAUGHT)
            frame.env[CAUGHT] = caught_
            if name is not None:
                frame.env[name] = caught_

        def leave(frame: Frame) -> None:
            frame.env.pop(CAUGHT, None)
            frame.env.update(around)
            if name is not None:
                frame.env.pop(name, None)

        body = within(handler.body, self.around)
        return [Entering(enter, handler), *body, Entering(leave, handler)]

    def _raising(self, region: Region, states: list[st.State]) -> list[Any]:
        """The handlers, which all raise, as a block of statements."""
        frame = self.frame
        before = st.snapshot(frame)
        caught_, other = self._caught()
        with frame.session.block() as body:
            body.extend(other)
            outcome = block(frame, self._handler(region, states, caught_))
        st.restore(before)
        if outcome is None or outcome.kind != "raise":
            raise error("E103", frame.at(self.node), what="a handler that may return or raise")
        return body

    def _raised(self, region: Region, states: list[st.State]) -> list[Any]:
        """The body always raises: what follows is the handler."""
        body = region.bodies[0]
        caught_, other = self._caught()
        ((_, last), *others) = reversed(region.risks.found)
        is_caught = body[-1] is last and always_raises(last, self.exceptions)
        if is_caught and not others and not other:
            body.pop()
            region.inline()
            return [*self.handlers[0][1].body]
        region.raises(self._cond(), other)
        if caught_ is not None:
            stmt: Any = self.frame.session.builder.body[-1]
            caught_ = hand_out_error(stmt, caught_)
            caught_.partial = False
        return self._handler(region, states, caught_)


def _asks(handler: Any) -> bool:
    """Whether a handler uses the exception."""
    if handler.name is not None:
        return True
    raises = (n for each in handler.body for n in gast.walk(each) if isinstance(n, gast.Raise))
    return any(n.exc is None for n in raises)


def _is_instance(caught_: Value | None, classes: Classes) -> Callable[[Frame], Value]:
    wanted = classes[0] if len(classes) == 1 else classes
    return lambda frame: is_caught_instance(frame, caught_, wanted)


def _handled(frame: Frame, handler: Any) -> tuple[Classes, Any]:
    """What a handler catches, and the handler.

    Python looks for the name of an exception when one is raised. A name that there is not, such as
    one that a later version of a package has dropped, raises then, whatever the exception is.
    """
    session = frame.session
    watchers, session.watchers = session.watchers, []  # a `try` around it: nothing is raised here
    try:
        return _classes(frame, handler), handler
    except UndefinedName as problem:
        if _has_free_name(frame, handler.type):  # it may be bound by the next call
            raise
        cls = AttributeError if "." in problem.title else NameError
        missing = Raised(cls, (problem.title,))
    finally:
        session.watchers = watchers
    raises = gast.Raise(Computed(lambda frame: missing, handler), None)
    other = gast.ExceptHandler(None, None, [gast.copy_location(raises, handler)])
    return (BaseException,), gast.copy_location(other, handler)


def _has_free_name(frame: Frame, node: Any) -> bool:
    code = getattr(frame.fn, "__code__", None)
    free = () if code is None else code.co_freevars
    return any(isinstance(n, gast.Name) and n.id in free for n in gast.walk(node))


def _classes(frame: Frame, handler: Any) -> Classes:
    """The exceptions that a handler catches."""
    if handler.type is None:
        return (BaseException,)
    found = expression(frame, handler.type)
    classes = tuple(
        x.obj for x in (found if isinstance(found, tuple) else (found,)) if _is_class(x)
    )
    if len(classes) != (len(found) if isinstance(found, tuple) else 1):
        raise error("E103", frame.at(handler.type), what="this `except`")
    return classes


def _is_class(x: Abstract) -> bool:
    return isinstance(x, Ref) and isinstance(x.obj, type) and issubclass(x.obj, BaseException)
