"""Rotations of `scipy.spatial.transform`: records of `srcad.frontend.written.scipy.rotations`."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.kinds import has_rotations_in_python
from srcad.frontend.written.scipy import rotation_makers, rotations

_MODULE = "scipy.spatial.transform"


@functools.cache
def _makers() -> tuple[dict[Any, Callable[..., Any]], dict[Any, str]]:
    """What stands for each function, and the names of those that nothing stands for."""
    module: Any = sys.modules[_MODULE]
    cls = module.Rotation
    if not has_rotations_in_python(module):
        return {}, {}
    known: dict[Any, Callable[..., Any]] = {
        cls: rotation_makers.rotation,
        cls.concatenate: rotation_makers.concatenate,
        cls.from_euler: rotation_makers.from_euler,
        cls.from_matrix: rotation_makers.from_matrix,
        cls.from_mrp: rotation_makers.from_mrp,
        cls.from_quat: rotation_makers.from_quat,
        cls.from_rotvec: rotations.from_rotvec,
        cls.identity: rotation_makers.identity,
        module.Slerp: rotation_makers.slerp,
    }
    names = ("align_vectors", "create_group", "from_davenport", "random")
    refused = {getattr(cls, name): f"`Rotation.{name}`" for name in names if hasattr(cls, name)}
    others = ("RigidTransform", "RotationSpline")
    refused |= {getattr(module, name): f"`{name}`" for name in others if hasattr(module, name)}
    return known, refused


def rotation_maker(fn: Any) -> Callable[..., Abstract] | None:
    """What is read in the place of a function of `scipy.spatial.transform`; None for another.

    Raises:
        SrcadError: E204, a function that nothing stands for.
    """
    if _MODULE not in sys.modules:
        return None
    known, refused = _makers()
    if fn in refused:
        fix = "make the rotation by `from_matrix`, `from_rotvec` or another of its functions"
        raise error("E204", None, what=refused[fn], fix=fix)
    return known.get(fn)


__all__ = ["rotation_maker"]
