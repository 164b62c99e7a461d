"""A program as it is sent to workers, and the function that runs one part there.

A worker gets the text of a program once and keeps it loaded; afterwards its digest is enough. One
that has none of that digest says so (`Missing`), and is sent it again: a new process, for instance.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import socket
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from srcad.api.arguments.trees import leaves, map_leaves
from srcad.errors import error
from srcad.interrupts import raise_users_own
from srcad.once import cached_property
from srcad.parallel.shipping import Files, packed, unpack
from srcad.parallel.storage import Stored, read
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.refusal import raise_meant
from srcad.pipeline.targets import NATIVE

_KEPT = 64  # programs of a process

Entry = Callable[..., Any]


@dataclass(frozen=True)
class Program:
    """NumPy's program of a part, and the compiled one, which runs if there is one."""

    numpy: Artifact
    native: Artifact | None = None
    versions: tuple[str, ...] = field(default_factory=lambda: (np.__version__,))
    machine_code: Files | None = None

    @cached_property
    def digest(self) -> str:
        """What it is known by."""
        texts = [each.text for each in (self.numpy, self.native) if each is not None]
        return hashlib.sha256("\0".join([*self.versions, *texts]).encode()).hexdigest()

    @cached_property
    def sent(self) -> bytes:
        """The program for another process, with its machine code.

        Raises:
            CacheError: E503, it needs what means nothing there.
        """
        codes = None
        if self.native is not None:
            NATIVE.load(self.native, keep=True)
            codes = packed(self.native)
        bare = replace(
            self, numpy=_bare(self.numpy), native=self.native and _bare(self.native),
            machine_code=codes,
        )  # fmt: skip
        try:
            return pickle.dumps(bare)
        except Exception as problem:
            raise_users_own(problem)
            raise error("E503", None, what="an object that it refers to") from problem


def _bare(artifact: Artifact) -> Artifact:
    """Without what was checked before it is sent."""
    return replace(artifact, guards=(), kept=(), captures=())


@dataclass(frozen=True, slots=True)
class Shared:
    """What all parts of a call have in common.

    digest: of the program, which comes along where a worker may not have it. args: with None in
    the `places` of those that are split. like: dtype and shape of one sample, of each of those that
    lie with workers.
    """

    digest: str
    program: bytes | None
    args: tuple[Any, ...]
    places: tuple[int, ...]
    captured: tuple[Any, ...]
    count: int
    like: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Task:
    """One part: its arguments (None for what lies with workers), its share of the samples, and its
    number.
    """

    args: tuple[Any, ...]
    share: float
    number: int

    @property
    def is_stored(self) -> bool:
        """Whether some of it is in a file."""
        return any(isinstance(leaf, Stored) for arg in self.args for leaf in leaves(arg))

    def read(self) -> Task:
        """The same with what is in files read; as it is if that fails, which `run` tells then."""
        try:
            return replace(self, args=tuple(map(read, self.args)))
        except Exception as problem:
            raise_users_own(problem)
            return self


class Missing:
    """What a worker returns, the class itself, that has not got the program."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What a part raised, where."""

    problem: BaseException
    number: int


_loaded: OrderedDict[str, Entry] = OrderedDict()


def keep(program: Program) -> Entry:
    """Load a program for the tasks of this process."""
    if program.digest not in _loaded:
        _loaded[program.digest] = _entry(program)
    while len(_loaded) > _KEPT:
        _loaded.popitem(last=False)
    return _loaded[program.digest]


def run(shared: Shared, task: Task, *blocks: Any) -> Any:
    """The result of a part; `Failed` with what it raised, or `Missing`.

    Args:
        blocks: the arguments of the part, where they lie with the worker.
    """
    try:
        if shared.digest not in _loaded:
            if shared.program is None:
                return Missing
            keep_sent(shared.program)
        return _loaded[shared.digest](*arguments(shared, task, blocks))
    except Exception as problem:
        raise_users_own(problem)
        problem.add_note(f"in part {task.number + 1} of {shared.count}, {_here()}")
        return Failed(sendable(problem), task.number)


def keep_sent(sent: bytes) -> Program:
    """Load a program that came from another process."""
    program: Program = pickle.loads(sent)
    _check_versions(program)
    keep(program)
    return program


def arguments(shared: Shared, task: Task, blocks: Sequence[Any]) -> list[Any]:
    """What the program is called with."""
    args, lying = [*shared.args], iter(_checked(shared, blocks))
    for place, part in zip(shared.places, task.args, strict=True):
        args[place] = next(lying) if part is None else read(part)
    return [*map(_aligned, args), task.share, *shared.captured]


def _checked(shared: Shared, blocks: Sequence[Any]) -> list[Any]:
    """Arrays that lie here, if they are what the program was compiled for."""
    found = []
    for block, (dtype, shape) in zip(blocks, shared.like, strict=True):
        x = np.asarray(block)
        if x.dtype != dtype or x.shape[1:] != shape:
            told = f"expected {dtype} of shape (n, {str(shape)[1:]}, got {x.dtype} {x.shape}"
            raise ValueError(f"a part is not like the first one: {told}")
        found.append(np.ascontiguousarray(x))
    return found


def _aligned(tree: Any) -> Any:
    """The same arrays; copies of those that came at odd addresses, for which BLAS is not called:
    last digits would depend on the way an array came.
    """
    if all(x.flags.aligned for x in leaves(tree) if isinstance(x, np.ndarray)):
        return tree
    return map_leaves(_aligned_array, tree)


def _aligned_array(x: Any) -> Any:
    return np.require(x, requirements="A") if isinstance(x, np.ndarray) else x


def _check_versions(program: Program) -> None:
    if program.versions != (np.__version__,):
        (wanted,) = program.versions
        raise RuntimeError(
            f"the program was compiled for NumPy {wanted}, and this worker has {np.__version__}: "
            "install one version everywhere"
        )


def _here() -> str:
    return f"in process {os.getpid()} on {socket.gethostname()}"


def sendable(problem: Exception) -> BaseException:
    """An exception that comes out of another process as it went in, or one that tells of it."""
    notes = getattr(problem, "__notes__", [])
    try:
        copy = pickle.loads(pickle.dumps(problem))
        if type(copy) is type(problem) and str(copy) == str(problem):
            return problem
    except Exception as other:
        raise_users_own(other)
    told = RuntimeError(f"{type(problem).__name__}: {problem}")
    for note in notes:
        told.add_note(note)
    return told


def _entry(program: Program) -> Entry:
    """The callable of a program; where compiled code leaves a call, NumPy runs it."""
    plain, plain_file = program.numpy, f"<srcad {program.numpy.entry} {program.digest[:8]}>"
    loaded: list[Entry] = []

    def by_numpy(*args: Any) -> Any:
        if not loaded:
            loaded.append(plain.load(plain_file))
        try:
            return loaded[0](*args)
        except Exception as problem:
            raise_meant(problem, plain, plain_file)

    if program.native is None:
        return by_numpy
    if program.machine_code is not None:
        unpack(program.machine_code, program.native)
    native = NATIVE.load(program.native, keep=True).entry

    def by_machine(*args: Any) -> Any:
        try:
            return native(*args)
        except Exception as problem:
            raise_users_own(problem)
            return by_numpy(*args)

    return by_machine


__all__ = [
    "Failed", "Missing", "Program", "Shared", "Task", "arguments", "keep", "keep_sent", "run",
    "sendable",
]  # fmt: skip
