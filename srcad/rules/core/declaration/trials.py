"""Calls that NumPy refuses whatever the numbers are, found by trial: what a derivative computes in
the place of a call need not look at its options.

np.histogram(x, bins=0)         ValueError, of every x
np.trim_zeros(x, "q")           as well
np.reshape(x, (2, 3))           of an x of six entries not: its extents may be unknown
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from srcad.interrupts import raise_users_own
from srcad.ir.keys import freeze
from srcad.ir.nodes import Value
from srcad.ir.types import ArrayType, NumberType, Type, dtype_of
from srcad.ir.walk import map_tree
from srcad.rules.core.declaration.probing import stand_in
from srcad.rules.core.facts import UncoveredError
from srcad.rules.core.infer import types_in
from srcad.rules.core.table import name_of
from srcad.silence import unwarned

# What is larger is not tried: it takes time and memory.
_MOST = 100_000
Extents = dict[int, int]  # at each axis from the last; at 0 all others
# Extents that are tried where one is not known, besides those that stand in the call.
_TRIED = (3, 64)
# Functions of which the shapes alone decide whether they raise, which their types tell.
_OF_SHAPES = frozenset((np.reshape, np.broadcast_to, np.shape, np.size, np.ndim, np.transpose))


class Refusing:
    """A function that is called for what it raises, as a function of its own: none of the rules and
    passes for `fn` concern it. It is printed as `fn`.
    """

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.__name__: str = getattr(fn, "__name__", repr(fn))
        self.__module__: str = getattr(fn, "__module__", None) or ""

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """What the function raises."""
        self.fn(*args, **kwargs)


@functools.lru_cache(maxsize=1024)
def is_numpys(fn: Any) -> bool:
    """Whether a function is one of NumPy's or SciPy's own, or a method of NumPy's ufuncs."""
    owner = getattr(fn, "__self__", None)
    is_own = owner is None or isinstance(owner, np.ufunc)
    return is_own and name_of(fn).startswith(("np.", "scipy."))


def is_refused(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a function of NumPy's or SciPy's raises of all arrays that were tried.

    One that raises nevertheless of some only may be called: what it raises counts, not its result.
    """
    if (isinstance(fn, np.ufunc) and not kwargs) or isinstance(fn, type) or fn in _OF_SHAPES:
        return False
    if not is_numpys(fn) or name_of(fn).startswith("np.random."):  # a trial would draw
        return False
    # None stands for an option that was not given, also for those that NumPy marks otherwise.
    kwargs = {name: x for name, x in kwargs.items() if x is not None}
    found = list(_leaves((args, kwargs)))
    is_only_arrays = not kwargs and all(x is None or isinstance(x, Type) for x in found)
    if is_only_arrays or not all(map(_is_plain, found)) or _is_large(found):
        return False
    if any(isinstance(x, np.ndarray) for x in found):
        return _is_refused(fn, args, kwargs, found)
    key = _key(fn, args, kwargs)
    if key not in _KNOWN:
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[key] = _is_refused(fn, args, kwargs, found)
    return _KNOWN[key]


_KNOWN: dict[Any, bool] = {}  # what trials have told
_MOST_KNOWN = 10_000


def _key(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a trial depends on: constants, and the types of arrays without the extents not known."""

    def kind(x: Any) -> Any:
        if isinstance(x, ArrayType):
            known = None if x.shape is None else [n if type(n) is int else None for n in x.shape]
            return x.dtype.str, x.scalar, known
        return x.kind if isinstance(x, NumberType) else x

    return fn, freeze(map_tree(kind, types_in((args, kwargs))))


def _is_refused(fn: Any, args: Any, kwargs: Any, found: list[Any]) -> bool:
    trials = itertools.product(_extents(found, args), (None, _lowered, _whole))
    return all(_raises(fn, args, kwargs, extents, change) for extents, change in trials)


def _raises(fn: Any, args: Any, kwargs: Any, extents: Extents, change: Any) -> bool:
    """Whether a call raises: of positive numbers, of those below 1 and zeros, or of whole ones."""

    def made(x: Any) -> Any:
        x = map_tree(lambda t: _with_extents(t, extents), types_in(x))
        found = x.copy() if isinstance(x, np.ndarray) else stand_in(x, _TRIED[0])
        return _changed(found, x, change) if change else found

    try:
        positional = [made(x) for x in args]
        options = {name: made(x) for name, x in kwargs.items()}
        with unwarned():
            fn(*positional, **options)
    except (UncoveredError, MemoryError):
        return False
    except Exception as problem:
        raise_users_own(problem)
        return True
    return False


def _with_extents(t: Any, extents: Extents) -> Any:
    """A type with those extents for those that are not known, by axis from the last."""
    if not isinstance(t, ArrayType) or t.shape is None:
        return t
    places = itertools.count(-len(t.shape))
    known = (
        n if isinstance(n, int) else extents.get(k, extents[0])
        for k, n in zip(places, t.shape, strict=False)
    )
    return replace(t, shape=tuple(known))


def _changed(x: Any, of: Any, change: Any) -> Any:
    """A stand-in as one of other numbers; a constant as it is."""
    if isinstance(of, tuple | list):
        return type(of)(_changed(part, t, change) for part, t in zip(x, of, strict=True))
    if not isinstance(of, ArrayType | NumberType):
        return x
    return change(x, (dtype_of(of) or np.dtype(bool)).kind)


def _lowered(x: Any, kind: str) -> Any:
    return x // 2 if kind in "iu" else x / 2


def _whole(x: Any, kind: str) -> Any:
    if kind != "f":
        return x
    return float(math.ceil(x)) if isinstance(x, float) else np.ceil(x)


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from _leaves(item)
    elif isinstance(tree, dict):
        yield from _leaves(list(tree.values()))
    elif isinstance(tree, slice):
        yield from _leaves((tree.start, tree.stop, tree.step))
    else:
        yield tree.type if isinstance(tree, Value) else tree


def _is_plain(x: Any) -> bool:
    """Whether a trial with an argument has no effect: functions and objects may have one."""
    if isinstance(x, Type):
        return True
    kinds = (bool, int, float, complex, str, bytes, np.generic, np.ndarray, np.dtype)
    return x is None or x is ... or isinstance(x, kinds) or (isinstance(x, type) and x in _CLASSES)


_CLASSES = frozenset((bool, int, float, complex, *np.sctypeDict.values()))


def _is_large(found: list[Any]) -> bool:
    counts = (abs(x) for x in found if isinstance(x, int) and x)
    sizes = [math.prod(_known(x)) for x in found if isinstance(x, ArrayType)]
    sizes += [x.size for x in found if isinstance(x, np.ndarray)]
    return math.prod(counts) > _MOST or max(sizes, default=1) > _MOST


def _extents(found: list[Any], args: tuple[Any, ...]) -> list[Extents]:
    """What is tried for the extents that are not known: one for all, and those of other arrays."""
    types = [x for x in found if isinstance(x, ArrayType)]
    if all(len(_known(t)) == len(t.shape or ()) for t in types):
        return [{0: _TRIED[0]}]
    given = [x for x in found if type(x) is int] + [n for t in types for n in _known(t)]
    given += _lengths(args)
    rank = max(len(t.shape or ()) for t in types)
    tried = dict.fromkeys((*_TRIED, *(n for n in given if 0 < n < _TRIED[-1])))
    aligned = {0: _TRIED[0]}
    for t in types:
        shape = t.shape or ()
        aligned |= {k - len(shape): n for k, n in enumerate(shape) if isinstance(n, int)}
    small = [{0: n} for n in tried if n**rank <= _MOST]
    return small + ([aligned] if len(aligned) > 1 else [])


def _lengths(tree: Any) -> list[int]:
    """Those of lists and tuples, which are arrays to NumPy."""
    if not isinstance(tree, tuple | list):
        return []
    return [len(tree), *(n for item in tree for n in _lengths(item))]


def _known(t: ArrayType) -> list[int]:
    return [n for n in t.shape or () if isinstance(n, int)]


__all__ = ["Refusing", "is_numpys", "is_refused"]
