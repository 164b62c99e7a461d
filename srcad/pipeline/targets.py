"""Targets: what programs are made for, each behind one interface.

    TARGETS["native"].why_not()       'Numba is not installed: pip install "numba<0.69" scipy'
    targets_of("native")              (NATIVE,)
    targets_of("auto")                (NUMPY, NATIVE): the first answers, the last may take over

A further target is a subclass of `Target` in a file of its own, and an entry in `TARGETS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcad.emit.module import Emitted
    from srcad.ir import Function
    from srcad.pipeline.artifact import Artifact, Loaded


class Target:
    """One on which the whole program runs as it is printed: NumPy.

    name: the backend that users ask for.
    title: what `.explain()` calls it.
    compiles: whether loops, and runs of operations on arrays, become functions of their own with
        loops over numbers, which this target compiles. `emit` prints them in its dialect
        (`srcad.emit.native`), and `load` makes them callable.
    has_kernels: whether it may call `srcad.kernels.compiled`.
    """

    name, title = "numpy", "NumPy"
    compiles = has_kernels = False

    def why_not(self) -> str:
        """Why it cannot run here, and the way out: "reason: way out"; "" where it can."""
        return ""

    def versions(self) -> Sequence[Any]:
        """What its programs depend on besides Python, NumPy and srcad, as constants."""
        return ()

    def emit(self, program: Function, doc: str) -> Emitted:
        """The text of a program, with a docstring."""
        from srcad.emit.module import emit

        return emit(program, doc=doc)

    def load(self, artifact: Artifact, keep: bool) -> Loaded:
        """Make a program with compiled functions callable. If one raises `Refused`, or an exception
        that `srcad.pipeline.calls.refusal` knows, NumPy runs the call; so where it raises, it has
        drawn no random numbers (`srcad.pipeline.calls.undone`).

        Args:
            keep: on disk, for the next process.
        """
        raise NotImplementedError

    @property
    def is_available(self) -> bool:
        """Whether it can run here."""
        return not self.why_not()


class Native(Target):
    """Numba, which compiles functions with a decorator."""

    name, title = "native", "compiled code"
    compiles = has_kernels = True

    def why_not(self) -> str:
        """Whether a version of Numba is there that was tested."""
        from srcad.pipeline import machine

        return machine.why_not()

    def versions(self) -> Sequence[Any]:
        """Of Numba, the processor and the BLAS."""
        from srcad.pipeline.disk.surroundings import compiler_versions

        return compiler_versions()

    def load(self, artifact: Artifact, keep: bool) -> Loaded:
        """Import it from a file, beside which machine code is kept."""
        from srcad.pipeline import machine

        return machine.load(artifact, machine.path_of(artifact, keep))


class Source(Target):
    """One whose programs are written, for others to compile: C."""

    name, title = "c", "C"
    compiles = True


NUMPY, NATIVE, C = Target(), Native(), Source()
TARGETS = {each.name: each for each in (NUMPY, NATIVE)}
_WRITTEN = {C.name: C}
AUTO = "auto"


def targets_of(backend: str) -> tuple[Target, ...]:
    """The targets of a backend: programs are made for the first; the last, if it is another, may
    take over.
    """
    if backend in _WRITTEN:
        return (_WRITTEN[backend],)
    return (NUMPY, NATIVE) if backend == AUTO else (TARGETS[backend],)


def backends() -> tuple[str, ...]:
    """What users may ask for."""
    return (AUTO, *TARGETS)
