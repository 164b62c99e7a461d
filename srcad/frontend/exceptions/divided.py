"""A `try` in parts: where its body changes what the handler reads, each part is a `try` of its own.

    try:                                try:                        what raised here found x = 1.0
        y = a[i]; x = 2.0                   y = a[i]; x = 2.0
        z = b[j]                ->      except IndexError: raised = True
    except IndexError:                  else:
        y = x                               try: z = b[j]           and here x = 2.0
                                            except IndexError: raised = True
                                        if raised: y = x

A part ends with the statement that makes the change; loops, branches and blocks inside are opened,
and their parts stand in them. So an exception is one more way to leave, the values of names are
joined as after any branch, and the reverse sweep goes back through the parts that ran.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gast

from srcad.errors import Location, error
from srcad.frontend.abstract.frame import Frame, check_conflict
from srcad.frontend.abstract.objects import CAUGHT, UNBOUND, Abstract, Ref
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.dispatch import block, expression
from srcad.frontend.exceptions.changes import Asked, is_opened, is_plain, may_change
from srcad.frontend.exceptions.made_nodes import Computed, Entering
from srcad.frontend.statements.conditions import condition
from srcad.ir.nodes import If, Op, Stmt
from srcad.ir.regions import Attempt
from srcad.ir.walk import blocks
from srcad.ops.raising import may_raise, may_raise_any

Classes = tuple[type[BaseException], ...]


class Part(gast.Try):  # type: ignore[misc]  # gast is untyped
    """A part of a body, with the handler that notes what it raises."""

    division: Division


class Within(gast.AST):  # type: ignore[misc]  # gast is untyped
    """A `try` or `with` in a body that is divided."""

    _fields = ("node",)
    _attributes = ("lineno", "col_offset", "end_lineno", "end_col_offset")

    def __init__(self, division: Division, node: Any) -> None:
        super().__init__()
        self.division = division
        self.node = node
        gast.copy_location(self, node)


class Division:
    """The body of one `try`, being lowered in parts.

    `key`: of the `try`; `asked`: what it changes and the handler reads. What the handlers do not
    take goes on to the body `around`, if this one stands in another that is divided. `taken`: the
    classes of which an exception may end here. `names_it`: whether the exception itself is asked
    for.
    """

    def __init__(
        self, frame: Frame, node: gast.Try, key: str, asked: Asked, around: Division | None,
        exceptions: Classes, taken: Classes, names_it: bool,
    ) -> None:  # fmt: skip
        self.frame = frame
        self.node = node
        self.key = key
        self.around = around
        self.asked = asked
        self.exceptions = exceptions
        self.taken = taken
        if around is not None:
            self.asked |= around.asked
            self.exceptions = _widest((*exceptions, *around.exceptions))
            self.taken = (*taken, *around.taken)
        self.names_it = names_it or around is not None
        n = frame.session.protected
        self._raised, self._error, self._held = (f"{x}.{n}" for x in ("raised", "error", "held"))
        self._conds: set[Any] = set()
        self._told: set[Any] = set()

    def lowered(self) -> tuple[Outcome | None, Abstract, Abstract]:
        """Lower the body: how it ended, whether it raised, and what."""
        session, env = self.frame.session, self.frame.env
        env[self._raised] = False
        around = session.watchers
        session.watchers = [*around, self._note]
        session.protected += 1
        session.catching.append(self.exceptions)
        session.taking.append(self.taken)
        try:
            with session.block() as body:
                outcome = block(self.frame, self.parts(self.node.body))
        finally:
            session.watchers = around
            session.protected -= 1
            session.catching.pop()
            session.taking.pop()
        self._check(body)
        session.builder.body.extend(body)
        raised = check_conflict(env.pop(self._raised))
        return outcome, raised, check_conflict(env.pop(self._error, UNBOUND))

    def hand_on(self, caught: Abstract) -> None:
        """The body around has raised `caught`, which no handler here takes."""
        self.frame.env[self._raised] = True
        if self.names_it:
            self.frame.env[self._error] = caught

    # Parts ------------------------------------------------------------------------------------

    def parts(self, body: list[Any]) -> list[Any]:
        """The statements that stand for those of `body`."""
        for k, stmt in enumerate(body):
            if not may_change(stmt, self.asked):
                continue
            if not is_opened(stmt):
                return self.part(body[: k + 1], self.parts(body[k + 1 :]))
            made = [*self._opened(stmt), *self.unless_raised(self.parts(body[k + 1 :]))]
            return self.part(body[:k], made)
        return self.part(body, [])

    def part(self, body: list[Any], rest: list[Any]) -> list[Any]:
        """These statements as one part, `rest` where they raise nothing."""
        if not body:
            return rest
        place = body[0]
        classes = Computed(lambda frame: tuple(Ref(cls, "") for cls in self.exceptions), place)
        name = gast.Name("error.try", gast.Store(), None, None) if self.names_it else None
        noted = Entering(lambda frame: self.hand_on(frame.env.get(CAUGHT)), place)
        handler = gast.copy_location(gast.ExceptHandler(classes, name, [noted]), place)
        part = gast.copy_location(Part(body, [handler], rest, []), place)
        part.division = self
        return [part]

    def unless_raised(self, rest: list[Any]) -> list[Any]:
        """The statements `rest`, where nothing was raised."""
        return [self._if(self._has_raised, [], rest, rest[0])] if rest else []

    def _has_raised(self, frame: Frame) -> Abstract:
        return check_conflict(self.frame.env[self._raised])

    def _if(
        self, test: Callable[[Frame], Abstract], then: list[Any], orelse: list[Any], place: Any
    ) -> Any:
        return gast.copy_location(gast.If(Computed(test, place), then, orelse), place)

    def _opened(self, stmt: Any) -> list[Any]:
        """A statement with blocks, whose parts stand in them."""
        match stmt:
            case gast.If():
                return self._with_test(stmt)
            case gast.For():
                return self._with_items(stmt)
            case gast.While():
                return [self._while(stmt)]
            case _:
                return [Within(self, stmt)]

    def _with_test(self, stmt: gast.If) -> list[Any]:
        then, orelse = self.parts(stmt.body), self.parts(stmt.orelse)
        if is_plain(stmt.test):
            return [gast.copy_location(gast.If(stmt.test, then, orelse), stmt)]
        branch = self._if(self._take, then, orelse, stmt)
        return self.part([self._keep(lambda frame: condition(frame, stmt.test), stmt)], [branch])

    def _with_items(self, stmt: gast.For) -> list[Any]:
        items: Any = stmt.iter if is_plain(stmt.iter) else Computed(self._take, stmt.iter)
        body, orelse = self._iteration(self.parts(stmt.body), stmt), self.parts(stmt.orelse)
        loop = gast.copy_location(gast.For(stmt.target, items, body, orelse, None), stmt)
        if items is stmt.iter:
            return [loop]
        return self.part([self._keep(lambda frame: expression(frame, stmt.iter), stmt)], [loop])

    def _while(self, stmt: gast.While) -> Any:
        """A loop; where its test may raise, that stands in the body."""
        body, test = self.parts(stmt.body), stmt.test
        if not is_plain(test) and not stmt.orelse:
            leave = gast.copy_location(gast.Break(), stmt)
            branch = self._if(self._take, body, [leave], stmt)
            body = self.part(
                [self._keep(lambda frame: condition(frame, stmt.test), test)], [branch]
            )
            test = gast.copy_location(gast.Constant(True, None), test)
        loop = gast.While(test, self._iteration(body, stmt), self.parts(stmt.orelse))
        return gast.copy_location(loop, stmt)

    def _iteration(self, body: list[Any], place: Any) -> list[Any]:
        """The parts of an iteration, after which the loop is left where one has raised."""
        leave = gast.copy_location(gast.Break(), place)
        return [*body, self._if(self._has_raised, [leave], [], place)]

    def _keep(self, of: Callable[[Frame], Abstract], place: Any) -> Entering:
        """Keep what a statement needs ahead of its blocks."""

        def keep(frame: Frame) -> None:
            frame.env[self._held] = of(frame)

        return Entering(keep, place)

    def _take(self, frame: Frame) -> Abstract:
        return check_conflict(frame.env.pop(self._held))

    # What is proved ---------------------------------------------------------------------------

    def covers(self, cond: Attempt) -> None:
        """Note the region of a part."""
        division: Division | None = self
        while division is not None:
            division._conds.add(cond)
            division = division.around

    def _note(self, op: Op) -> None:
        """Called for each operation of the body; what paths are joined by is none of them."""
        if may_raise(op) and may_raise_any(op, self.exceptions):
            self._told.add((op.fn, op.loc))

    def _check(self, body: list[Stmt]) -> None:
        """Refuse what may raise outside of all parts."""
        for stmt in body:
            if isinstance(stmt, Op) and (stmt.fn, stmt.loc) in self._told:
                self._refuse(stmt.loc)
            inner = blocks(stmt)
            if isinstance(stmt, If) and stmt.cond in self._conds:
                inner = (stmt.orelse,)
            for each in inner:
                self._check(each.body)

    def _refuse(self, loc: Location | None) -> None:
        what = "what may raise here, in a `try` whose handler reads what its body changes,"
        fix = "compute it in a statement of its own, ahead of the branch or loop"
        raise error("E103", loc or self.frame.at(self.node), what=what, fix=fix)


def _widest(exceptions: Classes) -> Classes:
    """These classes, without those that another one is a base of."""
    classes = dict.fromkeys(exceptions)
    return tuple(a for a in classes if not any(b in a.__mro__[1:] for b in classes))


def within(body: list[Any], around: Division | None) -> list[Any]:
    """Statements that stand in the body `around`, in parts if there is one that is divided."""
    return body if around is None else around.parts(body)
