"""Options that many functions of `scipy.linalg` share, and that change nothing of a derivative."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad.ir.types import Shape, shape_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.facts import TypeFunction, UncoveredError, as_type


def plain(fn: Callable[..., Any]) -> Callable[..., Arguments]:
    """A `normalize` that leaves out `check_finite=` and `overwrite_a=False`."""
    signature = inspect.signature(fn)

    def normalize(*args: Any, **kwargs: Any) -> Arguments:
        bound = signature.bind(*args, **kwargs)
        for name in list(bound.arguments):
            if name == "check_finite" or name.startswith("overwrite_"):
                value = bound.arguments.pop(name)
                if name != "check_finite" and value is not False:
                    raise TypeError(f"`{name}=True`: what is overwritten cannot be differentiated")
        return bound.args, bound.kwargs

    return normalize


def one_matrix(a: object, name: str) -> Shape:
    """The shape of a matrix; stacks of them are refused."""
    shape = shape_of(as_type(a))
    if shape is None or len(shape) != 2:
        raise UncoveredError(f"stacks of matrices in `{name}`")
    return shape


def listed(type_of: TypeFunction) -> TypeFunction:
    """The type function of what gives its results in a tuple, those of stacks in what this version
    of SciPy gives.
    """

    @functools.wraps(type_of)
    def of_stacks(a: object, *args: Any, **options: Any) -> Any:
        found = type_of(a, *args, **options)
        if not isinstance(found, tuple):
            return found
        shape = shape_of(as_type(a))
        if shape is None:
            raise UncoveredError("matrices of which the number of axes is not known")
        return found if len(shape) == 2 else of_stack(found)

    return of_stacks


def of_stack(results: Iterable[Any]) -> list[Any] | tuple[Any, ...]:
    """Several results for a stack of matrices: a list before SciPy 1.18, a tuple since."""
    return _container_of_stacks()(results)


@functools.cache
def _container_of_stacks() -> type[list[Any]] | type[tuple[Any, ...]]:
    from scipy import linalg

    return list if type(linalg.qr(np.ones((1, 1, 1)))) is list else tuple


@functools.cache
def has_arrays_for_numbers() -> bool:
    """Whether `cho_factor` gives `lower` as an array, and `lstsq` the rank as a NumPy scalar: SciPy
    does so since 1.18.
    """
    from scipy import linalg

    return type(linalg.cho_factor(np.eye(1))[1]) is not bool


@functools.cache
def result_dtype(fn: Callable[..., Any], *dtypes: np.dtype) -> np.dtype:
    """The dtype of what `fn` makes of matrices with these dtypes: SciPy has its own habits."""
    matrices = (np.diag(np.array([0.3, 0.6], dtype)) for dtype in dtypes)
    found: np.dtype = np.asarray(fn(*matrices)).dtype
    return found
