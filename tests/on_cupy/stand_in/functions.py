"""The functions of the stand-in, made from their signatures: what is not there does not exist."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from .arrays import SCALARS, host, ndarray, wrap

# Parameters in whose place CuPy takes its arrays alone, no numbers and no lists.
_ARRAYS = frozenset(
    "a b x y ary arr array m v condition element f p xp fp input in1 in2 a1 a2 ar1 ar2 x1".split()
)
_TAKE_ALL = frozenset(
    "array asarray asanyarray ascontiguousarray arange linspace logspace full full_like shape ndim"
    " size isscalar result_type can_cast tri eye identity isrealobj iscomplexobj real imag angle"
    " broadcast_to copy asfarray atleast_1d atleast_2d atleast_3d isclose allclose array_equal"
    " geometric beta binomial chisquare exponential f gamma gumbel hypergeometric laplace logistic"
    " lognormal logseries negative_binomial noncentral_chisquare noncentral_f normal pareto poisson"
    " power rayleigh standard_gamma standard_t triangular uniform vonmises wald weibull zipf choice"
    " permutation shuffle multinomial dirichlet multivariate_normal matrix_power polyval append"
    " take take_along_axis choose compress select nan_to_num real_if_close isreal iscomplex"
    " may_share_memory shares_memory fftfreq rfftfreq bartlett blackman hamming hanning kaiser"
    " random_integers rand randint randn random_sample random astype roots poly".split()
)
_NUMBERS = {("where", "x"), ("where", "y"), ("kaiser", "m"), ("searchsorted", "v")}
_SEQUENCES = frozenset("concatenate stack hstack vstack dstack column_stack row_stack".split())
_HOST = frozenset("shape ndim size isscalar result_type can_cast issubdtype promote_types".split())


class Ufunc:
    """A universal function: of arrays and numbers alone."""

    def __init__(self, fn: Any) -> None:
        self._fn, self.__name__ = fn, fn.__name__
        self.__doc__ = self.__name__

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs.keys() - {"out", "dtype", "casting", "axis", "axes", "keepdims"}:
            raise TypeError(f"Wrong arguments {kwargs}")
        for x in args:
            if not isinstance(x, ndarray | SCALARS) and x is not None:
                raise TypeError(f"Unsupported type {type(x)}")
        if self.__name__ == "matmul" and any(isinstance(x, SCALARS) for x in args):
            raise TypeError("matmul takes arrays")
        out = kwargs.get("out")
        made = self._fn(*map(host, args), **{k: host(v) for k, v in kwargs.items()})
        return out if out is not None else wrap(made)

    def at(self, a: Any, indices: Any, b: Any = None) -> None:
        """Add, or the like, at places that may be named more than once."""
        if self.__name__ not in ("add", "subtract", "maximum", "minimum"):
            raise NotImplementedError(f"`{self.__name__}.at` is not supported yet")
        from .arrays import _key

        if isinstance(b, list | tuple | np.ndarray):
            raise TypeError(f"Unsupported type {type(b)}")
        self._fn.at(a._host, _key(a._host, indices), host(b))

    def outer(self, a: Any, b: Any) -> Any:
        """Of each entry with each."""
        return wrap(self._fn.outer(host(a), host(b)))

    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        """Sums and products."""
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`{self.__name__}.reduce` is not supported yet")
        return wrap(self._fn.reduce(host(array), axis, dtype, None, keepdims))

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Running sums and products."""
        if self.__name__ not in ("add", "multiply"):
            raise NotImplementedError(f"`{self.__name__}.accumulate` is not supported yet")
        return wrap(self._fn.accumulate(host(array), axis, dtype))


def _function(text: str, fn: Any, module: str) -> Any:
    name, _, parameters = text.partition("(")
    scope: dict[str, Any] = {}
    exec(f"def {name}({parameters}: pass", scope)
    signature = inspect.signature(scope[name])

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        if name in _HOST:
            return fn(*(getattr(x, "_host", x) for x in args), **kwargs)
        for key, value in bound.arguments.items():
            wants = name not in _TAKE_ALL and key in _ARRAYS and (name, key) not in _NUMBERS
            if wants and value is not None and not isinstance(value, ndarray):
                raise TypeError(f"{name}: `{key}` is of {type(value)}, no cupy.ndarray")
        if name in _SEQUENCES and not all(isinstance(x, ndarray) for x in args[0]):
            raise TypeError(f"{name}: Only cupy arrays can be joined")
        if name in ("array", "asarray", "asanyarray"):
            return _array(fn, args, kwargs)
        if name == "where" and len(args) == 3:
            args = (args[0].astype(bool), *args[1:])
        out = kwargs.get("out")
        made = fn(*map(host, args), **{k: host(v) for k, v in kwargs.items()})
        return out if out is not None else wrap(made)

    call.__name__, call.__module__ = name, module
    call.__signature__ = signature  # type: ignore[attr-defined]
    return call


def _array(fn: Any, args: Any, kwargs: Any) -> Any:
    """From the host, or from arrays alone: a list of arrays and numbers is refused."""
    obj, *rest = args
    if isinstance(obj, np.ndarray | np.generic) and obj.dtype.kind not in "biufc":
        raise ValueError(f"Unsupported dtype {obj.dtype}")
    kwargs = {k: v for k, v in kwargs.items() if k not in ("blocking", "subok")}
    if isinstance(obj, list | tuple):
        found = {isinstance(x, ndarray) for x in _leaves(obj)}
        if len(found) > 1:
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")
        obj = _unwrapped(obj)
    if isinstance(obj, ndarray) and fn is not np.array and not rest and not kwargs:
        return obj
    made = fn(getattr(obj, "_host", obj), *rest, **kwargs)
    if made.dtype.kind not in "biufc":
        raise ValueError(f"Unsupported dtype {made.dtype}")
    return wrap(made if isinstance(obj, ndarray) else made.copy())  # another memory


def _leaves(x: Any) -> Any:
    if isinstance(x, list | tuple):
        for item in x:
            yield from _leaves(item)
    else:
        yield x


def _unwrapped(x: Any) -> Any:
    return [*map(_unwrapped, x)] if isinstance(x, list | tuple) else getattr(x, "_host", x)


def modules() -> dict[str, ModuleType]:
    """The modules by name, with the functions that `signatures.txt` lists."""
    made: dict[str, ModuleType] = {}
    current, their = "", np
    text = (Path(__file__).parent / "signatures.txt").read_text().replace("\n    ", " ")
    for line in text.splitlines():
        if line.startswith("["):
            current = line[1:-1]
            name = current.replace("cupyx.scipy", "scipy").replace("cupy", "numpy")
            try:
                their = importlib.import_module(name)
            except ImportError:  # no SciPy
                their = ModuleType(name)
            made[current] = ModuleType(current)
        elif line.startswith("ufuncs: "):
            for name in line.split()[1:]:
                if hasattr(their, name):
                    setattr(made[current], name, Ufunc(getattr(their, name)))
        elif "(" in line and hasattr(their, line.partition("(")[0]):
            name = line.partition("(")[0]
            setattr(made[current], name, _function(line, getattr(their, name), current))
    return made


Ufunc.__module__ = "cupy"
