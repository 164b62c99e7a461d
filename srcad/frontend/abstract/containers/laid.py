"""Laid lists: lists of numbers, and lists of such lists, that stand in an array.

D = [[0.0] * m for _ in range(n)]     D_1 = full((n, m), 0.0)        a `Laid`
D[i][j] = v                           D_2 = index_update(D_1, (i, j), v)
row = D[i]                            a `LaidRow`: nothing in the program
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from srcad.errors import error
from srcad.frontend.abstract.objects import Abstract, AbstractObject
from srcad.frontend.abstract.signals import NeedStatic
from srcad.ir.affine import Affine
from srcad.ir.nodes import Value
from srcad.ir.types import rank_of

# What the function is lowered again with so that the list made at a place does not stand in an
# array.
NOT_LAID = "not laid: "
# What it is lowered again with so that it does.
LAID = "laid: "


@dataclass(frozen=True, slots=True)
class Width:
    """How long the rows of a list of lists are: `slope * i + rest` the one at `i`; the int `base`
    is the rest.
    """

    slope: int
    rest: Affine
    base: Abstract = field(compare=False)


@dataclass(frozen=True, eq=False, slots=True)
class Laid(AbstractObject):
    """A list of numbers that stands in an array, which may be written; a list of lists of one
    length stands in one of two axes.

    `marks`: which entries are NumPy's, of floats of either kind. `kinds`: what an entry may be in
    Python. `origins`: where such lists are made. `grown`: what reads it as a list that no one
    writes; one that is `kept` is not written any more. `width`: of rows of several lengths, which
    stand in longer ones. `version`: another one after each change of which lists its rows are.
    """

    noun: ClassVar[str] = "a list"
    numbers: Value
    marks: Value | None
    kinds: frozenset[Any]
    origins: frozenset[str]
    grown: Callable[[Any], Abstract]
    kept: bool = False
    width: Width | None = None
    version: object = field(default_factory=object)

    @property
    def form(self) -> Laid:
        """What its entries stand in."""
        return self

    @property
    def at(self) -> tuple[Abstract, ...]:
        """Where it begins there."""
        return ()

    @property
    def axes(self) -> int:
        """How many indices an entry has."""
        return rank_of(self.numbers.type) or 0

    @property
    def arrays(self) -> tuple[Value, ...]:
        """What it stands in."""
        return (self.numbers,) if self.marks is None else (self.numbers, self.marks)

    def decline(self) -> NoReturn:
        """Lower again, with all items known one by one."""
        if self.kept:
            fix = "make an array of it first: `np.array(items)`"
            raise error("E119", None, what="this use of a list that a loop appended to", fix=fix)
        raise NeedStatic(frozenset(NOT_LAID + origin for origin in self.origins))


@dataclass(frozen=True, eq=False, slots=True)
class LaidRow(AbstractObject):
    """A list that is a row of such a list of lists, its `table`, while that has the same rows."""

    noun: ClassVar[str] = "a list"
    table: Abstract
    at: tuple[Abstract, ...]
    version: object
    decline: Callable[[], NoReturn]

    @property
    def form(self) -> Laid:
        """What its entries stand in."""
        form = self.table.form
        if not isinstance(form, Laid) or form.version is not self.version:
            self.decline()
        return form

    @property
    def axes(self) -> int:
        """How many indices an entry of it has."""
        return self.form.axes - len(self.at)


@dataclass(frozen=True, slots=True)
class RowLeaf(AbstractObject):
    """A list of numbers that is an item: the column of which it is a row, that of its marks, and
    what its numbers may be.
    """

    number: Abstract
    mark: Abstract
    kinds: frozenset[Any]


def read_form(x: Laid | LaidRow) -> Abstract:
    """What stands for the items of a laid list where they are read: arrays of them as they are now,
    of numbers; of lists the laid list itself.
    """
    return x.form.grown(x) if x.axes == 1 else x
