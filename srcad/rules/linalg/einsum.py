"""`np.einsum`, with subscripts known while compiling.

y = np.einsum("ij,jk->ik", a, b)      a_bar = np.einsum("ik,jk->ij", y_bar, b)
y = np.einsum("ii->i", a)             a_bar = np.einsum("i,ij->ij", y_bar, np.eye(n))
y = np.einsum("ij->j", a)             a_bar = np.broadcast_to(y_bar[None], a.shape)
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.kinds import is_integer
from srcad.ir.types import Extent, Shape, Type, dtype_of, is_never_one, shape_of
from srcad.rules.arrays.shaping import call_beside, dims, dtype_of_arrays, extents, rank_of
from srcad.rules.core.arguments import Arguments
from srcad.rules.core.array_arguments import constant_array
from srcad.rules.core.broadcast import unbroadcast
from srcad.rules.core.facts import array_or_scalar, as_type, broadcast_extents
from srcad.rules.core.product import without_missing
from srcad.rules.core.registry import linear
from srcad.rules.core.staged import call, type_of
from srcad.rules.core.table import Case


def _normalize(*args: Any, **options: Any) -> Arguments:
    """The form with a string, of `np.einsum(a, [0, 1], b, [1, 2], [0, 2])` too."""
    if not args or isinstance(args[0], str) or len(args) < 2:
        return (*args[:1], *map(constant_array, args[1:])), options
    lists, operands = list(args[1::2]), args[: len(args) // 2 * 2 : 2]
    output = "->" + _letters(args[-1]) if len(args) % 2 else ""
    terms = ",".join(_letters(numbers) for numbers in lists)
    return (terms + output, *map(constant_array, operands)), options


def _letters(numbers: Any) -> str:
    """A list of numbers of axes as letters, an `Ellipsis` as three dots."""
    if not isinstance(numbers, list | tuple) or not all(
        k is Ellipsis or (is_integer(k) and 0 <= k < 52) for k in numbers
    ):
        raise error("E123", None, what="the subscripts of `np.einsum`")
    return "".join("..." if k is Ellipsis else string.ascii_letters[k] for k in numbers)


def _parse(subscripts: Any, ranks: Sequence[int]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, ellipses spelled out."""
    if not isinstance(subscripts, str):
        raise error("E123", None, what="the subscripts of `np.einsum`")
    inputs, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    fits = len(terms) == len(ranks) and all(
        len(term.replace("...", "")) == n if "..." not in term else len(term) - 3 <= n
        for term, n in zip(terms, ranks, strict=False)
    )
    if not fits:
        of = ", ".join(f"{n} axes" for n in ranks)
        raise error("E407", None, what=f"'{subscripts}' does not fit arrays with {of}")
    if not arrow:
        letters = sorted(set(inputs) - set(",."))
        output = "..." if "..." in inputs else ""
        output += "".join(c for c in letters if inputs.count(c) == 1)
    free = [c for c in string.ascii_uppercase + string.ascii_lowercase if c not in subscripts]
    widths = [n - len(t) + 3 if "..." in t else 0 for t, n in zip(terms, ranks, strict=True)]
    spare = "".join(free[: max(widths, default=0)])
    spelled = [
        term.replace("...", spare[len(spare) - width :])
        for term, width in zip(terms, widths, strict=True)
    ]
    return spelled, output.replace("...", spare)


def _einsum_type(subscripts: Any, *operands: object, optimize: object = False) -> Type:
    types = [as_type(x) for x in operands]
    shapes = [shape_of(t) for t in types]
    known: list[Shape] = [s for s in shapes if s is not None]
    if len(known) < len(shapes):
        raise error("E123", None, what="the number of axes")
    terms, output = _parse(subscripts, [len(s) for s in known])
    of_letter: dict[str, Extent] = {}
    for term, shape in zip(terms, known, strict=True):
        for letter, extent in zip(term, shape, strict=True):
            of_letter[letter] = broadcast_extents(of_letter.get(letter, 1), extent)
    return array_or_scalar(dtype_of_arrays(*types), tuple(of_letter[c] for c in output))


@without_missing
def _einsum_vjp(
    g: Any, y: Any, subscripts: str, *operands: Any, at: int, optimize: Any = False
) -> Any:
    """`g` takes the place of the operand, whose letters become the output.

    A repeated letter of the operand is set apart by an identity matrix; a letter found nowhere
    else was summed over alone, and the cotangent is the same all along its axis. Where the others
    were broadcast along an axis, ones are another operand, as long as the axis.
    """
    terms, output = _parse(subscripts, [rank_of(x) for x in operands])
    x, others = operands[at], [*operands[:at], *operands[at + 1 :]]
    inputs, arrays = [*terms[:at], *terms[at + 1 :]], others
    dtypes = {dtype_of(type_of(array)) for array in others}
    # The others alone would be summed in their own dtype: truth values by `or`.
    alone = not output and dtypes == {dtype_of(type_of(g))}
    if not alone:
        inputs, arrays = [output, *inputs], [g, *others]
    letters = list(terms[at])
    free = iter(c for c in string.ascii_letters if not any(c in t for t in (*terms, output)))
    for k, letter in enumerate(letters):
        if letter in letters[:k]:
            letters[k] = next(free)
            inputs.append(letter + letters[k])
            arrays.append(_made_for(g, np.eye, dims(x)[k]))
        elif _is_broadcast(letter, _shape(x)[k], inputs, arrays):
            inputs.append(letter)
            arrays.append(_made_for(g, np.ones, dims(x)[k]))
    present = [c for c in letters if any(c in t for t in inputs)]
    x_bar = _contract(inputs, "".join(present), arrays, optimize) if inputs else g
    if inputs and alone:
        x_bar = x_bar * g
    if len(present) < len(letters):
        index = tuple(slice(None) if c in present else None for c in letters)
        x_bar = x_bar[index] if present else x_bar
        x_bar = np.broadcast_to(x_bar, _lengthened(x_bar, x, [c in present for c in letters]))
    return unbroadcast(x_bar, x)


def _lengthened(x_bar: Any, x: Any, kept: list[bool]) -> Any:
    """The extents of `x`, of the axes `kept` those of `x_bar` where `x` was broadcast along one."""
    never_one = map(is_never_one, _shape(x))
    if all(wide for wide, keeps in zip(never_one, kept, strict=True) if keeps):
        return extents(x)
    wanted = zip(dims(x), dims(x_bar), kept, strict=True)
    return tuple(mine if keeps else whole for whole, mine, keeps in wanted)


def _is_broadcast(letter: str, extent: Extent, terms: list[str], arrays: list[Any]) -> bool:
    """Whether an axis of this extent may be longer than what `arrays` have along the letter."""
    others: list[Extent] = [
        other
        for term, array in zip(terms, arrays, strict=True)
        for c, other in zip(term, _shape(array), strict=True)
        if c == letter
    ]
    longest: Extent = 1
    for other in others:
        longest = broadcast_extents(longest, other)
    return bool(others) and extent not in (1, longest) and not is_never_one(longest)


def _shape(x: Any) -> Shape:
    """The extents of an array, a number or a staged value whose number of axes is known."""
    shape = shape_of(type_of(x))
    assert shape is not None
    return shape


def _made_for(g: Any, make: Any, n: Any) -> Any:
    """An array that `make` makes of an extent, in the dtype of `g`."""
    dtype = dtype_of_arrays(as_type(type_of(g)))
    options = {} if dtype == np.float64 else {"dtype": dtype}
    return call_beside(g, make, n, **options)


def _contract(inputs: list[str], output: str, arrays: list[Any], optimize: Any) -> Any:
    if len(inputs) == 1 and inputs[0] == output:
        return arrays[0]
    options = {} if optimize is False else {"optimize": optimize}
    return call(np.einsum, f"{','.join(inputs)}->{output}", *arrays, **options)


linear(
    np.einsum,
    operands=_einsum_vjp,
    type_of=_einsum_type,
    normalize=_normalize,
    cases=[
        Case("ij,jk->ik", (2, 3), (3, 4)),
        Case("ij,jk", (2, 3), (3, 4)),
        Case("ji,ji->", (2, 3), (2, 3)),
        Case("i,j->ij", (2,), (3,)),
        Case("bij,bjk->bik", (5, 2, 3), (5, 3, 4)),
        Case("...ij,...jk->...ik", (5, 2, 3), (3, 4)),
        Case("i...->...", (2, 3, 4)),
        Case("ij->j", (2, 3)),
        Case("ij->ji", (2, 3)),
        Case("ij->", (2, 3)),
        Case("ii->i", (3, 3)),
        Case("ii", (3, 3)),
        Case("iij,j->i", (3, 3, 2), (2,)),
        Case("ij,jk,kl->il", (2, 3), (3, 4), (4, 2), optimize=True),
        Case("ij,ij->i", (1, 3), (2, 3)),
        Case("i,i,i->i", (3,), (3,), (3,)),
        Case("ij,k->i", (2, 3), (4,)),
        Case(",ij->ij", (), (2, 3)),
        Case("...,...", (2, 3), (3,)),
        Case("...i,...i", (4, 2, 3), (2, 3)),
        Case("i...,i->...", (2, 3), (2,)),
        Case("ijj->i", (2, 3, 3)),
        Case("iii", (3, 3, 3)),
        Case("ii,jj->", (3, 3), (2, 2)),
        Case("...ii->...i", (2, 3, 3)),
        Case("ij,ij->ij", (2, 1), (1, 3)),
        Case("i j , j k -> i k", (2, 3), (3, 4)),
        Case("ij,jk,kl->il", (2, 3), (3, 4), (4, 2), optimize="optimal"),
        Case("ij->", (0, 3)),
        Case("ij,jk->ik", (2, 3), (1, 4)),
        Case("ij,jk->", (2, 3), (1, 4)),
        Case("ii,i->i", (3, 3), (1,)),
    ],
)
