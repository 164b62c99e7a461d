"""The table of operations: what passes know of a function besides its rule and its type.

    row_of(np.transpose)  ->  Row(memory="view")

A function has one row, stated in the file of its library beside this; those of SciPy's functions
are stated once their package is in use. Ufuncs have one by their class. Nothing is known of
functions without a row.
"""

from __future__ import annotations

import operator
import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import BuiltinMethodType
from typing import Any, Literal

import numpy as np

from srcad.ir.nodes import Op
from srcad.rules.core.table import is_imported

Memory = Literal["fresh", "view", "either", "unknown"]
Form = Literal["binary", "unary", "comparison", "attribute", "method", "method by keyword"]
Raises = Literal[
    "", "never", "mixed", "values", "subscript", "division", "power", "shift", "step", "extent",
    "integer", "order",
]  # fmt: skip
Control = Literal["", "raises", "catches"]
Fold = Literal["sum", "difference", "product", "largest", "smallest"]
Entries = Literal[
    "", "same", "each", "moved", "spaced", "joined", "running", "matrix", "computed", "parted",
    "smoothed", "stencil", "images", "pooled", "lagged", "lines",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of one function.

    `store`: `(array, index, values)` gives a copy of the array that has the values at the index.
    `in_place`: does the same to its first argument itself. `product`: multiplies matrices, where
    both arguments have two axes. `elementwise`: each entry of the only result depends on one entry
    of each argument, broadcast. `negation`: of an operator that compares, the one that holds for
    two ordered numbers (not for NaN) where this does not.

    `memory`: that of the results, as `srcad.ops.memory` has it; None where nothing is stated.
    `memory_at`: the same of one operation on an array, where it depends on the call.
    `read_only`: results may refuse to be written, or have entries that share memory.
    `by_layout`: a view where the array lies in memory row by row.

    `shape_only`: reads the shape of its first argument, no entries. `of_shape`: the function that
    makes of the shape what this makes of the array. `allocates`: gives a buffer of its own each
    time, so that two equal calls are not one. `uncleared`: the same that leaves out the zeros.
    `scatters`: `(values, shape, places)` gives zeros to which the values are added. `commutes`:
    `(a, b)` gives what `(b, a)` gives, bit for bit. `at_index`: the store that does the same to the
    entries at an index.

    Of what writes in place: `computes` is the operator that gives the new entries, `by_entry` the
    function that writes the entries at an index so.

    `cast`: makes a float of a number. `is_cheap`: takes less time than a number from memory.
    `smooth`: where its arguments are slightly wrong the result is slightly wrong; of "first" only
    if it is the first argument. `layout`: the result lies in memory row by row ("rows"), or if the
    arguments do ("kept"), unless it is told an `order`. `of_condition`: how large the entries of
    its first argument are does not matter, only whether they are zero.

    `syntax`: how Python writes the call, and the sign or name (`srcad.ops.syntax`). `name`: what
    people call it, where `__name__` is another. `entries`: which entries of its arguments an entry
    of the result depends on (`srcad.ops.entries`). `new_view`: the view is an object of its own,
    also where nothing of the array changes. `is_mark`: gives its argument, which has a derivative
    of its own there.

    `integer`: the result is an integer "always", or "kept" where the arguments are. `is_entire`:
    gives the same for complex numbers without an imaginary part as for real ones, which functions
    do not that are defined on a part of the real line. `selects`: gives entries of its arguments,
    of whatever dtype. `counts_bools`: takes a bool for 0 or 1 where the other argument is no bool.
    `natural`: no entry of the result is negative, "always", or "kept" where none of the arguments
    is, as of a "product", which is a square of one argument too.
    `is_repeated`: of numbers it takes no time and is computed again rather than saved.

    `raises`: when it may raise with arguments whose shapes fit (`srcad.ops.raising`): "never", for
    some "values", for numbers of "mixed" kinds alone, or by what is given as its "subscript",
    divisor, exponent and so on. `fits`: whether the shapes of an operation are proved to fit, where
    the type function does not refuse all that do not (`srcad.ops.fitting`).
    `raised_by_derivative`: the derivative raises where it does. `refuses`: where Python would raise
    it leaves the compiled program, and NumPy runs the call.

    `folds`: of two numbers; a loop that does it to what it carries may do so in any order, where a
    "difference" is carried as the first. `keeps_zero`: gives zero where its first argument is zero,
    or either one of a product. `arithmetic`: of Python's numbers gives one of Python's, of NumPy's
    one of NumPy's. `of_ring`: one of Python's operators `+`, `-` and `*`, or the sign. `is_real`:
    gives real numbers for complex ones.

    `control`: is called for its effect on the flow of control alone, that of `raise`, perhaps under
    a condition, or of `except`.
    """

    store: bool = False
    in_place: Any = None
    product: bool = False
    elementwise: bool = False
    negation: Any = None
    memory: Memory | None = None
    memory_at: Callable[[Op], Memory] | None = None
    read_only: bool = False
    by_layout: bool = False
    shape_only: bool = False
    of_shape: Any = None
    allocates: bool = False
    uncleared: Any = None
    scatters: bool = False
    commutes: bool = False
    at_index: Any = None
    computes: Any = None
    by_entry: Any = None
    cast: bool = False
    is_cheap: bool = False
    smooth: Literal["", "all", "first"] = ""
    layout: Literal["", "rows", "kept"] = ""
    of_condition: bool = False
    syntax: tuple[Form, str] | None = None
    name: str = ""
    entries: Entries = ""
    new_view: bool = False
    is_mark: bool = False
    integer: Literal["", "always", "kept"] = ""
    is_entire: bool = False
    selects: bool = False
    counts_bools: bool = False
    natural: Literal["", "always", "kept", "product"] = ""
    is_repeated: bool = False
    raises: Raises = ""
    fits: Callable[[Op], bool] | None = None
    raised_by_derivative: bool = False
    refuses: bool = False
    folds: Fold | None = None
    keeps_zero: bool = False
    arithmetic: bool = False
    of_ring: bool = False
    is_real: bool = False
    control: Control = ""

    @property
    def is_operator(self) -> bool:
        """Whether it is an operator of Python's that takes arrays entry by entry."""
        return self.elementwise and self.syntax is not None

    @property
    def measures(self) -> bool:
        """Whether it gives the shape of its argument, or a part of it."""
        return self.shape_only and self.of_shape is None

    @property
    def adds(self) -> bool:
        """Whether it adds its second argument to its first, or takes it away."""
        return self.folds in ("sum", "difference")

    @property
    def makes_zeros(self) -> bool:
        """Whether it gives an array of zeros."""
        return self.uncleared is not None


UNKNOWN, _FRESH = Row(), Row(memory="fresh")
_ELEMENTWISE = Row(memory="fresh", elementwise=True)
_ROWS: dict[Any, Row] = {}
_STATED_BY: dict[Any, dict[str, Any]] = {}  # the names of the module that stated each
_ALSO: dict[Any, dict[str, Any]] = {}  # what was stated besides; it holds if a row is stated again
# Of packages that are not in use yet: a row, and the names of the functions that have it; and what
# is stated of some of them besides.
_LATER: dict[str, tuple[Row, str]] = {}
_ALSO_LATER: dict[str, list[tuple[dict[str, Any], str]]] = defaultdict(list)


def state(row: Row, *fns: Any) -> None:
    """State the row of functions that have none yet."""
    by = sys._getframe(1).f_globals
    taken = [fn for fn in fns if fn in _STATED_BY and not _is_stated_again(fn, by)]
    assert not taken, f"{taken} have a row"
    _ROWS.update({fn: replace(row, **_ALSO.get(fn, {})) for fn in fns})
    _STATED_BY.update(dict.fromkeys(fns, by))


def state_also(columns: dict[str, Any], *fns: Any) -> None:
    """State more of functions: what those of several libraries have in common."""
    for fn in fns:
        _ALSO[fn] = {**_ALSO.get(fn, {}), **columns}
        _ROWS[fn] = replace(row_of(fn), **columns)


def _is_stated_again(fn: Any, by: dict[str, Any]) -> bool:
    """Whether a row is one that the same module stated when its import was interrupted."""
    before = _STATED_BY.get(fn)
    return before is not None and before is not by and before["__name__"] == by["__name__"]


def state_later(row: Row, package: str, names: str) -> None:
    """State the row of functions of a package when it is imported."""
    assert _LATER.get(package, (row, names)) == (row, names), f"{package} is stated"
    _LATER[package] = row, names


def state_also_later(columns: dict[str, Any], package: str, names: str) -> None:
    """State more of functions of a package whose row is stated when it is imported."""
    assert set(names.split()) <= set(_LATER[package][1].split()), f"{package}: no row of some"
    _ALSO_LATER[package].append((columns, names))


def named(module: Any, names: str) -> list[Any]:
    """Functions of a module, those that its version has: `named(np.fft, "fft fftn")`."""
    found = []
    for name in names.split():
        try:
            found.append(operator.attrgetter(name)(module))
        except AttributeError:
            continue
    return found


def row_of(fn: Any) -> Row:
    """The row of a function, by its class where none is stated."""
    try:
        found = _ROWS.get(fn)
    except TypeError:  # a thing that is called and has no hash: a polynomial
        return UNKNOWN
    if found is not None:
        return found
    if _LATER and not isinstance(fn, np.ufunc):
        _state_imported()
    return _ROWS.get(fn) or _by_class(fn)


def _by_class(fn: Any) -> Row:
    """The row of a ufunc or of a method of one, `np.add.reduce`; of all others nothing is known."""
    if isinstance(fn, np.ufunc):
        return _ELEMENTWISE if fn.signature is None and fn.nout == 1 else _FRESH
    is_method = isinstance(fn, BuiltinMethodType) and isinstance(fn.__self__, np.ufunc)
    return _FRESH if is_method else UNKNOWN


def _state_imported() -> None:
    """State what waited for packages that are in use now; other threads may do the same."""
    for package, (row, names) in list(_LATER.items()):
        if is_imported(package):
            _ROWS.update(dict.fromkeys(named(sys.modules[package], names), row))
            for columns, some in _ALSO_LATER[package]:
                state_also(columns, *named(sys.modules[package], some))
            _LATER.pop(package, None)


def rows() -> dict[Any, Row]:
    """All rows that are stated."""
    return dict(_ROWS)
