"""Writing statements: a stack of blocks under construction, loops and branches among them.

with blocks.loop(n, "i") as i:               for i in range(n):
    blocks.store(index_set, y, (i,), t)          y[i] = t
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from srcad.errors import Location
from srcad.ir import Block, For, NumberType, Op, Stmt, Value
from srcad.ir.affine import Affine
from srcad.ir.forms import as_atom
from srcad.ir.inplace import index_itruediv
from srcad.ir.types import dtype_of
from srcad.native.scalarize.entry_types import INT, NARROW, Unsuited, scalar
from srcad.native.scalarize.integer_facts import Frame, Known
from srcad.native.scalarize.narrow_integers import stored, widened

Place = tuple[Affine, ...]
_NAMES = "ijklpqrs"


class BlockBuilder(Known):
    """The statements under construction."""

    def __init__(self) -> None:
        super().__init__()
        self.loc: Location | None = None
        self.trace: list[tuple[Value, Place]] | None = None
        self.instead: dict[Value, tuple[Value, Place]] = {}

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

    def new_extents(self, rank: int) -> list[Value]:
        """New values for extents, bound in the current block."""
        made = [self.value("n", INT) for _ in range(rank)]
        self.naturals.update(made)
        return made

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
    def outside(self, level: int) -> Iterator[None]:
        """Append to the block at this level, ahead of the loops and branches inside it."""
        frames, self.frames = self.frames, self.frames[: level + 1]
        yield
        self.frames = frames

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


__all__ = ["BlockBuilder", "Place"]
