"""The gradient with respect to a structure of parameters has its type and order, and the
numbers of the gradient with respect to each parameter; the layout in memory does not matter.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from random_programs.checks import close, require
from random_programs.conformance import assert_same, copied, laid_out, outcome

import srcad


def check_structure(
    f: Callable[..., Any], packed: Callable[..., Any], pack: Callable[..., Any], n: int,
    args: Sequence[Any],
) -> None:  # fmt: skip
    """`packed(pack(*args[:n]), *args[n:])` is `f(*args)`."""
    _, wanted = srcad.value_and_grad(f, tuple(range(n)), cache=False)(*copy.deepcopy(args))
    tree = pack(*copy.deepcopy(args[:n]))
    value, made = srcad.value_and_grad(packed, cache=False)(tree, *copy.deepcopy(args[n:]))
    primal = packed(pack(*copy.deepcopy(args[:n])), *copy.deepcopy(args[n:]))
    require(close(value, primal, 1e-9), "the value of a structure", value, primal)
    assert_alike(made, pack(*wanted))


def check_aux(
    whole: Callable[..., Any], f: Callable[..., Any], n: int, args: Sequence[Any]
) -> None:
    """What is returned beside the value is what Python returns; the gradient is that of `f`."""
    varied = tuple(range(n))
    gradient = srcad.value_and_grad(whole, varied, has_aux=True, cache=False)
    made, bars = gradient(*copy.deepcopy(args))
    assert_same(made, outcome(whole, copied(args)), "the value with what is beside it")
    _, wanted = srcad.value_and_grad(f, varied, cache=False)(*copy.deepcopy(args))
    for a, b in zip(bars, wanted, strict=True):
        require(close(a, b, 1e-7), "the gradient of a value beside others", a, b)


def check_layout(f: Callable[..., Any], n: int, args: Sequence[Any], way: int) -> None:
    """Arrays that lie otherwise have the same gradient."""
    gradient = srcad.grad(f, tuple(range(n)), cache=False)
    wanted = gradient(*copy.deepcopy(args))
    made = gradient(*laid_out(args, way))
    for a, b in zip(made, wanted, strict=True):
        require(close(a, b, 1e-7), "the gradient of another layout", a, b)


def assert_alike(a: Any, b: Any) -> None:
    """The same structure with the same numbers."""
    require(type(a) is type(b), "the type of a part of the gradient", a, b)
    if isinstance(b, dict):
        require(list(a) == list(b), "the order of keys of a gradient", list(a), list(b))
        for key in b:
            assert_alike(a[key], b[key])
    elif isinstance(b, list | tuple):
        require(len(a) == len(b), "the length of a part of the gradient", a, b)
        for x, y in zip(a, b, strict=True):
            assert_alike(x, y)
    elif isinstance(b, float | np.ndarray | np.generic):
        require(close(a, b, 1e-7), "the gradient of a structure", a, b)
    elif hasattr(b, "__dict__"):
        assert_alike(vars(a), vars(b))
