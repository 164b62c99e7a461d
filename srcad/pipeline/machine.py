"""How a program with compiled functions becomes a callable: a real file, which is imported.

    text of `heat_grad`   ->   ~/.cache/srcad/heat_grad-5e1f.../heat_grad.py   ->   heat_grad

Numba keeps machine code beside a source file, for the file as it stands and for the processor: so
the text is written once, under a name made of its content, and the next process compiles nothing.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad import cache
from srcad.forks import importing
from srcad.interrupts import raise_dropped, raise_users_own
from srcad.pipeline.artifact import Artifact, Loaded
from srcad.pipeline.calls.undone import undoing
from srcad.pipeline.disk import build
from srcad.pipeline.disk.dump import dump
from srcad.pipeline.disk.surroundings import Opaque, compiler_versions, surroundings

# The newest minor version of Numba that was tested, as `pyproject.toml` has it: srcad uses its
# internals (`srcad.kernels.numba_adapter`), which change between these.
TESTED = (0, 68)
INSTALL = f'pip install "numba<{TESTED[0]}.{TESTED[1] + 1}" scipy'

_loaded: dict[str, Callable[..., Any]] = {}


def why_not() -> str:
    """Why nothing can be compiled here, and the way out; "" where it can. Numba is not imported."""
    version = numba_version()
    if version is None:
        return f"Numba is not installed: {INSTALL}"
    minor = tuple(map(int, version.split(".")[:2])) if version else (sys.maxsize,)
    if minor <= TESTED or os.environ.get("SRCAD_NATIVE") == "1":
        return ""
    major, newest = TESTED
    return (
        f"srcad was tested with Numba up to {major}.{newest}, and this is "
        f"{version or 'of unknown version'}: {INSTALL}, "
        "or set SRCAD_NATIVE=1 to use it all the same"
    )


def numba_version() -> str | None:
    """The version of Numba that is installed, "" if it cannot be told; None if none is installed.

    It is read from Numba's file: its metadata would take as long to read as a small gradient.
    """
    found = importlib.util.find_spec("numba")
    return _version_beside(found.origin or "") if found is not None else None


@functools.cache
def _version_beside(path: str) -> str:
    try:
        with open(os.path.join(os.path.dirname(path), "_version.py")) as file:
            told = re.search(r'"version": "(\d+\.\d+[^"]*)"', file.read())
    except OSError as problem:
        raise_users_own(problem)
        return ""
    return told[1] if told else ""


def path_of(artifact: Artifact, keep: bool) -> str:
    """The file with the program's text, written if need be.

    Args:
        keep: in the cache folder; else, or where there is none, in a folder of this process.
    """
    try:
        facts = [artifact.text, surroundings(), compiler_versions()]
    except Opaque:
        facts, keep = [artifact.text], False
    digest = hashlib.sha256(repr(facts).encode()).hexdigest()[:32]
    name = re.sub(r"\W", "_", artifact.entry, flags=re.ASCII)[:60]
    return cache.module_file(f"{name}-{digest}", artifact.text, keep=keep)


def load(artifact: Artifact, path: str) -> Loaded:
    """Import the program from its file; Numba compiles what it has not compiled before. Where it
    raises, it has drawn no random numbers.

    Raises what Numba raises where it cannot.
    """
    start = time.perf_counter()
    dump(artifact)
    with importing:
        entry = None if artifact.globals else _loaded.get(path)
        if entry is None:
            with raise_dropped():
                entry = _import(artifact, path)
            if not artifact.globals:
                _loaded[path] = entry
    return Loaded(undoing(artifact, entry), path, time.perf_counter() - start)


def refuses_read_only(told: str) -> bool:
    """Whether an exception says that an array is read-only, which is a type of its own to Numba."""
    return "readonly array" in told


def copying(entry: Callable[..., Any]) -> Callable[..., Any]:
    """The program for arguments with read-only arrays in them: it gets copies."""

    def call(*args: Any) -> Any:
        return entry(*map(_writable, args))

    return call


def _writable(x: Any) -> Any:
    if type(x) is np.ndarray:
        return x if x.flags.writeable else x.copy()
    if type(x) in (tuple, list):
        return type(x)(map(_writable, x))
    if type(x) is dict:
        return {key: _writable(item) for key, item in x.items()}
    return x


def _import(artifact: Artifact, path: str) -> Callable[..., Any]:
    from srcad.kernels.loading import load_before_compiling
    from srcad.kernels.standing import StandingPool
    from srcad.kernels.threads import use_pools

    if not load_before_compiling():  # Numba would take from disk what anybody may have put there
        path = cache.module_file(os.path.basename(os.path.dirname(path)), artifact.text, keep=False)
    use_pools(StandingPool)
    module = build.new_module(path)
    try:
        return artifact.load(path, vars(module))
    except BaseException:
        sys.modules.pop(module.__name__, None)
        raise


def compile_seconds(path: str) -> float | None:
    """How long Numba took to compile a file in a process aside; None if that was not done."""
    try:
        with open(build.marker(path)) as file:
            return float(file.read())
    except (OSError, ValueError) as problem:
        raise_users_own(problem)
        return None
