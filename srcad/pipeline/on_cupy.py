"""CuPy: programs are printed for its module of NumPy's functions, and run on a GPU.

    import cupy as np

    def loss_grad(w, x):
        t = np.tanh(x @ w)

Nothing is moved between the host and the device, but for constant arrays in the text of a program,
which are made once, when it is loaded.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.devices import LIBRARY, device_class
from srcad.errors import error
from srcad.pipeline.target import Target
from srcad.runtime.records import attributes

if TYPE_CHECKING:
    from srcad.emit.module import Emitted
    from srcad.ir import Function


class Cupy(Target):
    """CuPy, whose functions have NumPy's names."""

    name, title = "cupy", "CuPy"
    is_saved = False

    def why_not(self) -> str:
        """Whether it is installed; it is not imported for that."""
        with suppress(ValueError):  # of a module that is kept from being imported
            if importlib.util.find_spec(LIBRARY) is not None:
                return ""
        return "CuPy is not installed: pip install cupy-cuda12x, for the CUDA that you have"

    def versions(self) -> Sequence[Any]:
        """Of CuPy."""
        return (LIBRARY, importlib.import_module(LIBRARY).__version__)

    def emit(self, program: Function, doc: str) -> Emitted:
        """The text of a program, of which CuPy has every function."""
        from srcad.emit import on_cupy

        return on_cupy.emit(program, doc)

    def check_inputs(self, inputs: Mapping[str, Any]) -> None:
        """Refuse arrays and random generators of NumPy's."""
        for words, cls in inputs.items():
            is_generator = issubclass(cls, np.random.Generator | np.random.RandomState)
            if is_generator or issubclass(cls, np.ndarray):
                made = "`cupy.random.default_rng(seed)`" if is_generator else "`cupy.asarray(x)`"
                what = f"{words}, a NumPy {cls.__name__}, in a program for CuPy"
                raise error("E326", None, what=what, fix=f"pass {made}")


def holds_its_arrays(args: Sequence[Any]) -> bool:
    """Whether there is an array of CuPy's among arguments, or in their containers."""
    cls = device_class()
    if cls is None:
        return False
    seen: set[int] = set()
    left = [*args]
    while left and len(seen) < _MOST:
        x = left.pop()
        if isinstance(x, cls):
            return True
        if id(x) in seen or isinstance(x, str | bytes | int | float | np.ndarray | type):
            continue
        seen.add(id(x))
        if isinstance(x, dict):
            left += x.values()
        elif isinstance(x, list | tuple):
            left += x
        else:
            left += attributes(x).values()
    return False


# Objects that are looked at.
_MOST = 10_000
