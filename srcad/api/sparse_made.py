"""What sparse derivatives have in common: how they were made, shown and pickled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Self

from srcad.api.arguments.options import Argnums
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Kind, Request

if TYPE_CHECKING:
    from srcad.api.transformed import Transformed
    from srcad.pipeline.specialize import CacheInfo

EXACT = "exact"  # of `sparse`: the pattern is that of the path taken


@dataclass(frozen=True, slots=True)
class MadeBy:
    """The call that made a sparse derivative: what of it is asked for again, or pickled."""

    make: Callable[..., Any]
    kind: Kind
    primal: Callable[..., Any]
    argnums: Argnums
    has_aux: bool
    sparse: object
    options: dict[str, Any]

    def again(self) -> Any:
        """What such a call gives."""
        return self.make(
            self.primal, self.argnums, self.has_aux, False, self.sparse, self.options,
            symmetric=self.kind == "hessian",
        )  # fmt: skip


class Sparse:
    """What all sparse derivatives have."""

    _made_by: MadeBy

    @property
    def primal(self) -> Callable[..., Any]:
        """The function this was made from."""
        return self._made_by.primal

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The program that finds the pattern."""
        raise NotImplementedError

    def cache_info(self) -> CacheInfo:
        """Hits, misses and size of the caches of its programs: of patterns, and of products."""
        infos = [each.cache_info() for each in self._programs()]
        return type(infos[0])(*map(sum, zip(*infos, strict=True)))

    def cache_clear(self) -> None:
        """Forget all programs and patterns."""
        for each in self._programs():
            each.cache_clear()

    def _programs(self) -> Sequence[Transformed[..., Any]]:
        raise NotImplementedError

    @hiding_own_frames
    def show(self, /, *args: Any, **kwargs: Any) -> None:
        """Print `source`, highlighted on a terminal."""
        from srcad.api.show import show

        show(self.source(*args, **kwargs))

    def save(self, /, path: str | PathLike[str], *args: Any, **kwargs: Any) -> None:
        """Refused: a sparse derivative is several programs, and a search for the pattern.

        Raises:
            CacheError: E503.
        """
        fix = f"save a dense one, `srcad.{self._made_by.kind}(f).save(path, x)`"
        raise error("E503", None, what="a sparse derivative", fix=fix)

    def __reduce__(self) -> Any:
        from srcad.api.pickling import name_of

        made = self._made_by
        request = Request(made.kind, made.primal, (0,))
        return name_of(self, request) or (MadeBy.again, (made,))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __repr__(self) -> str:
        name = getattr(self._made_by.primal, "__name__", "f")
        return f"<srcad.{self._made_by.kind} of {name}, sparse>"


__all__ = ["MadeBy", "Sparse"]
