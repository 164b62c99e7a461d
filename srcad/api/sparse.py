"""Sparse Jacobians and Hessians: a few products with vectors, and where their entries belong."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from srcad.api.sparse_made import EXACT, MadeBy, Sparse
from srcad.api.transformed import Transformed
from srcad.errors import error
from srcad.pipeline.calls.generated import levels_to_caller
from srcad.pipeline.calls.tracebacks import hiding_own_frames
from srcad.pipeline.request import Request

if TYPE_CHECKING:
    from srcad.pipeline.reports.explanation import Explanation

Array = np.ndarray[Any, Any]

_BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_KEPT = 8  # patterns
_REVERSE = 2  # what a reverse sweep costs, in tangents
_LARGE = 1 << 20  # entries of a pattern that should not be dense
_NOWHERE = -0.0  # how far arguments are moved: added to zeros of either sign it leaves them


@dataclass(frozen=True, slots=True)
class Pattern:
    """Where entries may not be zero, row by row, and the colours that tell them apart.

    `starts`: where each row begins among the entries, and where the last ends. `by_rows`: the
    colours are those of rows, for products from the left. `places` are those of the entries in the
    products, one after the other. `form`: the program that found the pattern, the shapes and ints
    of the arguments; `decided_by`: the values of those that decide.
    """

    shape: tuple[int, int]
    rows: Array
    columns: Array
    starts: Array
    colors: Array
    by_rows: bool
    places: Array
    form: list[Any]
    decided_by: dict[str, Any]

    @property
    def count(self) -> int:
        """The number of colours."""
        return int(self.colors.max(initial=-1)) + 1

    def has(self, rows: Array, columns: Array) -> bool:
        """Whether these are its entries."""
        return np.array_equal(rows, self.rows) and np.array_equal(columns, self.columns)

    def filled(self, data: Array) -> Any:
        """The matrix with these entries, in arrays of its own."""
        from scipy.sparse import csr_array

        return csr_array((data, self.columns.copy(), self.starts.copy()), shape=self.shape)


class SparseJacobian(Sparse):
    """The Jacobian of a function of one array that returns one, as a `scipy.sparse` matrix.

    The pattern is found by running the function on sets of places, and coloured; then a product
    with a vector is needed for each colour. Both are kept for as long as nothing changes that
    decides the pattern. That is not the path which a branch on data takes: its entries are those
    of both paths, unless exact ones are asked for, or the path not taken raises for these data.

    Args:
        with_aux: gives `(f(...), aux)`; the products are of it, and `aux` comes of them.
    """

    def __init__(
        self,
        f: Callable[..., Any],
        argnum: int | str,
        options: dict[str, Any],
        symmetric: bool,
        made_by: MadeBy,
        with_aux: Callable[..., Any] | None = None,
    ) -> None:
        from srcad.transform.sparsity.products import (
            along_columns,
            along_number,
            along_rows,
            along_rows_with_aux,
        )

        functools.update_wrapper(self, made_by.primal)
        self._made_by = made_by
        self._name = getattr(f, "__name__", "f")
        self._signature = inspect.signature(f)
        self._symmetric = symmetric
        self._at = self._position(argnum)
        self._of_path: Transformed[..., Any] = Transformed(
            Request("path_sparsity", f, (argnum,), backend="numpy")
        )
        self._places: Transformed[..., Any] = (
            self._of_path
            if made_by.sparse == EXACT
            else Transformed(Request("sparsity", f, (argnum,), backend="numpy"))
        )
        self._has_aux = with_aux is not None
        options = {**options, "has_aux": self._has_aux}
        whole, rows = (with_aux, along_rows_with_aux) if with_aux is not None else (f, along_rows)
        self._columns: Transformed[..., Any] = Transformed(
            Request("products", along_columns(whole, self._at), **options)
        )
        self._column: Transformed[..., Any] = Transformed(
            Request("jacfwd", along_number(whole, self._at), **options)
        )
        self._rows: Transformed[..., Any] = Transformed(
            Request("jacrev", rows(whole, self._at), **options)
        )
        self._known: list[Pattern] = []

    def _position(self, argnum: int | str) -> int:
        names = list(self._signature.parameters)
        at = names.index(argnum) if isinstance(argnum, str) else argnum
        name = names[min(at, len(names) - 1)]
        if self._signature.parameters[name].kind not in _BY_POSITION:
            raise error("E321", None, what=f"`{name}`, which is no parameter with a position,")
        return at

    @hiding_own_frames
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """The Jacobian at these arguments, in rows (CSR); with `has_aux` `(jacobian, aux)`."""
        bound = self._bound(args, kwargs)
        pattern = self._pattern(bound)
        products, aux = self._products(pattern, bound)
        found = pattern.filled(products[pattern.places])
        return (found, aux) if self._has_aux else found

    @hiding_own_frames
    def pattern(self, /, *args: Any, **kwargs: Any) -> Any:
        """Where the Jacobian at these arguments may have entries: a sparse matrix of True."""
        found = self._pattern(self._bound(args, kwargs))
        return found.filled(np.ones(found.rows.size, bool))

    @hiding_own_frames
    def colors(self, /, *args: Any, **kwargs: Any) -> Array:
        """The colour of each column, or of each row where products from the left are fewer."""
        return self._pattern(self._bound(args, kwargs)).colors.copy()

    def source(self, /, *args: Any, **kwargs: Any) -> str:
        """The program that finds the pattern at these arguments; without any, the newest."""
        return self._places.source(*args, **kwargs)

    @hiding_own_frames
    def explain(self, /, *args: Any, **kwargs: Any) -> Explanation:
        """Which program computes the products for these arguments and why, as of `grad`."""
        made, given = self._products_for(args, kwargs)
        return made.explain(*given)

    def _products_for(
        self, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[Transformed[..., Any], tuple[Any, ...]]:
        """The program of the products and its arguments; the newest and none without arguments."""
        if not args and not kwargs:
            programs = (self._columns, self._column, self._rows)
            newest = [each for each in programs if each._newest_program() is not None]
            return (newest or [self._places])[-1], ()
        bound = self._bound(args, kwargs)
        return self._program(self._pattern(bound), bound)

    def cache_clear(self) -> None:
        """Forget all programs and patterns."""
        self._known.clear()
        super().cache_clear()

    def _programs(self) -> Sequence[Transformed[..., Any]]:
        return (self._places, self._of_path, self._columns, self._column, self._rows)

    def explore(
        self, /, *args: Any, path: str | PathLike[str] | None = None, **kwargs: Any
    ) -> Path:
        """Write a page with the function and the program of its products, as of `grad`.

        Args:
            args, kwargs: of a call; without any, the newest program is shown.
            path: of the file to write; a new temporary one by default.

        Returns:
            The path of the page.
        """
        made, given = self._products_for(args, kwargs)
        return made.explore(*given, path=path)

    def _repr_html_(self) -> str:
        """For notebooks: the function, and the program of the products compiled last."""
        return self._products_for((), {})[0]._repr_html_()

    def _bound(self, args: Sequence[Any], kwargs: dict[str, Any]) -> inspect.BoundArguments:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound

    def _pattern(self, bound: inspect.BoundArguments) -> Pattern:
        # The program is another one if what the function has captured has changed.
        form = [self._places._specialisation(bound.args, bound.kwargs), _form(bound.arguments)]
        for pattern in self._known:
            is_like = pattern.form[0] is form[0] and pattern.form[1] == form[1]
            if is_like and _holds(pattern, bound):
                return pattern
        self._known[:] = [self._found(bound, form), *self._known[: _KEPT - 1]]
        return self._known[0]

    def _found(self, bound: inspect.BoundArguments, form: list[Any]) -> Pattern:
        from srcad.transform.sparsity.coloring import (
            color_symmetric,
            is_alone,
            symmetric_part,
        )

        (rows, columns, m), names = self._entries(bound)
        n = np.size(bound.args[self._at])
        values = {name: _copied(bound.arguments.get(name)) for name in names}
        by_rows = False
        if self._symmetric:
            rows, columns = symmetric_part(rows, columns, n)
        for known in self._known:  # the path is another, and comes to the same
            if known.shape == (m, n) and known.has(rows, columns):
                return replace(known, form=form, decided_by=values)
        if self._symmetric:
            colors = color_symmetric(rows, columns, n)
            alone = is_alone(rows, columns, colors)
            places = np.where(alone, colors[columns] * m + rows, colors[rows] * m + columns)
        else:
            by_rows, colors = _fewest(rows, columns, m, n)
            places = colors[rows] * n + columns if by_rows else colors[columns] * m + rows
        starts: Array = np.searchsorted(rows, np.arange(m + 1))
        index = np.int32 if max(m, n, rows.size) <= np.iinfo(np.int32).max else np.int64
        if rows.size > max(_LARGE, m * n // 2):
            what = f"{rows.size} of {m * n} entries of the Jacobian of `{self._name}` may vary"
            exact = "" if self._places is self._of_path else 'ask for sparse="exact", '
            text = (
                f"{what}: its pattern is dense. Leave sparse=True out, {exact}or see .source(...)"
            )
            warnings.warn(text, RuntimeWarning, stacklevel=levels_to_caller())
        rows, columns, starts = (each.astype(index) for each in (rows, columns, starts))
        return Pattern((m, n), rows, columns, starts, colors, by_rows, places, form, values)

    def _entries(self, bound: inspect.BoundArguments) -> Any:
        """The entries that may vary, and the names of the arguments that decide them."""
        if self._places is not self._of_path:
            with suppress(Exception), np.errstate(all="ignore"):  # of the path not taken
                return self._places(*bound.args, **bound.kwargs)
        return self._of_path(*bound.args, **bound.kwargs)

    def _program(
        self, pattern: Pattern, bound: inspect.BoundArguments
    ) -> tuple[Transformed[..., Any], tuple[Any, ...]]:
        """The program of the products and its arguments."""
        colors, args, kwargs = pattern.colors, bound.args, bound.kwargs
        x = args[self._at]
        if pattern.by_rows:
            others = (*args[: self._at], None, *args[self._at + 1 :])
            return self._rows, (x, colors, pattern.count, others, kwargs)
        if np.ndim(x):
            return self._columns, (np.full(pattern.count, _NOWHERE, x.dtype), colors, args, kwargs)
        return self._column, (_NOWHERE, args, kwargs)

    def _products(self, pattern: Pattern, bound: inspect.BoundArguments) -> tuple[Array, Any]:
        """The products with the vectors of the colours, one after the other, and what is beside."""
        made, given = self._program(pattern, bound)
        found = made(*given)
        found, aux = found if self._has_aux else (found, None)
        return np.ravel(found), aux


def _fewest(rows: Array, columns: Array, m: int, n: int) -> tuple[bool, Array]:
    """The colours of rows if these are far fewer, else those of columns.

    The rows with an entry in one column all differ: a column's count is a bound.
    """
    from srcad.transform.sparsity.coloring import color_columns

    colors = color_columns(rows, columns, n)
    bound = np.bincount(columns, minlength=1).max(initial=0)
    if _REVERSE * bound >= colors.max(initial=0):
        return False, colors
    of_rows = color_columns(columns, rows, m)
    by_rows = bool(_REVERSE * of_rows.max(initial=0) < colors.max(initial=0))
    return by_rows, of_rows if by_rows else colors


def _form(x: Any) -> Any:
    """The shapes of arrays, and the values of what is no array and no float."""
    if isinstance(x, np.ndarray | np.inexact):
        return x.shape
    if isinstance(x, float | complex):
        return ()
    if isinstance(x, dict):
        return {key: _form(item) for key, item in x.items()}
    if isinstance(x, tuple | list):
        return [type(x), *map(_form, x)]
    return x if isinstance(x, int | np.integer | str | None) else object()  # equal to no other


def _holds(pattern: Pattern, bound: inspect.BoundArguments) -> bool:
    """Whether the arguments that decide a pattern have their values still."""
    return all(
        name in bound.arguments and _is_equal(value, bound.arguments[name])
        for name, value in pattern.decided_by.items()
    )


def _is_equal(a: Any, b: Any) -> bool:
    """Whether a value is the same to the last bit; one that is not compared is another."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype) and a.tobytes() == b.tobytes()
    return isinstance(a, int | float | str | None) and repr(a) == repr(b)


def _copied(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x


__all__ = ["SparseJacobian"]
