"""Index sets: for each entry of an array, the entries of an argument that it may depend on.

    x_from = own_places(x)                    [{0}, {1}, {2}]
    y_from = x_from[1:] | x_from[:-1]         [{0, 1}, {1, 2}]

The sets of an array are an array of frozensets with its shape, those of a number one frozenset.
What moves entries (an index, `reshape`, `concatenate`) moves their sets, and `|` joins those of
arrays entry by entry. A filter is run for each entry of its kernel alone, on the numbers of the
places: what it gives is which entries that one takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np


def own_places(x: Any) -> Any:
    """The sets of an argument: each entry depends on itself. Places count row by row."""
    sets = np.empty(np.size(x), object)
    for k in range(sets.size):
        sets[k] = frozenset((k,))
    return sets.reshape(np.shape(x))[()]


def no_places(x: Any) -> Any:
    """The sets of what depends on nothing."""
    return np.full(np.shape(x), frozenset())[()]


def spread_places(sets: Any, y: Any) -> Any:
    """The sets of `y`, to whose shape those of what it is made of are broadcast."""
    return np.broadcast_to(np.asarray(sets, object), np.shape(y))[()]


def joined_places(sets: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sets of a sum along axes: each depends on all entries that are summed."""
    join: Any = np.bitwise_or.reduce
    return join(np.asarray(sets, object), axis=axis, keepdims=keepdims, initial=frozenset())


def summed_places(sets: Any, y: Any) -> Any:
    """The sets of `y`, to whose shape an array is summed, from which it was broadcast."""
    array = np.asarray(sets, object)
    shape, lead = np.shape(y), array.ndim - np.ndim(y)
    ones = tuple(k + lead for k, n in enumerate(shape) if n == 1)
    found = joined_places(array, (*range(lead), *ones), True)
    return np.reshape(np.asarray(found, object), shape)[()]


def running_places(sets: Any, axis: int | None = None) -> Any:
    """The sets of a running sum: each depends on the entries up to it."""
    array = np.asarray(sets, object)
    if axis is None:
        array, axis = array.ravel(), 0
    return np.bitwise_or.accumulate(array, axis=axis)


def all_places(y: Any, *several: Any) -> Any:
    """The sets of `y`, each entry of which depends on all entries of `several`."""
    every: frozenset[int] = frozenset()
    for sets in several:
        every = every.union(*_flat(sets))
    return _filled(y, every)


def _filled(y: Any, places: frozenset[int]) -> Any:
    """The same set for each entry of an array, or of all arrays in a list."""
    if isinstance(y, list | tuple):
        return [_filled(each, places) for each in y]
    return np.full(np.shape(y), places)[()]


def _flat(sets: Any) -> Iterator[frozenset[int]]:
    """The sets of an array, or of all arrays in a list."""
    if isinstance(sets, list | tuple):
        for each in sets:
            yield from _flat(each)
    else:
        yield from np.asarray(sets, object).flat


def product_places(a: Any, b: Any) -> Any:
    """The sets of a matrix product: entries depend on a row of one and a column of the other."""
    a, b = np.asarray(a, object), np.asarray(b, object)
    rows = np.asarray(joined_places(a, -1), object)
    columns = np.asarray(joined_places(b, -2 if b.ndim > 1 else -1), object)
    if b.ndim > 1:
        rows = rows[..., None]
        columns = columns[..., None, :] if a.ndim > 1 else columns
    return rows | columns


def within_places(y: Any, axes: int, *several: Any) -> Any:
    """The sets of `y`, made of vectors (one axis) or matrices (two), perhaps many in a stack."""
    last = tuple(range(-axes, 0))
    made = np.asarray(frozenset(), object)
    for sets in several:
        made = made | joined_places(sets, last, True)
    return np.broadcast_to(made, np.shape(y))[()]


def contracted_places(y: Any, result: str, labels: Any, *several: Any) -> Any:
    """The sets of a sum over labelled axes: `result` and `labels` are those of `np.einsum`."""
    made = np.full(np.shape(y), frozenset())[()]
    for own, sets in zip(labels, several, strict=True):
        kept = [k for k, label in enumerate(own) if label in result]
        summed = tuple(k for k in range(len(own)) if k not in kept)
        array = np.asarray(joined_places(sets, summed), object)
        order = sorted(range(len(kept)), key=lambda n: result.index(own[kept[n]]))
        shape = [1] * len(result)
        for n in order:
            shape[result.index(own[kept[n]])] = array.shape[n]
        made = made | array.transpose(order).reshape(shape)
    return np.asarray(made, object)[()]


def moved_places(move: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a function that moves entries makes of sets; what it fills in depends on nothing."""
    moved = np.asarray(move(*args, **kwargs), object)
    flat = [x if isinstance(x, frozenset) else frozenset() for x in moved.flat]
    sets = np.empty(len(flat), object)
    sets[:] = flat
    return sets.reshape(moved.shape)[()]


class _Union(frozenset[int]):
    """A set in the place of a number: what is computed of several depends on all of them."""

    def _joined(self, other: Any) -> _Union:
        return _Union(self | other) if isinstance(other, frozenset) else self

    __add__ = __radd__ = __mul__ = __rmul__ = __sub__ = __rsub__ = _joined


def computed_places(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The sets of `fn`, by which NumPy adds and multiplies entries: it is run on the sets."""
    given = [_unions(arg) if _are_sets(arg) else arg for arg in args]
    return moved_places(fn, *given, **kwargs)


def _are_sets(x: Any) -> bool:
    return isinstance(x, frozenset) or (isinstance(x, np.ndarray) and x.dtype == object)


def _unions(sets: Any) -> Any:
    array = np.asarray(sets, object)
    made = np.empty(array.size, object)
    made[:] = [_Union(each) for each in array.flat]
    return made.reshape(array.shape)[()]


def sparse_product_places(
    data: Any, indices: Any, indptr: Any, x: Any, shape: tuple[int, int], by_columns: bool
) -> Any:
    """The sets of a product with a sparse matrix: of its entries, and what these multiply."""
    x = np.asarray(x, object)
    major = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    rows, columns = (indices, major) if by_columns else (major, indices)
    made = np.full((shape[0], *x.shape[1:]), frozenset(), object)
    for k, (row, column) in enumerate(zip(rows.tolist(), columns.tolist(), strict=True)):
        made[row] = made[row] | x[column] | data[k]
    return made


def packed_places(items: Any) -> Any:
    """The sets of the array of items, nested as they are."""
    if not isinstance(items, list | tuple):
        return items
    packed = [np.asarray(packed_places(item), object) for item in items]
    return np.stack(packed) if packed else np.empty(0, object)


def stacked_places(rows: Any, shape: tuple[int, ...]) -> Any:
    """The sets of an array of rows of this shape, of which there may be none."""
    return np.reshape(packed_places(rows), (len(rows), *shape))


def added_places(sets: Any, index: Any, values: Any) -> Any:
    """The sets of an array to which values were added at an index, at some places repeatedly."""
    made = np.array(sets, object)
    parts = index if isinstance(index, tuple) else (index,)
    if all(p is None or p is Ellipsis or isinstance(p, int | np.integer | slice) for p in parts):
        made[index] = made[index] | values
        return made
    every = np.arange(made.size).reshape(made.shape)[index]
    given = np.broadcast_to(np.asarray(values, object), np.shape(every))
    flat = made.reshape(-1)
    for k, more in zip(np.ravel(every).tolist(), given.flat, strict=True):
        flat[k] = flat[k] | more
    return made


# Filters: they themselves are asked, so that what they do at the ends of lines is their own ------


def smoothed_places(fn: Callable[..., Any], sets: Any, size: Any, **options: Any) -> Any:
    """The sets of `gaussian_filter1d` and `uniform_filter1d`, by a correlation as wide."""
    from scipy import ndimage

    kept = {name: options[name] for name in ("axis", "mode", "origin") if name in options}
    if fn.__name__ == "gaussian_filter1d":
        radius = options.get("radius")
        if radius is None:
            radius = int(options.get("truncate", 4.0) * float(size) + 0.5)
        size = 2 * radius + 1
    return stencil_places(ndimage.correlate1d, sets, np.ones(size), **kept)


def stencil_places(
    fn: Callable[..., Any], sets: Any, weights: Any, *given: Any, **options: Any
) -> Any:
    """The sets of a filter with a kernel, which is linear in `sets`: `fn(x, weights, *given)`."""
    weights = np.asarray(weights)
    kernels = [_ones_at(weights.shape, tuple(place)) for place in np.argwhere(weights)]
    if not kernels:  # nothing is read
        kernels = [np.zeros(weights.shape)]
    return _filtered(fn, sets, kernels, given, options)


def images_places(
    fn: Callable[..., Any], sets: Any, weights: Any, *given: Any, **options: Any
) -> Any:
    """The sets of a convolution of images, (N, C, H, W), with filters, (F, C / groups, P, Q)."""
    shape = np.shape(weights)
    kernels = [_ones_at(shape, (slice(None), *place)) for place in np.ndindex(shape[1:])]
    return _filtered(fn, sets, kernels, given, options)


def _ones_at(shape: tuple[int, ...], place: tuple[Any, ...]) -> Any:
    alone = np.zeros(shape)
    alone[place] = 1.0
    return alone


def _filtered(
    fn: Callable[..., Any], sets: Any, kernels: Sequence[Any], given: Any, options: dict[str, Any]
) -> Any:
    """The sets of all places that a filter takes with one of these kernels, each of ones and zeros
    of which one moves a place to an entry: it is told by its number.
    """
    sets = np.asarray(sets, object)
    flat = sets.reshape(-1)
    numbers = 1.0 + np.arange(sets.size, dtype=float).reshape(sets.shape)
    made: Any = None
    for kernel in kernels:
        made = _joined(made, flat, fn(numbers, kernel, *given, **options))
    return made


def _joined(made: Any, flat: Any, taken: Any) -> Any:
    """`made`, joined by the sets of the places whose numbers were taken; 0 is none."""
    taken = np.rint(np.asarray(taken)).astype(np.intp)
    found = np.append(flat, [frozenset()])[taken - 1]
    return found if made is None else made | found


def pooled_places(sets: Any, size: Any, stride: Any = None) -> Any:
    """The sets of the windows of images, (N, C, H, W)."""
    sets = np.asarray(sets, object)
    steps = size if stride is None else stride
    rows, columns = size if isinstance(size, tuple) else (size, size)
    down, right = steps if isinstance(steps, tuple) else (steps, steps)
    made: Any = None
    high, wide = (sets.shape[2] - rows) // down + 1, (sets.shape[3] - columns) // right + 1
    for i in range(rows):
        for j in range(columns):
            part = sets[:, :, i : i + down * high : down, j : j + right * wide : right]
            made = part if made is None else made | part
    return made


def placed(sets: Any) -> tuple[Any, Any, int]:
    """Row and column of each entry of the Jacobian that may not be zero, and the number of rows."""
    several = list(np.asarray(sets, object).flat)
    counts = np.fromiter(map(len, several), np.intp, len(several))
    columns = np.fromiter((k for s in several for k in sorted(s)), np.intp, int(counts.sum()))
    return np.repeat(np.arange(len(several)), counts), columns, len(several)
