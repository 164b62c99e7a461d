"""Finishing an interrupted call: its writes to the arguments end, then the exception goes on.

    w -= 0.01 * w_bar
    m *= 0.9               <- a signal's handler raises
    b -= 0.01 * b_bar      is run all the same, and then the exception goes on

So a call that raises has changed its arguments as a whole or not at all. Python runs a handler
after a call, not within an operation: the statement that was interrupted has not written, unless
what it called last has. It is run again, or passed over, and those after it are run, in the names
that the program's frame had. What cannot be told apart is left, and the exception says so.
"""

from __future__ import annotations

import ast
import dis
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType, FrameType, TracebackType
from typing import Any

from srcad.interrupts import is_interrupted, users_own
from srcad.pipeline.artifact import Artifact

_NOTE = "the arguments may have been written in part, which could not be finished"
_TIMES = 10
# What leads to a compiled function, and is after its call where it has the name `found`.
_LEADING = {"together", "together_multiplying", "in_one_thread", "as_part"}


class _Unclear(Exception):  # noqa: N818 - it is no error
    """It cannot be told whether a statement has written."""


def finish(problem: BaseException, programs: Iterable[tuple[Artifact, str]]) -> None:
    """Write the rest, if one of these programs, in these files, was interrupted while it wrote."""
    for artifact, filename in programs:
        if is_of_file(problem, filename):
            if is_behind(problem, artifact, filename):
                _finish(problem, artifact, filename)
            return
    if isinstance(problem, MemoryError):  # there was none left for a traceback either
        problem.add_note(_NOTE)


def _finish(problem: BaseException, artifact: Artifact, filename: str) -> None:
    # Of NumPy's own exceptions only one leaves a statement undone for sure: there was no memory for
    # what it makes first. (For what compiled code returns there may be none when it has written.)
    is_undone = isinstance(problem, MemoryError) and not artifact.compiled
    if users_own(problem) is None and not is_undone:
        problem.add_note(_NOTE)
        return
    met: BaseException | None = problem
    try:
        for _ in range(_TIMES):
            trace = _trace_of(met, artifact, filename)
            if met is None or trace is None:
                return
            met = _run(_rest(trace, artifact), trace.tb_frame, filename, artifact.entry)
    except _Unclear:
        pass
    problem.add_note(_NOTE)


def is_behind(problem: BaseException, artifact: Artifact, filename: str) -> bool:
    """Whether a program had come to what it writes when this was raised. Compiled code refuses
    ahead of all that it writes (`srcad.native.boundary.raise_before_commit`).
    """
    trace = _trace_of(problem, artifact, filename) if artifact.border else None
    return trace is not None and trace.tb_lineno >= artifact.border and not _is_refused(problem)


def _is_refused(problem: BaseException) -> bool:
    """Whether a check in machine code raised this."""
    inner = innermost(problem)
    if inner is None or not isinstance(problem, ArithmeticError | LookupError | ValueError):
        return False
    return users_own(problem) is None and is_machine_code(inner.tb_frame)


def innermost(problem: BaseException) -> TracebackType | None:
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace


def is_machine_code(frame: FrameType) -> bool:
    """Whether a frame was made by Numba to tell a place in machine code: it has no code."""
    code = frame.f_code
    return frame.f_back is None and not code.co_consts and not code.co_names


def file_of(problem: BaseException, artifact: Artifact) -> str:
    """The file of a program that Numba compiles, by an exception that came through it."""
    trace = problem.__traceback__
    for each in _chain(trace) if trace is not None else ():
        module = str(each.tb_frame.f_globals.get("__name__", ""))
        if each.tb_frame.f_code.co_name == artifact.entry and module.startswith("srcad_"):
            return each.tb_frame.f_code.co_filename
    return ""


def is_of_file(problem: BaseException, filename: str) -> bool:
    """Whether an exception came through code of a file."""
    trace = problem.__traceback__
    return trace is not None and any(
        each.tb_frame.f_code.co_filename == filename for each in _chain(trace)
    )


def _run(
    rest: Sequence[ast.stmt], frame: FrameType, filename: str, entry: str
) -> BaseException | None:
    """Run statements in the names of a frame; what interrupted them."""
    text = ast.fix_missing_locations(ast.Module([*rest], []))
    code = compile(text, filename, "exec").replace(co_name=entry)
    try:
        exec(code, frame.f_globals, dict(frame.f_locals))
    except BaseException as later:
        if users_own(later) is None:
            raise _Unclear from later
        return later
    return None


def _rest(trace: TracebackType, artifact: Artifact) -> list[ast.stmt]:
    """The statements that are still to be run."""
    body = [
        stmt
        for stmt in _body(artifact)
        if (stmt.end_lineno or 0) >= trace.tb_lineno and not isinstance(stmt, ast.Return)
    ]
    if not body or body[0].lineno > trace.tb_lineno or not _has_run(trace, body[0], artifact):
        return body
    bound = set(_names(body[:1], ast.Store))
    read = set(_names(body[1:], ast.Load))
    held, given = trace.tb_frame.f_locals, _given(body[0], trace.tb_frame)
    for name in bound & read:
        # What the call returned is lost: it is known where that is what it was given.
        if not any(held.get(name) is each for each in given):
            raise _Unclear
    return body[1:]


def _has_run(trace: TracebackType, stmt: ast.stmt, artifact: Artifact) -> bool:
    """Whether the statement that was interrupted has done what it does."""
    calls = stmt.value if isinstance(stmt, ast.Expr | ast.Assign) else None
    inner = _interrupted(trace)
    if not isinstance(calls, ast.Call):
        _check_depth(inner, trace)
        return False
    is_compiled = any(_name(node) in artifact.compiled for node in ast.walk(calls))
    if not is_compiled and isinstance(stmt, ast.Assign):
        return False  # it makes a value
    if inner is trace:
        return _is_at(inner, calls)
    if is_compiled and inner.tb_frame.f_code.co_name in _LEADING:
        return (
            "found" in inner.tb_frame.f_locals or _instruction(inner).opname == "CALL_FUNCTION_EX"
        )
    if is_compiled and not _is_leading(trace):
        return False  # in what is called for the arguments, or ahead of the call
    raise _Unclear


def _check_depth(inner: TracebackType, trace: TracebackType) -> None:
    """Refuse what Python code of others was doing for an operation: it may have written."""
    home = str(inner.tb_frame.f_globals.get("__name__", ""))
    if inner is not trace and not home.startswith(("srcad.", "numpy.", "numba.")):
        raise _Unclear


def _is_leading(trace: TracebackType) -> bool:
    """Whether a call was on its way through what leads to a compiled function."""
    names = [each.tb_frame.f_code.co_name for each in _chain(trace) if each is not trace]
    return bool(_LEADING.intersection(names))


def _interrupted(trace: TracebackType) -> TracebackType:
    """The innermost place ahead of the handler's own."""
    return next(each for each in _chain(trace) if each.tb_next is None or is_interrupted(each))


def _chain(trace: TracebackType) -> Iterator[TracebackType]:
    each: TracebackType | None = trace
    while each is not None:
        yield each
        each = each.tb_next


def _trace_of(
    problem: BaseException | None, artifact: Artifact, filename: str
) -> TracebackType | None:
    found = None
    if problem is not None and problem.__traceback__ is not None:
        for each in _chain(problem.__traceback__):
            code = each.tb_frame.f_code
            if code.co_filename == filename and code.co_name == artifact.entry:
                found = each
    return found


def _body(artifact: Artifact) -> list[ast.stmt]:
    """The statements of the program from its border on."""
    for node in ast.parse(artifact.text).body:
        if isinstance(node, ast.FunctionDef) and node.name == artifact.entry:
            return [stmt for stmt in node.body if stmt.lineno >= artifact.border]
    raise _Unclear


def _given(stmt: ast.stmt, frame: FrameType) -> list[Any]:
    """The arguments of a call that have names."""
    names = _names([stmt], ast.Load)
    return [frame.f_locals[name] for name in names if name in frame.f_locals]


def _names(stmts: Sequence[ast.stmt], context: type[ast.expr_context]) -> Iterator[str]:
    for node in (each for stmt in stmts for each in ast.walk(stmt)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            yield node.id


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _is_at(trace: TracebackType, call: ast.Call) -> bool:
    """Whether a frame is at this call itself, which has returned then."""
    at = _instruction(trace)
    where = at.positions
    if not at.opname.startswith("CALL") or where is None:
        return False
    return (where.lineno, where.col_offset) == (call.lineno, call.col_offset) and (
        where.end_lineno,
        where.end_col_offset,
    ) == (call.end_lineno, call.end_col_offset)


def _instruction(trace: TracebackType) -> dis.Instruction:
    """The instruction that a frame is at."""
    code: CodeType = trace.tb_frame.f_code
    found = None
    for each in dis.get_instructions(code):
        if each.offset > trace.tb_lasti:
            break
        found = each
    assert found is not None
    return found


__all__ = ["file_of", "finish", "is_behind", "is_of_file"]
