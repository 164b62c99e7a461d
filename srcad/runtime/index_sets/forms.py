"""What operations on arrays do to index sets, other than to move them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from srcad.runtime.index_sets.places import (
    Array,
    Pool,
    are_sets,
    moved,
)
from srcad.runtime.index_sets.windows import stencil_places


def own_places(x: Any) -> Any:
    """The sets of an argument: each entry depends on itself. Places count row by row."""
    pool, n = Pool.new(), np.size(x)
    first = pool.extend(np.ones(n, np.intp), np.arange(n))
    return pool.of(np.reshape(first + np.arange(n), np.shape(x)))


def no_places(x: Any) -> Any:
    """The sets of what depends on nothing."""
    return Pool.current().of(np.zeros(np.shape(x), np.intp))


def spread_places(sets: Any, y: Any) -> Any:
    """The sets of `y`, to whose shape those of what it is made of are broadcast."""
    pool = Pool.current()
    return pool.of(np.broadcast_to(pool.numbers(sets), np.shape(y)))


def joined_places(sets: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sets of a sum along axes: each depends on all entries that are summed."""
    pool = Pool.current()
    return pool.of(_joined(pool.numbers(sets), axis, keepdims))


def _joined(at: Array, axis: Any, keepdims: bool = False) -> Array:
    """The same of the numbers of sets."""
    axes = range(at.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(each % at.ndim for each in axes) if at.ndim else ()
    kept = [k for k in range(at.ndim) if k not in axes]
    shape = [at.shape[k] for k in kept]
    n_groups = int(np.prod(shape, dtype=int))
    lines = at.transpose((*kept, *axes)).reshape(n_groups, -1) if n_groups else at.reshape(0, 0)
    groups = np.repeat(np.arange(n_groups), lines.shape[1])
    made = Pool.current().joined(groups, lines.ravel(), n_groups).reshape(shape)
    return np.expand_dims(made, axes) if keepdims else made


def summed_places(sets: Any, y: Any) -> Any:
    """The sets of `y`, to whose shape an array is summed, from which it was broadcast."""
    pool = Pool.current()
    at = pool.numbers(sets)
    shape, lead = np.shape(y), at.ndim - np.ndim(y)
    ones = tuple(k + lead for k, n in enumerate(shape) if n == 1)
    return pool.of(_joined(at, (*range(lead), *ones), True).reshape(shape))


def running_places(sets: Any, axis: int | None = None) -> Any:
    """The sets of a running sum: each depends on the entries up to it."""
    pool = Pool.current()
    at = pool.numbers(sets)
    at = at.ravel() if axis is None else np.moveaxis(at, axis, 0)
    made = at.copy()
    for k in range(1, len(at)):
        made[k] = pool.union(made[k - 1], at[k])
    return pool.of(made if axis is None else np.moveaxis(made, 0, axis))


def all_places(y: Any, *several: Any) -> Any:
    """The sets of `y`, each entry of which depends on all entries of `several`."""
    pool = Pool.current()
    numbers = (np.ravel(pool.numbers(sets)) for sets in _flat(several))
    at = np.concatenate([np.zeros(0, np.intp), *numbers])
    return _filled(y, pool.joined(np.zeros(len(at), np.intp), at, 1)[0])


def _filled(y: Any, number: Any) -> Any:
    """The same set for each entry of an array, or of all arrays in a list."""
    if isinstance(y, list | tuple):
        return [_filled(each, number) for each in y]
    return Pool.current().of(np.full(np.shape(y), number, np.intp))


def _flat(sets: Any) -> Iterator[Any]:
    """The arrays in a list, at any depth."""
    if isinstance(sets, list | tuple):
        for each in sets:
            yield from _flat(each)
    else:
        yield sets


def product_places(a: Any, b: Any) -> Any:
    """The sets of a matrix product: entries depend on a row of one and a column of the other."""
    pool = Pool.current()
    a, b = pool.numbers(a), pool.numbers(b)
    rows, columns = _joined(a, -1), _joined(b, -2 if b.ndim > 1 else -1)
    if b.ndim > 1:
        rows = rows[..., None]
        columns = columns[..., None, :] if a.ndim > 1 else columns
    return pool.of(pool.union(rows, columns))


def within_places(y: Any, axes: int, *several: Any) -> Any:
    """The sets of `y`, made of vectors (one axis) or matrices (two), perhaps many in a stack."""
    pool, made = Pool.current(), np.zeros((), np.intp)
    for sets in several:
        made = pool.union(made, _joined(pool.numbers(sets), tuple(range(-axes, 0)), True))
    return pool.of(np.broadcast_to(made, np.shape(y)))


def lines_places(y: Any, axis: int | None, sets: Any) -> Any:
    """The sets of `y`, whose lines along an axis are made of those of another array, each of one;
    without an axis all of them are one.
    """
    pool = Pool.current()
    at = pool.numbers(sets)
    made = _joined(at.ravel(), 0) if axis is None else _joined(at, axis, True)
    return pool.of(np.broadcast_to(made, np.shape(y)))


def contracted_places(y: Any, result: str, labels: Any, *several: Any) -> Any:
    """The sets of a sum over labelled axes: `result` and `labels` are those of `np.einsum`."""
    pool, made = Pool.current(), np.zeros(np.shape(y), np.intp)
    for own, sets in zip(labels, several, strict=True):
        kept = [k for k, label in enumerate(own) if label in result]
        summed = tuple(k for k in range(len(own)) if k not in kept)
        at = _joined(pool.numbers(sets), summed)
        order = sorted(range(len(kept)), key=lambda n: result.index(own[kept[n]]))
        shape = [1] * len(result)
        for n in order:
            shape[result.index(own[kept[n]])] = at.shape[n]
        made = pool.union(made, at.transpose(order).reshape(shape))
    return pool.of(made)


def moved_places(move: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function that moves entries makes of sets; what it fills in depends on nothing."""
    return moved(Pool.current(), move, args, kwargs)


class _Union(frozenset[int]):
    """A set in the place of a number: what is computed of several depends on all of them."""

    def _joined(self, other: Any) -> _Union:
        return _Union(self | other) if isinstance(other, frozenset) else self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = _joined


def computed_places(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The sets of `fn`, by which NumPy adds and multiplies entries: it is run on the sets."""
    pool = Pool.current()
    if fn is np.append:
        return moved_places(fn, *(pool.of(_numbers(x)) for x in args[:2]), *args[2:], **kwargs)
    if fn is np.diff:
        return _differences(*args, **kwargs)
    if fn in (np.outer, np.linalg.outer, np.kron):
        a, b = map(_numbers, args)
        ones = [np.ones(x.shape, np.intp) for x in (a, b)]
        return pool.of(pool.union(fn(a, ones[1]), fn(ones[0], b)))
    if fn in (np.convolve, np.correlate):
        a, b = map(_numbers, args[:2])
        if not b.any():
            return stencil_places(fn, args[0], np.ones(b.shape), *args[2:], **kwargs)
        if not a.any() and fn is np.convolve:  # which takes them in either order
            return stencil_places(fn, args[1], np.ones(a.shape), *args[2:], **kwargs)
    if fn is np.pad:
        return moved_places(fn, *args, **{k: x for k, x in kwargs.items() if k in ("mode", "axis")})
    found = np.asarray(fn(*(_unions(x) if are_sets(x) else x for x in args), **kwargs), object)
    flat = (x if isinstance(x, frozenset) else frozenset() for x in found.flat)
    return pool.of(np.fromiter(map(pool.number, flat), np.intp, found.size).reshape(found.shape))


def _numbers(x: Any) -> Array:
    """The numbers of sets; zeros for an array of numbers."""
    return Pool.current().numbers(x) if are_sets(x) else np.zeros(np.shape(x), np.intp)


def _differences(
    x: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None
) -> Any:
    """Those of `np.diff`."""
    pool = Pool.current()
    at = np.moveaxis(pool.numbers(x), axis, -1)
    for more, is_first in ((prepend, True), (append, False)):
        if more is None or more is np._NoValue:
            continue
        ends = _numbers(more)
        ends = np.moveaxis(ends, axis, -1) if ends.ndim else np.full((*at.shape[:-1], 1), ends)
        at = np.concatenate([ends, at] if is_first else [at, ends], -1)
    for _ in range(n):
        at = pool.union(at[..., 1:], at[..., :-1])
    return pool.of(np.moveaxis(at, -1, axis))


def _unions(sets: Any) -> Any:
    if isinstance(sets, frozenset):
        return _Union(sets)
    made = np.empty(np.size(sets), object)
    made[:] = [_Union(each) for each in np.ravel(sets)]
    return made.reshape(np.shape(sets))[()]


def sparse_product_places(
    data: Any, indices: Any, indptr: Any, x: Any, shape: tuple[int, int], by_columns: bool
) -> Any:
    """The sets of a product with a sparse matrix: of its entries, and what these multiply."""
    pool = Pool.current()
    x, data = pool.numbers(x), pool.numbers(data)
    major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows, columns = (indices, major) if by_columns else (major, indices)
    beside = int(np.prod(x.shape[1:], dtype=int))
    groups = rows[:, None] * beside + np.arange(beside)
    taken = x.reshape(len(x), beside)[columns]
    at = np.stack([taken, np.broadcast_to(data[:, None], taken.shape)])
    both = np.broadcast_to(groups, at.shape)
    made = pool.joined(both.ravel().astype(np.intp), at.ravel(), shape[0] * beside)
    return pool.of(made.reshape(shape[0], *x.shape[1:]))


def packed_places(items: Any) -> Any:
    """The sets of the array of items, nested as they are."""
    pool = Pool.current()
    return pool.of(_packed(items)) if isinstance(items, list | tuple) else items


def _packed(items: Any) -> Array:
    pool = Pool.current()
    if not isinstance(items, list | tuple) or all(isinstance(x, frozenset) for x in items):
        return pool.numbers(items)
    return np.stack([_packed(each) for each in items])


def stacked_places(rows: Any, shape: tuple[int, ...]) -> Any:
    """The sets of an array of rows of this shape, of which there may be none."""
    return np.reshape(packed_places(rows), (len(rows), *shape))


def added_places(sets: Any, index: Any, values: Any) -> Any:
    """The sets of an array to which values were added at an index, at some places repeatedly."""
    pool = Pool.current()
    made, given = pool.numbers(sets).copy(), pool.numbers(values)
    every = np.arange(made.size).reshape(made.shape)[index]
    flat = made.reshape(-1)
    if not np.ndim(every):
        flat[every] = pool.number(pool.set_at(int(flat[every])) | pool.set_at(int(given)))
        return pool.of(made)
    targets, groups = np.unique(every, return_inverse=True)
    groups = np.concatenate([np.arange(len(targets)), groups.ravel()])
    at = np.concatenate([flat[targets], np.broadcast_to(given, every.shape).ravel()])
    flat[targets] = pool.joined(groups, at, len(targets))
    return pool.of(made)


def placed(sets: Any) -> tuple[Any, Any, int]:
    """Row and column of each entry of the Jacobian that may not be zero, and the number of rows."""
    pool = Pool.current()
    at = np.ravel(pool.numbers(sets))
    counts, columns = pool.places(at)
    return np.repeat(np.arange(len(at)), counts), columns.astype(np.intp), len(at)


__all__ = [
    "added_places",
    "all_places",
    "computed_places",
    "contracted_places",
    "joined_places",
    "lines_places",
    "moved_places",
    "no_places",
    "own_places",
    "packed_places",
    "placed",
    "product_places",
    "running_places",
    "sparse_product_places",
    "spread_places",
    "stacked_places",
    "summed_places",
    "within_places",
]
