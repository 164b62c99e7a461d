"""A function compiled by `srcad.compile` does what Python does: value, type, dtype and shape of the
result, order of keys, changes of arguments, arguments that are returned, exceptions.
"""

from __future__ import annotations

import copy
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from random_programs.checks import Fault, plain, require

import srcad
from srcad.errors import InternalError, ShapeError, SrcadError

RTOL = 1e-9


def conforms(fn: Callable[..., Any], calls: Sequence[tuple[Any, ...]]) -> Counter[str]:
    """Compare all calls; raises `Fault`, or the `SrcadError` of a refusal."""
    found: Counter[str] = Counter()
    compiled = srcad.compile(fn, cache=False)
    for args in calls:
        theirs, ours = copied(args), copied(args)
        wanted, made = outcome(fn, theirs), outcome(compiled, ours)
        if isinstance(wanted, Exception):
            if not is_raised(made, wanted):  # unless by shapes of what nothing uses
                with plain():
                    whole = outcome(srcad.compile(fn, cache=False), copied(args))
                require(is_raised(whole, wanted), "what is raised", made, wanted)
            found["raised"] += 1
            continue
        if isinstance(made, ShapeError):
            raise made  # the program catches what srcad already refuses while compiling
        if isinstance(made, Exception):
            raise Fault(f"what Python returns: {made!r} is not {wanted!r}") from made
        assert_same(made, wanted, "the result")
        assert_same(ours, theirs, "an argument afterwards")
        require(links(made, ours) == links(wanted, theirs), "what is shared", made, wanted)
        found["same"] += 1
    return found


def outcome(call: Callable[..., Any], args: Sequence[Any]) -> Any:
    """The result or the exception, unless it is a refusal; each call draws the same numbers."""
    random.seed(0)
    np.random.seed(0)
    try:
        return call(*args)
    except InternalError:
        raise
    except ShapeError as problem:
        return problem
    except SrcadError:
        raise
    except Exception as problem:
        return problem


def is_raised(made: Any, wanted: Exception) -> bool:
    """Whether both have one class, or `made` is a `ShapeError` that is also of the wanted class."""
    return type(made) is type(wanted) or (
        isinstance(made, ShapeError) and isinstance(made, type(wanted))
    )


def assert_same(a: Any, b: Any, where: str) -> None:
    """Require equal types, structure, order of keys, and equal numbers but for rounding."""
    kinds = f"the type of {where}"
    own, wanted = _class_of(a), _class_of(b)
    require(own.__name__ == wanted.__name__ and _alike(own, wanted), kinds, a, b)
    if isinstance(b, dict):
        assert_same(list(a), list(b), f"keys of {where}")
        for key in b:
            assert_same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(b, list | tuple):
        require(len(a) == len(b), f"the length of {where}", a, b)
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{where}[{k}]")
    elif isinstance(b, np.ndarray):
        _assert_same_array(a, b, where)
    elif isinstance(b, float | complex | np.number):
        require(near(a, b), f"the value of {where}", a, b)
    elif isinstance(b, str | bytes | int | None | set | slice | np.generic | type | range):
        require(a == b, f"the value of {where}", a, b)
    elif hasattr(b, "__dict__") and not callable(b):
        assert_same(vars(a), vars(b), f"{where}.__dict__")


def _class_of(x: Any) -> type:
    """The class; a result may be in a file or not (docs/limits.md)."""
    return np.ndarray if isinstance(x, np.memmap) else type(x)


def _alike(a: type, b: type) -> bool:
    """Whether both classes are one, or have one name, as a class that each call defines again."""
    return a is b or a.__qualname__ == b.__qualname__


def _assert_same_array(a: Any, b: Any, where: str) -> None:
    require(a.dtype == b.dtype, f"the dtype of {where}", a, b)
    require(a.shape == b.shape, f"the shape of {where}", a, b)
    if b.dtype.kind in "fc":
        require(near(a, b), f"the value of {where}", a, b)
    else:
        require(np.array_equal(a, b), f"the value of {where}", a, b)


def near(a: Any, b: Any) -> bool:
    """Equal but for rounding."""
    low = np.asarray(b).dtype in (np.float32, np.complex64)
    finite = np.abs(np.where(np.isfinite(b), b, 0))
    size = max(1.0, float(np.max(finite, initial=0)))
    tol = 1e-4 if low else RTOL
    return bool(np.allclose(a, b, rtol=tol, atol=tol * size, equal_nan=True))


def links(made: Any, args: Sequence[Any]) -> list[tuple[str, str]]:
    """Which parts of the result are arguments or parts of arguments, by their paths."""
    known = {id(each): path for path, each in parts(args, "")}
    return [(path, known[id(each)]) for path, each in parts(made, "") if id(each) in known]


def parts(tree: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The arrays and containers in a structure, with their paths."""
    if isinstance(tree, np.ndarray):
        yield path, tree
    elif isinstance(tree, dict):
        yield path, tree
        for key, each in tree.items():
            yield from parts(each, f"{path}[{key!r}]")
    elif hasattr(tree, "__dict__") and not callable(tree):
        yield path, tree
        for key, each in vars(tree).items():
            yield from parts(each, f"{path}.{key}")
    elif isinstance(tree, list | tuple):
        if isinstance(tree, list):
            yield path, tree
        for k, each in enumerate(tree):
            yield from parts(each, f"{path}[{k}]")


def copied(args: Sequence[Any]) -> list[Any]:
    """Arguments of the same layout in memory."""
    return [_copy(x) if isinstance(x, np.ndarray) else copy.deepcopy(x) for x in args]


def _copy(x: np.ndarray[Any, Any]) -> Any:
    if isinstance(x, np.memmap):
        return mapped(np.array(x))
    if x.flags.c_contiguous:
        made = x.copy()
    elif x.flags.f_contiguous:
        made = x.copy(order="F")
    else:
        made = spread(x)
    made.flags.writeable = x.flags.writeable
    return made


def spread(x: np.ndarray[Any, Any]) -> Any:
    """A copy whose entries lie apart and in reverse order."""
    made = np.zeros([2 * n for n in x.shape], x.dtype)[tuple([slice(None, None, -2)] * x.ndim)]
    made[...] = x
    return made


def mapped(x: np.ndarray[Any, Any]) -> Any:
    """A copy in a file."""
    with tempfile.TemporaryDirectory() as folder:
        made = np.memmap(Path(folder) / "x", x.dtype, "w+", shape=x.shape)
        made[...] = x
        return made


def laid_out(args: Sequence[Any], way: int) -> tuple[Any, ...]:
    """The arguments with arrays of floats in another memory layout."""
    make: Callable[[Any], Any] = (spread, np.asfortranarray, mapped)[way % 3]
    return tuple(
        make(x) if isinstance(x, np.ndarray) and x.ndim and x.dtype.kind == "f" else x for x in args
    )
