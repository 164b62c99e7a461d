"""If-conversion: a choice between numbers that are there is an operation, not a branch.

    if t > 0.0:                       s_2 = where(t > 0.0, s, x)
        s_2 = s
    else:                     ->
        s_2 = x

LLVM makes no branch of either. But Numba types, renames and lowers a function block by block: a
chain of hundreds of branches took it minutes, and hundreds of megabytes.
"""

from __future__ import annotations

from typing import Any

from srcad.ir import UNDEFINED, Block, Function, If, Op, Stmt, Value
from srcad.ir.calls import called, copy_program
from srcad.ir.walk import with_blocks, with_body
from srcad.native.scalarize.scalars.scalar_ops import is_number_type
from srcad.native.vectorised import WHERE
from srcad.rules.core.staged import type_of


def convert_branches(program: Function) -> Function:
    """The program with choices in its compiled functions."""
    if not any(fn.native for fn in called(program)):
        return program
    made = copy_program(program)
    for fn in called(made):
        if fn.native:
            fn.body = _block(fn.body)
    return made


def _block(block: Block) -> Block:
    body: list[Stmt] = []
    for stmt in block.body:
        if isinstance(stmt, If) and _is_choice(stmt):
            pairs = zip(stmt.outs, stmt.then.results, stmt.orelse.results, strict=True)
            body += [Op(WHERE, (stmt.cond, a, b), {}, (out,), stmt.loc) for out, a, b in pairs]
        else:
            body.append(with_blocks(stmt, _block))
    return with_body(block, body)


def _is_choice(stmt: If) -> bool:
    """Whether both blocks do nothing and yield numbers."""
    if not stmt.is_branch or stmt.then.body or stmt.orelse.body:
        return False
    if not isinstance(stmt.cond, Value) or not is_number_type(stmt.cond.type):
        return False
    return all(map(_is_number, (*stmt.outs, *stmt.then.results, *stmt.orelse.results)))


def _is_number(atom: Any) -> bool:
    return atom is not UNDEFINED and is_number_type(type_of(atom))
