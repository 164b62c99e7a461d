"""Statements that the IR writes as calls, which the evaluator runs.

ensure(cond, message)            emitted as `assert cond, message`
raise_(ValueError, message)      emitted as `raise ValueError(message)`
set_global(module, "n", 3)       `global n; n = 3`
unwritten(fn, x)                 fn(x), refused where it has written into `x`
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np


def ensure(cond: Any, message: object = None) -> None:
    """`assert cond, message`."""
    if not cond:
        raise AssertionError(*(() if message is None else (message,)))


def raise_(cls: type[BaseException], *args: Any) -> None:
    """`raise cls(*args)`."""
    raise cls(*args)


def set_global(module: Any, name: str, value: Any) -> None:
    """`global name; name = value` in a function of the module."""
    vars(module)[name] = value


def set_global_item(module: Any, path: str, key: Any, value: Any) -> None:
    """`d[key] = value` of a dict that the module holds under a name, or an object in it."""
    operator.attrgetter(path)(module)[key] = value


def set_cached(obj: Any, name: str, value: Any) -> None:
    """Keep what a cached property gives at its first read in the object."""
    if name not in vars(obj):
        vars(obj)[name] = _own(value)


def _own(value: Any) -> Any:
    """A value with arrays that no program computes with: it may write into its own."""
    if isinstance(value, tuple | list):
        return type(value)(map(_own, value))
    if isinstance(value, dict):
        return {key: _own(item) for key, item in value.items()}
    return value.copy("K") if isinstance(value, np.ndarray) else value


def ensure_bound(x: Any, cls: type[Exception] = UnboundLocalError, said: str | None = None) -> None:
    """`if x is None: raise cls(said)`: for what no path has assigned, a local variable if nothing
    else is said.
    """
    if x is None:
        raise cls(unassigned("x") if said is None else said)


def unassigned(name: str) -> str:
    """What is wrong where a local variable is read before it is assigned."""
    return f"local variable {name!r} is not assigned"


def caught() -> BaseException | None:
    """The exception being handled: `e` of `except E as e`."""
    return sys.exception()


def reraise(error: BaseException) -> None:
    """`raise error`: the exception that was caught goes on."""
    raise error


def unwritten(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)` of a function that must not change the arrays and lists it is given.

    Raises:
        NotImplementedError: it did; the arrays hold again what they held.
    """
    before = contents_of((*args, *kwargs.values()))
    found = fn(*args, **kwargs)
    written = changed_since(before)
    for x, old in written:
        if isinstance(x, np.ndarray):
            x.shape = old.shape
            x[...] = old
    if written:
        name = getattr(fn, "__name__", "this function")
        raise NotImplementedError(
            f"`{name}`, a function without derivative, changes what it is given: let it return "
            "what is new"
        )
    return found


def contents_of(x: Any) -> list[tuple[Any, Any]]:
    """The arrays and lists in containers, each with a copy."""
    return [(each, each.copy()) for each in _changeable(x)]


def changed_since(before: list[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Those of `contents_of` that have other bits, another shape or other items since."""
    return [(x, old) for x, old in before if not _is_same(x, old)]


def _is_same(x: Any, old: Any) -> bool:
    if isinstance(x, list):
        return len(x) == len(old) and all(map(operator.is_, x, old))
    return bool(x.shape == old.shape and x.tobytes() == old.tobytes())


def as_told(told: Any, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """`fn(*args, **kwargs)` of a function of which the program was `told` what it gives.

    None for None, a tuple for a tuple of as many items, else a text: the kinds that a number or
    array may have, `int or <f8[3,?]`. An extent is a number, `?` for any, or that of an
    argument: `0:1:-2` is 2 less than the second one of the first argument.

    Raises:
        NotImplementedError: it gave something else.
    """
    found = fn(*args, **kwargs)
    cls = type(found)
    if cls.__name__ == told and cls in (int, float, bool, str):  # most often
        return found
    if not _is_as_told(found, told, args[1:] if fn is unwritten else args, kwargs):
        name = getattr(args[0] if fn is unwritten else fn, "__name__", "this function")
        raise NotImplementedError(
            f"`{name}`, a function without derivative, gives {_told(found)}, which is not what it "
            "gave when the program was compiled: let it always give the same kind of result"
        )
    return found


def _is_as_told(x: Any, told: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    if told is None:
        return x is None
    if isinstance(told, tuple):
        is_one = type(x) is tuple and len(x) == len(told)
        return is_one and all(_is_as_told(x[i], told[i], args, kwargs) for i in range(len(x)))
    return any(_is_kind(x, kind, args, kwargs) for kind in told.split(" or "))


def _is_kind(x: Any, kind: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    dtype, bracket, rest = kind.partition("[")
    if not bracket:
        name = type(x).__name__
        return kind in (f"np.{name}" if isinstance(x, np.generic) else name, "any")
    if not isinstance(x, np.ndarray) or x.dtype.str != dtype:
        return False
    if rest == "...]":
        return True
    extents = rest[:-1].split(",") if rest != "]" else []
    return len(extents) == x.ndim and all(
        extents[k] == "?" or x.shape[k] == _extent(extents[k], args, kwargs) for k in range(x.ndim)
    )


def _extent(text: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int:
    if ":" not in text:
        return int(text)
    place, axis, longer = text.split(":")
    x = args[int(place)] if place.isdigit() else kwargs[place]
    return int(max(0, np.shape(x)[int(axis)] + int(longer)))


def _told(x: Any) -> str:
    if isinstance(x, np.ndarray):
        return f"an array of {x.dtype} of shape {x.shape}"
    return "None" if x is None else f"a {type(x).__name__}"


def _changeable(x: Any) -> Iterator[Any]:
    if isinstance(x, np.ndarray | list):
        yield x
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, list | tuple):
        for item in x:
            yield from _changeable(item)


def picked(
    fn: Callable[..., Any], paths: tuple[tuple[Any, ...], ...], /, *args: Any, **kwargs: Any
) -> tuple[Any, ...]:
    """Numbers and arrays of what `fn(*args, **kwargs)` gives, by their keys from outside in."""
    found, leaves = fn(*args, **kwargs), []
    for path in paths:
        x = found
        for key in path:
            x = x[key] if isinstance(x, tuple | list | dict) else getattr(x, key)
        leaves.append(x)
    return tuple(leaves)


def is_exactly(problem: BaseException, cls: Any) -> bool:
    """Whether an exception is of this class itself, and not of one behind it."""
    return type(problem) is cls


def commit() -> None:
    """Behind this the arguments are written, and nothing raises; emitted as nothing."""


def check_passed(*given: Any) -> None:
    """Refuse what compiled code would refuse later, when the arguments are being written."""
    for x in given:
        if isinstance(x, int):
            if not -(2**63) <= x < 2**63:
                raise OverflowError("an integer of more than 64 bits")
        elif not (x.flags.writeable and x.flags.aligned):
            raise TypeError("a readonly array or one that is not aligned")
