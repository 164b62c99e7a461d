"""What a signal's handler raises comes out, also of work that srcad can go on without.

The class is `TimeoutError`, an `OSError`, which is what handlers raise and what disks raise.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from optional import needs_numba

import srcad
from srcad import cache, ownership
from srcad.cache.entries import Entry
from srcad.errors import Location
from srcad.interrupts import raise_dropped, suppress_others
from srcad.kernels.machine_code import MachineCode

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs SIGALRM")

KEY = "loss-" + "0" * 32


def too_late(number: int, frame: Any) -> None:
    raise TimeoutError("too late")


def struck_once(call: Callable[..., Any]) -> Callable[..., Any]:
    """A signal comes when it is called the first time."""
    signals = [signal.SIGALRM]

    def struck(*args: Any, **kwargs: Any) -> Any:
        if signals:
            signal.raise_signal(signals.pop())
        return call(*args, **kwargs)

    return struck


@pytest.fixture(autouse=True)
def _handler() -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, too_late)
    yield
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def struck() -> Iterator[Callable[[Any, str], Any]]:
    """Has a signal come when a function of a module is called."""
    with ExitStack() as stack:
        yield lambda owner, name: stack.enter_context(
            patch.object(owner, name, struck_once(getattr(owner, name)))
        )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "cache"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(path))
    monkeypatch.delenv("SRCAD_CACHE", raising=False)
    return path


def test_other_errors_are_suppressed() -> None:
    with suppress_others(OSError):
        raise TimeoutError("of a disk")
    with pytest.raises(TimeoutError), suppress_others(OSError):
        signal.raise_signal(signal.SIGALRM)


def _call_back(f: Callable[[], Any]) -> None:
    ctypes.CFUNCTYPE(None)(f)()


def test_what_a_callback_of_c_drops_is_raised() -> None:
    before = sys.unraisablehook
    with pytest.raises(TimeoutError, match="too late"), raise_dropped():
        _call_back(lambda: signal.raise_signal(signal.SIGALRM))
    assert sys.unraisablehook is before


def test_what_others_drop_stays_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda args: told.append(args.exc_type))
    with raise_dropped():
        _call_back(lambda: 1 // 0)
    assert told == [ZeroDivisionError]


def test_a_constant_is_computed(struck: Any) -> None:
    evaluation = importlib.import_module("srcad.frontend.expressions.evaluation")

    def f(x: Any) -> Any:
        return [x, 2 * x][np.arange(2)[1]]

    struck(evaluation.np, "errstate")
    with pytest.raises(TimeoutError, match="too late"):
        srcad.compile(f, cache=False)(1.0)


def test_the_source_of_a_manager_is_read(struck: Any) -> None:
    contexts = importlib.import_module("srcad.frontend.exceptions.contexts")
    struck(contexts.inspect, "getsource")
    with pytest.raises(TimeoutError, match="too late"):
        contexts.may_swallow(np.errstate)


def test_a_place_is_told(struck: Any) -> None:
    struck(os.path, "relpath")
    with pytest.raises(TimeoutError, match="too late"):
        str(Location(__file__, 1, 0, 1, 1, "f"))


@pytest.mark.parametrize("name", ["read_own", "loads"])
def test_machine_code_is_loaded(folder: Path, struck: Any, name: str) -> None:
    files = MachineCode(str(folder), "heat", "source", pickle.dumps, closed=True)
    files.save("key", "code")
    machine_code = importlib.import_module("srcad.kernels.machine_code")
    struck(machine_code.pickle if name == "loads" else machine_code, name)
    with pytest.raises(TimeoutError, match="too late"):
        files.load("key")


def test_machine_code_is_saved(folder: Path, struck: Any) -> None:
    files = MachineCode(str(folder), "heat", "source", pickle.dumps, closed=True)
    struck(importlib.import_module("srcad.kernels.machine_code"), "write_own")
    with pytest.raises(TimeoutError, match="too late"):
        files.save("key", "code")


@needs_numba
@pytest.mark.parametrize("place", ["initialize", "rebuild"])
def test_numba_takes_code_from_disk(folder: Path, struck: Any, place: str) -> None:
    from numba.core import caching, dispatcher
    from numba.core.registry import cpu_target
    from numba.core.runtime import rtsys

    from srcad.kernels import num_threads
    from srcad.kernels.loading import load_before_compiling

    if not load_before_compiling():
        pytest.skip("this version of Numba has no place for it")
    of_srcad = dispatcher.FunctionCache(num_threads)
    owner = type(rtsys) if place == "initialize" else caching.CompileResultCacheImpl
    with patch.object(of_srcad, "files") as on_disk:
        on_disk.load.return_value = "code"
        struck(owner, place)
        with pytest.raises(TimeoutError, match="too late"):
            of_srcad.load_overload((), cpu_target.target_context)


@pytest.mark.parametrize("name", ["open", "lstat"])
def test_the_cache_is_read(folder: Path, struck: Any, name: str) -> None:
    assert cache.store(KEY, Entry("text", {}))
    struck(ownership.os, name)
    with pytest.raises(TimeoutError, match="too late"):
        cache.load(KEY)


@pytest.mark.parametrize("name", ["open", "replace", "mkdir"])
def test_the_cache_is_written(folder: Path, struck: Any, name: str) -> None:
    folder.rmdir()
    struck(os, name)
    with pytest.raises(TimeoutError, match="too late"):
        cache.store(KEY, Entry("text", {}))


@pytest.mark.parametrize("name", ["open", "replace", "mkdir"])
def test_a_program_is_written(folder: Path, struck: Any, name: str) -> None:
    struck(os, name)
    with pytest.raises(TimeoutError, match="too late"):
        cache.module_file(KEY, "x = 1\n")


@pytest.mark.parametrize("name", ["scandir", "unlink"])
def test_the_cache_is_emptied(folder: Path, struck: Any, name: str) -> None:
    assert cache.store(KEY, Entry("text", {}))
    struck(os, name)
    with pytest.raises(TimeoutError, match="too late"):
        cache.clear()
