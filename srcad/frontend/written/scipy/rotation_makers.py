"""What makes rotations: the functions of `scipy.spatial.transform.Rotation`, and `Slerp`.

R.from_euler("zx", [a, b])      composed(about_x(b), about_z(a))
R.from_matrix(m)                m = (m + inv(m).T) / 2, until nothing changes; by its largest part
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.frontend.written import beyond
from srcad.frontend.written.scipy.reals import as_reals
from srcad.frontend.written.scipy.rotations import (
    DEGREE,
    Rotation,
    axes_of,
    check_axes,
    composed,
    from_rotvec,
    normalised,
)


class Slerp:
    """Interpolation between rotations at increasing times, at a constant speed between two."""

    def __init__(self, times: Any, rotations: Any) -> None:
        if not isinstance(rotations, Rotation):
            raise TypeError("`rotations` must be a `Rotation` instance.")
        if rotations.single or len(rotations) <= 1:
            raise ValueError("`rotations` must be a sequence of at least 2 rotations.")
        times = as_reals(times)
        if times.ndim != 1:
            found = f"got {times.ndim} dimensions."
            raise ValueError(f"Expected times to be specified in a 1 dimensional array, {found}")
        if len(times) != len(rotations):
            raise ValueError("Expected number of rotations to be equal to number of timestamps.")
        if np.any(times[1:] - times[:-1] <= 0):
            raise ValueError("Times must be in strictly increasing order.")
        self.times = times
        self.rotations = rotations[:-1]
        self.rotvecs = (self.rotations.inv() * rotations[1:]).as_rotvec()

    def __call__(self, times: Any) -> Any:
        at = as_reals(times)
        if at.ndim > 1:
            raise ValueError("`times` must be at most 1-dimensional.")
        if np.any(at < self.times[0]) or np.any(at > self.times[-1]):
            raise ValueError("Interpolation times must be within the range of the keyframes.")
        k = np.maximum(np.searchsorted(self.times, at) - 1, 0)
        start = self.times[k]
        share = (at - start) / (self.times[k + 1] - start)
        return self.rotations[k] * from_rotvec(self.rotvecs[k] * np.expand_dims(share, -1))


def slerp(times: Any, rotations: Any) -> Any:
    return Slerp(times, rotations)


def rotation(
    quat: Any, normalize: bool = True, copy: bool = True, scalar_first: bool = False
) -> Any:
    q = as_reals(quat)
    if q.shape[-1] != 4:
        raise ValueError(f"Expected `quat` to have shape (..., 4), got {q.shape}.")
    check_axes(q, 1)
    x, y, z, w = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    if scalar_first:
        x, y, z, w = y, z, w, x
    return normalised(x, y, z, w) if normalize else Rotation(x, y, z, w)


def from_quat(quat: Any, *, scalar_first: bool = False) -> Any:
    return rotation(quat, scalar_first=scalar_first)


def from_matrix(matrix: Any, *, assume_valid: bool = False) -> Any:
    m = as_reals(matrix)
    if m.shape[-2:] != (3, 3):
        found = f"to have shape (3, 3) or (N, 3, 3), got {m.shape}"
        raise ValueError(f"Expected `matrix` {found}")
    check_axes(m, 2)
    if not assume_valid:
        if np.any(np.linalg.det(m) <= 0):
            raise ValueError("Non-positive determinant in a rotation matrix.")
        m = _nearest(m)
    return _of_orthogonal(m)


def from_mrp(mrp: Any) -> Any:
    v = as_reals(mrp)
    if np.ndim(v) == 0 or v.shape[-1] != 3:
        raise ValueError(f"Expected `mrp` to have shape (3,) or (N, 3), got {np.shape(v)}")
    check_axes(v, 1)
    x, y, z = v[..., 0], v[..., 1], v[..., 2]
    above = x * x + y * y + z * z + 1.0
    return Rotation(2.0 * x / above, 2.0 * y / above, 2.0 * z / above, (2.0 - above) / above)


def from_euler(seq: Any, angles: Any, degrees: bool = False) -> Any:
    if len(seq) < 1 or len(seq) > 3:
        what = "Expected axis specification to be a non-empty string of upto 3 characters"
        raise ValueError(f"{what}, got {seq}")
    axes = axes_of(seq)
    given = as_reals(angles)
    given = given * DEGREE if degrees else given
    if np.ndim(given) == 0:
        given = given[None]
    if given.shape[-1] != len(seq):
        what = "Expected last dimension of `angles` to match number of sequence axes specified"
        raise ValueError(f"{what}, got {given.shape[-1]}.")
    check_axes(given, 1)
    made = _about(axes[0], given[..., 0])
    for k in range(1, len(seq)):
        other = _about(axes[k], given[..., k])
        first, second = (other, made) if seq.islower() else (made, other)
        x, y, z, w = composed(first, second)
        made = Rotation(x, y, z, w)
    return made


def identity(num: Any = None, *, shape: Any = None) -> Any:
    if shape is not None:
        beyond("`Rotation.identity` with `shape=`")
    if num is None:
        return Rotation(0.0, 0.0, 0.0, 1.0)
    return Rotation(np.zeros(num), np.zeros(num), np.zeros(num), np.ones(num))


def concatenate(rotations: Any) -> Any:
    if isinstance(rotations, Rotation):
        return rotations
    items = list(rotations)
    if not all(isinstance(item, Rotation) for item in items):
        raise TypeError("input must contain Rotation objects only")
    x = np.concatenate([np.atleast_1d(item._x) for item in items])
    y = np.concatenate([np.atleast_1d(item._y) for item in items])
    z = np.concatenate([np.atleast_1d(item._z) for item in items])
    w = np.concatenate([np.atleast_1d(item._w) for item in items])
    return Rotation(x, y, z, w)


def _about(axis: int, angle: Any) -> Any:
    """The rotation about one of the axes."""
    s, c = np.sin(angle / 2.0), np.cos(angle / 2.0)
    zero = 0.0 if np.ndim(c) == 0 else np.zeros(np.shape(c))
    if axis == 0:
        return Rotation(s, zero, zero, c)
    return Rotation(zero, s, zero, c) if axis == 1 else Rotation(zero, zero, s, c)


def _nearest(m: Any) -> Any:
    """The orthogonal matrix nearest to one, the factor of its polar decomposition: by Newton's
    iteration (Higham 1986). The step after the last makes its derivatives those of the limit.
    """
    change = 1.0
    while change > 1e-7:
        following = 0.5 * (m + np.swapaxes(np.linalg.inv(m), -1, -2))
        change = np.max(np.abs(following - m), initial=0.0)
        m = following
    return 0.5 * (m + np.swapaxes(np.linalg.inv(m), -1, -2))


def _of_orthogonal(m: Any) -> Any:
    """The quaternion of an orthogonal matrix, by its largest part (Markley 2008)."""
    a, b, c = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    trace = a + b + c
    largest = np.maximum(np.maximum(a, b), np.maximum(c, trace))
    is_x, is_y, is_z = a == largest, b == largest, c == largest
    t = np.swapaxes(m, -1, -2)
    plus, minus = m + t, m - t
    xy, xz, yz = plus[..., 1, 0], plus[..., 2, 0], plus[..., 2, 1]
    xw, yw, zw = minus[..., 2, 1], minus[..., 0, 2], minus[..., 1, 0]

    def chosen(of_x: Any, of_y: Any, of_z: Any, of_w: Any) -> Any:
        return np.where(is_x, of_x, np.where(is_y, of_y, np.where(is_z, of_z, of_w)))

    x = chosen(1.0 - trace + 2.0 * a, xy, xz, xw)
    y = chosen(xy, 1.0 - trace + 2.0 * b, yz, yw)
    z = chosen(xz, yz, 1.0 - trace + 2.0 * c, zw)
    w = chosen(xw, yw, zw, 1.0 + trace)
    return normalised(x, y, z, w)


__all__ = [
    "Slerp",
    "concatenate",
    "from_euler",
    "from_matrix",
    "from_mrp",
    "from_quat",
    "identity",
    "rotation",
    "slerp",
]
