"""Recording: operations are appended to the block that is being lowered, and remembered.

with session.block() as body:       an `If` or a loop: what is emitted inside goes to `body`
    session.add(op)                 an operation that needs no rule
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from srcad.errors import error
from srcad.frontend.abstract.kinds_by_data import Codes
from srcad.frontend.abstract.number_kinds import NumberKinds
from srcad.frontend.constants import Constants
from srcad.ir.nodes import Op, Stmt, Value
from srcad.rules.core.staged import Builder

MAX_OPERATIONS = 200_000  # while a program is lowered


class Recording(Constants):
    """What a session tells of the operations of its program, in their order.

    `kinds`: of values that have several. `watchers` are told of each op that is emitted. `around`:
    the statements so far of the blocks around.
    """

    builder: Builder
    codes: Codes
    kinds: NumberKinds
    operations: int
    watchers: list[Callable[[Op], None]]
    around: list[list[Stmt]]

    @contextmanager
    def block(self) -> Iterator[list[Stmt]]:
        """Statements emitted inside go to a new body."""
        outer = self.builder.body
        inner: list[Stmt] = []
        self.builder.body = inner
        self.around.append(outer)
        try:
            with self.codes.scope():
                yield inner
        finally:
            self.builder.body = outer
            self.around.pop()

    def add(self, op: Op) -> None:
        """Append an op that needs no rule."""
        self.builder.body.append(op)
        self.note(op)

    def note(self, op: Op) -> None:
        """Remember what an op made, and tell the `watchers`.

        Raises:
            UnsupportedSyntax: E140, there are too many.
        """
        self.operations += 1
        if self.operations > MAX_OPERATIONS:
            raise error("E140", None, what=f"a program of more than {MAX_OPERATIONS:,} operations")
        self.memory.note(op)
        self.kinds.note(op)
        for watch in self.watchers:
            watch(op)

    def note_last(self) -> None:
        """Note the op that was appended last."""
        op = self.builder.body[-1] if self.builder.body else None
        if isinstance(op, Op):
            self.note(op)

    def emit_shape(self, owner: Value) -> Value:
        """`np.shape(owner)`, which no write changes."""
        shape: Value = self.builder.emit(np.shape, (owner,))
        self.note_last()
        return shape


__all__ = ["MAX_OPERATIONS", "Recording"]
