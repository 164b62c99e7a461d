"""Background compilation: a thread that waits, and one compiling process at a time.

    submit(job)                 job() runs in the thread, after those before it
    compile_file(path)          a process of low priority has Numba compile the functions of a file

The process imports no file of the user's. It ends with this one, whatever ends that: it reads from
a pipe without data, which is closed with this process. So does the thread end: where a
program is done, it is interrupted; one that forks waits while it imports.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO

from srcad.forks import importing, lock, renewed
from srcad.pipeline.disk import build

_LIMIT_S = 600.0
_EXIT_S = 10.0

Job = Callable[[], None]


class _Ended(SystemExit):
    """Raised in the thread: Python's end must not find it inside of a library that it loads."""


class _Aside:
    """The thread, its jobs and its process."""

    def __init__(self) -> None:
        self.jobs: queue.SimpleQueue[Job] = queue.SimpleQueue()
        self.thread: threading.Thread | None = None
        self.process: subprocess.Popen[str] | None = None
        self.pipe: IO[str] | None = None
        self.ends = False
        self.lock = lock()

    def run(self) -> None:
        with suppress(_Ended):
            while not self.ends:
                self.jobs.get()()


_aside = _Aside()


def submit(job: Job) -> None:
    """Run a job in the thread; what it raises is its own affair."""
    aside = _aside
    with aside.lock:
        aside.jobs.put(job)
        if aside.thread is None:
            aside.thread = threading.Thread(target=aside.run, name="srcad-compiles", daemon=True)
            aside.thread.start()


def compile_file(path: str, names: Sequence[str] = ()) -> str:
    """Have Numba compile the functions of a file for the disk; returns why it did not, or "".

    names: of what is compiled; with a dtype, `conv2d[float32]`, those are kernels of srcad.
    """
    aside = _aside
    command = [sys.executable, "-P", build.__file__, path, *(n for n in names if n.endswith("]"))]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "SRCAD_NATIVE": "0"}
    with aside.lock:
        if aside.ends:
            return "the process ends"
        try:
            process = aside.process = subprocess.Popen(
                command, env=environment, text=True, start_new_session=True,
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            )  # fmt: skip
            aside.pipe, process.stdin = process.stdin, None  # `communicate` would close it
        except OSError as problem:
            return f"no process could be started: {problem}"
    try:
        _, told = process.communicate(timeout=_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return f"it took longer than {_LIMIT_S:.0f} s"
    finally:
        aside.process = None
        if aside.pipe is not None:
            aside.pipe.close()
    code = process.returncode
    lines = told.strip().splitlines() or [f"the process ended with code {code}"]
    return lines[-1] if code else ""


def _end() -> None:
    aside = _aside
    with aside.lock:
        aside.ends = True
        if aside.process is not None:
            with suppress(OSError):
                aside.process.kill()
    if aside.thread is not None:
        _interrupt(aside.thread)


def _interrupt(thread: threading.Thread) -> None:
    """Raise in the thread until it imports nothing any more."""
    tell = sys.unraisablehook
    sys.unraisablehook = lambda args: None if args.exc_type is _Ended else tell(args)
    until = time.monotonic() + _EXIT_S
    while not importing.acquire(timeout=0.05) and time.monotonic() < until:
        ident = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, ctypes.py_object(_Ended))


def _forget() -> None:
    """In a fork there is no thread, and the process is another's child."""
    global _aside
    pipe, _aside = _aside.pipe, _Aside()
    if pipe is not None:
        pipe.close()  # the process is to end with the one that it works for, not with this one


atexit.register(_end)
renewed(_forget)
