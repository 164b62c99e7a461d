"""What a program is made for, as one interface: `srcad.pipeline.targets` has those there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from srcad.devices import LIBRARY
from srcad.errors import error

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
    is_saved: whether its programs may be written to modules that stand alone.
    """

    name, title = "numpy", "NumPy"
    compiles = has_kernels = False
    is_saved = True

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

    def check_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Refuse arrays and random generators that its programs do not compute with.

        Args:
            inputs: the class of each, by the words for the place where it was found.

        Raises:
            ArgumentTypeError: E326.
        """
        for words, cls in inputs.items():
            if cls.__module__.partition(".")[0] == LIBRARY:
                what = f"{words}, a CuPy {cls.__name__}, in a program for {self.title}"
                fix = 'use backend="cupy", or give it a copy: `cupy.asnumpy(x)`'
                raise error("E326", None, what=what, fix=fix)

    @property
    def is_available(self) -> bool:
        """Whether it can run here."""
        return not self.why_not()
