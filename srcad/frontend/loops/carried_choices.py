"""Which of the arrays that there were before a loop each one is that it carries: flags beside it.

y = x                      y, y_is_x = x, True
for k in range(n):         for ...:
    if c:                      y, y_is_x = If(c): yield mul(y, 2.0), False
        y = y * 2.0                        else:  yield y, y_is_x
y[0] = 5.0                 x_2, own = If(y_is_x): yield index_update(x, 0, 5.0), y
                                      else:       yield x, index_update(y, 0, 5.0)

An array of which no flag holds has memory of its own: an iteration has made it. It is not known of
one that is a view with an index of the iteration, nor of two that may share what was made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import UNBOUND, Abstract
from srcad.frontend.abstract.paths import MEMORY, Path, name_at
from srcad.frontend.memory.chosen import CHOSEN, Candidate, Chosen
from srcad.frontend.memory.views import View
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.chosen_arrays import PathEnd, UnknownArray, kind_of_array
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import EXCEPTION
from srcad.ir.walk import values_in

OWN = Value("", EXCEPTION)  # stands for memory that an iteration has made
Ends = dict[Path, tuple[Abstract, Abstract]]


@dataclass(slots=True)
class _Carried:
    """A carried array: those from before the loop that it may be, and the names of their flags."""

    older: list[Value] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    has_own: bool = False  # whether it may be another than those


class _Iteration(PathEnd):
    """The end of an iteration; what it computes cannot be said ahead of the loop."""

    def __init__(self, frame: Frame, before: st.State) -> None:
        super().__init__(0, frame.session.builder.body, before, lambda x, number: x)

    def said_of(self, x: Abstract, like: Value) -> tuple[Candidate, set[Value]]:
        """What an array is, `OWN` where the loop has made it, and the memory that is its own then.

        Raises:
            UnknownArray: that is not known, or it is no array of this dtype and rank.
        """
        if not is_array(x) or kind_of_array(x) != kind_of_array(like):
            raise UnknownArray
        self.roots = set()
        return self.candidate(x, OWN), self.roots

    def _view(self, view: View, own: Value) -> Value:
        for _ in values_in((view.rest, view.options)):
            raise UnknownArray
        return super()._view(view, own)


class CarriedChoices:
    """The flags of the arrays that a loop carries; `before`: the state ahead of it, to which they
    are added.
    """

    def __init__(self, frame: Frame, before: st.State) -> None:
        self.frame, self.before = frame, before
        self.is_settled = True
        self._prefix = len(frame.session.entered)
        self._count = 0
        self._of: dict[Path, _Carried] = {}
        self._unknown: set[Path] = set()

    def find(self, ends: Ends) -> bool:
        """Add the arrays that turned out to be carried, each as what it is before the loop; whether
        there are new ones.
        """
        if CHOSEN not in self.frame.session.inputs.statics:
            return False
        count = self._count
        for path, (first, last) in ends.items():
            is_new = path not in self._of and path not in self._unknown
            is_place = path[0] is not MEMORY and len(path) == 2
            if is_new and is_place and is_array(first) and is_array(last):
                self._of[path] = _Carried()
                self._add(path, self.before.memory.handle(first), True)
        return self._count > count

    def _add(self, path: Path, older: Value, is_first: bool) -> None:
        carried = self._of[path]
        name = f"{name_at(path) or 'it'}_is_{older.name or 'one'}.{self._prefix}.{self._count}"
        self._count += 1
        carried.older.append(older)
        carried.flags.append(name)
        self.before.envs[self.frame][name] = is_first
        self.frame.env[name] = False
        self.is_settled = False

    def _forget(self, path: Path) -> None:
        self._unknown.add(path)
        for name in self._of.pop(path).flags:
            del self.before.envs[self.frame][name]
            self.frame.env.pop(name, None)
        self.is_settled = False

    def settle(self) -> None:
        """At the end of an iteration: set the flags to what each array is now."""
        self.is_settled = True
        if not self._of:
            return
        now, end = st.snapshot(self.frame), _Iteration(self.frame, self.before)
        taken: set[Value] = set()
        for path, carried in list(self._of.items()):
            x = (now.envs.get(path[0]) or now.heap[path[0]]).get(path[1], UNBOUND)
            try:
                found, made = end.said_of(x, like=carried.older[0])
                if not made.isdisjoint(taken):  # held by another name too
                    raise UnknownArray
            except UnknownArray:
                self._forget(path)
                continue
            taken |= made
            if made and not carried.has_own:
                carried.has_own, self.is_settled = True, False
            self._set(path, found)

    def _set(self, path: Path, found: Candidate) -> None:
        """Set the flags of an array that is this one."""
        carried = self._of[path]
        sides = (found,) if isinstance(found, Value) else found.candidates()
        for side in sides:
            if side is not OWN and self._number(carried, side) is None:
                self._add(path, side, False)
        for number, name in enumerate(carried.flags):
            self.frame.env[name] = self._is(found, number, carried)

    def _number(self, carried: _Carried, x: Value) -> int | None:
        """Which of the arrays from before the loop one is; views are made again."""
        views = self.before.memory.views
        for number, older in enumerate(carried.older):
            if older is x or (x in views and older in views and views[x].is_same(views[older])):
                return number
        return None

    def _is(self, of: Candidate, number: int, carried: _Carried) -> Abstract:
        """Whether what is chosen is the array of this number."""
        if isinstance(of, Value):
            return of is not OWN and self._number(carried, of) == number
        then, orelse = (self._is(side, number, carried) for side in (of.then, of.orelse))
        if then is orelse:
            return then
        if (then, orelse) == (True, False):
            return of.cond
        return choose(self.frame, of.cond, lambda: then, lambda: orelse)

    def note(self, made: dict[Path, Value], overlaps: Iterable[frozenset[Path]]) -> None:
        """Note which arrays the parameters or results are; `overlaps`: the pairs of what is carried
        that may share memory.
        """
        memory = self.before.memory
        for path, carried in self._of.items():
            if path not in made or made[path] in memory.contents:
                continue
            flags = [self.frame.env[name] for name in carried.flags]
            own = Value(made[path].name, made[path].type) if carried.has_own else None
            choice: Candidate = own or carried.older[0]
            for flag, older in zip(flags, carried.older, strict=True):
                if isinstance(flag, Value):
                    choice = Chosen(flag, older, choice)
                elif flag:
                    choice = older
            if not isinstance(choice, Chosen):
                continue
            memory.choose(made[path], choice, own)
            if own is not None:
                others = {other for pair in overlaps if path in pair for other in pair}
                for other in others - self._of.keys():
                    memory.joined[made[other]].outer |= {own}

    def close(self) -> None:
        """Take away the flags, after the loop."""
        for carried in self._of.values():
            for name in carried.flags:
                del self.frame.env[name]


__all__ = ["CarriedChoices"]
