"""What `for` and `while` have in common while they are lowered: begin, attempts, end.

loop = OpenLoop(frame, growing, peels)
with loop.refusals():
    ...                                   the body, until `loop.is_complete()`
ends = loop.ends(statements)              what it carries and how it is left
loop.close(For(...), ends, seqs)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from srcad.errors import SrcadError, error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.session import Entered
from srcad.frontend.abstract.signals import Unroll
from srcad.frontend.lists.growing import Growing
from srcad.frontend.loops.loop_fixpoint import Carrying
from srcad.frontend.loops.unrolling import Unrolled
from srcad.frontend.statements.leaving import Leaving
from srcad.ir.nodes import Block, Stmt, Value

MAX_NESTING = 12  # each loop lowers those inside of it at least twice


class Ends(NamedTuple):
    """What a loop carries, in and out, and its body."""

    params: list[Value]
    init: list[Any]
    block: Block
    outs: tuple[Value, ...]
    has_exits: bool


class OpenLoop:
    """A loop that is being lowered, for as long as that finds something new.

    Raises:
        UnsupportedSyntax: E140, it stands in too many others.
    """

    def __init__(self, frame: Frame, growing: Growing, peels: bool) -> None:
        self.session = frame.session
        self.loc = frame.session.builder.loc
        if len(self.session.entered) >= MAX_NESTING:
            what = f"a loop in more than {MAX_NESTING - 1} others"
            raise error("E140", None, what=what)
        self.token = growing.token
        self.growing = growing
        self.leaving = Leaving(frame)
        growing.start()
        self.carrying = Carrying(frame, self.token, peels=peels, carries=growing.may_carry)
        heap = self.carrying.before.heap
        depth = len(self.session.around)
        self.session.entered.append(
            Entered(heap, self.token, growing.opens, growing.carries, depth, growing.left_out)
        )

    @contextmanager
    def refusals(self) -> Iterator[None]:
        """Inside, what asks to have this loop unrolled has it so, and errors are the loop's."""
        try:
            yield
        except Unroll as wanted:
            if wanted.token is self.token:
                raise Unrolled from None
            raise
        except SrcadError as problem:
            raise self.carrying.refusal(problem) from problem.__cause__

    def note(self, outcome: Outcome | None, flag: Abstract) -> None:
        """Note how an iteration ends, and whether the loop does."""
        self.carrying.settle()
        self.leaving.note(outcome, flag)

    def is_complete(self) -> bool:
        """Whether the attempt has found nothing new."""
        return self.carrying.is_complete(self.growing.is_settled)

    def ends(self, statements: list[Stmt], runs: bool = False) -> Ends:
        """What is carried, once that is known; sets the state after the loop.

        Args:
            runs: there is an iteration for certain.
        """
        self.carrying.check_bound(statements)
        params, init, results, outs = self.carrying.leave(statements, runs)
        exits = self.leaving.exits()
        self.session.builder.loc = self.loc
        block = Block(params, statements, [*results, *self.growing.written(), *exits])
        return Ends(params, init, block, outs, bool(exits))

    def close(self, stmt: Stmt, outs: tuple[Value, ...], seqs: Any, *more: Any) -> None:
        """Append the loop; `more`: its iterations and bounds, where it runs all of them."""
        self.session.builder.body.append(stmt)
        self.session.entered.pop()
        with self.session.unwatched():  # lists as arrays: Python makes none
            self.growing.bind(seqs, outs, *more)


__all__ = ["Ends", "OpenLoop"]
