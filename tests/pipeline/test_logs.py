"""Reports while calls compile: logs, warnings of many programs, programs as files."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.pipeline import machine
from srcad.pipeline.calls.recompiling import MANY
from srcad.pipeline.disk import dump
from srcad.pipeline.specialisation import Specialisation

ROOT = Path(__file__).parents[2]
X = np.array([1.0, 2.0])
needs_numba = pytest.mark.skipif(bool(machine.why_not()), reason="no Numba")


def loss(p: Any, n: Any) -> Any:
    y = p["w"] * n
    return np.sum(y * y)


def sliced(x: Any, n: int) -> Any:
    parts = (x, 2.0 * x, 3.0 * x)[: 1 + (n > 1)]
    return np.sum(sum(parts)) * n


def told_by(caplog: pytest.LogCaptureFixture, call: Any) -> list[str]:
    caplog.clear()
    with caplog.at_level(logging.INFO, "srcad"):
        call()
    assert all(record.name == "srcad" for record in caplog.records)
    return [record.getMessage() for record in caplog.records]


def test_compiles_and_what_changed(caplog: pytest.LogCaptureFixture) -> None:
    gradient = srcad.grad(loss, backend="numpy", cache=False)
    (first,) = told_by(caplog, lambda: gradient({"w": X}, 2.0))
    assert first.startswith("grad of loss (test_logs.py:27): compiled in ")
    assert told_by(caplog, lambda: gradient({"w": X}, 2.0)) == []
    for args, why in (
        (({"w": X.astype(np.float32)}, 2.0), "`p['w']` is float32[:], was float64[:]"),
        (({"w": X}, 2), "`n` is int, was float"),
        (({"w": X[:1]}, 2.0), "`p['w']` is float64[1], was float32[:]"),
        (({"w": X, "b": X}, 2.0), "`p` is a dict of 'w', 'b', was a dict of 'w'"),
    ):
        (again,) = told_by(caplog, lambda args=args: gradient(*args))
        assert ": compiled again in " in again
        assert again.endswith(f" ms: {why}")


def test_a_constant_that_changed(caplog: pytest.LogCaptureFixture) -> None:
    gradient = srcad.grad(sliced, backend="numpy", cache=False)
    gradient(X, 1)
    (told,) = told_by(caplog, lambda: gradient(X, 2))
    assert told.endswith("`n` is 2, was 1")


scale = np.ones(2)


def scaled(x: Any) -> Any:
    return np.sum(x * scale)


def test_a_captured_value_that_changed(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    gradient = srcad.grad(scaled, backend="numpy", cache=False)
    gradient(X)
    monkeypatch.setitem(globals(), "scale", 2.0)
    (told,) = told_by(caplog, lambda: gradient(X))
    assert told.endswith("`scale` is float, was float64[:]")


def test_programs_from_disk(caplog: pytest.LogCaptureFixture) -> None:
    srcad.grad(loss, backend="numpy")({"w": X}, 3.0)
    (told,) = told_by(caplog, lambda: srcad.grad(loss, backend="numpy")({"w": X}, 3.0))
    assert ": read from the cache in " in told


@needs_numba
def test_fallbacks_to_numpy(caplog: pytest.LogCaptureFixture) -> None:
    def without_loops(x: Any) -> Any:
        return np.sum(np.linalg.inv(x))

    told = told_by(caplog, lambda: srcad.grad(without_loops, backend="native")(np.eye(2)))
    assert any(": stays on NumPy: nothing in it is compiled: " in each for each in told)


@needs_numba
def test_a_compiler_that_fails(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any) -> Specialisation:
        raise OSError("no room")

    def looped(x: Any) -> Any:
        total = 0.0
        for i in range(len(x)):
            total += x[i] ** 2
        return total

    monkeypatch.setattr(machine, "load", fails)
    gradient = srcad.grad(looped, backend="native")
    with pytest.warns(RuntimeWarning, match="runs on NumPy"):
        told = told_by(caplog, lambda: gradient(X))
    assert any("runs on NumPy: it cannot be compiled: OSError: no room" in each for each in told)
    (warned,) = [each for each in caplog.records if each.levelname == "WARNING"]
    assert "no room" in warned.getMessage()


def test_who_does_not_listen_sees_nothing(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    text = "import {}numpy, srcad\ndef f(x): return x * x\nprint(srcad.grad(f)(3.0))\n"
    for imports in ("", "logging, "):
        program.write_text(text.format(imports))
        done = subprocess.run(
            [sys.executable, program], capture_output=True, text=True, check=True,
            env={"PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"},
        )  # fmt: skip
        assert (done.stdout, done.stderr) == ("6.0\n", "")


# Many programs ------------------------------------------------------------------------------------


def total(parts: Any) -> Any:
    return sum(np.sum(part * part) for part in parts)


def weighed(x: Any, w: Any) -> Any:
    return np.sum(w(x))


def by_value(k: int) -> Any:
    return (X, k)


def by_length(k: int) -> Any:
    return ([X] * (k + 1),)


def by_key(k: int) -> Any:
    return ({"w": X, f"other_{k}": X}, 2.0)


def by_function(k: int) -> Any:
    return (X, lambda x: x * x)


@pytest.mark.parametrize(
    ("f", "args_of", "told"),
    [
        (sliced, by_value, r"for each of 9 values of `n` \(0, 1, 2, \.\.\.\), and compiles"),
        (total, by_length, r"9 programs.*`parts` changes, which was a list of 1, .* array"),
        (loss, by_key, r"9 programs.*`p` changes, .* a dict of 'w', 'other_0'.*the same keys"),
        (weighed, by_function, r"9 programs.*`w` changes, which was another object; .*once"),
    ],
    ids=["value", "length", "keys", "function"],
)
def test_many_programs_are_told_once_with_what_changes(f: Any, args_of: Any, told: str) -> None:
    gradient = srcad.grad(f, backend="numpy", cache=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(MANY):
            gradient(*args_of(k))
    with pytest.warns(RuntimeWarning, match=told) as found:
        gradient(*args_of(MANY))
    assert [each.filename for each in found] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient(*args_of(MANY + 1))


# SRCAD_DUMP ---------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    wanted = tmp_path / "made" / "for it"
    monkeypatch.setenv("SRCAD_DUMP", str(wanted))
    return wanted


@pytest.mark.parametrize("backend", ["numpy", pytest.param("native", marks=needs_numba)])
def test_every_program_is_written(folder: Path, backend: str) -> None:
    gradient = srcad.grad(loss, backend=backend)
    gradient({"w": X}, 2.0)
    (path,) = folder.glob("loss_grad-*.py")
    assert path.read_text() == gradient.source()
    gradient({"w": X.astype(np.float32)}, 2.0)
    srcad.jvp(scaled, (X,), (X,), backend=backend)
    assert len([*folder.glob("loss_grad-*.py")]) == 2
    assert len([*folder.glob("scaled_jvp-*.py")]) == 1


def test_programs_from_disk_are_written_too(folder: Path) -> None:
    for k in range(2):
        srcad.grad(loss, backend="numpy")({"w": X}, 2.0)
        (path,) = folder.iterdir()
        if k == 0:
            path.unlink()


def test_another_text_is_not_overwritten(folder: Path) -> None:
    srcad.grad(loss, backend="numpy")({"w": X}, 2.0)
    (path,) = folder.iterdir()
    path.write_text("# mine\n")
    gradient = srcad.grad(loss, backend="numpy")
    gradient({"w": X}, 2.0)
    assert path.read_text() == "# mine\n"
    assert path.with_name(f"{path.stem}-2.py").read_text() == gradient.source()


def test_names_are_safe(folder: Path) -> None:
    def größe(x: Any) -> Any:
        return x * x

    größe.__name__ = "../../größe" + "e" * 200
    assert srcad.grad(größe, backend="numpy")(3.0) == 6.0
    srcad.grad(lambda x: x * x, backend="numpy")(3.0)
    names = sorted(path.name for path in folder.iterdir())
    assert len(names) == 2
    assert all(name.isascii() and len(name) < 80 for name in names)


def test_a_folder_that_cannot_be_written_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("SRCAD_DUMP", str(blocked / "folder"))
    monkeypatch.setattr(dump, "_told", set())
    with pytest.warns(RuntimeWarning, match=r"SRCAD_DUMP: programs cannot be written to"):
        assert srcad.grad(lambda x: x * x, backend="numpy")(3.0) == 6.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert srcad.grad(lambda x: x * x * x, backend="numpy")(1.0) == 3.0


def test_breakpoints_in_a_written_program(folder: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy, srcad\n"
        "def f(x):\n    return numpy.sum(x * x)\n"
        "print(srcad.grad(f, backend='numpy')(numpy.ones(2)))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "SRCAD_CACHE": "0"}
    subprocess.run([sys.executable, program], env=environment, check=True, capture_output=True)
    (path,) = folder.iterdir()
    at = 1 + path.read_text().splitlines().index("    return x_bar")
    done = subprocess.run(
        [sys.executable, "-m", "pdb", program], input=f"b {path}:{at}\nc\np x_bar\nq\n", text=True,
        capture_output=True, check=True, env=environment,
    )  # fmt: skip
    assert f"> {path}({at})f_grad()" in done.stdout
    assert "array([2., 2.])" in done.stdout
