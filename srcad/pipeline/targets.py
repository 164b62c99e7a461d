"""Targets: what programs are made for, each behind one interface.

    TARGETS["native"].why_not()       'Numba is not installed: pip install "numba<0.69" scipy'
    targets_of("native")              (NATIVE,)
    targets_of("auto")                (NUMPY, NATIVE): the first answers, the last may take over
    backend_for("auto", [x])          "cupy", if x is an array of CuPy's

A further target is a subclass of `Target` in a file of its own, and an entry in `TARGETS`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from srcad.pipeline.on_cupy import Cupy, holds_its_arrays
from srcad.pipeline.target import Target

if TYPE_CHECKING:
    from srcad.pipeline.artifact import Artifact, Loaded


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


NUMPY, NATIVE, CUPY, C = Target(), Native(), Cupy(), Source()
TARGETS = {each.name: each for each in (NUMPY, NATIVE, CUPY)}
_WRITTEN = {C.name: C}
AUTO = "auto"


def targets_of(backend: str) -> tuple[Target, ...]:
    """The targets of a backend: programs are made for the first; the last, if it is another, may
    take over.
    """
    if backend in _WRITTEN:
        return (_WRITTEN[backend],)
    return (NUMPY, NATIVE) if backend == AUTO else (TARGETS[backend],)


def backend_for(backend: str, args: Sequence[Any]) -> str:
    """The backend that a call with these arguments has: that which was asked for, but "auto" on a
    device where the arrays lie there.
    """
    return CUPY.name if backend == AUTO and holds_its_arrays(args) else backend


def backends() -> tuple[str, ...]:
    """What users may ask for."""
    return (AUTO, *TARGETS)


__all__ = [
    "AUTO",
    "CUPY",
    "NATIVE",
    "NUMPY",
    "TARGETS",
    "C",
    "Target",
    "backend_for",
    "backends",
    "targets_of",
]
