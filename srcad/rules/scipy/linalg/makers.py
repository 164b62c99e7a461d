"""`scipy.linalg`: matrices made of others: block_diag, toeplitz, circulant, hankel, khatri_rao.

The transposes of the patterned ones gather sums along diagonals, by the index that makes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from srcad.ir.types import ArrayType, Dim, Extent, Shape, Type, operand, shape_of
from srcad.rules.arrays.shaping import call_beside, dims, dtype_of_arrays, rank_of
from srcad.rules.core.broadcast import cast_like
from srcad.rules.core.compose import known, raise_unless, raise_unless_equal
from srcad.rules.core.facts import UncoveredError, as_type
from srcad.rules.core.registry import composed, rule
from srcad.rules.core.staged import as_array, call
from srcad.rules.core.table import Case
from srcad.rules.core.zero import ZERO
from srcad.rules.linalg.matrices import conj

# ---- block_diag


def _as_matrix(shape: Shape | None) -> Shape:
    if shape is None or len(shape) > 2:
        raise UncoveredError("stacks of blocks")
    return (*(1,) * (2 - len(shape)), *shape)


def _block_diag_type(*arrs: object) -> Type:
    shapes = [_as_matrix(shape_of(as_type(x))) for x in arrs]
    extents = (_total([s[0] for s in shapes]), _total([s[1] for s in shapes]))
    return ArrayType(dtype_of_arrays(*map(as_type, arrs)), extents)


def _total(extents: list[Extent]) -> Extent:
    total: Extent = 0
    for extent in extents:
        if isinstance(extent, int):
            total = total + extent if isinstance(total, int) else total.lengthened(extent)
        elif isinstance(total, int):
            total = extent.lengthened(total)
        else:
            total = Dim(f"{operand(total)}+{operand(extent)}")
    return total


def _corner(arrs: Any, at: int) -> tuple[Any, Any, Any, Any]:
    """Where a block begins, and its extents."""
    shapes = [(*(1,) * (2 - rank_of(x)), *dims(x)) for x in arrs]
    row = sum((s[0] for s in shapes[:at]), start=0)
    column = sum((s[1] for s in shapes[:at]), start=0)
    return row, column, *shapes[at]


def _block(g: Any, y: Any, *arrs: Any, at: int) -> Any:
    row, column, m, n = _corner(arrs, at)
    x = arrs[at]
    if rank_of(x) == 2:
        return cast_like(g[row : row + m, column : column + n], x)
    return cast_like(g[row, column : column + n] if rank_of(x) == 1 else g[row, column], x)


def _block_diag_jvp(ts: Any, y: Any, *arrs: Any) -> Any:
    blocks = (np.zeros_like(x) if t is ZERO else t for t, x in zip(ts, arrs, strict=True))
    return cast_like(call(linalg.block_diag, *blocks), y)


rule(
    linalg.block_diag,
    jvp=_block_diag_jvp,
    arrs=_block,
    type_of=_block_diag_type,
    cases=[Case((2, 3)), Case((2, 2), (3, 1)), Case((2, 3), (4,), (2, 2))],
)


# ---- patterns: entries of one vector, by an index


def _ravelled(x: Any) -> Any:
    if rank_of(x) != 1:
        raise UncoveredError("anything but vectors")
    return x


def _steps(x: Any) -> tuple[Any, Any]:
    """The numbers of the entries, and how many there are."""
    n = dims(x)[0]
    return call_beside(x, np.arange, n), n


def _toeplitz(c: Any, r: Any = None) -> Any:
    c = _ravelled(c)
    r = conj(c) if r is None else _ravelled(r)
    (rows, m), (columns, _) = _steps(c), _steps(r)
    return np.concatenate((c[::-1], r[1:]))[m - 1 - rows[:, None] + columns]


def _hankel(c: Any, r: Any = None) -> Any:
    c = _ravelled(c)
    r = np.zeros_like(c) if r is None else _ravelled(r)
    (rows, _), (columns, _) = _steps(c), _steps(r)
    return np.concatenate((c, r[1:]))[rows[:, None] + columns]


def _circulant(c: Any) -> Any:
    steps, n = _steps(_ravelled(c))
    return c[(steps[:, None] - steps) % n]


composed(linalg.toeplitz, _toeplitz, cases=[Case((3,)), Case((3,))])
composed(linalg.hankel, _hankel, cases=[Case((3,))])
composed(linalg.circulant, _circulant, cases=[Case((3,))])


# ---- khatri_rao: of each column the Kronecker product


def _khatri_rao(a: Any, b: Any) -> Any:
    if rank_of(a) != 2 or rank_of(b) != 2:
        raise UncoveredError("stacks of matrices")
    a, b = as_array(a), as_array(b)
    message = "The number of columns for both arrays should be equal."
    raise_unless_equal(a.shape[1], b.shape[1], ValueError, message)
    return np.reshape(a[:, None, :] * b, (dims(a)[0] * dims(b)[0], dims(a)[1]))


composed(linalg.khatri_rao, _khatri_rao, cases=[Case((2, 3), (4, 3))])


# ---- companion, leslie: a row and a diagonal


def _companion(a: Any) -> Any:
    n = known(dims(_ravelled(a))[0], "the size of a companion matrix")
    raise_unless(a[0] != 0, ValueError, "The first coefficient in `a` must not be zero", beside=a)
    row = -a[1:] / (1.0 * a[0])
    return np.concatenate((row[None, :], np.eye(n - 2, n - 1).astype(row.dtype)))


def _leslie(f: Any, s: Any) -> Any:
    f, s = _ravelled(f), _ravelled(s)
    (n,), (m,) = dims(f), dims(s)
    message = "The length of s must be one less than the length of f, and at least 1."
    raise_unless_equal(n, m + 1, ValueError, message, beside=f)
    raise_unless(m > 0, ValueError, message, beside=f)
    s = np.diag(s)
    beside = np.concatenate((s, np.zeros_like(s[:, :1])), axis=1)
    return np.concatenate((f[None, :], beside))


composed(linalg.companion, _companion, domain=(0.5, 2.0), cases=[Case((4,)), Case((2,))])
composed(linalg.leslie, _leslie, cases=[Case((4,), (3,)), Case((2,), (1,))])
