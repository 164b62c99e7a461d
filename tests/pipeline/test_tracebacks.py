"""Exceptions that leave a call: the user's frames, his line, the program, and none of srcad's."""

from __future__ import annotations

import signal
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.pipeline import machine

ROOT = Path(__file__).parents[2]
OWN = str(ROOT / "srcad")

BACKENDS = [
    "numpy",
    pytest.param("native", marks=pytest.mark.skipif(bool(machine.why_not()), reason="no Numba")),
]


def inverse(z: Any) -> Any:
    return np.linalg.inv(z)


def loss(x: Any, k: Any) -> Any:
    y = np.log(x)
    return np.sum(inverse(k)) + np.sum(y) * k[0, 0]


GOOD = (np.array([1.0, 2.0]), np.eye(2))
BAD = (np.array([1.0, 2.0]), np.zeros((2, 2)))


def frames_of(call: Any, *args: Any, **kwargs: Any) -> list[traceback.FrameSummary]:
    try:
        call(*args, **kwargs)
    except Exception as problem:
        return [*traceback.extract_tb(problem.__traceback__)]
    raise AssertionError("nothing was raised")


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.strip() == text)


def check_leads_to_line(frames: list[traceback.FrameSummary]) -> None:
    assert not [frame for frame in frames if frame.filename.startswith(OWN)]
    assert not [frame for frame in frames if "dispatch" in frame.filename]
    users = [frame for frame in frames if frame.filename == __file__]
    wanted = (line_of("return np.linalg.inv(z)"), "inverse")
    assert (users[-1].lineno, users[-1].name) == wanted
    behind = frames[frames.index(users[-1]) + 1]
    assert behind.name.startswith("loss_")
    assert "np.linalg.inv(k)" in str(behind.line)


@pytest.mark.parametrize("backend", BACKENDS)
def test_first_call_warm_call_and_keywords(backend: str) -> None:
    gradient = srcad.grad(loss, backend=backend)
    check_leads_to_line(frames_of(gradient, *BAD))
    gradient(*GOOD)
    gradient(*GOOD)
    check_leads_to_line(frames_of(gradient, *BAD))
    check_leads_to_line(frames_of(gradient, BAD[0], k=BAD[1]))


@pytest.mark.parametrize(
    "run",
    [
        lambda *args: srcad.jvp(loss, args, args),
        lambda *args: srcad.vjp(loss, *args),
        lambda *args: srcad.jacobian(loss)(*args),
        lambda *args: srcad.hvp(loss)(args[0], args[0], args[1]),
    ],
    ids=["jvp", "vjp", "jacobian", "hvp"],
)
def test_all_transformations(run: Any) -> None:
    check_leads_to_line(frames_of(run, *BAD))


def roots(x: Any) -> Any:
    return np.sqrt(x)


def test_a_pullback_leads_to_the_line() -> None:
    _, pullback = srcad.vjp(roots, np.zeros(2))
    with np.errstate(divide="raise"):
        frames = frames_of(pullback, np.ones(2))
        assert not [frame for frame in frames if frame.filename.startswith(OWN)]
        assert frames[-2].line == "return np.sqrt(x)"
        assert frames[-1].filename.startswith("<srcad roots_vjp ")
        with pytest.raises(FloatingPointError) as caught:
            pullback(np.ones(2))
    assert any("return np.sqrt(x)" in note for note in caught.value.__notes__)


def test_refusals_show_the_users_frames_alone() -> None:
    def of_text(x: Any) -> Any:
        return open(x)

    for run in (
        lambda: srcad.grad(of_text)(1.0),
        lambda: srcad.grad(loss)(1.0),
        lambda: srcad.grad(loss).source(),
        lambda: srcad.grad(of_text).show(1.0),
    ):
        files = {frame.filename for frame in frames_of(run)}
        assert files == {__file__}


def test_the_inserted_frame_has_the_programs_names() -> None:
    try:
        srcad.grad(loss, backend="numpy")(*BAD)
    except np.linalg.LinAlgError as problem:
        trace = problem.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_name != "inverse":
            trace = trace.tb_next
    assert trace is not None
    assert np.array_equal(trace.tb_frame.f_locals["k"], BAD[1])


def test_calls_inside_calls() -> None:
    inner = srcad.grad(loss, backend="numpy")

    @srcad.rules.nondiff
    def measured(x: Any, k: Any) -> Any:
        return float(np.sum(inner(x, k)))

    def outer(x: Any, k: Any) -> Any:
        return np.sum(x) * measured(x, k)

    frames = frames_of(srcad.grad(outer), *BAD)
    check_leads_to_line(frames)
    lines = [frame.line for frame in frames]
    assert lines.count("return np.linalg.inv(z)") == 1
    assert lines.count("return np.sum(x) * measured(x, k)") == 1


def test_all_frames_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SRCAD_TRACEBACK", "full")
    files = [frame.filename for frame in frames_of(srcad.grad(loss), *BAD)]
    assert any(name.startswith(OWN) for name in files)


def test_exceptions_of_signals_stay_as_they_are() -> None:
    def too_late(number: int, frame: Any) -> None:
        raise TimeoutError

    def slow(x: Any) -> Any:
        for _ in range(10_000_000):
            x = x * 0.5
        return np.sum(x)

    gradient = srcad.grad(slow, backend="numpy")
    before = signal.signal(signal.SIGALRM, too_late)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeoutError) as caught:
            gradient(np.ones(3))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert caught.traceback[-1].name == "too_late"


PROGRAM = """
import numpy as np
import srcad

def helper(z):
    return np.log(z)

def loss(x, k):
    y = helper(x)
    return np.sum(y) * k

gradient = srcad.grad(loss, backend="numpy")
for _ in range(2):
    x = np.ones(2)
    value = gradient(x, 2.0)
    print(value)
"""


def debugged(tmp_path: Path, *commands: str) -> str:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "pdb", program], input="\n".join([*commands, "q", ""]), text=True,
        capture_output=True, check=True, env={"PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"},
    )  # fmt: skip
    return done.stdout


@pytest.mark.parametrize("to_call", [["c"], ["c", "c"]], ids=["first call", "warm call"])
def test_a_debugger_steps_into_the_program(tmp_path: Path, to_call: list[str]) -> None:
    told = debugged(tmp_path, "b 15", *to_call, "s", "s", "n", "s", "s", "p value")
    behind = told.partition("--Call--")[2].split("(Pdb) ")
    assert "loss_grad()" in behind[0]
    assert "def loss_grad(x, k):" in behind[0]
    assert "srcad/" not in told.replace("<srcad", "")
    assert "dispatch" not in told
    assert "--Return--" in told
    assert "array([2., 2.])" in told


def test_a_breakpoint_in_the_program_is_met_again(tmp_path: Path) -> None:
    told = debugged(tmp_path, "b 15", "c", "s", "b 11", "cl 1", "c", "c", "p x_bar", "p k")
    assert told.count("-> x_bar = ") + told.count("-> return x_bar") >= 2
    assert "(Pdb) 2.0" in told
