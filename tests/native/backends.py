"""One program by both backends, and what must be equal."""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import io
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from native.uncompiled import without_numba
from native.weak import verify_precision

from srcad.emit.module import emit
from srcad.ir import Function, verify
from srcad.ir.calls import called
from srcad.native import helpers
from srcad.native.boundary.outlining import outline
from srcad.native.boundary.reasons import Reason
from srcad.native.loops.if_conversion import convert_branches
from srcad.native.threads.alias_scopes import mark_alias_scopes
from srcad.native.threads.team_calls import share_among_threads
from srcad.pipeline import stages
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.dispatch import MISS
from srcad.pipeline.passes import BOUNDARY, SCALARIZE
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import activate
from srcad.pipeline.stages import compile_request


@dataclass(frozen=True)
class Pair:
    """A program by NumPy and as loops. `functions`: how many were outlined; `reasons`: what stayed
    NumPy, and why.
    """

    numpy: Callable[..., Any]
    native: Callable[..., Any]
    text: str
    functions: int
    reasons: list[str]


def both(request: Request, args: Sequence[Any], n_primal: int, numba: bool = False) -> Pair:
    """The program for arguments like `args`, of which the first `n_primal` are the primal's; as
    machine code it is shared by threads too.
    """
    primal_args = args[:n_primal]
    artifact, _ = compile_request(request, primal_args, frozenset())
    passed: dict[str, Any] = {}
    with _for_compilation():
        compile_request(request, primal_args, frozenset(), passed.__setitem__)
    reasons: list[str] = []
    program = loops(passed["optimize"], reasons)
    verify(program, "native")
    made = [fn for fn in called(program) if fn.native]
    for fn in made:
        verify_precision(fn)
    if numba:
        program = mark_alias_scopes(share_among_threads(program))
    program = convert_branches(program)
    emitted = emit(program)
    text = emitted.text
    native = dataclasses.replace(
        artifact, text=text if numba else without_numba(text), entry=emitted.entry,
        globals=emitted.globals, line_map=emitted.line_map,
    )  # fmt: skip
    extra = len(args) - n_primal
    calls = [_activated(artifact, request, n_primal, extra)]
    with _as_file() if numba else contextlib.nullcontext():
        calls.append(_activated(native, request, n_primal, extra))
    return Pair(*calls, text, len(made), reasons)


def loops(program: Function, left: list[str]) -> Function:
    """The program with functions of loops; `left` gets what stays NumPy, and why."""
    reasons: list[Reason] = []
    read = stages.plain_program
    made = outline(program, stages=(SCALARIZE, BOUNDARY), left=reasons, read=read)
    left += [reason.text for reason in reasons]
    return made


def _activated(artifact: Artifact, request: Request, n: int, extra: int) -> Callable[..., Any]:
    return activate(artifact, request, n, extra).dispatch


@contextlib.contextmanager
def _for_compilation() -> Any:
    """Prepare and optimise programs as those that are compiled, where Numba is absent too."""
    asks = stages._is_for_compilation
    stages._is_for_compilation = lambda request: True
    try:
        yield
    finally:
        stages._is_for_compilation = asks


@contextlib.contextmanager
def _as_file() -> Any:
    """Load programs from files: Numba caches what has one."""
    load = Artifact.load

    def from_file(self: Artifact, filename: str) -> Any:
        path = Path(tempfile.mkdtemp(prefix="srcad-native-")) / "program.py"
        path.write_text(self.text.replace("cache=True, ", ""))
        return load(self, str(path))

    Artifact.load = from_file  # type: ignore[method-assign]
    try:
        yield
    finally:
        Artifact.load = load  # type: ignore[method-assign]


def outcome(call: Callable[..., Any], args: Sequence[Any]) -> Any:
    """What a call gives for copies of arguments: the result or the exception."""
    given = copy.deepcopy(args)
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return call(*given), given
        except Exception as problem:
            return problem, given


def assert_alike(a: Any, b: Any, single: bool = False, kinds: bool = True, where: str = "") -> None:
    """Results of the two backends: equal types, equal numbers up to the order of sums.

    Without `kinds` a NumPy scalar may stand for a number of Python's.
    """
    if kinds or not isinstance(a, float) or not isinstance(b, float):
        assert type(a) is type(b), (where, type(a), type(b), a, b)
    if isinstance(b, dict):
        assert list(a) == list(b)
        for key in b:
            assert_alike(a[key], b[key], single, kinds, f"{where}[{key!r}]")
    elif isinstance(b, tuple | list):
        assert len(a) == len(b)
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_alike(x, y, single, kinds, f"{where}[{k}]")
    elif isinstance(b, np.ndarray | np.generic | float | complex):
        assert np.result_type(a) == np.result_type(b), (where, np.result_type(a), np.result_type(b))
        assert np.shape(a) == np.shape(b), (where, np.shape(a), np.shape(b))
        if np.result_type(b).kind not in "fc":
            assert np.array_equal(a, b), (where, a, b)
            return
        low = single or np.result_type(b) in (np.float32, np.complex64)
        tol = 1e-4 if low else 1e-10
        finite = np.abs(np.where(np.isfinite(b), b, 0))
        atol = tol * float(np.max(finite, initial=0)) + tol * 1e-4
        assert np.allclose(a, b, rtol=tol, atol=atol, equal_nan=True), (where, a, b)
    elif hasattr(b, "__dict__") and not callable(b):
        assert_alike(vars(a), vars(b), single, kinds, where)


def is_refusal(problem: Any) -> bool:
    """Whether compiled code left it to NumPy, which its helpers do, or an argument's type."""
    if not isinstance(problem, Exception):
        return False
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_name if trace is not None else ""
    # An array without entries may have fewer axes than its type says; a slice may end early.
    is_flat = str(problem) == "tuple index out of range"
    is_short = "negative dimensions" in str(problem)
    # What `check_type` finds, machine code finds when it is called.
    is_other = str(problem).startswith("No matching definition for argument type")
    is_float = "cannot be interpreted as an integer" in str(problem)
    is_power = str(problem) == "a negative power of an integer is not an integer"
    is_told = is_flat or is_short or is_other or is_float or is_power
    return is_told or name in helpers.__all__ or name == "check_type"


def compare(pair: Pair, args: Sequence[Any], single: bool = False, kinds: bool = True) -> str:
    """Both programs at copies of `args`: "equal", "left" where native leaves it to NumPy, "missed"
    where it takes another program.

    Raises:
        AssertionError: they differ.
    """
    wanted, kept = outcome(pair.numpy, args)
    found, also_kept = outcome(pair.native, args)
    if wanted is MISS:
        assert found is MISS
        return "missed"
    if is_refusal(found):
        return "left"
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        assert type(found) is type(wanted), (found, wanted)
        return "equal"
    assert_alike(found, wanted, single, kinds)
    assert_alike(also_kept, kept)
    return "equal"


def looped(form: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """A program with the call in its loop."""

    def program(v: Any, m: Any) -> Any:
        total = 0.0
        for _ in range(3):
            y = form(v, m)
            total += 0.5 * np.sum(y * y)
            v = 0.9 * v + 0.01 * total
            m = 0.9 * m
        return total

    return program


def whole(fn: Callable[..., Any], args: Sequence[Any], numba: bool = False) -> Pair:
    """The programs of a value and gradient of which all loops are one compiled function.

    Raises:
        AssertionError: something stays NumPy's, or the backends differ at `args`.
    """
    if numba:
        pytest.importorskip("numba")
    pair = both(Request("value_and_grad", fn, (0,), single=False), args, len(args), numba)
    assert (pair.functions, pair.reasons) == (1, [])
    assert compare(pair, args) == "equal"
    return pair
