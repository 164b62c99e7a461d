"""Which of several arrays each one is that a loop carries: flags that it carries beside them.

y = x                      y, y_is_x = x, True
for k in range(n):         for ...:
    if c:                      y, y_is_x = If(c): yield mul(y, 2.0), False
        y = y * 2.0                        else:  yield y, y_is_x
y[0] = 5.0                 x_2, own = If(y_is_x): yield index_update(x, 0, 5.0), y
                                      else:       yield x, index_update(y, 0, 5.0)

An array is one from before the loop, or a view of one by an index that is carried as well, or is
another one that is carried, or has memory of its own, which an iteration has made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.kinds_by_data import NUMBER
from srcad.frontend.abstract.objects import FILLER, UNBOUND, Abstract, Either, is_nothing
from srcad.frontend.abstract.paths import MEMORY, Path, name_at
from srcad.frontend.memory.chosen import CHOSEN, Candidate, Chosen
from srcad.frontend.memory.views import View
from srcad.frontend.statements.branches import choose
from srcad.frontend.statements.chosen_arrays import PathEnd, UnknownArray, kind_of_array
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import NumberType
from srcad.ir.walk import map_values, values_in

Ends = dict[Path, tuple[Abstract, Abstract]]


@dataclass(frozen=True, slots=True)
class _View:
    """A view of what there was before the loop: `m[k]` for any `k`; `like`: one of those."""

    fn: Any
    base: Value
    rest: Any  # with `_HOLE` in place of values
    options: Any
    like: Value = field(compare=False)

    def __hash__(self) -> int:
        return hash((self.fn, self.base))


_HOLE = Value("", NumberType(int))
_Other = Value | _View | Path


@dataclass(slots=True)
class _Carried:
    """A carried array that was this one before the loop, or one that stands for the filler that was
    there. flags: the names of those that say that it is another one from before it, a view, or the
    one that is carried at a path; indices: the names of what is carried for each view.
    """

    first: Value
    flags: dict[_Other, str] = field(default_factory=dict)
    indices: dict[_Other, list[str]] = field(default_factory=dict)
    has_own: bool = False  # whether it may be one that the loop has made


class _Iteration(PathEnd):
    """The end of an iteration; what it computes cannot be said ahead of the loop. `fresh`: what is
    carried that no iteration is known to have found elsewhere.
    """

    def __init__(self, frame: Frame, before: st.State, fresh: set[Value]) -> None:
        super().__init__(0, frame.session.builder.body, before, lambda x, number: x)
        self._fresh = fresh

    def candidate(self, x: Abstract) -> Candidate:
        handle = self.memory.handle(x) if isinstance(x, Value) else x
        return handle if handle in self._fresh else super().candidate(x)

    def _view(self, view: View) -> Value:
        is_by_ints = all(map(_is_int, values_in((view.rest, view.options))))
        if not is_by_ints or not self.is_older(view.base):
            raise UnknownArray
        return view.out


class CarriedChoices:
    """The flags of the arrays that a loop carries; `before`: the state ahead of it, to which they
    are added.
    """

    def __init__(self, frame: Frame, before: st.State) -> None:
        self.frame, self.before, self.memory = frame, before, before.memory
        self.is_settled = True
        self._prefix = len(frame.session.entered)
        self._count = 0
        self._of: dict[Path, _Carried] = {}
        self._unknown: set[Path] = set()
        self._fresh: set[Value] = set()

    def find(self, ends: Ends) -> bool:
        """Add the arrays that turned out to be carried, each as what it is before the loop; whether
        there are new ones.
        """
        if CHOSEN not in self.frame.session.inputs.statics:
            return False
        count = self._count
        for path, (first, last) in ends.items():
            is_new = path not in self._of and path not in self._unknown
            is_place = path[0] is not MEMORY and path[2:] in ((), (NUMBER,))
            if not (is_new and is_place and is_array(last)):
                continue
            if is_nothing(first):
                self._of[path] = _Carried(Value(last.name, last.type), has_own=True)
                self._count += 1
            elif is_array(first):
                handle = self.memory.handle(first)
                self._of[path] = _Carried(handle)
                self._add(path, *self._told(handle), is_first=True)
        return self._count > count

    def _told(self, x: Value) -> tuple[Value | _View, list[Value]]:
        """An array from before the loop, or a view, with the values in it."""
        view = self.memory.views.get(x)
        if view is None:
            return x, []
        found = list(values_in((view.rest, view.options)))
        rest, options = map_values(lambda value: _HOLE, (view.rest, view.options))
        return _View(view.fn, view.base, rest, options, view.out), found

    def _add(
        self, path: Path, other: _Other, values: list[Value], *, is_first: bool = False
    ) -> None:
        """Add a flag: whether an array is that other one."""
        whole = other.base if isinstance(other, _View) else other
        called = whole.name if isinstance(whole, Value) else name_at(whole)
        flag = self._name(f"{name_at(path) or 'it'}_is_{called or 'one'}", is_first, False)
        self._of[path].flags[other] = flag
        self._of[path].indices[other] = [
            self._name(f"{name_at(path) or 'it'}_at", value if is_first else 0, 0)
            for value in values
        ]

    def _name(self, stem: str, before: Abstract, now: Abstract) -> str:
        name = f"{stem}.{self._prefix}.{self._count}"
        self._count += 1
        self.before.envs[self.frame][name] = before
        self.frame.env[name] = now
        self.is_settled = False
        return name

    def _forget(self, path: Path) -> None:
        """It is not known which one this is: what the next attempt takes for one of its own."""
        self._unknown.add(path)
        dropped = list(_names(self._of.pop(path)))
        for carried in self._of.values():
            if path in carried.flags:
                dropped.append(carried.flags.pop(path))
        for name in dropped:
            del self.before.envs[self.frame][name], self.frame.env[name]
        self.is_settled = False

    def settle(self) -> None:
        """At the end of an iteration: set the flags to what each array is now."""
        self.is_settled = True
        if not self._of:
            return
        now, end = st.snapshot(self.frame), _Iteration(self.frame, self.before, self._fresh)
        found: dict[Path, Candidate] = {}
        for path, carried in list(self._of.items()):
            x = (now.envs.get(path[0]) or now.heap[path[0]]).get(path[1], UNBOUND)
            if path[2:]:
                x = x.cases.get(NUMBER, FILLER) if isinstance(x, Either) else x
                x = FILLER if x is None else x
            try:
                if is_array(x) and kind_of_array(x) != kind_of_array(carried.first):
                    raise UnknownArray
                choice = self._made(carried) if is_nothing(x) else end.candidate(x)
                self._set(path, choice, found)
                found[path] = choice
            except UnknownArray:
                self._forget(path)

    def _made(self, carried: _Carried) -> Value:
        """An array that stands for a filler, which is none of those that there are."""
        made = Value(carried.first.name, carried.first.type)
        self.memory.clock += 1
        self.memory.born[made] = self.memory.clock
        return made

    def _set(self, path: Path, choice: Candidate, found: dict[Path, Candidate]) -> None:
        """Set the flags of an array; `found`: what those are that come before it.

        Raises:
            UnknownArray: it shows memory that one of those has, but is not that one.
        """
        carried, made = self._of[path], []
        flags: dict[_Other, Abstract] = {}
        for side in _sides(choice):
            if not self.memory.is_older(self.memory.root(side), self.before.clock):
                made.append(side)
                continue
            key, values = self._told(side)
            if key not in carried.flags:
                self._add(path, key, values)
            flags[key] = self._is(choice, key)
            for k, name in enumerate(carried.indices[key]):
                self.frame.env[name] = self._index(choice, key, k)
        if made and not carried.has_own:
            carried.has_own, self.is_settled = True, False
        for other, theirs in found.items():
            for side, their in product(made, _sides(theirs)):
                if side is not their and self.memory.root(side) is self.memory.root(their):
                    raise UnknownArray
            shared: Abstract = False
            for side in made:
                both = self._choose(self._is(choice, side), self._is(theirs, side), False)
                shared = self._choose(both, True, shared)
            if shared is not False:
                if other not in carried.flags:
                    self._add(path, other, [])
                flags[other] = shared
        for known, flag in carried.flags.items():
            self.frame.env[flag] = flags.get(known, False)

    def _is(self, choice: Candidate, x: Value | _View) -> Abstract:
        """Whether what is chosen is this one."""
        if isinstance(choice, Value):
            return choice is x or self._told(choice)[0] == x
        return self._choose(choice.cond, self._is(choice.then, x), self._is(choice.orelse, x))

    def _index(self, choice: Candidate, x: Value | _View, k: int) -> Abstract:
        """The value in what is chosen, where that is this view; else 0."""
        if isinstance(choice, Value):
            key, values = self._told(choice)
            return values[k] if key == x else 0
        sides = (self._index(side, x, k) for side in (choice.then, choice.orelse))
        return self._choose(choice.cond, *sides)

    def _choose(self, cond: Abstract, then: Abstract, orelse: Abstract) -> Abstract:
        if not isinstance(cond, Value):
            return then if cond else orelse
        if then is orelse:
            return then
        if (then, orelse) == (True, False):
            return cond
        return choose(self.frame, cond, lambda: then, lambda: orelse)

    def note(self, made: dict[Path, Value], overlaps: Iterable[frozenset[Path]]) -> None:
        """Note which arrays the parameters or results are; `overlaps`: the pairs of what is carried
        that may share memory.
        """
        for path, carried in self._of.items():
            beside = [other for other in carried.flags if isinstance(other, tuple)]
            if any(each not in made for each in (path, *beside)):
                continue
            if made[path] in self.memory.contents:  # it is not known what it holds
                continue
            array = made[path]
            own = Value(array.name, array.type) if carried.has_own else None
            choice: Candidate = own or carried.first
            outer = {made[other] for other in beside} | ({own} if own is not None else set())
            for other, name in carried.flags.items():
                flag = self.frame.env[name]
                that = self._array(other, carried, made)
                if isinstance(flag, Value):
                    choice = Chosen(flag, that, choice)
                elif flag:
                    choice = that
            if choice is own:
                self._fresh.add(array)
                self.memory.joined[array].outer = frozenset()
            if not isinstance(choice, Chosen):
                continue
            self.memory.choose(array, choice, own)
            self.memory.joined[array].outer |= outer
            if own is None:
                continue
            for other in {each for pair in overlaps if path in pair for each in pair}:
                if other not in self._of:
                    self.memory.joined[made[other]].outer |= {own}

    def _array(self, other: _Other, carried: _Carried, made: dict[Path, Value]) -> Value:
        """The handle of another one that an array may be."""
        if isinstance(other, Value):
            return other
        if not isinstance(other, _View):
            return made[other]
        values = iter([self.frame.env[name] for name in carried.indices[other]])
        rest, options = map_values(
            lambda x: next(values) if x is _HOLE else x, (other.rest, other.options)
        )
        out = Value(other.like.name, other.like.type)
        self.memory.views[out] = View(other.fn, other.base, rest, options, out)
        self.memory.born[out] = self.memory.clock
        return out

    def close(self) -> None:
        """Take away the flags, after the loop."""
        for carried in self._of.values():
            for name in _names(carried):
                del self.frame.env[name]


def _is_int(x: Value) -> bool:
    return isinstance(x.type, NumberType) and x.type.kind is int


def _names(carried: _Carried) -> Iterator[str]:
    yield from carried.flags.values()
    for names in carried.indices.values():
        yield from names


def _sides(choice: Candidate) -> list[Value]:
    return [choice] if isinstance(choice, Value) else list(dict.fromkeys(choice.candidates()))


__all__ = ["CarriedChoices"]
