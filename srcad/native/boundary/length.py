"""Length: what Numba takes to compile a function, and which runs of statements are too long for it.

    v1 = sin(v0)                v1 = sin(v0)
    ...  (3,000 lines)    ->    ...                     stays NumPy's
    for i in range(n): ...      s = loss_1(v1, n)       the loop is compiled

NumPy runs straight lines well enough: they are compiled where that takes seconds. Loops are always,
since Python would run them: what else stands in a run that is too long is left out.
"""

from __future__ import annotations

from collections.abc import Sequence

from srcad.ir import Block, For, Function, Op, Stmt, While
from srcad.ir.walk import blocks, statements
from srcad.native.scalarize.entry_types import Unsuited
from srcad.native.vectorised import is_elementary

# Steps that are compiled for straight lines, each 2 or 3 ms of Numba's and LLVM's: 15 to 20 s.
MOST = 6000
# Operations on arrays that are looked at: each becomes two steps or more.
MOST_OPERATIONS = MOST // 2
# Statements of a loop: Numba takes 25 s for half of them, ten minutes and 4 GB for 18,000.
MOST_OF_A_LOOP = 8000

# What LLVM writes for several lanes takes as long as so many steps.
_LOOP, _FUNCTION = 50, 6


class TooLong(Unsuited):
    """A run of straight lines that Numba would take too long for."""


def has_loop(stmt: Stmt) -> bool:
    """Whether a statement is a loop, or a branch with one."""
    return any(isinstance(each, For | While) for each in statements(Block([], [stmt], [])))


def count(stmt: Stmt) -> int:
    """How many statements one is, with those inside."""
    return 1 + sum(1 for inner in blocks(stmt) for _ in statements(inner))


def is_long(run: Sequence[Stmt]) -> bool:
    """Whether a run has more operations outside of loops than are looked at."""
    return sum(count(stmt) for stmt in run if not has_loop(stmt)) > MOST_OPERATIONS


def check_length(run: Sequence[Stmt], native: Function) -> None:
    """Refuse a function that takes too long to compile, made of straight lines.

    Args:
        run: what it was made of.
    """
    if any(map(has_loop, run)):
        return
    steps = 0
    for stmt in statements(native.body):
        is_function = isinstance(stmt, Op) and is_elementary(stmt.fn)
        steps += _FUNCTION if is_function else _LOOP if isinstance(stmt, For) else 1
    if steps > MOST:
        raise too_long(run)


def too_long(run: Sequence[Stmt]) -> TooLong:
    """The refusal of a run of straight lines."""
    number = sum(count(stmt) for stmt in run if not has_loop(stmt))
    return TooLong(f"Numba would take long to compile the {number:,} operations from here on")


def count_in_loops(fn: Function) -> int:
    """How many statements of a function are in loops."""
    return sum(count(stmt) for stmt in fn.body.body if has_loop(stmt))
