"""The lists that one loop appends to, while it is lowered.

    xs = [x]                               For(0, n, 1, init=[x], seqs=[xs_1]):
    for _ in range(n):               ->        x_2 = x + 0.1 * sin(x)
        xs.append(xs[-1] + 0.1 * sin(xs[-1]))  yield x_2 | x_2
                                           xs_2 = concatenate([array([x]), array(xs_1)])

In an iteration an open form stands for the items of each of them (`srcad.frontend.lists.opened`),
whatever names, attributes and containers hold the list: what the iteration appends goes to a
sequence of the loop, and the last items that it reads are carried, under a name of lowering's own,
`xs.last`. Where an iteration may append several items, each has a sequence:

    for v in x:                            For(0, len(x), 1, seqs=[ys_1, ys_2]): yield v, -v
        ys.extend([v, -v])           ->    ys = reshape(stack([array(ys_1), array(ys_2)], 1), -1)
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from srcad.errors import error
from srcad.frontend.abstract import state as st
from srcad.frontend.abstract.containers.containers import Grown, ListObj, Piece
from srcad.frontend.abstract.containers.contents import FORM, contents, set_contents
from srcad.frontend.abstract.containers.reachable import reachable
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_types import type_of_leaf
from srcad.frontend.abstract.objects import Abstract, Conflict
from srcad.frontend.abstract.outcomes import Outcome
from srcad.frontend.abstract.signals import Carries, Grows, NeedStatic
from srcad.frontend.iterators.counted import length
from srcad.frontend.laid.kept import kept_row
from srcad.frontend.lists.appended_items import Appended
from srcad.frontend.lists.columns import ints_of, symbols_of
from srcad.frontend.lists.gathered import Gathered
from srcad.frontend.lists.items import (
    frozen,
    is_kept_row,
    is_there,
)
from srcad.frontend.lists.labels import label_of
from srcad.frontend.lists.opened import (
    MAX_DEPTH,
    Open,
    Pieces,
    Reads,
    last_items,
    no_slots,
)
from srcad.frontend.lists.written_items import Span, are_kept
from srcad.ir.affine import Affine
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Value
from srcad.ir.types import Extent, SeqType

_EARLIER = Conflict("E119", "a list of which an earlier item is read while it grows")


class Growing:
    """The lists that one loop appends to; their items in the iteration that is being lowered.

    `lists`: by their labels. `sometimes`: they may get no item in an iteration; `inside`: those
    that loops inside append to.
    `key`: what the function is lowered again with to unroll the loop, unless this is the last try.
    `opens`: it may be lowered again with more lists, as it turns out to append to them; `carries`:
    with those it changes otherwise, as arrays of their items.
    """

    def __init__(
        self,
        frame: Frame,
        lists: dict[str, ListObj],
        key: str = "",
        sometimes: bool = False,
        inside: Collection[str] = (),
        is_last_try: bool = False,
        opens: bool = False,
        carries: bool = False,
    ) -> None:
        self.frame = frame
        self.key = key
        self.is_last_try = is_last_try
        if lists and not is_last_try and not carries:
            frame.session.relistable.add(key)
        self.token = object()
        self.opens = opens
        self.is_long = False  # it has loops inside: unrolling would make as many copies of them
        self.carries = carries
        self.left_out: set[ListObj] = set()  # of which it turned out that they are not carried
        self.lists = lists
        self._given = {name: contents(x) for name, x in lists.items()}
        self.sometimes = sometimes
        self.inside = frozenset(inside)
        self._appended = Appended(frame, self.inside, self.decline)
        self.reads = {name: Reads() for name in lists}
        self._known = dict(self.reads)
        self._last: dict[str, ListObj] = {}
        self._position: Affine | None = None
        self._started = self._clock = 0  # of the memory, before the loop and the iteration

    @property
    def is_needed(self) -> bool:
        """Whether the loop is not unrolled, however few iterations it has: it adds to an array, or
        is long.
        """
        grows = self.sometimes or any(x.form is not None for x in self.lists.values())
        return grows or (self.is_long and bool(self.lists))

    @property
    def is_settled(self) -> bool:
        """Whether all that the iteration reads was kept up to date in it."""
        return self._known == self.reads

    def may_carry(self, x: Any) -> bool:
        """Whether the loop may carry a list as the arrays of its items."""
        return self.carries and x not in self.left_out

    def decline(self) -> NoReturn:
        """Lower again, with this loop unrolled; or with its lists carried."""
        if self.carries:
            raise Carries(self.token, None, ())
        if self.is_last_try:
            what = "a list that grows on some paths, by items that make no array,"
            raise error("E119", None, what=what)
        raise NeedStatic(frozenset({self.key}))

    def start(self) -> None:
        """Before the loop: put what it carries of the lists where it finds it."""
        self._started = self.frame.session.memory.clock
        for name, x in self.lists.items():
            if name in self.inside:
                continue
            form = self._given[name].get(FORM)
            if isinstance(form, Grown):
                rest = (_EARLIER,) * (MAX_DEPTH - len(form.last))
                last = ListObj([length(self.frame.session, form.columns[0]), *form.last, *rest])
            else:
                last = last_items(tuple(x.items))
            self._last[name] = self.frame.env[f"{name}.last"] = last
            self._freeze(last)

    def iteration(
        self, body: Callable[[], Outcome | None], position: Affine | None = None
    ) -> Outcome | None:
        """Lower an iteration; `position` is the number of those before it, where it is known."""
        if not self.lists:
            return body()
        memory = self.frame.session.memory
        known = symbols_of(self.frame), ints_of(self.frame)
        self._clock, writes = memory.clock, memory.writes
        self._known = {name: replace(reads) for name, reads in self.reads.items()}
        self._position = position
        self._appended.clear()
        old = {x: memory.held(x) for x in self._last_arrays()}
        contents = dict(memory.contents)
        unmet = self.frame.session.unmet
        outcome = self._with_open_lists(body, unmet)
        for last in self._last.values():
            self._freeze(last)
        self._check_lists()
        parts = self._appended.parts()
        span = Span(self._started, self._clock, contents, old)
        if memory.writes != writes and not are_kept(self.frame, span, parts, self._last.values()):
            self.decline()
        self._appended.finish(*known)
        return outcome

    def test(self, test: Callable[[], Abstract]) -> Abstract:
        """The test of a `while`, which may read the lists."""
        opened = {name: self._opened(name) for name in self._last}
        self._form(opened)
        try:
            return test()
        finally:
            self._close(opened)

    def _with_open_lists(self, body: Callable[[], Outcome | None], unmet: int) -> Outcome | None:
        """`body()`, in which the lists are open."""
        opened: dict[str, Open | Pieces] = {
            name: Pieces(ListObj([], cls=Piece), self.decline)
            if name in self.inside
            else self._opened(name)
            for name in self.lists
        }
        self._form(opened)
        try:
            outcome = body()
            for name, form in opened.items():
                if self.lists[name].form is not form:
                    self.decline()
                if isinstance(form, Pieces):
                    self._appended.take_piece(name, form.piece)
                else:
                    self._take(name, form, self.frame.session.unmet > unmet)
        finally:
            self._close(opened)
        return outcome

    def _form(self, forms: Mapping[str, Abstract]) -> None:
        """Give the lists these forms."""
        for name, form in forms.items():
            self.lists[name].form = form

    def _close(self, names: Iterable[str]) -> None:
        """Make lists what they were before the loop."""
        for name in names:
            set_contents(self.lists[name], self._given[name])

    def _opened(self, name: str) -> Open:
        given = self._given[name]
        first = () if FORM in given else tuple(given.values())
        position = None if FORM in given else self._position
        entered = len(self.frame.session.entered)
        reads, split = self.reads[name], partial(self._split, name)
        last = self._last[name]
        return Open(first, last, no_slots(), reads, position, entered, self.decline, split)

    def _split(self, name: str) -> NoReturn:
        """Lower the loop again, with what each iteration appends to a list as a piece."""
        if not self.opens:
            self.decline()
        raise Grows(self.token, self.lists[name], inside=True)

    def again(self) -> Growing:
        """The same for another loop, before which the lists may have got items."""
        return Growing(
            self.frame, self.lists, self.key, self.sometimes, self.inside, self.is_last_try,
            self.opens, self.carries,
        )  # fmt: skip

    def closed(self) -> Growing:
        """The same without any lists: those that it changes are carried."""
        return Growing(self.frame, {}, self.key, carries=self.carries)

    def opening(self, obj: ListObj, inside: bool) -> Growing:
        """The same with one more list, or with one to which loops inside append as well."""
        name = next((name for name, x in self.lists.items() if x is obj), None)
        if name in self.inside or (name is not None and not inside):
            return self.closed() if self.carries else self.decline()
        name = label_of(self.frame, obj, self.lists) if name is None else name
        is_inside = {*self.inside, name} if inside else self.inside
        return Growing(
            self.frame, {**self.lists, name: obj}, self.key, True, is_inside, self.is_last_try,
            self.opens, self.carries,
        )  # fmt: skip

    def _take(self, name: str, made: Open, waits: bool) -> None:
        """Note the items that a list has got in the iteration; one that `waits` for what it reads
        may have left out some.
        """
        session = self.frame.session
        pairs = [(flag, kept_row(session, item, self.key)) for flag, item in made.appended]
        is_flagged = any(flag is not True for flag, _ in pairs)
        if waits and (is_flagged or not pairs):
            return
        if (is_flagged or not pairs) and not self.sometimes:
            self.decline()
        if self.reads[name].by_position and (is_flagged or len(pairs) != 1):
            self.decline()
        if pairs:
            self._appended.take(name, pairs)

    def _freeze(self, last: ListObj) -> None:
        """Last items that are lists are read, not changed: the loop has copies of them."""
        session = self.frame.session
        last.items[:] = [frozen(kept_row(session, item, self.key)) for item in last.items]

    def _contents(self) -> list[Abstract]:
        """All that names and containers lead to."""
        state = st.snapshot(self.frame)
        return reachable((content for _, _, content in state.locations()), state.envs)

    def _check_lists(self) -> None:
        """Items that are lists are held by nothing else, which could change them later."""
        found = (x for x in reachable(self._appended.items.values()) if isinstance(x, ListObj))
        lists = {id(x) for x in found if not is_kept_row(x)}
        if lists and any(id(x) in lists for x in self._contents()):
            self.decline()

    def _last_arrays(self) -> list[Value]:
        """The arrays among the last items of all lists."""
        return [x for x in reachable(self._last.values()) if is_array(x)]

    def written(self) -> list[Any]:
        """What the loop writes to its sequences in each iteration."""
        return [atom for _, atom in self._appended.atoms()]

    def sequences(self) -> tuple[Value, ...]:
        """The sequences."""
        return tuple(
            Value(name.partition(".")[0], SeqType(type_of_leaf(atom)))
            for name, atom in self._appended.atoms()
        )

    def bind(
        self,
        seqs: tuple[Value, ...],
        outs: tuple[Value, ...],
        extent: Extent | None = None,
        bounds: tuple[Abstract, Abstract] | None = None,
    ) -> None:
        """After the loop: the names stand for what the lists hold now.

        `extent`: the number of iterations. It has one where the first of `bounds` is the lesser.
        """
        waiting, env = iter(seqs), self.frame.env
        for name, slots in self._appended.slots.items():
            own = [[next(waiting) for _ in slot.atoms] for slot in slots]
            before, form = self._before(name), self._appended.forms[name]
            gathered = Gathered(self.frame, before, form, slots, self._clock, self.decline)
            if name in self.inside:
                made = gathered.of_pieces(self._appended.pieces[name], own[0])
            else:
                cls = self.lists[name].cls
                made = gathered.of_items(own, extent, bounds, cls)
            self._form({name: gathered.joined(made, outs, self.key)})
        for name in self._last:
            last, form = env.pop(f"{name}.last"), self.lists[name].form
            if isinstance(form, Grown):
                known = itertools.takewhile(is_there, last.items[1 : self.reads[name].depth + 1])
                self._form({name: replace(form, last=tuple(known))})

    def _before(self, name: str) -> ListObj | Grown:
        """A list as it was before the loop."""
        form = self._given[name].get(FORM)
        return form if isinstance(form, Grown) else self.lists[name]


__all__ = ["Growing"]
