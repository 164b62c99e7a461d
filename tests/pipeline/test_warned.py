"""NumPy's warnings in generated programs stand at the user's line, in both sweeps."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.pipeline import machine

ROOT = Path(__file__).parents[2]

BACKENDS = [
    "numpy",
    pytest.param("native", marks=pytest.mark.skipif(bool(machine.why_not()), reason="no Numba")),
]


def logarithms(x: Any) -> Any:
    y = x * x
    return np.sum(np.log(y))


def roots(x: Any) -> Any:
    y = np.sqrt(x)
    return np.sum(y * 3.0)


def growing(x: Any) -> Any:
    y = np.exp(x * 1000.0)
    return y @ y


def means(x: Any) -> Any:
    return np.mean(x[5:])


def warned(call: Any) -> list[tuple[str, str, int]]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [(str(each.message), each.filename, each.lineno) for each in caught]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if line.strip() == text)


ZERO = np.array([0.0, 1.0, 2.0])


def test_the_forward_sweep() -> None:
    for f, what, text in (
        (logarithms, "divide by zero encountered in log", "return np.sum(np.log(y))"),
        (growing, "overflow encountered in exp", "y = np.exp(x * 1000.0)"),
        (means, "invalid value encountered", "return np.mean(x[5:])"),
    ):
        compiled = srcad.compile(f, backend="numpy")
        for _ in range(3):
            found = warned(lambda compiled=compiled: compiled(ZERO))
            assert any(told.startswith(what) for told, _, _ in found)
            assert {place[1:] for place in found} == {(__file__, line_of(text))}


def test_the_reverse_sweep_says_of_what_it_is_the_derivative() -> None:
    gradient = srcad.grad(roots, backend="numpy")
    for _ in range(3):
        (told, file, line), *_ = warned(lambda: gradient(ZERO))
        assert told == "divide by zero encountered in divide, in the derivative of `np.sqrt`"
        assert (file, line) == (__file__, line_of("y = np.sqrt(x)"))


def test_a_program_from_disk_says_it_too() -> None:
    warned(lambda: srcad.grad(roots, backend="numpy")(ZERO))
    (told, _, _), *_ = warned(lambda: srcad.grad(roots, backend="numpy")(ZERO))
    assert told.endswith("in the derivative of `np.sqrt`")


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "run",
    [
        lambda f, x, **kw: srcad.grad(f, **kw)(x),
        lambda f, x, **kw: srcad.jvp(f, (x,), (np.ones(3),), **kw),
        lambda f, x, **kw: srcad.vjp(f, x, **kw)[1](1.0),
        lambda f, x, **kw: srcad.hessian(f, **kw)(x),
    ],
    ids=["grad", "jvp", "vjp", "hessian"],
)
def test_no_warning_is_at_a_generated_line(run: Any, backend: str) -> None:
    for f in (logarithms, roots, growing, means):
        for _, file, _ in warned(lambda f=f: run(f, ZERO, backend=backend)):
            assert file == __file__


def test_a_warning_as_an_error_leads_to_the_line() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="divide by zero") as caught:
            srcad.value_and_grad(logarithms, backend="numpy")(ZERO)
    lines = [str(entry.statement).strip() for entry in caught.traceback]
    assert lines[-2] == "return np.sum(np.log(y))"


def test_other_warnings_are_left_alone() -> None:
    assert warned(lambda: np.log(np.zeros(1)))[0][1:] == (
        __file__,
        line_of("assert warned(lambda: np.log(np.zeros(1)))[0][1:] == ("),
    )

    @srcad.rules.nondiff
    def own(x: Any) -> float:
        warnings.warn("mind this", RuntimeWarning, stacklevel=1)
        return 2.0

    found = warned(lambda: srcad.grad(lambda x: own(x) * x, backend="numpy")(1.0))
    at = line_of('warnings.warn("mind this", RuntimeWarning, stacklevel=1)')
    assert ("mind this", __file__, at) in found


PROGRAM = """
import numpy as np
import srcad

def loss(x):
    y = np.sqrt(x)
    return np.sum(y)

srcad.grad(loss, backend="numpy")(np.zeros(2))
"""


def test_what_python_prints(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, program], capture_output=True, text=True, check=True,
        env={"PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"},
    )  # fmt: skip
    what = "divide by zero encountered in divide, in the derivative of `np.sqrt`"
    assert done.stderr == f"{program}:6: RuntimeWarning: {what}\n  y = np.sqrt(x)\n"


def warns_itself(x: Any) -> Any:
    if x > 0:
        warnings.warn("far out", stacklevel=1)
    return x * x


def test_what_the_function_warns_of_itself() -> None:
    line = line_of('warnings.warn("far out", stacklevel=1)')
    for call in (warns_itself, srcad.compile(warns_itself), srcad.grad(warns_itself)):
        assert warned(lambda call=call: call(1.5)) == [("far out", __file__, line)]
