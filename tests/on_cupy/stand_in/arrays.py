"""The array class of the stand-in: memory of NumPy's behind the manners of `cupy.ndarray`.

No implicit way to NumPy: `__array__` raises, and a `numpy.ndarray` beside one raises. Reductions
and entries are arrays without axes, entries are views, integer arrays as indices wrap around.
"""

from __future__ import annotations

import builtins
import copy
import functools
import operator
import sys
from typing import Any

import numpy as np

SCALARS = bool | int | float | complex | np.generic
_OPERATORS = (
    "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge"
).split()
_IN_PLACE = "iadd isub imul itruediv ifloordiv imod ipow iand ior ixor ilshift irshift".split()


class Flags:
    """What an array tells of its memory: `writeable` is not among it."""

    def __init__(self, flags: Any) -> None:
        self.c_contiguous, self.f_contiguous = flags.c_contiguous, flags.f_contiguous
        self.owndata, self.fnc, self.forc = flags.owndata, flags.fnc, flags.forc


class ndarray:  # as CuPy calls it
    """An array "on the device"."""

    __slots__ = ("__weakref__", "_host")
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, shape: Any, dtype: Any = float) -> None:
        self._host = np.empty(shape, dtype)

    # Outside -------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {**self._host.__array_interface__, "version": 3}

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        module = sys.modules["cupy"]
        special = sys.modules["cupyx.scipy.special"]
        fn = getattr(module, ufunc.__name__, None) or getattr(special, ufunc.__name__, None)
        if fn is None:
            return NotImplemented
        if "out" in kwargs:
            (kwargs["out"],) = kwargs["out"]
        return (fn if method == "__call__" else getattr(fn, method))(*inputs, **kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        try:
            home = functools.reduce(getattr, func.__module__.split(".")[1:], sys.modules["cupy"])
            fn = getattr(home, func.__name__)
        except AttributeError:
            return NotImplemented
        if fn is func or not all(issubclass(t, ndarray | np.ndarray) for t in types):
            return NotImplemented
        return fn(*args, **kwargs)

    def get(self, stream: Any = None, order: str = "C", out: Any = None) -> Any:
        """A copy on the host."""
        return np.array(self._host)

    # Of itself -----------------------------------------------------------------------------------

    shape = property(lambda self: self._host.shape)
    dtype = property(lambda self: self._host.dtype)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    strides = property(lambda self: self._host.strides)
    nbytes = property(lambda self: self._host.nbytes)
    itemsize = property(lambda self: self._host.itemsize)
    flags = property(lambda self: Flags(self._host.flags))
    T = property(lambda self: wrap(self._host.T))
    mT = property(lambda self: wrap(self._host.mT))
    device = property(lambda self: 0)

    @property
    def real(self) -> ndarray:
        """A view of the real parts."""
        return wrap(self._host.real)

    @real.setter
    def real(self, value: Any) -> None:
        self._host.real = host(value)

    @property
    def imag(self) -> ndarray:
        """A view of the imaginary parts."""
        return wrap(self._host.imag)

    @imag.setter
    def imag(self, value: Any) -> None:
        self._host.imag = host(value)

    def __len__(self) -> int:
        return len(self._host)

    def __iter__(self) -> Any:
        if not self.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(len(self)))

    def __bool__(self) -> bool:
        return bool(self._host)

    def __int__(self) -> int:
        return int(self._host)

    def __float__(self) -> float:
        return float(self._host)

    def __complex__(self) -> complex:
        return complex(self._host)

    def __repr__(self) -> str:
        return repr(self._host)

    def __str__(self) -> str:
        return str(self._host)

    def __format__(self, spec: str) -> str:
        return format(self._host[()], spec)

    def __copy__(self) -> ndarray:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> ndarray:
        return self.copy()

    def __reduce__(self) -> Any:
        return wrap, (self._host,)

    # Entries -------------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> ndarray:
        key = _key(self._host, index)
        if all(isinstance(k, int | np.integer | slice | None | type(...)) for k in key):
            return wrap(self._host[key if ... in key else (*key, ...)])
        return wrap(self._host[key])

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(value, list | tuple | np.ndarray):
            raise TypeError(f"Unsupported type {type(value)}")
        key = _key(self._host, index)
        if isinstance(value, ndarray) and _is_moved_within(self._host, key, value._host):
            self._host[key] = np.nan  # a copy of memory to where it overlaps: anything may be there
        else:
            self._host[key] = host(value)

    # Operators -----------------------------------------------------------------------------------

    def __neg__(self) -> ndarray:
        return wrap(-self._host)

    def __pos__(self) -> ndarray:
        return wrap(+self._host)

    def __abs__(self) -> ndarray:
        return wrap(abs(self._host))

    def __invert__(self) -> ndarray:
        return wrap(~self._host)

    def __divmod__(self, other: Any) -> Any:
        return tuple(map(wrap, divmod(self._host, host(other))))


def _binary(name: str, swapped: bool) -> Any:
    compute = getattr(operator, name)

    def method(self: ndarray, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            raise TypeError("Unsupported type <class 'numpy.ndarray'>")
        if not isinstance(other, ndarray | SCALARS):
            return NotImplemented
        both = (host(other), self._host) if swapped else (self._host, host(other))
        return wrap(compute(*both))

    return method


def _in_place(name: str) -> Any:
    compute = getattr(operator, name)

    def method(self: ndarray, other: Any) -> Any:
        if not isinstance(other, ndarray | SCALARS):
            raise TypeError(f"Unsupported type {type(other)}")
        compute(self._host, host(other))
        return self

    return method


ndarray.__module__ = "cupy"
for _name in _OPERATORS:
    _plain = _name.rstrip("_")
    setattr(ndarray, f"__{_plain}__", _binary(_name, False))
    if _plain not in ("lt", "le", "eq", "ne", "gt", "ge"):
        setattr(ndarray, f"__r{_plain}__", _binary(_name, True))
for _name in _IN_PLACE:
    setattr(ndarray, f"__{_name}__", _in_place(_name))


def _method(text: str) -> None:
    """Define a method that does what NumPy's does, with these parameters and no others."""
    name, _, parameters = text.partition("(")
    scope: dict[str, Any] = {}
    exec(f"def {name}(self, {parameters}: pass", scope)
    bind = __import__("inspect").signature(scope[name]).bind

    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        bind(self, *args, **kwargs)
        out = kwargs.get("out")
        found = getattr(self._host, name)(
            *map(host, args), **{k: host(v) for k, v in kwargs.items()}
        )
        return out if out is not None else wrap(found)

    method.__name__ = name
    setattr(ndarray, name, method)


for _text in (
    "all(axis=None, out=None, keepdims=False)",
    "any(axis=None, out=None, keepdims=False)",
    "argmax(axis=None, out=None, dtype=None, keepdims=False)",
    "argmin(axis=None, out=None, dtype=None, keepdims=False)",
    "argpartition(kth, axis=-1)",
    "argsort(axis=-1, kind=None)",
    "astype(dtype, order='K', casting=None, subok=None, copy=True)",
    "choose(choices, out=None, mode='raise')",
    "clip(min=None, max=None, out=None)",
    "compress(condition, axis=None, out=None)",
    "conj()",
    "conjugate()",
    "copy(order='C')",
    "cumprod(axis=None, dtype=None, out=None)",
    "cumsum(axis=None, dtype=None, out=None)",
    "diagonal(offset=0, axis1=0, axis2=1)",
    "dot(b, out=None)",
    "fill(value)",
    "flatten(order='C')",
    "item()",
    "max(axis=None, out=None, keepdims=False)",
    "mean(axis=None, dtype=None, out=None, keepdims=False)",
    "min(axis=None, out=None, keepdims=False)",
    "nonzero()",
    "partition(kth, axis=-1)",
    "prod(axis=None, dtype=None, out=None, keepdims=None)",
    "put(indices, values, mode='wrap')",
    "ravel(order='C')",
    "repeat(repeats, axis=None)",
    "reshape(*shape, order='C', copy=None)",
    "round(decimals=0, out=None)",
    "searchsorted(v, side='left', sorter=None)",
    "sort(axis=-1, kind=None)",
    "squeeze(axis=None)",
    "std(axis=None, dtype=None, out=None, ddof=0, keepdims=False)",
    "sum(axis=None, dtype=None, out=None, keepdims=False)",
    "swapaxes(axis1, axis2)",
    "take(indices, axis=None, out=None)",
    "tolist()",
    "trace(offset=0, axis1=0, axis2=1, dtype=None, out=None)",
    "transpose(*axes)",
    "var(axis=None, dtype=None, out=None, ddof=0, keepdims=False)",
    "view(dtype=None, type=None)",
):
    _method(_text)
ndarray.item = lambda self: self._host.item()  # type: ignore[attr-defined]
ndarray.tolist = lambda self: self._host.tolist()  # type: ignore[attr-defined]


def wrap(x: Any) -> Any:
    """What NumPy returned, as CuPy would: arrays, also of what has no axes."""
    if isinstance(x, np.ndarray | np.generic):
        made = object.__new__(ndarray)
        made._host = np.asarray(x)
        return made
    if isinstance(x, list):
        return [*map(wrap, x)]
    if isinstance(x, tuple):
        parts = [*map(wrap, x)]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return x


def host(x: Any) -> Any:
    """An argument as NumPy takes it; an array of NumPy's is refused."""
    if isinstance(x, ndarray):
        return x._host
    if isinstance(x, np.ndarray):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if type(x) in (list, tuple):
        return type(x)(map(host, x))
    return x


def _is_moved_within(x: np.ndarray, key: tuple[Any, ...], value: np.ndarray) -> bool:
    """Whether a store copies memory of an array to other memory that overlaps."""
    if not all(isinstance(k, int | np.integer | slice | None | type(...)) for k in key):
        return False
    into = x[key if ... in key else (*key, ...)]
    if into.shape != value.shape or into.strides != value.strides or into.dtype != value.dtype:
        return False  # which goes another way that looks
    is_same = into.__array_interface__["data"] == value.__array_interface__["data"]
    is_dense = into.flags.c_contiguous and x.dtype.kind in "fc"
    return not is_same and is_dense and np.may_share_memory(into, value)


def _key(x: np.ndarray, index: Any) -> tuple[Any, ...]:
    """An index as NumPy takes it: what is out of bounds in integer arrays wraps around."""
    items = list(index) if isinstance(index, tuple) else [index]
    if builtins.sum(isinstance(k, ndarray) and k.dtype == bool for k in items) > 1:
        raise NotImplementedError("more than one boolean array as an index")
    taken = [_axes(k) for k in items]
    axis, key = 0, []
    for k, item in enumerate(items):
        if item is ...:
            axis = x.ndim - builtins.sum(taken[k + 1 :])
            key.append(item)
            continue
        found = host(item)
        if isinstance(found, list | tuple):
            found = np.array(found, int if not found else None)
        if isinstance(found, np.ndarray) and found.dtype != bool and axis < x.ndim:
            found = found % max(1, x.shape[axis])
        key.append(found)
        axis += taken[k]
    return tuple(key)


def _axes(item: Any) -> int:
    if item is None or item is ...:
        return 0
    return item.ndim if isinstance(item, ndarray) and item.dtype == bool else 1


def copied(x: Any) -> Any:
    """`copy.deepcopy`, for tests."""
    return copy.deepcopy(x)
