"""Writing loops: a stack of blocks under construction, and what is known of their indices.

    with code.loop(n, "i") as i:                 for i in range(n):
        code.store(index_set, y, (i,), t)            y[i] = t

A position that a program computes is checked before the outermost loop whose index it depends on:

    for i in range(1, n): ... u[i + 1]           check_range(2, n, u.shape[0])
                                                 for i in range(1, n): ...
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from srcad.errors import Location
from srcad.ir import Block, For, NumberType, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import as_atom
from srcad.ir.inplace import index_itruediv
from srcad.ir.types import dtype_of
from srcad.native.helpers import check_equal, check_natural, check_range
from srcad.native.scalarize.entry_types import INT, NARROW, Unsuited, scalar
from srcad.native.scalarize.integer_facts import Frame, Known, extreme
from srcad.native.scalarize.narrow_integers import stored, widened

__all__ = ["INT", "NARROW", "Code", "Place", "Unsuited", "scalar"]

Place = tuple[Affine, ...]
_NAMES = "ijklpqrs"


class Code(Known):
    """The function under construction."""

    def __init__(self) -> None:
        super().__init__()
        self.loc: Location | None = None
        self.trace: list[tuple[Value, Place]] | None = None
        self.instead: dict[Value, tuple[Value, Place]] = {}
        # Of integers that are computed of others: by what, of which, and the most they can be.
        self.recipes: dict[Value, tuple[Callable[..., int], tuple[Affine, ...], Affine | None]] = {}

    # Operations

    def add(self, stmt: Stmt) -> None:
        """Append a statement."""
        self.frames[-1].body.append(stmt)

    def op(self, fn: Any, args: Sequence[Any], type_: Any, name: str = "", **kwargs: Any) -> Value:
        """Append an operation with one result."""
        out = self.value(name, type_)
        self.add(Op(fn, tuple(args), kwargs, (out,), self.loc))
        return out

    def value(self, name: str, type_: Any) -> Value:
        """A new value, bound in the current block."""
        out = Value(name, type_)
        self.level[out] = len(self.frames) - 1
        return out

    def effect(self, fn: Any, *args: Any) -> None:
        """Append a call for what it does."""
        self.frames[-1].loaded.clear()
        self.changed(*args)
        self.add(Op(fn, args, {}, (), self.loc, effect=True))

    def changed(self, *arrays: Any) -> None:
        """Arrays are not what copies of them are any more."""
        for frame in self.frames:
            for array in arrays:
                if isinstance(array, Value):
                    frame.copies.pop(array, None)

    def whole(self, number: Affine) -> Any:
        """The atom of an integer."""
        return as_atom(self.settled(number), lambda fn, args: self.op(fn, args, INT))

    def bound(self, number: Affine) -> Any:
        """The atom of where a loop ends: of entries of arrays it is made once, so that loops that
        end alike are seen to.
        """
        number = self.settled(number)
        if all(isinstance(value.type, NumberType) for value, _ in number.terms):
            return self.whole(number)
        for frame in self.frames:
            if number in frame.bounds:
                return frame.bounds[number]
        made = self.frames[-1].bounds[number] = self.whole(number)
        return made

    def position(self, place: Place) -> Any:
        """What stands in the brackets."""
        return tuple(self.whole(at) for at in place)

    def load(self, memory: Value, place: Place, dtype: Any) -> Any:
        """One entry of an array."""
        if self.trace is not None:
            self.trace.append((memory, place))
        if memory in self.instead:
            memory, prefix = self.instead[memory]
            place = (*prefix, *place)
        loaded = self.frames[-1].loaded
        key = (memory, place)
        if key not in loaded:
            args = (memory, self.position(place))
            loaded[key] = widened(self, self.op(operator.getitem, args, scalar(dtype)))
        return loaded[key]

    def store(self, fn: Callable[..., Any], memory: Value, place: Place, value: Any) -> None:
        """`memory[place] = value`, or `+=`: what `fn`, a function of `srcad.ir.inplace`, does."""
        kept, own = (
            dtype_of(memory.type),
            dtype_of(value.type) if isinstance(value, Value) else None,
        )
        is_complex = isinstance(value, complex) or (own is not None and own.kind == "c")
        if is_complex and (kept is None or kept.kind != "c" or fn is index_itruediv):
            raise Unsuited("a complex number stored as a real one, or a quotient stored in place")
        if kept in NARROW:
            value = stored(self, value, kept)
        position = self.position(place)
        self.frames[-1].loaded.clear()
        self.changed(memory)
        self.add(Op(fn, (memory, position, value), {}, (), self.loc, effect=True))

    @contextmanager
    def reading(self, memory: Value, copy: tuple[Value, Place]) -> Iterator[None]:
        """Read a copy of an array in its stead."""
        self.instead = {memory: copy}
        yield
        self.instead = {}

    # Blocks

    @contextmanager
    def loop(self, n: Affine, name: str = "") -> Iterator[Affine]:
        """`for i in range(n)`."""
        with self.iterations(Affine(), n, 1, name) as frame:
            assert frame.index is not None
            yield Affine.of(frame.index)
        self.close(frame, Affine(), n, 1)

    @contextmanager
    def loops(self, extents: Sequence[Affine]) -> Iterator[Place]:
        """A loop for each extent, the last innermost; none for an axis of one entry."""
        if not extents:
            yield ()
        elif extents[0].number == 1:
            with self.loops(extents[1:]) as inner:
                yield (Affine(), *inner)
        else:
            with self.loop(extents[0]) as i, self.loops(extents[1:]) as inner:
                yield (i, *inner)

    @contextmanager
    def iterations(self, start: Affine, stop: Affine, step: int, name: str = "") -> Iterator[Frame]:
        """The body of a loop, which `close` appends."""
        depth = sum(frame.index is not None for frame in self.frames)
        index = Value(name or _NAMES[depth % len(_NAMES)], INT)
        # With larger steps the last is not always met, but never passed.
        bounds = (start, stop - 1) if step > 0 else (stop + 1, start)
        frame = Frame(index=index, least=bounds[0], greatest=bounds[1])
        self.frames.append(frame)
        self.level[index] = len(self.frames) - 1
        for outer in self.frames:
            outer.loaded.clear()
        yield frame
        self.leave()

    def leave(self) -> None:
        """End the current block: what it binds is gone."""
        gone = len(self.frames) - 1
        self.frames.pop()
        for value in [value for value, level in self.level.items() if level == gone]:
            del self.level[value]
        for outer in self.frames:
            outer.loaded.clear()

    def close(self, frame: Frame, start: Affine, stop: Affine, step: int, **parts: Any) -> None:
        """Append the loop of a frame; `parts`: init, params, results, outs, exits."""
        init, outs = parts.get("init", []), parts.get("outs", ())
        assert frame.index is not None
        params = [frame.index, *parts.get("params", [])]
        body = Block(params, frame.body, parts.get("results", []))
        bounds = (self.whole(start), self.bound(stop), step)
        exits, count = parts.get("exits", False), parts.get("count")
        self.add(For(*bounds, False, init, [], body, tuple(outs), (), self.loc, exits, count))

    @contextmanager
    def block(self, is_sure: bool = False) -> Iterator[Frame]:
        """A branch, or the body of a `while`."""
        frame = Frame(is_sure=is_sure)
        self.frames.append(frame)
        for outer in self.frames:
            outer.loaded.clear()
        yield frame
        self.leave()

    def fold(
        self, extents: Sequence[Affine], start: Any, step: Callable[[Any, Place], Any], type_: Any
    ) -> Any:
        """`total = step(total, index)` for each index, from `start`."""
        if not extents:
            return step(start, ())
        with self.iterations(Affine(), extents[0], 1) as frame:
            assert frame.index is not None
            at = Affine.of(frame.index)
            total = self.value("", type_)

            def inner(value: Any, index: Place) -> Any:
                return step(value, (at, *index))

            result = self.fold(extents[1:], total, inner, type_)
        out = self.value("", type_)
        parts = {"init": [start], "params": [total], "results": [result], "outs": [out]}
        self.close(frame, Affine(), extents[0], 1, **parts)
        return out

    # Integers that others tell

    def derived(
        self, fn: Callable[..., int], of: Sequence[Affine], most: Affine | None, name: str = ""
    ) -> Affine:
        """`fn(*of)`, computed once, in the outermost block that knows these; 0 to `most`."""
        key = (fn, tuple(map(self.settled, of)))
        for frame in self.frames:
            if key in frame.derived:
                return frame.derived[key]
        known = key[1] if most is None else (*key[1], most)
        frames, self.frames = self.frames, self.frames[: self.outermost(*known) + 1]
        made = self.op(fn, [self.whole(each) for each in key[1]], INT, name)
        self.recipes[made] = (fn, key[1], most)
        if most is not None:
            self.limits[made] = (Affine(), most)
        self.frames[-1].derived[key] = found = Affine.of(made)
        self.frames = frames
        return found

    def multiplied(self, n: Affine, m: Affine) -> Affine:
        """The product of two integers, neither known; not negative where neither is."""
        made = self.derived(operator.mul, (n, m), None)
        if self.is_natural(n) and self.is_natural(m):
            self.naturals.update(value for value, _ in made.terms)
        return made

    def told_by(self, numbers: Sequence[Affine]) -> Iterator[Value]:
        """The integers of which these are made, and those of which they were computed."""
        for number in numbers:
            for value, _ in number.terms:
                if value in self.recipes:
                    yield from self.told_by(self.recipes[value][1])
                else:
                    yield value

    def translated(self, form: Affine, then: Mapping[Value, Affine]) -> Affine:
        """The integer in another loop, where `then` is what the indices of the first were."""
        total = Affine(form.const)
        for value, k in form.terms:
            found = then.get(value, Affine.of(value))
            if value in self.recipes and value not in self.level:
                fn, of, most = self.recipes[value]
                own = [self.translated(each, then) for each in of]
                if self.outermost(*own) >= len(self.frames):
                    raise Unsuited("integers that are not known any more")
                limit = None if most is None else self.translated(most, then)
                found = self.derived(fn, own, limit, value.name)
            total += found * k
        return total

    def limited_to(self, number: Affine, most: Affine) -> Affine:
        """An integer that was saved, of which it is known that it is 0 to `most`."""
        for value, _ in number.terms:
            self.limits[value] = (Affine(), most)
        return number

    # Checks

    def check(self, position: Affine, n: Affine, may_wrap: bool = False) -> None:
        """See to it that a position is one of `n`; negative ones count from the end if they may."""
        position, n = self.settled(position), self.settled(n)
        if self.is_natural(position) and self.is_natural(n - position - 1):
            return
        level, least, greatest = self.hoisted(position, position, n)
        key = (least, greatest, n, may_wrap)
        if any(key in frame.checked for frame in self.frames[: level + 1]):
            return
        self.frames[level].checked.add(key)
        frames, self.frames = self.frames, self.frames[: level + 1]
        lowest = -n if may_wrap else Affine()
        args = [self.whole(each) for each in (lowest, least, greatest, n)]
        self.effect(check_range, *args)
        self.frames = frames

    def check_natural(self, number: Affine) -> None:
        """See to it that a number is not negative."""
        number = self.settled(number)
        if self.is_natural(number):
            return
        level, least, greatest = self.hoisted(number, number)
        key = (least, greatest)
        if any(key in frame.checked for frame in self.frames[: level + 1]):
            return
        self.frames[level].checked.add(key)
        frames, self.frames = self.frames, self.frames[: level + 1]
        self.effect(check_natural, self.whole(least), self.whole(greatest))
        self.frames = frames

    def broadcast(self, shapes: Sequence[Place]) -> Place:
        """The extents of the result; those that must be equal and are not known to be are
        compared.
        """
        rank = max(map(len, shapes))
        result = []
        for k in range(rank):
            given = [s[k - rank + len(s)] for s in shapes if k - rank + len(s) >= 0]
            long = [n for n in given if n.number != 1]
            for n in long[1:]:
                self.equal(long[0], n)
            result.append(long[0] if long else Affine(1))
        return tuple(result)

    def equal(self, n: Affine, m: Affine) -> None:
        """See to it that two extents are equal."""
        n, m = self.settled(n), self.settled(m)
        if n == m:
            return
        if (n - m).number is not None:
            raise Unsuited("extents that differ")
        level = min(self.outermost(n, m), len(self.frames) - 1)
        level = max(level, self.sure_level())
        frames, self.frames = self.frames, self.frames[: level + 1]
        key = ("equal", n, m)
        if not any(key in frame.checked for frame in self.frames):
            self.frames[-1].checked.add(key)
            self.effect(check_equal, self.whole(n), self.whole(m))
            if level == 0:
                self.unify(n, m)
        self.frames = frames

    def equal_all(self, a: Place, b: Place) -> None:
        """See to it that two arrays have equal extents."""
        if len(a) != len(b):
            raise Unsuited("an array of several ranks")
        for n, m in zip(a, b, strict=True):
            self.equal(n, m)

    def hoisted(
        self, least: Affine, greatest: Affine, *others: Affine
    ) -> tuple[int, Affine, Affine]:
        """The outermost block that knows what a check needs, and the extremes there."""
        level = len(self.frames) - 1
        while level > 0:
            frame = self.frames[level]
            if not frame.is_sure:
                break
            if frame.index is None:
                lower, upper = least, greatest
            else:
                lower, upper = extreme(least, frame, False), extreme(greatest, frame, True)
            if self.outermost(lower, upper, *others) >= level:
                break
            level, least, greatest = level - 1, lower, upper
        return level, least, greatest
