"""What a compiled function leaves changed: the caller's arrays and containers, and its own results.

    def step(p, x):                     def step(w: f64[..], x: f64[..]):
        p["w"] -= g * x                     w_2 = sub(w, mul(g, x))
        p["n"] = len(x)          ->         n = getitem(shape(x), 0)
        return p                            return A[0]
                                            writes w[...] = w_2, A[0]['n'] = n

A derivative's arguments are read as copies. A compiled function's are the caller's own: at the end
of the program each array that was written gets its content, each container what became of its
items. What comes back is what Python returns: an array or container that was passed or captured is
itself, a view of such an array is a view, and what may be either is what the program finds it to
be. Arrays made in the function, and views of them, share memory where Python's do.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from srcad import runtime
from srcad.devices import is_on_device
from srcad.errors import error
from srcad.frontend.abstract.containers.containers import (
    CONTAINERS,
    Container,
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    form_of,
    is_array_record,
)
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.containers.laid import Laid
from srcad.frontend.abstract.frame import check_conflict
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Either, Instance, Ref, describe
from srcad.frontend.abstract.results import chosen_tree, container_tree, result_tree
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.state import same
from srcad.frontend.kinds import is_cached_property, path_of_attribute
from srcad.frontend.lists.identity import may_share
from srcad.frontend.lists.returned import are_own, list_tree
from srcad.frontend.memory.chosen import Stale
from srcad.frontend.memory.file_classes import class_of
from srcad.frontend.memory.items_beside import ItemsBeside
from srcad.frontend.objects.members import python_class
from srcad.frontend.written.structured.arrays import Structured
from srcad.ir.interface import Fields, Given, Kind, Slot, Tree, Write, slots
from srcad.ir.kinds import has_storage, is_array
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ArrayType, NumberType


def guard_dense(session: Session) -> None:
    """Guard how the arrays lie that are written: in C's order and aligned, or not."""
    inputs = session.inputs
    for array in session.memory.written:
        path = inputs.paths[array]
        flag, is_dense = _dense(inputs.samples[path])
        inputs.guard(f"{path}.flags.{flag}", "equals", is_dense)


def _dense(x: Any) -> tuple[str, bool]:
    """Whether an array lies in C's order and is aligned, and the flag that tells it."""
    flag = "c_contiguous" if is_on_device(x) else "carray"
    return flag, bool(getattr(x.flags, flag))


class WriteBack:
    """The results of a compiled function: `tree`, then `writes`; `results` are the leaves."""

    def __init__(self, session: Session) -> None:
        self.session, self.inputs, self.memory = session, session.inputs, session.memory
        self.results: list[Any] = []
        self.shared: set[int] = set()
        self.joint: set[int] = set()
        self.views: set[int] = set()
        self._slots: dict[Value, Slot] = {}
        self._left: list[Container] = []
        self._of_fields: set[int] = set()
        self.beside = ItemsBeside(session, self.results)

    def tree(self, x: Abstract) -> Tree:
        """The tree of an abstract value that leaves, as `result_tree` makes it; see there."""
        x = check_conflict(x)
        self.session.kinds.check_kind(x, "which the type of the result tells,")
        self.session.kinds.check_leaving(x)
        if isinstance(x, Either):
            return chosen_tree(self.session, x, self.results, self.tree)
        if isinstance(x, Value) and x in self.memory.flat:
            fix = "return `x.ravel()`"
            raise error("E306", None, what="the result, the iterator `x.flat`,", fix=fix)
        if is_array(x):
            return self._array(x)
        if isinstance(x, Ref) and x.path.startswith("A["):
            return Given(x.path)
        if isinstance(x, (*CONTAINERS, Instance)):
            if x.path.startswith("A["):
                return Given(x.path)
            if isinstance(x, RecordObj) and x.cls is Structured:
                return self._with_fields(x)
            if not getattr(x, "is_tuple", False):
                return container_tree(self.session, x, self.results, self._given, self._made)
        return result_tree(self.session, x, self.results, self.tree)

    def _with_fields(self, x: RecordObj) -> Tree:
        """An array with fields that was made here: it leaves as a new one."""
        tree = container_tree(self.session, x, self.results, self._given, self._made)
        if isinstance(tree, Fields):
            self._of_fields.update(slots(tree))
        return tree

    def check_fields(self) -> None:
        """Refuse arrays with fields that leave where Python's share memory with what stays.

        Raises:
            SrcadError: E139.
        """
        if self._of_fields & (self.shared | self.joint):
            what = "an array with fields whose memory others share"
            raise error("E139", None, what=what, fix="return a copy of it: `r.copy()`")

    def _given(self, path: str) -> Tree:
        """What stands at a path when the program is called: of an argument, or captured."""
        return Given(path) if path.startswith("A[") else self._leaf(self.inputs.whole(path))

    def _made(self, x: Container) -> Tree:
        if x in self.memory.lasting:
            raise _lasting(x)
        self._leaves_once(x)
        if isinstance(x, ListObj) and isinstance(form_of(x), Grown | Laid):
            return self._listed(x)
        return result_tree(self.session, x, self.results, self.tree)

    def _listed(self, x: ListObj) -> Tree:
        """A list whose items are stacked in arrays; lowers again, item by item, where these would
        be copies of arrays that others hold.
        """
        form = form_of(x)
        if isinstance(form, Grown) and not all(are_own(self.memory, x) for x in form.columns):
            form.decline()
        tree = list_tree(self.session, x, self.results)
        if isinstance(form, Grown):
            self.beside.note(form, tree)
        return tree

    def _leaves_once(self, x: Container) -> None:
        may_be_one = self.session.codes.which.may_be_one
        if any(may_be_one(x, other) or may_share(x, other) for other in self._left):
            what = f"{describe(x)} that is returned or stored in two places"
            fix = "make one for each place: `x.copy()`" if is_array_record(x) else None
            raise error("E139", None, what=what, fix=fix)
        self._left.append(x)

    def _array(self, x: Value) -> Slot:
        """An array: the same one for each handle; the caller's own, if it is his or a view."""
        handle = self.memory.handle(x)
        if not self.memory.lasting.isdisjoint(self.memory.roots_of(handle)):
            raise _lasting(x)
        if handle not in self._slots:
            own = self.memory.alias(handle)
            if own is None and self.memory.is_picked(handle):
                what = f"`{x.name or 'an array'}`, which data picks among the caller's,"
                raise error("E139", None, what=what, fix="return a copy of it: `np.copy(...)`")
            if own is None and self.memory.may_be_written(handle):
                what = f"`{x.name or 'the result'}`, which leaves the function,"
                fix = "return the array itself on each path, or a copy of it on each"
                raise error("E117", None, what=what, fix=fix)
            if self.memory.is_new_view(handle):
                self.views.add(len(self.results))
            if own is not None or self.memory.may_be_outside(handle):
                self.shared.add(len(self.results))
            sharing = [k for other, k in self._slots.items() if self.memory.overlaps(handle, other)]
            if sharing:
                self.joint.update((len(self.results), *(slot.index for slot in sharing)))
            held = self._classed(handle, self.memory.read(x) if own is None else own)
            self._slots[handle] = self._leaf(held)
            self.beside.arrays.append((handle, self._slots[handle]))
        return self._slots[handle]

    def _classed(self, handle: Value, held: Any) -> Any:
        """What an array holds, of the class that NumPy gives it where one in a file is read."""
        files = {v for v in self.inputs.paths if isinstance(self._sample(v), np.memmap)}
        if not files or handle in self.inputs.paths or not isinstance(held, Value):
            return held
        found = class_of(handle, self.memory.producers, self.inputs.paths.keys(), files)
        if found is None or found == "new":
            return held
        fn = runtime.plain_array if found == "plain" else runtime.array_of_file
        out = Value("", held.type)
        self.session.builder.body.append(Op(fn, (held,), {}, (out,), self.session.builder.loc))
        return out

    def _sample(self, v: Value) -> Any:
        return self.inputs.samples.get(self.inputs.paths[v])

    def _leaf(self, atom: Any) -> Slot:
        self.results.append(atom)
        return Slot(len(self.results) - 1)

    # Writes ---------------------------------------------------------------------------------------

    def writes(self, order: dict[str, int]) -> tuple[Write, ...]:
        """What is left changed; `order` are the positions of the inputs, by path."""
        arrays = [self._write(array, order) for array in self.memory.written]
        given = [(x, was) for x, was in self.inputs.lifted.items() if x.path.startswith("A[")]
        items = [w for x, was in given for w in self._changes(x, was)]
        return (*arrays, *items)

    def _write(self, array: Value, order: dict[str, int]) -> Write:
        path = self.inputs.paths[array]
        content = self.memory.held(array)
        if isinstance(content, Stale):
            named = f"`{array.name}`"
            is_known = content.code != "E117"
            what = named if is_known else f"which array is written: {named} or another"
            raise error(content.code, content.where, what=what)
        _, dense = _dense(self.inputs.samples[path])
        return Write("array", path, self._leaf(content), param=order[path], dense=dense)

    def _changes(self, x: Container, was: dict[Any, Abstract]) -> Iterator[Write]:
        if isinstance(x, ListObj) and x.form is not None:
            yield Write("items", x.path, self._grown(x, was))
            return
        now = contents(x)
        if isinstance(x, Instance):
            paths = {name: path_of_attribute(x.obj, x.path, name) for name in now}
            found = {name: self.inputs.known(path) for name, path in paths.items()}
            was = {name: item for name, item in found.items() if item is not UNBOUND}
            now = {name: item for name, item in now.items() if item is not UNBOUND}
        if isinstance(x, SetObj) and list(now) != list(was):
            fix = "change a copy of it, `set(s)`, and return that"
            raise error("E133", None, what="a change of a set that is an argument", fix=fix)
        changed = [key for key, item in now.items() if key not in was or not _is(item, was[key])]
        if isinstance(x, DictObj) and list(now)[: len(was)] != list(was):
            yield Write("keys", x.path, {key: self.tree(item) for key, item in now.items()})
        elif isinstance(x, ListObj) and len(now) != len(was):
            yield Write("items", x.path, [self.tree(item) for item in now.values()])
        else:
            if getattr(x, "uneven", False):
                raise error("E129", None, what=f"{describe(x)}, of which the attributes differ,")
            if isinstance(x, RecordObj) and list(now)[: len(was)] != list(was):
                raise error("E118", None, what="`del` of an attribute of an argument")
            for key in changed:
                path, kind = x.path, "item"
                if isinstance(x, RecordObj | Instance):
                    # The class of a cached property may refuse to have it set, and has it set.
                    is_cached = is_cached_property(python_class(x), key)
                    path, kind = (f"{path}.__dict__", kind) if is_cached else (path, "attribute")
                yield Write(cast(Kind, kind), path, self.tree(now[key]), key)

    def _grown(self, x: ListObj, was: dict[Any, Abstract]) -> Tree:
        """The items of a list of the caller's whose length data gives: numbers, before."""
        if not all(map(_is_number, was.values())):
            x.items  # noqa: B018 -- arrays stay the caller's own: it is lowered again, item by item
        return self._listed(x)


def _lasting(x: Abstract) -> Exception:
    """The error for what a cache keeps: Python gives the same object at each call."""
    fix = "return a copy of it: `np.copy(...)`, `list(...)`, `dict(...)`"
    return error("E139", None, what=f"{describe(x)} that a cache keeps", fix=fix)


def _is_number(x: Abstract) -> bool:
    """Whether an item is a number, of Python or NumPy: an equal one may stand in its place."""
    if isinstance(x, Value):
        return isinstance(x.type, ArrayType | NumberType) and not has_storage(x.type)
    return isinstance(x, bool | int | float | complex | np.generic)


def _is(a: Abstract, b: Abstract) -> bool:
    """Whether an item is what it was: the same object, or an equal constant."""
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return type(a) is type(b) and all(map(_is, a, b))
    return a is b or (not isinstance(a, np.ndarray) and same(a, b))


__all__ = ["WriteBack", "guard_dense"]
