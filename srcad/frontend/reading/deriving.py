"""What the front end asks of the transforms, which stand above it, for `grad` inside a function."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from srcad.ir.nodes import Function
from srcad.ir.types import Extent


class Deriving(Protocol):
    """The transforms, for transformations used inside a function (`srcad.transform.kinds`)."""

    def derivative(
        self,
        fn: Function,
        kind: str,
        argnums: Sequence[int | str],
        *,
        has_aux: bool = ...,
        single: bool = ...,
        holomorphic: bool = ...,
    ) -> Function:
        """The program of a derivative: `grad`, `jacrev`, ... (`srcad.transform.kinds`)."""

    def pushforward(self, fn: Function, *, has_aux: bool = False) -> Function:
        """The function with its tangent."""

    def vectorized(
        self,
        fn: Function,
        mapped: Sequence[bool],
        extent: Extent,
        *,
        is_derived: bool = ...,
        same: frozenset[int] = ...,
    ) -> Function:
        """The function of all samples, of which the `mapped` parameters have an axis; `is_derived`:
        its derivative may be taken; `same`: the results that get none.
        """

    def pullback(self, fn: Function, *, has_aux: bool = False) -> Function:
        """The function with its pullback."""


__all__ = ["Deriving"]
