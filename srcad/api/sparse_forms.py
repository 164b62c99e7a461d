"""`sparse=True` of `jacobian` and `hessian`: a matrix, or one for each of several arguments."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from srcad.api.arguments.argnums import find_argnums
from srcad.api.arguments.options import Argnums, check_options
from srcad.api.sparse import SparseJacobian
from srcad.api.sparse_made import EXACT, MadeBy, Sparse
from srcad.api.transformed import Transformed, create
from srcad.errors import error
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request


class SparseMatrices(Sparse):
    """The sparse derivatives by several arguments: a tuple of matrices, or of tuples of them."""

    def __init__(self, parts: list[Any], made_by: MadeBy) -> None:
        functools.update_wrapper(self, made_by.primal)
        self._made_by = made_by
        self._parts = parts

    @hiding_own_frames
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The matrices at these arguments; with `has_aux` `(matrices, aux)`."""
        if not self._made_by.has_aux:
            return self._each(lambda part: part(*args, **kwargs))
        beside: list[Any] = []

        def matrix(part: SparseJacobian) -> Any:
            found, aux = part(*args, **kwargs)
            beside.append(aux)
            return found

        return self._each(matrix), beside[0]

    def _each(self, of: Callable[[SparseJacobian], Any]) -> tuple[Any, ...]:
        """What `of` gives for each matrix, in tuples."""

        def nested(parts: Any) -> Any:
            return tuple(map(nested, parts)) if isinstance(parts, list) else of(parts)

        return tuple(map(nested, self._parts))

    def _all(self) -> list[SparseJacobian]:
        found: list[SparseJacobian] = []
        self._each(found.append)
        return found

    @hiding_own_frames
    def pattern(self, /, *args: Any, **kwargs: Any) -> Any:
        """Where each matrix may have entries."""
        return self._each(lambda part: part.pattern(*args, **kwargs))

    @hiding_own_frames
    def colors(self, /, *args: Any, **kwargs: Any) -> Any:
        """The colours of each matrix."""
        return self._each(lambda part: part.colors(*args, **kwargs))

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The programs that find the patterns, one after the other."""
        return "\n\n".join(part.source(*args, **kwargs) for part in self._all())

    def cache_clear(self) -> None:
        """Forget all programs and patterns."""
        for part in self._all():
            part.cache_clear()

    def _programs(self) -> Sequence[Transformed[..., Any]]:
        return [each for part in self._all() for each in part._programs()]


def first_of(f: Callable[..., Any]) -> Callable[..., Any]:
    """The first of what `f` returns, a function of the same arguments."""
    from srcad.transform.sparsity.products import of_first

    made = of_first(f)
    functools.update_wrapper(made, f)
    del made.__wrapped__  # type: ignore[attr-defined]  # it is another function
    made.__signature__ = inspect.signature(f)  # type: ignore[attr-defined]
    return made


def sparse_form(
    f: Any,
    argnums: Argnums,
    has_aux: bool,
    holomorphic: bool,
    sparse: object,
    options: dict[str, Any],
    *,
    symmetric: bool,
) -> Any:
    """The sparse Jacobian of `f`, or the decorator that makes it; of a gradient, a Hessian."""
    options = check_options(options)
    if f is None:
        return lambda fn: sparse_form(
            fn, argnums, has_aux, holomorphic, sparse, options, symmetric=symmetric
        )
    if isinstance(sparse, str) and sparse != EXACT:
        raise ValueError(f"sparse={sparse!r}: expected False, True or {EXACT!r}")
    if not callable(f):
        raise error("E313", None, what=f"{f!r}")
    if holomorphic:
        raise error("E321", None, what="a function with holomorphic=True")
    positions, single = find_argnums(f, argnums)
    names = list(inspect.signature(f).parameters) if has_aux else []
    positions = tuple(names.index(by) if by in names else by for by in positions)
    made_by = MadeBy(
        sparse_form, "hessian" if symmetric else "jacobian", f, argnums, has_aux, sparse, options
    )

    alone = first_of(f) if has_aux else f

    def gradient(of: Callable[..., Any], by: int | str, **more: Any) -> Callable[..., Any]:
        return create(Request("grad", of, (by,), **more, **options))

    def matrix(by: int | str, again: int | str) -> SparseJacobian:
        if not symmetric:
            return SparseJacobian(alone, by, options, False, made_by, f if has_aux else None)
        whole = gradient(f, by, has_aux=True) if has_aux else None
        return SparseJacobian(gradient(alone, by), again, options, by == again, made_by, whole)

    if single:
        return matrix(positions[0], positions[0])
    if symmetric:
        return SparseMatrices([[matrix(i, j) for j in positions] for i in positions], made_by)
    return SparseMatrices([matrix(i, i) for i in positions], made_by)


__all__ = ["SparseMatrices", "sparse_form"]
