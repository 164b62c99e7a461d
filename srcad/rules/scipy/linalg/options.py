"""Options that many functions of `scipy.linalg` share, and that change nothing of a derivative."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from srcad.ir.nodes import Value
from srcad.ir.types import Shape, Type, dtype_of, shape_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.compose import known
from srcad.rules.core.facts import TypeFunction, UncoveredError, as_type
from srcad.rules.core.registry import rule
from srcad.rules.core.staged import as_array, call, type_of


def plain(fn: Callable[..., Any]) -> Callable[..., Arguments]:
    """A `normalize` that leaves out `check_finite=True` and `overwrite_a=False`."""
    signature = inspect.signature(fn)

    def normalize(*args: Any, **kwargs: Any) -> Arguments:
        bound = signature.bind(*args, **kwargs)
        checks = bound.arguments.get("check_finite", True)
        if isinstance(checks, Value):
            raise TypeError("`check_finite=` that is not known while compiling")
        for name in list(bound.arguments):
            if name == "check_finite" or name.startswith("overwrite_"):
                value = bound.arguments.pop(name)
                if name != "check_finite" and value is not False:
                    raise TypeError(f"`{name}=True`: what is overwritten cannot be differentiated")
        return bound.args, bound.kwargs if checks else {**bound.kwargs, "check_finite": False}

    return normalize


def solver_rule(
    fn: Any, *, type_of: Any, jvp: Any, normalize: Any = None, cases: Any = (), note: str = "",
    **vjps: Any,
) -> None:  # fmt: skip
    """The rule of a function with `check_finite=`, of which its parts need to know nothing."""
    rule(
        fn,
        type_of=_unchecked(type_of),
        jvp=_unchecked(jvp),
        normalize=normalize or plain(fn),
        cases=cases,
        note=note,
        **{name: _unchecked(body) for name, body in vjps.items()},
    )


def _unchecked(body: Any) -> Any:
    @functools.wraps(body)
    def part(*args: Any, check_finite: Any = True, **options: Any) -> Any:
        return body(*args, **options)

    taken = inspect.signature(body)
    parameters = [*taken.parameters.values()]
    last = len(parameters)
    if parameters[-1].kind is inspect.Parameter.VAR_KEYWORD:
        last -= 1
    check = inspect.Parameter("check_finite", inspect.Parameter.KEYWORD_ONLY, default=True)
    vars(part)["__signature__"] = taken.replace(
        parameters=[*parameters[:last], check, *parameters[last:]]
    )
    return part


def checked(a: Any, check_finite: Any) -> Any:
    """`a`, of which SciPy wants no NaN or infinity if nothing else is said."""
    return call(np.asarray_chkfinite, a) if known(check_finite, "`check_finite=`") else a


def working(t: Type) -> np.dtype:
    """The dtype that SciPy computes in: of narrow ints and truth values it is single precision."""
    from scipy import linalg

    return result_dtype(linalg.pinv, dtype_of(t) or np.dtype(float))


def validated(a: Any, check_finite: Any) -> Any:
    """The matrix that SciPy computes with."""
    a = checked(as_array(a), check_finite)
    t = as_type(type_of(a))
    return a if working(t) == dtype_of(t) else a.astype(working(t))


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
    """Whether `cho_factor` gives `lower` as an array, as `lstsq` does the only residual, and the
    rank as a NumPy scalar: SciPy does so since 1.18.
    """
    from scipy import linalg

    return type(linalg.cho_factor(np.eye(1))[1]) is not bool


@functools.cache
def result_dtype(fn: Callable[..., Any], *dtypes: np.dtype) -> np.dtype:
    """The dtype of what `fn` makes of matrices with these dtypes: SciPy has its own habits."""
    regular = (np.diag([0.3, 0.6]) if dtype.kind in "fc" else np.eye(2) for dtype in dtypes)
    matrices = (a.astype(dtype) for a, dtype in zip(regular, dtypes, strict=True))
    found: np.dtype = np.asarray(fn(*matrices)).dtype
    return found
