"""What computes a program's loss and gradient: srcad's backends, JAX in two forms, C.

Each maker returns a call without arguments, its data laid out as the system wants it.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import srcad
from srcad.errors import SrcadError

from . import with_c
from .programs import Program, argnums, half_squares, loss_of

Call = Callable[[], Any]
TITLES = {
    "numpy": "srcad, numpy",
    "native": "srcad, native",
    "loops": "JAX, loops",
    "best": "JAX, best",
    "c": "C by hand",
}


class AbsentError(Exception):
    """The system is not installed, or does not have this program."""


def primal(program: Program, args: tuple[Any, ...]) -> tuple[Call, Call]:
    """Return what is to be called before each call, and the function in plain NumPy."""
    own: list[Any] = []

    def prepare() -> None:
        own[:] = copy.deepcopy(args)

    return prepare, lambda: program.fn(*own)


def compiled_primal(program: Program, args: tuple[Any, ...]) -> tuple[Call, Call]:
    """Return what is to be called before each call, and the function as srcad compiles it.

    Raises:
        AbsentError: there is no such backend here.
    """
    own: list[Any] = []
    try:
        compiled = srcad.compile(program.fn, backend="native")
    except SrcadError as error:
        raise AbsentError(str(error).splitlines()[0]) from None

    def prepare() -> None:
        own[:] = copy.deepcopy(args)

    return prepare, lambda: compiled(*own)


def gradient(name: str, program: Program, args: tuple[Any, ...]) -> Call:
    """Return what computes value and gradient on one of the systems.

    Raises:
        AbsentError: the system is not there.
    """
    if name in ("numpy", "native"):

        def make() -> Callable[..., Any]:
            return srcad.value_and_grad(loss_of(program.fn), argnums(args), backend=name)

        if name == "native":
            return _native(make, args)
        transformed = make()
        return lambda: transformed(*args)
    try:
        return _c(program, args) if name == "c" else _jax(name, program, args)
    except ImportError as error:
        raise AbsentError(str(error)) from None


def _native(make: Callable[[], Callable[..., Any]], args: tuple[Any, ...]) -> Call:
    try:
        transformed = make()
    except SrcadError as error:
        raise AbsentError(str(error).splitlines()[0]) from None
    return lambda: transformed(*args)


def _c(program: Program, args: tuple[Any, ...]) -> Call:
    if program.name not in with_c.BY_HAND:
        raise AbsentError(f"written for {', '.join(with_c.BY_HAND)} only")
    function = with_c.BY_HAND[program.name]()
    return lambda: function(*args)


def _jax(form: str, program: Program, args: tuple[Any, ...]) -> Call:
    """Integers are constants to it, so that trip counts are known."""
    import jax

    jax.config.update("jax_enable_x64", True)
    from . import jax_best, jax_loops

    function = getattr({"loops": jax_loops, "best": jax_best}[form], program.name)
    varied = argnums(args)

    def loss(*own: Any) -> Any:
        every = list(args)
        for i, x in zip(varied, own, strict=True):
            every[i] = x
        return half_squares(function(*every))

    transformed = jax.jit(jax.value_and_grad(loss, tuple(range(len(varied)))))
    own = [jax.numpy.asarray(np.array(args[i])) for i in varied]
    return lambda: jax.block_until_ready(transformed(*own))
