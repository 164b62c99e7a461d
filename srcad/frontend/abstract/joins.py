"""How two paths are joined: where they differ, leaves become run-time values.

    if c:  y = x; k = 1          y -> a result of the `If`, typed join(x, z)
    else:  y = z; k = 1          k -> 1 on both paths: stays a constant

Where two paths put different *structures* into a location, it holds a `Conflict`, an error only if
the program reads it. Where they put different containers of one structure, a new container stands
for both; if one of the two can still be reached in another way, none of the three may be changed
any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, cast

from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    MUTABLE,
    Container,
    Grown,
    ListObj,
    RecordObj,
)
from srcad.frontend.abstract.containers.contents import FORM, contents, like
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.joined_containers import (
    Growth,
    OtherLists,
    behave_alike,
    freeze_merged,
    have_one_form,
    with_attributes,
    with_like_attributes,
)
from srcad.frontend.abstract.joined_types import Mismatch, ends_of_slice
from srcad.frontend.abstract.kinds_by_data import MAX_KINDS, Key, Named, has_length, kind_of
from srcad.frontend.abstract.objects import (
    FILLER,
    UNBOUND,
    Abstract,
    Conflict,
    Either,
    Instance,
    flagged,
    is_leaf,
    is_nothing,
    is_perhaps,
    perhaps,
)
from srcad.frontend.abstract.paths import CODE, FLAG, LAID, MEMORY, Path, is_place, name_at
from srcad.frontend.abstract.state import State, agreed, same
from srcad.frontend.abstract.unassigned import tells, unbound_part
from srcad.frontend.abstract.which import joined_number
from srcad.frontend.laid.joining import joined_laid, joined_row
from srcad.frontend.lists.entry_kinds import joint_kind
from srcad.frontend.lists.items import are_alike
from srcad.frontend.lists.marks import common_form
from srcad.frontend.memory.chosen import Contents, Stale

Leaf = Callable[[Abstract, Abstract, Path], Abstract]
_NONE: Mapping[Path, tuple[Key, ...]] = {}


class Join:
    """The join of the states `a` and `b`, in which paths from the state `before` ended.

    `leaf(x, y, path)` stands where leaves differ.

    `always`: paths where `leaf` is called even if both paths agree; `known`: the kinds that are
    known at paths where they differ; `code` is that of the conflicts. `carries`: whether a
    loop carries a list as the arrays of its items. `apart`: the lists of different lengths of which
    one does not become arrays; all, where it is None. `alone`: what one path alone bound before.
    `bound`: what is bound at the end of path a, though elsewhere it may not be.
    """

    def __init__(
        self, before: State, a: State, b: State, leaf: Leaf, code: str,
        always: Collection[Path] = (), known: Mapping[Path, tuple[Key, ...]] = _NONE,
        carries: Callable[[Any], bool] = lambda x: False,
        apart: Collection[tuple[Any, Any]] | None = None,
        alone: dict[Path, Abstract] | None = None, bound: Collection[Abstract] = (),
    ) -> None:  # fmt: skip
        self.before = before
        self.a = a
        self.b = b
        self.leaf = leaf
        self.code = code
        self.always = always
        self.known = known
        self.carries = carries
        self.apart = apart
        self.alone = {} if alone is None else alone
        self.bound = bound
        self.conflicts: set[Path] = set()
        self.has_other_lists = False  # one path has put a list of another length in its place
        self.kinds: dict[Path, tuple[Key, ...]] = {}
        self.merged: dict[tuple[Any, Any], tuple[Path, Container]] = {}
        self._merged_heap: dict[Container, dict[Any, Abstract]] = {}
        self._which: dict[Container, Abstract] = {}

    def state(self) -> State:
        """The joined state."""
        a, b = self.a, self.b
        envs = {f: self._items((f,), a.envs[f], b.envs[f]) for f in a.envs if f in b.envs}
        heap: dict[Container, dict[Any, Abstract]] = {}
        for obj in {**a.heap, **b.heap}:
            # What only one path has read is on the other path as the caller passed it.
            x, y = (state.heap.get(obj, state.lifted.get(obj)) for state in (a, b))
            if x is None or y is None:
                heap[obj] = a.heap[obj] if obj in a.heap else b.heap[obj]
                continue
            unknown = next((s[FORM] for s in (x, y) if isinstance(s.get(FORM), Conflict)), None)
            if unknown is not None:
                heap[obj] = {FORM: unknown}
                continue
            if isinstance(obj, RecordObj | Instance):
                x, y = with_attributes(obj, x, y, self.before.inputs)
            elif not same(tuple(x), tuple(y)):
                raise Growth(obj, x, y)
            heap[obj] = self._items((obj,), x, y)
        return replace(
            self.before, envs=envs, heap=heap, arrays=self._arrays(), frozen=a.frozen | b.frozen,
            which=a.which | b.which,
        )  # fmt: skip

    def _arrays(self) -> Contents:
        """What the arrays hold that were there before; those made on one path are joined where
        names hold them.
        """
        memory, joined = self.before.memory, {}
        for array in {**self.a.arrays, **self.b.arrays}:
            if not memory.is_older(array, self.before.clock):
                continue
            x, y = (state.arrays.get(array, array) for state in (self.a, self.b))
            path = (MEMORY, array)
            if isinstance(x, Stale) or isinstance(y, Stale):
                joined[array] = x if isinstance(x, Stale) else y
            elif x is not y or path in self.always:
                joined[array] = self.leaf(x, y, path)
            else:
                joined[array] = x
        return joined

    def complete(self, state: State) -> State:
        """`state` with the containers that stand for two, those that `tree` made since included."""
        frozen = state.frozen | {obj for obj in self._merged_heap if obj.frozen}
        heap, which = state.heap | self._merged_heap, state.which | self._which
        return replace(state, heap=heap, which=which, frozen=frozen)

    def _items(
        self, at: Path, a: dict[Any, Abstract], b: dict[Any, Abstract]
    ) -> dict[Any, Abstract]:
        joined: dict[Any, Abstract] = {}
        for key in {**a, **b}:
            path = (*at, key)
            try:
                joined[key] = self.tree(a.get(key, UNBOUND), b.get(key, UNBOUND), path)
            except Mismatch:
                self.conflicts.add(path)
                ends = (a.get(key), b.get(key), Conflict(self.code, f"`{name_at(path) or key}`"))
                joined[key] = next(x for x in ends if isinstance(x, Conflict))
        return joined

    def tree(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        """The join of two abstract values.

        Raises:
            Mismatch: their structures differ.
        """
        if is_place(path) and any(item is UNBOUND or is_perhaps(item) for item in (x, y)):
            return self._perhaps(x, y, path)
        return self._tree(x, y, path)

    def _perhaps(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        """What is bound on one path only: a number or array is its own flag, beside all else stands
        one, and what it consists of is always there.
        """
        if x is y is UNBOUND:
            return x
        (a, first), (b, second) = map(flagged, (x, y))
        if UNBOUND in (x, y) and is_leaf(second if x is UNBOUND else first):
            return self._tree(first, second, path)
        first, second = (FILLER if each is UNBOUND else each for each in (first, second))
        if tells(first) or tells(second):
            raise Mismatch  # two flags: a value's own, and that of the other path
        joined = self._tree(first, second, path)
        return perhaps(self._tree(a, b, (*path, FLAG)), joined)

    def _tree(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        kinds = [item for item in (x, y) if not is_nothing(item)]
        if not kinds:
            return x
        if (*path, CODE) in self.always or any(isinstance(item, Either) for item in kinds):
            return x if x is y and (*path, CODE) not in self.always else self._either(x, y, path)
        if all(map(is_leaf, kinds)):
            if same(x, y) and path not in self.always:
                return agreed(x, y)
            return self.leaf(x, y, path)
        if all(isinstance(item, tuple) for item in kinds) and self._are_alike(kinds):
            return self._tuple(x, y, path)
        if all(isinstance(item, slice) for item in kinds):
            return x if x is y else slice(*self._tuple(ends_of_slice(x), ends_of_slice(y), path))
        known = len(kinds) == 1 and isinstance(kinds[0], MUTABLE)
        if known and kinds[0] in self.a.heap and kinds[0] in self.b.heap:
            return kinds[0]  # it was there before the paths parted
        if all(isinstance(item, CONTAINERS) for item in kinds) and self._are_alike(kinds):
            return x if x is y else self._merge(x, y, path)
        if all(isinstance(item, Laid) for item in kinds):
            return joined_laid(x, y, lambda k, a, b: self._array(a, b, (*path, LAID, k)))
        if all(isinstance(item, LaidRow) for item in kinds):
            return joined_row(x, y, lambda a, b: self.tree(a, b, (*path, LAID)))
        is_carried = len(kinds) == 2 or (self.code == "E122" and (x is FILLER or y is FILLER))
        if is_carried and all(isinstance(item, Grown) for item in kinds):
            return x if x is y else self._grown(x, y, path)
        if len(kinds) == 1:
            return self._alone(kinds[0], path)
        return x if same(x, y) else self._either(x, y, path)

    def _alone(self, x: Abstract, path: Path) -> Abstract:
        """What one path alone binds: in a loop it has to be the same in all iterations."""
        if not same(self.alone.setdefault(path, x), x):
            raise Mismatch
        return x

    def _are_alike(self, kinds: list[Abstract]) -> bool:
        """Whether two are of one kind; in a loop, which may add to them, they have to be."""
        is_same = self.code == "E122" or kinds[0] is kinds[-1]
        return is_same or len({*map(kind_of, kinds)}) == 1

    def _either(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        """What is of the kind of `x` after path a, of that of `y` after path b.

        No code of a kind tells of what may be unbound: that is refused.
        """
        unbound = [part for part in map(unbound_part, (x, y)) if part is not None]
        if is_place(path) and unbound and (unbound != [x] or x not in self.bound):
            raise Mismatch
        (a, first), (b, second) = (self._cases(item) for item in (x, y))
        keys = tuple(dict.fromkeys((*self.known.get(path, ()), *first, *second)))
        if len(keys) > MAX_KINDS:
            raise Mismatch
        if self.code == "E122" and {*first} != {*second} and sum(map(has_length, keys)) > 1:
            raise Mismatch
        self.kinds[path] = keys
        code = self.tree(a, b, (*path, CODE))
        cases = {
            key: self.tree(first.get(key, FILLER), second.get(key, FILLER), (*path, key))
            for key in keys
        }
        return Either(code, {key: case for key, case in cases.items() if case is not FILLER})

    def _cases(self, x: Abstract) -> tuple[Abstract, dict[Key, Abstract]]:
        """The code of what is on one path, and what it is of each kind that it may have there."""
        if is_nothing(x):
            return x, {}
        if isinstance(x, Either):
            return x.code, x.cases
        kind = kind_of(x)
        if kind is None:
            raise Mismatch
        return self.before.codes.number(kind), {kind: x}

    def _tuple(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        if x is y:
            return x
        n = len(y if is_nothing(x) else x)
        columns = [(item,) * n if is_nothing(item) else item for item in (x, y)]
        if len(columns[1]) != n:
            raise Mismatch
        pairs = enumerate(zip(*columns, strict=True))
        return tuple(self.tree(p, q, (*path, i)) for i, (p, q) in pairs)

    def _grown(self, x: Any, y: Any, path: Path) -> Grown:
        """The list that a loop has made, to which a path may have added."""
        if is_nothing(x):
            return cast(Grown, y.of_columns(self._columns((x,) * len(y.columns), y.columns, path)))
        if is_nothing(y):
            return cast(Grown, x.of_columns(self._columns(x.columns, (y,) * len(x.columns), path)))
        if self.code == "E122" and not (self.carries(path[0]) and have_one_form(x, y)):
            raise Growth(path[0], {FORM: x}, {FORM: y})
        form = common_form([(x.item, x.kinds), (y.item, y.kinds)])
        if form is None:
            raise Mismatch
        if not are_alike(x.item, form) or not are_alike(y.item, form):
            raise Growth(path[0], {FORM: x}, {FORM: y})  # one of them has no marks yet
        codes = [[isinstance(kind, Named) for kind in each.kinds] for each in (x, y)]
        if codes[0] != codes[1]:  # texts and numbers
            raise Mismatch
        kinds = tuple(map(joint_kind, x.kinds, y.kinds))
        return Grown(x.item, self._columns(x.columns, y.columns, path), kinds)

    def _columns(self, x: tuple[Any, ...], y: tuple[Any, ...], path: Path) -> tuple[Any, ...]:
        """The arrays of which a list is made."""
        pairs = enumerate(zip(x, y, strict=True))
        return tuple(self._array(a, b, (*path, k)) for k, (a, b) in pairs)

    def _array(self, x: Abstract, y: Abstract, path: Path) -> Abstract:
        """The array in which a list stands."""
        return x if x is y and path not in self.always else self.leaf(x, y, path)

    def _merge(self, x: Any, y: Any, path: Path) -> Container:
        """A container that stands for `x` after path a, for `y` after path b."""
        if (x, y) in self.merged:
            return self.merged[x, y][1]
        for obj in (x, y):
            if not is_nothing(obj):
                contents(obj)  # the order of a dict's keys is compared
        known = y if is_nothing(x) else x
        uneven = any(getattr(obj, "uneven", False) for obj in (x, y))
        items = [
            {} if is_nothing(obj) else state.heap.get(obj) or contents(obj)
            for state, obj in ((self.a, x), (self.b, y))
        ]
        if is_nothing(x) or is_nothing(y):
            k = 0 if is_nothing(x) else 1
            items[k] = dict.fromkeys(items[1 - k], (x, y)[k])
        else:
            uneven = uneven or list(items[0]) != list(items[1])
            items = with_like_attributes(x, y, items, self.before.inputs)
            fits = type(x) is type(y) and same(*map(tuple, items))
            forms = [each[FORM] for each in items if FORM in each]
            is_changed = not fits or (bool(forms) and not have_one_form(*forms))
            if is_changed and self.carries(x) and isinstance(y, ListObj) and behave_alike(x, y):
                raise Growth(x, *items, is_other=True)
            is_pair = isinstance(x, ListObj) and isinstance(y, ListObj) and behave_alike(x, y)
            if is_changed and is_pair and self.apart is not None and (x, y) not in self.apart:
                raise OtherLists((x, y))
            if not fits or not behave_alike(x, y):
                self.has_other_lists |= isinstance(x, ListObj) and isinstance(y, ListObj)
                raise Mismatch
        new = like(known, {})
        if isinstance(new, RecordObj):
            new.uneven = uneven
        new.frozen = any(not is_nothing(obj) and bool(obj.path or obj.frozen) for obj in (x, y))
        self.merged[x, y] = (path, new)
        if self.before.codes.which.is_asked:
            self._which[new] = joined_number(self, new, (x, y), path)
        self._merged_heap[new] = self._items(path, *items)
        return new

    def freeze(self, frame: Frame, results: Collection[Abstract] = ()) -> None:
        """Forbid changes of containers of which it is not known any more which is which."""
        frames = {*frame.session.frames, *self.a.envs}
        held = (x for each in frames for x in each.env.values())
        freeze_merged({pair: new for pair, (_, new) in self.merged.items()}, held, results)
