"""What the rules of linear algebra share: transposes, triangles, diagonals, and types of results.

Bodies hold for real and complex matrices alike; for real ones nothing is emitted for a conjugate or
a real part. A cotangent g of y means the real part of sum(g * y_dot), so that the transpose of a
holomorphic function has no conjugates, and `mH` comes where the function itself has one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.errors import error
from srcad.ir.types import ArrayType, Dim, Extent, NumberType, ObjectType, Shape, Type, shape_of
from srcad.rules.arrays.shaping import like, rank_of
from srcad.rules.core.facts import TypeFunction, array_or_scalar, as_type
from srcad.rules.core.staged import is_complex
from srcad.rules.core.zero import ZERO

# ---- for cases


def regular(*shape: int) -> Any:
    """Random matrices far from singular."""
    return lambda rng: rng.uniform(-1, 1, shape) + 3 * np.eye(shape[-2], shape[-1])


def symmetric(*shape: int) -> Any:
    """Symmetric matrices with distinct eigenvalues, positive."""

    def make(rng: Any) -> Any:
        a = regular(*shape)(rng) + np.diag(np.arange(shape[-1]))
        return (a + np.swapaxes(a, -1, -2)) / 2

    return make


# ---- parts and transposes


def mT(x: Any) -> Any:  # noqa: N802 - NumPy's name
    """The transposed matrix, or the stack of them."""
    return x.T if rank_of(x) == 2 else np.swapaxes(x, -1, -2)


def conj(x: Any) -> Any:
    """The conjugate; `x` itself where it is real."""
    return np.conj(x) if x is not ZERO and is_complex(x) else x


def mH(x: Any) -> Any:  # noqa: N802 - the adjoint, as the array API names it
    """The conjugate transpose."""
    return conj(mT(x))


def real(x: Any) -> Any:
    """The real part; `x` itself where it is real."""
    return np.real(x) if x is not ZERO and is_complex(x) else x


def strict(m: Any, lower: bool) -> Any:
    """The triangle without the diagonal."""
    return np.tril(m, k=-1) if lower else np.triu(m, k=1)


def triangle(m: Any, lower: bool) -> Any:
    """The triangle with the diagonal."""
    return np.tril(m) if lower else np.triu(m)


def half_triangle(m: Any, lower: bool = True) -> Any:
    """The triangle with half the diagonal."""
    return (triangle(m, lower) + strict(m, lower)) / 2


def mirrored(t: Any, lower: bool = True) -> Any:
    """The symmetric matrix (Hermitian, where complex) of which `t` has one triangle."""
    if is_complex(t):
        half = half_triangle(t, lower)
        return half + mH(half)
    return triangle(t, lower) + mT(strict(t, lower))


def folded(s: Any, lower: bool = True) -> Any:
    """The transpose of `mirrored`."""
    if is_complex(s):
        return half_triangle(s + mH(s), lower)
    return triangle(s, lower) + strict(mT(s), lower)


def diagonals(m: Any) -> Any:
    """The main diagonal of each matrix."""
    return np.diagonal(m) if rank_of(m) == 2 else np.diagonal(m, axis1=-2, axis2=-1)


def traces(m: Any) -> Any:
    """The trace of each matrix."""
    return np.trace(m) if rank_of(m) == 2 else np.trace(m, axis1=-2, axis2=-1)


def columns(v: Any) -> Any:
    """One number for each column of a matrix, to multiply it by."""
    return v if rank_of(v) == 1 else v[..., None, :]


def rows(v: Any) -> Any:
    """One number for each row of a matrix, to multiply it by."""
    return v[..., :, None] if rank_of(v) > 1 else v[:, None]


def each(x: Any) -> Any:
    """One number for each matrix of a stack, to multiply it by."""
    return x if rank_of(x) == 0 else x[..., None, None]


# ---- types


def shape_of_matrices(t: Type) -> Shape | None:
    """The shape of a matrix or a stack of them; refused for vectors."""
    shape = shape_of(t)
    if shape is not None and len(shape) < 2:
        raise error("E400", None, what=f"an array with {len(shape)} axes is no matrix")
    return shape


def inexact(t: Type) -> np.dtype:
    """The dtype of results of `np.linalg`: ints become doubles."""
    dtype = like(t, None).dtype
    return dtype if dtype.kind in "fc" else np.dtype(float)


def real_dtype(dtype: np.dtype) -> np.dtype:
    """The dtype of real parts."""
    return np.zeros((), dtype).real.dtype


def smaller(a: Extent, b: Extent) -> Extent:
    """The smaller of two extents."""
    if a == b:
        return a
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    never_one = all(e != 1 and (isinstance(e, int) or e.never_one) for e in (a, b))
    return Dim(f"min({a},{b})", never_one=never_one)


def known_options(type_of: TypeFunction) -> TypeFunction:
    """`type_of` for options that are constants: what the rule does depends on them."""

    def checked(*args: Any, **options: Any) -> Any:
        for name, value in options.items():
            if isinstance(value, ArrayType | NumberType | ObjectType):
                raise error("E123", None, what=f"the option `{name}`")
        return type_of(*args, **options)

    return checked


def square_type(a: object, *_: object, **__: object) -> ArrayType:
    """The result has the shape of the first argument."""
    t = as_type(a)
    return ArrayType(inexact(t), shape_of_matrices(t))


def stack_type(t: Type, dtype: np.dtype) -> ArrayType:
    """One number for each matrix."""
    shape = shape_of_matrices(t)
    return array_or_scalar(dtype, None if shape is None else shape[:-2])


def values_type(a: object, dtype: np.dtype | None = None) -> ArrayType:
    """One real number for each row of a square matrix: its eigenvalues."""
    t = as_type(a)
    shape = shape_of_matrices(t)
    return ArrayType(dtype or real_dtype(inexact(t)), None if shape is None else shape[:-1])
