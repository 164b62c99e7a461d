"""Sums of products over indices: `np.einsum`, and `np.tensordot` as one.

np.einsum("ij,jk->ik", a, b)       a @ b
np.einsum("i,ij->j", v, a)         np.sum(v[:, None] * a, axis=0)
"""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from srcad.ir import Op
from srcad.native.scalarize.forms.calls import (
    COMPLEX,
    FLOAT,
    Choice,
    Chosen,
    Formula,
    is_any,
    is_array,
    must_agree,
    options,
    rank,
)

Places = tuple[int, ...]
_KINDS: Final = (FLOAT, COMPLEX)


def diagonal_sum(a: Any) -> Any:
    """`np.einsum("ii", a)`."""
    if a.shape[0] != a.shape[1]:
        raise ValueError("no square matrix")
    total = np.float64(0.0)
    for i in range(len(a)):
        total += a[i, i]
    return total


def spread(a: Any, order: Places, new: Places) -> Any:
    """Axes in another order, and new ones of one entry."""
    a = np.transpose(a, order)
    for k in new:
        a = np.expand_dims(a, k)
    return a


def of_one(a: Any, order: Places, new: Places, summed: Places) -> Any:
    """A contraction of one array."""
    y = spread(a, order, new)
    return np.sum(y, axis=summed) if summed else y


def of_two(
    a: Any, b: Any, order: Places, new: Places, other: Places, others: Places, summed: Places
) -> Any:
    """A contraction of two arrays."""
    y = spread(a, order, new) * spread(b, other, others)
    return np.sum(y, axis=summed) if summed else y


def of_several(*args: Any) -> Any:
    """A contraction of several arrays: these, how each is spread, and the axes to sum over."""
    *arrays, places, summed = args
    y = spread(arrays[0], *places[0])
    for a, place in zip(arrays[1:], places[1:], strict=True):
        y = y * spread(a, *place)
    return np.sum(y, axis=summed) if summed else y


def of_matrices(a: Any, b: Any, is_transposed: bool, other_is: bool, result_is: bool) -> Any:
    """A product of two matrices, each of them transposed or not."""
    x = np.transpose(a) if is_transposed else a
    y = np.transpose(b) if other_is else b
    return np.transpose(x @ y) if result_is else x @ y


def _placed(axes: str, whole: str) -> tuple[Places, Places]:
    """How axes come into the order of the whole, and where one of one entry is to be added."""
    order = tuple(sorted(range(len(axes)), key=lambda k: whole.index(axes[k])))
    return order, tuple(k for k, name in enumerate(whole) if name not in axes)


def contraction(inputs: list[str], output: str, arrays: tuple[Any, ...]) -> Chosen | None:
    """The form of a sum of products, by the names of axes."""
    if inputs == ["ii"] and not output:
        return (diagonal_sum, arrays) if is_array(arrays[0], FLOAT, 2) else None
    names = "".join(dict.fromkeys("".join(inputs)))
    if any(len(set(axes)) < len(axes) for axes in (*inputs, output)) or set(output) - set(names):
        return None
    gone = "".join(name for name in names if name not in output)
    whole = output + gone
    summed = tuple(range(len(output), len(whole)))
    if len(inputs) == 1:
        return Formula(of_one), (*arrays, *_placed(inputs[0], whole), summed)
    if len(inputs) != 2:
        places = tuple(_placed(axes, whole) for axes in inputs)
        return Formula(of_several), (*arrays, places, summed)
    a, b = inputs
    if len(a) == len(b) == len(output) == 2 and len(gone) == 1 and gone in a and gone in b:
        rows = a.replace(gone, "")
        turns = (a[0] == gone, b[1] == gone, output[0] != rows)
        return Formula(of_matrices), (*arrays, *turns)
    return Formula(of_two), (*arrays, *_placed(a, whole), *_placed(b, whole), summed)


def spelled_out(text: str, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts of `np.einsum`: of each operand, and of the result. Axes for which there are
    dots have names.
    """
    left, arrow, output = text.replace(" ", "").partition("->")
    inputs = left.split(",")
    free = "".join(c for c in string.ascii_letters if c not in text)
    pairs = [*zip(inputs, ranks, strict=False)]
    counts = [n - len(own) + 3 if "..." in own else 0 for own, n in pairs]
    dots = free[: max(counts, default=0)]
    named = [
        own.replace("...", dots[len(dots) - k :]) for (own, _), k in zip(pairs, counts, strict=True)
    ]
    if not arrow:
        output = "..." + "".join(sorted(c for c in {*left} - {*",."} if left.count(c) == 1))
    return named, output.replace("...", dots)


def _einsum(op: Op) -> Chosen | None:
    found = options(op, len(op.args), optimize=False)
    text = op.args[0] if op.args else None
    if found is None or not isinstance(text, str):
        return None
    arrays = op.args[1:]
    if len(arrays) == 1 and isinstance(arrays[0], list | tuple):
        arrays = tuple(arrays[0])
    inputs, output = spelled_out(text, [*map(rank, arrays)])
    fits = zip(inputs, arrays, strict=False)
    if len(inputs) != len(arrays) or not all(is_any(x, _KINDS, len(axes)) for axes, x in fits):
        return None
    return contraction(inputs, output, arrays)


def _tensordot(op: Op) -> Chosen | None:
    found = options(op, 2, axes=2)
    if found is None or not all(is_any(x, _KINDS, 1, 2, 3, 4) for x in op.args[:2]):
        return None
    n, m = map(rank, op.args[:2])
    axes = found[0]
    if type(axes) is int:
        axes = (tuple(range(n - axes, n)), tuple(range(axes)))
    pair = [(k,) if type(k) is int else tuple(k) for k in axes]
    a = "abcd"[:n]
    b = list("efgh"[:m])
    for k, own in zip(*pair, strict=True):
        b[own % m] = a[k % n]
    output = "".join(name for name in (*a, *b) if (*a, *b).count(name) == 1)
    chosen = contraction([a, "".join(b)], output, op.args[:2])
    if chosen is None:
        return None
    form, (x, y, *others) = chosen
    assert isinstance(form, Formula)
    along = [(own % n, other % m) for own, other in zip(*pair, strict=True)]
    return Formula(partial(_of_equal_extents, form.fn, along)), (x, y, *others)


def _of_equal_extents(
    fn: Callable[..., Any], along: list[tuple[int, int]], x: Any, y: Any, *others: Any
) -> Any:
    """A contraction along axes that have to be of one length, unlike those of `np.einsum`."""
    for own, other in along:
        must_agree(x.shape[own], y.shape[other])
    return fn(x, y, *others)


CONTRACTIONS: Final[dict[Any, Choice]] = {np.einsum: _einsum, np.tensordot: _tensordot}
