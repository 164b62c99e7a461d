"""What all frames of one lowering share: the program being made, and what is known of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract.assigned_globals import AssignedGlobals, Key
from srcad.frontend.abstract.containers.containers import Container
from srcad.frontend.abstract.emission import Emission
from srcad.frontend.abstract.kinds_by_data import Codes
from srcad.frontend.abstract.number_kinds import NumberKinds
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.memory.memory import Memory
from srcad.frontend.reading.capture import Inputs
from srcad.frontend.reading.deriving import Deriving
from srcad.ir.affine import Affine
from srcad.ir.nodes import Checkpointing, Function, Op, Stmt, Value
from srcad.ir.types import ArrayType, Dim
from srcad.rules.core.staged import Builder
from srcad.runtime.effects import raise_

# What is asked for, as constants are, where a program is refused in any other form: that loops
# carry lists; and that they do not, where it is refused then as well.
CARRIED, NOT_CARRIED = "carried lists", "no carried lists"
# That arrays are taken apart by slices, which are followed where parts or the whole are written.
SLICED = "parts by slices"
AS_TABLE = "a table: "  # and where the dict or set is made
# With the name of one of SciPy's functions: that it stays a call, as it cannot be read.
AS_CALL = "a call of "


_STOPS: dict[str, tuple[Any, ...]] = {
    "generator": (Ref(RuntimeError, ""), "generator raised StopIteration"),
    "map": (
        Ref(NotImplementedError, ""),
        "`map` of a function that raises StopIteration ends before its items do",
    ),
}


# What asks for an item; the `watchers` there, and how many `try`s are around.
Stops = tuple[str, Any, int]


@dataclass(frozen=True, slots=True)
class Entered:
    """A loop that is being lowered: the containers that were there before it, its token, whether it
    `opens` the lists that it appends to, and whether it `carries` those it changes otherwise; how
    many blocks are around it; the lists that turned out to be others, and not carried.
    """

    older: Collection[Container]
    token: object
    opens: bool = False
    carries: bool = False
    depth: int = 0
    left_out: Collection[Container] = ()


class Names(Protocol):
    """A frame, as far as a session knows it."""

    env: dict[str, Abstract]
    subjects: dict[str, Abstract]


@dataclass(eq=False)
class Session(Emission):
    """The state of one lowering. `Emission`, `Recording` and `Constants` say what some of it
    is for.

    Its positional fields are set once; each of the others is empty at first.
    """

    inputs: Inputs
    derive: Deriving
    simplify: Callable[[Function], Function]  # makes a program that was derived smaller
    builder: Builder = field(default_factory=Builder)
    has_aux: bool = False  # the second of two results is handed through
    keeps_calls: bool = False
    writes: bool = False  # the arguments are the caller's own

    # Values: where they lie, what they may be
    memory: Memory = field(init=False)
    codes: Codes = field(init=False)
    kinds: NumberKinds = field(default_factory=NumberKinds)
    has_joined_nan: bool = False  # a constant: which object it is shows where paths are joined
    operations: int = 0
    watchers: list[Callable[[Op], None]] = field(default_factory=list)
    catching: list[tuple[type[BaseException], ...]] = field(
        default_factory=list
    )  # by `try`s around
    # By the handlers around that do not raise what they caught again
    taking: list[tuple[type[BaseException], ...]] = field(default_factory=list)
    known_results: dict[Hashable, Abstract] = field(default_factory=dict)  # of calls with constants
    kept_results: dict[Any, Any] = field(default_factory=dict)  # of cached functions
    homes: dict[Any, list[Stmt]] = field(default_factory=dict)  # the blocks where objects are made
    # Cached properties that were read of objects which do not hold them as attributes
    properties: dict[tuple[Any, str], Any] = field(default_factory=dict)
    # Of arrays with one column for each step, the last column as a value of its own
    ends: dict[Value, Value] = field(default_factory=dict)
    consumed: list[Abstract] = field(default_factory=list)  # iterators that are used up
    stops: Stops | None = None
    shown: list[Abstract] = field(default_factory=list)  # whose `__dict__` was read: they stay

    unrolled: dict[Location, int] = field(default_factory=dict)  # long loops, and how long
    has_parts: bool = False  # an array was taken apart: `np.split`

    # The place: blocks, frames, branches and calls around
    around: list[list[Stmt]] = field(default_factory=list)
    protected: int = 0  # `try` statements around
    conditions: list[tuple[int, Value]] = field(default_factory=list)
    frames: list[Names] = field(default_factory=list)
    shared_frames: list[Names] = field(default_factory=list)  # whose names inner functions assign
    active_calls: list[Any] = field(default_factory=list)
    assigns: frozenset[Key] = frozenset()  # the globals that the program assigns
    globals: AssignedGlobals = field(default_factory=AssignedGlobals)
    # Names of what functions may change that are not read, which one does and where
    hidden: dict[str, tuple[str, Location | None]] = field(default_factory=dict)
    bound_where: dict[Value, list[Value]] = field(default_factory=dict)  # by what tells so
    attributes_read: set[str] = field(default_factory=set)  # of the caller's objects, by path

    # Loops
    entered: list[Entered] = field(default_factory=list)  # those around
    loop_varying: dict[Value, object] = field(default_factory=dict)
    refused_peeled: SrcadError | None = None  # the last refusal of a loop also where it is peeled
    checkpointing: Checkpointing | None = None  # of the loops that are met next
    guessing: int = 0  # loops around of which it is not known yet what they bind
    unmet: int = 0  # reads that wait for that
    iterated: list[Abstract] = field(default_factory=list)  # lists over whose arrays loops run
    relistable: set[str] = field(default_factory=set)
    spans: dict[Value, tuple[Affine, Affine]] = field(default_factory=dict)  # least and greatest
    extent_values: dict[str, Value] = field(default_factory=dict)  # by the symbol of the extent
    counts: dict[str | Value, Dim] = field(default_factory=dict)
    laid: set[str] = field(default_factory=set)  # what undoes that lists stand in arrays
    growing_on_paths: set[str] = field(default_factory=set)
    tabled: set[str] = field(default_factory=set)  # dicts and sets with keys on some paths
    has_other_lists: bool = False  # an iteration puts one of another length in the place of one

    derived: int = 0  # functions around of which the program asks for derivatives
    reads_scipy: bool = False  # in one of SciPy's functions, whose source is read
    unread: set[str] = field(default_factory=set)  # what makes those calls that cannot be read

    # Calls that get a function of their own
    recursive: frozenset[Hashable] = frozenset()  # the kinds of these calls
    recursive_calls: int = 0
    followed_calls: int = 0
    activations: list[Any] = field(default_factory=list)  # those being lowered
    functions: list[Any] = field(default_factory=list)  # those made
    open_functions: list[Function] = field(default_factory=list)
    # Owns the arrays that come in and out of them
    outside: Value = field(default_factory=lambda: Value("", ArrayType(np.dtype(float), None)))
    recomputed: dict[Hashable, Function] = field(default_factory=dict)  # checkpointed, by form

    def __post_init__(self) -> None:
        self.memory = Memory(self.inputs, self.builder, self.kinds.meet)
        self.memory.unowned.add(self.outside)
        self.codes = Codes(self.memory.producers)
        self.globals.start(self.inputs, self.assigns)
        self.shared_frames.append(self.globals)

    @property
    def carries(self) -> bool:
        """Whether loops may carry lists as the arrays of their items."""
        return CARRIED in self.inputs.statics and NOT_CARRIED not in self.inputs.statics

    def carry_instead(self, refusal: SrcadError | None) -> None:
        """Ask for lists to be carried, where that was not tried yet and one of another length made
        the `refusal`: rather than for constants to unroll a loop with.
        """
        code = "" if refusal is None else refusal.code
        is_of_lists = code == "E119" or (code == "E122" and self.has_other_lists)
        if is_of_lists and CARRIED not in self.inputs.statics:
            raise NeedStatic(frozenset({CARRIED}))

    def loops_after(self, x: Container) -> list[Entered]:
        """The loops around that began when a container was there, the outermost first."""
        is_given = x in self.inputs.lifted
        return [loop for loop in self.entered if is_given or x in loop.older]

    def is_certain(self, x: object) -> bool:
        """Whether a value has one type on all paths."""
        return x not in self.kinds

    def check_unhandled(self) -> None:
        """Refuse what may be refused when the program runs, where a `try` around would take that
        for what Python raises.
        """
        if any(issubclass(NotImplementedError, cls) for each in self.taking for cls in each):
            what = "what may be refused when it runs, in a `try` that handles NotImplementedError,"
            fix = "move it outside of the `try`, or handle the class of what Python raises"
            raise error("E103", None, what=what, fix=fix)

    def _as_tried(self, x: Value) -> Value:
        checked = super()._as_tried(x)
        if checked is not x:
            self.check_unhandled()
        return checked

    def raise_if_none(self, count: Abstract, cls: Ref, *args: Any) -> None:
        """Append `if count == 0: raise cls(*args)`."""
        if cls.obj is NotImplementedError:
            self.check_unhandled()
        super().raise_if_none(count, cls, *args)

    def effect(self, fn: Any, *args: Abstract, **kwargs: Abstract) -> None:
        """Append an op for its effect. `raise StopIteration` is what it is to what asks for an
        item: a RuntimeError of a generator, the end of `map`, which is refused when it runs.
        """
        if fn is raise_ and self.stops is not None:
            cls = args[0].obj if isinstance(args[0], Ref) else args[0]
            if isinstance(cls, type) and issubclass(cls, StopIteration) and self.is_stopping():
                args = _STOPS[self.stops[0]]
        super().effect(fn, *args, **kwargs)

    def is_stopping(self, *, is_certain: bool = True) -> bool:
        """Whether StopIteration that is raised here gets to what asks for an item: no `try` on the
        way handles it. `is_certain`: it is raised.
        """
        if self.stops is None or self.stops[1] is self.watchers:
            return self.stops is not None
        _, watchers, depth = self.stops
        inner = self.catching[depth:]
        classes = [cls for each in inner for cls in each]
        has_other = len(self.watchers) - len(watchers) != len(inner)  # a `with` that handles
        if not inner or has_other or any(issubclass(StopIteration, cls) for cls in classes):
            return False
        if any(issubclass(RuntimeError, cls) for cls in classes):
            if not is_certain:
                return False
            what = "a StopIteration in a `try` that handles RuntimeError, in a generator,"
            raise error("E103", None, what=what)
        return True

    @contextmanager
    def trial(self) -> Iterator[list[Stmt]]:
        """A block that is thrown away: no `try` around notes what may be raised there."""
        with self.unwatched(), self.block() as body:
            yield body

    @contextmanager
    def unwatched(self) -> Iterator[None]:
        """Inside, no `try` around notes what may be raised: it is none of the program's."""
        around = self.watchers
        self.watchers = [_unnoted for _ in around]
        try:
            yield
        finally:
            self.watchers = around

    @contextmanager
    def stopping(self, how: str | Stops | None) -> Iterator[None]:
        """Inside, what raises StopIteration does so in a "generator", or in a function of "map"."""
        if isinstance(how, str):
            how = how, self.watchers, len(self.catching)
        outer, self.stops = self.stops, how
        try:
            yield
        finally:
            self.stops = outer

    @contextmanager
    def checkpointed(self, how: Checkpointing | None) -> Iterator[None]:
        """Loops met inside are checkpointed so, the outermost of each nest."""
        outer, self.checkpointing = self.checkpointing, how
        try:
            yield
        finally:
            self.checkpointing = outer


def _unnoted(op: Op) -> None:
    """What watches the operations of a trial."""


__all__ = ["Entered", "Session"]
