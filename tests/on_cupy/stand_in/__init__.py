"""A stand-in for CuPy on machines that have none: NumPy behind what CuPy documents of itself.

It refuses what CuPy refuses, and computes what NumPy computes. `install` puts it where `import
cupy` finds it. What CuPy has of NumPy's functions stands in `signatures.txt`.
"""

from __future__ import annotations

import importlib.machinery
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from .arrays import host, ndarray, wrap
from .functions import Ufunc, modules

_CONSTANTS = (
    "pi e inf nan newaxis euler_gamma bool_ int8 int16 int32 int64 intp uint8 uint16 uint32 uint64"
    " float16 float32 float64 complex64 complex128 dtype finfo iinfo s_ index_exp ndindex generic"
    " bool floating integer number inexact complexfloating signedinteger unsignedinteger isdtype"
).split()


class Generator:
    """What `default_rng` gives: fewer distributions than NumPy's."""

    def __init__(self, seed: Any = None) -> None:
        self._rng = np.random.default_rng(seed)


def _draw(name: str) -> Any:
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        drawn = getattr(self._rng, name)(
            *map(host, args), **{k: host(v) for k, v in kwargs.items()}
        )
        return wrap(np.asarray(drawn))

    return draw


for _name in (
    "random uniform integers beta chisquare exponential f geometric hypergeometric logseries"
    " standard_exponential poisson power standard_normal gamma standard_gamma binomial dirichlet"
).split():
    setattr(Generator, _name, _draw(_name))


def make() -> dict[str, ModuleType]:
    """The modules of a new stand-in."""
    made = modules()
    cupy = made["cupy"]
    for name in _CONSTANTS:
        if hasattr(np, name):
            setattr(cupy, name, getattr(np, name))
    cupy.ndarray, cupy.ufunc, cupy.__version__ = ndarray, Ufunc, "0.stand-in"
    cupy.asnumpy = lambda a, *args, **kwargs: a.get() if isinstance(a, ndarray) else np.asarray(a)
    cupy.get_array_module = lambda *args: cupy if any(isinstance(x, ndarray) for x in args) else np
    cupy.fuse = lambda *args, **kwargs: args[0] if args and callable(args[0]) else lambda fn: fn
    cupy.ogrid, cupy.mgrid = _Grid(np.ogrid), _Grid(np.mgrid)
    cupy.r_, cupy.c_ = _Grid(np.r_), _Grid(np.c_)
    synchronize = SimpleNamespace(synchronize=lambda: None)
    runtime = SimpleNamespace(getDeviceCount=lambda: 1)
    cupy.cuda = SimpleNamespace(get_current_stream=lambda: synchronize, runtime=runtime)
    made["cupy.random"].Generator = Generator
    made["cupy.random"].default_rng = lambda seed=None: Generator(seed)
    strides = ModuleType("cupy.lib.stride_tricks")
    strides.as_strided = lambda x, shape=None, strides=None: wrap(
        np.lib.stride_tricks.as_strided(x._host, shape, strides)
    )
    strides.sliding_window_view = (
        lambda x, window_shape, axis=None, *, subok=False, writeable=False: wrap(
            np.lib.stride_tricks.sliding_window_view(x._host, window_shape, axis)
        )
    )
    made["cupy.lib"], made["cupy.lib.stride_tricks"] = ModuleType("cupy.lib"), strides
    made["cupyx"], made["cupyx.scipy"] = ModuleType("cupyx"), ModuleType("cupyx.scipy")
    made["cupyx"].scatter_add = lambda a, slices, value: cupy.add.at(a, slices, value)
    made["cupy.linalg"].LinAlgError = np.linalg.LinAlgError
    for name, module in made.items():
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        module.__path__ = []
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(made[parent], last, module)
    return made


class _Grid:
    def __init__(self, grid: Any) -> None:
        self._grid = grid

    def __getitem__(self, index: Any) -> Any:
        return wrap(self._grid[host(index)])


def install(monkeypatch: Any) -> ModuleType:
    """Let `import cupy` find a stand-in until the test ends."""
    made = make()
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    return made["cupy"]
