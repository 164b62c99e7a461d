"""`scipy.spatial.transform.Rotation` and `Slerp`: quaternions by their four parts, read in place of
SciPy's.

R.from_euler("z", a).as_matrix()      z, w = sin(a / 2), cos(a / 2)
                                      [[w*w - z*z, -2*z*w, 0], [2*z*w, w*w - z*z, 0], [0, 0, 1]]

Each part is a number, or an array of one axis for a stack of rotations. Near the identity the
series of SciPy's take the place of quotients by an angle, in its square: derivatives of every order
are finite there.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.scipy.reals import as_reals

_SMALL = 1e-6  # the square of the angle below which SciPy takes the series
DEGREE = np.pi / 180.0


class Rotation:
    """A rotation, or a stack of them, by the parts of unit quaternions; `w` is the scalar."""

    __array_ufunc__ = None

    def __init__(self, x: Any, y: Any, z: Any, w: Any) -> None:
        self._x = x
        self._y = y
        self._z = z
        self._w = w

    def __eq__(self, other: object) -> Any:
        beyond("a comparison of rotations")

    def __ne__(self, other: object) -> Any:
        beyond("a comparison of rotations")

    def __hash__(self) -> Any:
        beyond("a rotation as a key")

    @property
    def single(self) -> Any:
        return np.ndim(self._w) == 0

    @property
    def shape(self) -> Any:
        return np.shape(self._w)

    def __bool__(self) -> Any:
        return True if self.single else len(self._w) > 0

    def __len__(self) -> Any:
        if self.single:
            raise TypeError("Single rotation has no len().")
        return len(self._w)

    def __getitem__(self, index: Any) -> Any:
        if self.single:
            raise TypeError("Single rotation is not subscriptable.")
        if index is ...:
            beyond("`...` as the index of a rotation")
        return Rotation(self._x[index], self._y[index], self._z[index], self._w[index])

    def __setitem__(self, index: Any, value: Any) -> Any:
        beyond("a change of a rotation in place")

    def __iter__(self) -> Any:
        if self.single:
            raise TypeError("Single rotation is not iterable.")
        return iter([self[i] for i in range(len(self._w))])

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, Rotation):
            return NotImplemented
        return normalised(*composed(self, other))

    def __pow__(self, n: Any, modulus: Any = None) -> Any:
        if modulus is not None:
            raise NotImplementedError("modulus not supported")
        if isinstance(n, int):
            if n == 0:
                zero = np.zeros(self.shape)
                return Rotation(zero, zero, zero, zero + 1.0)
            if n == 1:
                return self
            if n == -1:
                return self.inv()
        scaled = from_rotvec(n * self.as_rotvec())
        # SciPy leaves the quaternion as it is for exponents of 1 and -1, be it of either sign.
        kept = np.where(abs(n) == 1, _sign(self), 1.0)
        return Rotation(kept * scaled._x, kept * scaled._y, kept * scaled._z, kept * scaled._w)

    def inv(self) -> Any:
        return Rotation(-self._x, -self._y, -self._z, self._w)

    def magnitude(self) -> Any:
        return 2.0 * np.arctan2(_length(self._x, self._y, self._z), np.abs(self._w))

    def approx_equal(self, other: Any, atol: Any = None, degrees: bool = False) -> Any:
        if atol is None:
            if degrees:
                what = "atol must be set to use the degrees flag, defaulting to 1e-8 radians."
                warnings.warn(what, stacklevel=2)
            atol = 1e-8
        elif degrees:
            atol = atol * DEGREE
        between = normalised(*composed(other, self.inv()))
        return np.atleast_1d(between.magnitude() < atol)

    def mean(self, weights: Any = None, axis: Any = None) -> Any:
        if axis is not None:
            beyond("`mean` of rotations with `axis=`")
        parts = np.atleast_2d(self.as_quat())
        if len(parts) == 0:
            raise ValueError("Mean of an empty rotation set is undefined.")
        if weights is None:
            moments = np.dot(np.transpose(parts), parts)
        else:
            weights = as_reals(weights)
            if np.any(weights < 0):
                raise ValueError("`weights` must be non-negative.")
            if np.ndim(weights) != 1 or len(weights) != len(parts):
                raise ValueError("Expected one of `weights` for each rotation.")
            moments = np.dot(weights * np.transpose(parts), parts)
        vectors = np.linalg.eigh(moments)[1]
        return Rotation(vectors[0, 3], vectors[1, 3], vectors[2, 3], vectors[3, 3])

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        v = as_reals(vectors)
        if v.shape[-1] != 3:
            raise ValueError(f"Expected input of shape (..., 3), got {v.shape}.")
        matrix = (self.inv() if inverse else self).as_matrix()
        if self.single:
            return v @ np.transpose(matrix)
        return (matrix @ v[..., None])[..., 0]

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        sign = _sign(self) if canonical else 1.0
        x, y, z, w = self._x, self._y, self._z, self._w
        parts = [w, x, y, z] if scalar_first else [x, y, z, w]
        return _stacked(parts) if not canonical else np.expand_dims(sign, -1) * _stacked(parts)

    def as_matrix(self) -> Any:
        x, y, z, w = self._x, self._y, self._z, self._w
        xx, yy, zz, ww = x * x, y * y, z * z, w * w
        xy, zw, xz, yw, yz, xw = x * y, z * w, x * z, y * w, y * z, x * w
        first = [xx - yy - zz + ww, 2.0 * (xy - zw), 2.0 * (xz + yw)]
        second = [2.0 * (xy + zw), -xx + yy - zz + ww, 2.0 * (yz - xw)]
        third = [2.0 * (xz - yw), 2.0 * (yz + xw), -xx - yy + zz + ww]
        if self.single:
            return np.array([first, second, third])
        return np.stack([_stacked(first), _stacked(second), _stacked(third)], axis=1)

    def as_rotvec(self, degrees: bool = False) -> Any:
        sign = _sign(self)
        x, y, z, w = sign * self._x, sign * self._y, sign * self._z, sign * self._w
        square = x * x + y * y + z * z
        is_small = 4.0 * square <= _SMALL
        # The square of the angle, 4 * arctan(r) ** 2, of r = sin / cos of its half.
        r = np.where(is_small, square, 0.0) / np.where(is_small, w * w, 1.0)
        angle_2 = 4.0 * r * (1.0 - 2.0 * r / 3.0 + 23.0 * r * r / 45.0)
        angle = 2.0 * np.arctan2(np.sqrt(np.where(is_small, 1.0, square)), w)
        near = 2.0 + angle_2 / 12.0 + 7.0 * angle_2 * angle_2 / 2880.0
        scale = np.where(is_small, near, angle / np.sin(angle / 2.0))
        scale = scale / DEGREE if degrees else scale
        return _stacked([scale * x, scale * y, scale * z])

    def as_mrp(self) -> Any:
        sign = np.where(self._w < 0, -1.0, 1.0)
        below = 1.0 + sign * self._w
        return _stacked([sign * part / below for part in (self._x, self._y, self._z)])

    def as_euler(self, seq: Any, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        if len(seq) != 3:
            raise ValueError(f"Expected 3 axes, got {seq}.")
        axes = axes_of(seq)
        is_extrinsic = seq.islower()
        i, j, k = axes if is_extrinsic else (axes[2], axes[1], axes[0])
        is_symmetric = i == k
        k = 3 - i - j if is_symmetric else k
        sign = (i - j) * (j - k) * (k - i) // 2
        q = (self._x, self._y, self._z, self._w)
        if is_symmetric:
            a, b, c, d = q[3], q[i], q[j], sign * q[k]
        else:
            a, b, c, d = q[3] - q[j], q[i] + sign * q[k], q[j] + q[3], sign * q[k] - q[i]
        half_sum, half_difference = np.arctan2(b, a), np.arctan2(d, c)
        middle = 2.0 * np.arctan2(np.hypot(c, d), np.hypot(a, b))
        is_near, is_far = np.abs(middle) <= 1e-7, np.abs(middle - np.pi) <= 1e-7
        is_locked = is_near | is_far
        if not suppress_warnings and np.any(is_locked):
            warnings.warn(
                "Gimbal lock detected. Setting third angle to zero "
                "since it is not possible to uniquely determine all angles.",
                stacklevel=2,
            )
        far = (-2.0 if is_extrinsic else 2.0) * half_difference
        locked = np.where(is_near, 2.0 * half_sum, far)
        minus, plus = half_sum - half_difference, half_sum + half_difference
        scale = 1.0 if is_symmetric else float(sign)
        if is_extrinsic:
            first = np.where(is_locked, locked, minus)
            third = np.where(is_locked, 0.0, plus) * scale
        else:
            first = np.where(is_locked, locked, plus * scale)
            third = np.where(is_locked, 0.0, minus)
        middle = middle if is_symmetric else middle - np.pi / 2
        found = _stacked([first, middle, third])
        found = (found + np.pi) % (2.0 * np.pi) - np.pi
        return found / DEGREE if degrees else found

    def as_davenport(self, axes: Any, order: Any, degrees: bool = False, **options: Any) -> Any:
        beyond("`as_davenport` of a rotation")

    def reduce(self, left: Any = None, right: Any = None, return_indices: bool = False) -> Any:
        beyond("`reduce` of a rotation")


class HeldRotation(Rotation):
    """A rotation from outside, by its quaternion."""

    def __init__(self, quat: Any) -> None:
        self._quat = quat

    @property
    def _x(self) -> Any:
        return self._quat[..., 0]

    @property
    def _y(self) -> Any:
        return self._quat[..., 1]

    @property
    def _z(self) -> Any:
        return self._quat[..., 2]

    @property
    def _w(self) -> Any:
        return self._quat[..., 3]


def from_rotvec(rotvec: Any, degrees: bool = False) -> Any:
    v = as_reals(rotvec)
    if np.ndim(v) == 0 or v.shape[-1] != 3:
        found = f"to have shape (3,) or (N, 3), got {np.shape(v)}"
        raise ValueError(f"Expected `rot_vec` {found}")
    check_axes(v, 1)
    v = v * DEGREE if degrees else v
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    square = x * x + y * y + z * z
    is_small = square <= _SMALL
    little, angle = np.where(is_small, square, 0.0), np.sqrt(np.where(is_small, 1.0, square))
    near = 0.5 - little / 48.0 + little * little / 3840.0
    scale = np.where(is_small, near, np.sin(angle / 2.0) / angle)
    cosine = 1.0 - little / 8.0 + little * little / 384.0 - little * little * little / 46080.0
    w = np.where(is_small, cosine, np.cos(angle / 2.0))
    return Rotation(scale * x, scale * y, scale * z, w)


# Parts --------------------------------------------------------------------------------------------


def check_axes(x: Any, axes: int) -> None:
    if np.ndim(x) > axes + 1:
        beyond("rotations of more than one axis")


def _stacked(parts: Any) -> Any:
    return np.array(parts) if np.ndim(parts[-1]) == 0 else np.stack(parts, axis=-1)


def _length(x: Any, y: Any, z: Any) -> Any:
    return np.linalg.norm(_stacked([x, y, z]), axis=-1)


def _sign(q: Any) -> Any:
    """-1 where the first of `w`, `x`, `y`, `z` that is not zero is negative."""
    below = np.where(q._y != 0, q._y, q._z)
    below = np.where(q._x != 0, q._x, below)
    return np.where(np.where(q._w != 0, q._w, below) < 0, -1.0, 1.0)


def normalised(x: Any, y: Any, z: Any, w: Any) -> Any:
    length = np.sqrt(x * x + y * y + z * z + w * w)
    if not np.all(length > 0):
        raise ValueError("Found zero norm quaternions in `quat`.")
    return Rotation(x / length, y / length, z / length, w / length)


def composed(p: Any, q: Any) -> Any:
    """The parts of the product of two quaternions."""
    return (
        p._w * q._x + q._w * p._x + (p._y * q._z - p._z * q._y),
        p._w * q._y + q._w * p._y + (p._z * q._x - p._x * q._z),
        p._w * q._z + q._w * p._z + (p._x * q._y - p._y * q._x),
        p._w * q._w - p._x * q._x - p._y * q._y - p._z * q._z,
    )


def axes_of(seq: Any) -> Any:
    """The axes of a sequence by number; of one case, no two neighbours alike."""
    if not all(axis in "xyz" for axis in seq) and not all(axis in "XYZ" for axis in seq):
        what = "Expected axes from `seq` to be from ['x', 'y', 'z'] or ['X', 'Y', 'Z']"
        raise ValueError(f"{what}, got {seq}")
    axes = tuple("xyz".index(axis) for axis in seq.lower())
    if any(axes[k] == axes[k + 1] for k in range(len(axes) - 1)):
        raise ValueError(f"Expected consecutive axes to be different, got {seq}")
    return axes


__all__ = [
    "DEGREE",
    "HeldRotation",
    "Rotation",
    "axes_of",
    "check_axes",
    "composed",
    "from_rotvec",
    "normalised",
]
