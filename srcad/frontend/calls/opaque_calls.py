"""Calls of the user's functions without derivative (`srcad.rules.nondiff`): kept as they are.

Such a function may write a log or count: its call is an effect, made once for each run of the
statement. Its source is read beside the program, for the type of its result, and for what it
changes. The program must not read what it changes outside, and of what it is passed it may change
only the object that it is a method of:

    count(x)                    an op
    return x * n_calls          E107, if `count` assigns `n_calls`
    check(x, "strict")          an op, and what follows is left out, if `check` raises on every path
    fill(a)                     E118, if `fill` writes into `a`; where that is more than srcad
                                reads, it is seen when the program runs
    Model(x).loss(x)            its source, in place of the call: no `Model` is there when it runs
    logger.log(x)               an op: it gets the very `logger`
    return x * logger.n         E107, if `log` assigns `self.n`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType, MemberDescriptorType
from typing import Any, Final

import numpy as np

from srcad import runtime
from srcad.errors import Location, SrcadError, error
from srcad.frontend.abstract.call_leaves import rebuilt
from srcad.frontend.abstract.containers.containers import DictObj, ListObj, RecordObj
from srcad.frontend.abstract.containers.contents import contained
from srcad.frontend.abstract.containers.reachable import containers_in
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Instance, Ref, describe
from srcad.frontend.abstract.own_changes import is_changed_below, restore_below
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.signals import Pending, Raising, Unmet
from srcad.frontend.abstract.state import is_changed, restore_outside, snapshot, unkept
from srcad.frontend.calls.told_results import NONE, checked, note_kinds, told, types_of
from srcad.frontend.reading.hidden_changes import names_in, written_by
from srcad.ir.kinds import is_array
from srcad.ir.nodes import Block, Op, Stmt, Value
from srcad.ir.types import is_inexact
from srcad.ir.walk import statements
from srcad.rules import RULES, Rule
from srcad.rules.core import facts
from srcad.rules.core.declaration.registration import of_users
from srcad.rules.core.infer import infer
from srcad.rules.core.sequences import OnlyItem, refilled
from srcad.runtime.effects import as_told, raise_, unwritten


def call_kept(
    frame: Frame, callee: Ref, args: tuple[Abstract, ...], kwargs: dict[str, Any],
    read: Callable[[], Abstract],
) -> Abstract:  # fmt: skip
    """Emit the call with its effects; `read` lowers the function's body, to be thrown away."""
    session = frame.session
    hides = (callee.obj.__name__, session.builder.loc)
    written = written_by(callee.obj)
    session.hidden.update(dict.fromkeys(written.names, hides))
    params = callee.obj.__code__.co_varnames
    for param, name in written.fields:
        k = params.index(param)
        x: Any = args[k] if k < len(args) else kwargs.get(param)
        if isinstance(x, Instance | RecordObj) and x.path:
            _hide(session, x.path, name, hides)
    owner = _owner(callee, args)
    found, changed = _result(frame, callee.obj.__name__, owner, written.unread, read)
    session.hidden.update(dict.fromkeys(changed, hides))
    for path, obj in changed.values():
        session.inputs.changed_outside(path, obj)
    if not isinstance(found, _Unreadable) and any(map(_is_made_here, (*args, *kwargs.values()))):
        return _read_here(frame, callee.obj.__name__, [*args, *kwargs.values()], read)
    if isinstance(found, _Unreadable):
        for x in (*args, *kwargs.values()):
            if isinstance(x, ListObj | DictObj) and _is_captured(x):
                session.hidden.update(dict.fromkeys(names_in(x.path)[-1:], hides))
    objects = {k: very_object(frame, x) for k, x in kwargs.items()}
    atoms = session.atom(tuple(very_object(frame, x) for x in args)), session.atom(objects)
    told_by_source = RULES[callee.obj].type_of is facts.told_by_source
    if found is _RAISES:
        types: Any = ()
    elif told_by_source:
        types = checked(types_of(found), *atoms)
    else:
        types = infer(callee.obj, *atoms)
    several = isinstance(types, list | tuple)
    outs = tuple(Value("", t) for t in (types if several else (types,)))
    fn, (given, options) = callee.obj, atoms
    if isinstance(found, _Unreadable) and any(map(_is_changeable, (*given, *options.values()))):
        session.check_unhandled()
        fn, given = unwritten, (fn, *given)
    if told_by_source and written.returns and found is not _RAISES:
        expected = told(found, types, session.kinds, *atoms)
        if expected != "any":
            session.check_unhandled()
            fn, given = as_told, (expected, fn, *given)
    fn = OnlyItem(fn) if several and len(outs) == 1 else fn
    session.add(Op(fn, given, options, outs, session.builder.loc, effect=True))
    if found is _RAISES:
        # Never reached: it ends the path for what reads the program.
        name = callee.obj.__name__
        session.effect(raise_, Ref(RuntimeError, ""), f"`{name}` has returned, which cannot be")
        raise Raising
    if not several:
        note_kinds(outs[0], found, session.kinds)
        return outs[0]
    for out, item in zip(outs, found if isinstance(found, tuple) else (), strict=False):
        note_kinds(out, item, session.kinds)
    items = [None if out.type == NONE else out for out in outs]
    if not outs:
        return () if isinstance(found, tuple) else None
    return contained(refilled(types, items))


def _is_made_here(x: Abstract) -> bool:
    """Whether an argument is an object that the program makes: none is there when it runs."""
    return isinstance(x, RecordObj) and not x.path and not x.is_tuple


def _read_here(
    frame: Frame, name: str, given: list[Abstract], read: Callable[[], Abstract]
) -> Abstract:
    """What a function gives that gets such an object: its source, in place of the call."""
    before = {*snapshot(frame).heap, *containers_in(given)}
    found = read()
    if not before.isdisjoint(containers_in([found])):
        what = f"`{name}`, a function without derivative that gives what was there before,"
        raise error("E120", None, what=what)
    return without_derivative(frame, found)


def without_derivative(frame: Frame, x: Abstract) -> Abstract:
    """The same for which all is constant, in new containers."""

    def constant(leaf: Abstract) -> Abstract:
        varies = isinstance(leaf, Value) and is_inexact(leaf.type)
        return frame.session.emit(runtime.stop_gradient, (leaf,)) if varies else leaf

    return rebuilt(x, constant, frozen=False)


def _is_changeable(x: Any) -> bool:
    """Whether an argument is an array, or may hold one."""
    return is_array(x) if isinstance(x, Value) else isinstance(x, list | tuple | dict | np.ndarray)


def _hide(session: Session, path: str, name: str, hides: tuple[str, Location | None]) -> None:
    """Note that an attribute of an object from outside is changed, by the text of a function."""
    session.hidden[f"{path}.{name}"] = hides
    if path.startswith("A["):
        obj = session.inputs.found_at(path)
        session.inputs.changed_outside(path, obj)
        held = inspect.getattr_static(obj, name, None)
        if isinstance(held, MemberDescriptorType):  # of `__slots__`
            held = getattr(obj, name, None)
        if isinstance(held, list | dict | set | np.ndarray):
            session.inputs.changed_outside(f"{path}.{name}", held)


def has_effects(rule: Rule) -> bool:
    """Whether calls of a function without derivative must be kept: it is the user's own."""
    return (
        rule.kind in ("zero", "nondiff")
        and isinstance(rule.fn, FunctionType)
        and (rule.fn in of_users)
    )


class _Unreadable:
    """The result of a function whose source srcad does not read."""


# In place of the result of a function that raises on every path.
_RAISES: Final = object()


def _owner(callee: Ref, args: tuple[Abstract, ...]) -> str:
    """The path of the object that a function is called on as its method; "" if there is none."""
    x = args[0] if args else None
    if not isinstance(x, Instance | RecordObj) or not x.path:
        return ""
    cls = x.cls if isinstance(x, RecordObj) else type(x.obj)
    return x.path if any(callee.obj in vars(each).values() for each in cls.__mro__) else ""


def _result(
    frame: Frame, name: str, owner: str, unread: frozenset[str], read: Callable[[], Abstract]
) -> tuple[Abstract, dict[str, tuple[str, Any]]]:
    """What a function gives, its source read beside the program, and what it changes of its `owner`
    (`restore_below`).

    Raises:
        UnsupportedSyntax: E118, it changes what it is passed, or sees what the program has changed.
    """
    session = frame.session
    inputs = session.inputs
    known, read_before = {*inputs.guards}, set(session.attributes_read)
    found: Any = None
    with unkept(frame) as before:
        try:
            with session.trial() as body:
                found = read()
        except SrcadError:
            found = _Unreadable()
        except (Pending, Unmet):
            raise
        except Raising:
            found = _RAISES
        if session.stops is not None and any(map(_stops, statements(Block([], body, [])))):
            what = f"a StopIteration of `{name}`, of which an iterator takes an item,"
            raise error("E103", None, what=what)
        # The program does not read what is changed there: `hidden_changes`.
        restore_outside(session, before)
        changed = restore_below(session, before, owner) if owner else {}
        changes = is_changed(frame, before)
        asked, reads = dict(vars(inputs)), session.attributes_read - read_before
    if found is _RAISES:  # which may hang on what it has read
        vars(inputs).update(asked)
        session.attributes_read |= {path for path in reads if not _is_named(path, unread)}
        for key, guard in [*inputs.guards.items()]:
            if key not in known and _is_named(guard.path, unread):
                del inputs.guards[key]
    if changes:
        what = f"`{name}`, a function without derivative,"
        raise error("E118", None, what=what, fix="let it return what is new, and assign that here")
    return found, changed


def _stops(stmt: Stmt) -> bool:
    """Whether a statement raises StopIteration."""
    if not isinstance(stmt, Op) or stmt.fn is not raise_:
        return False
    cls = getattr(stmt.args[0], "obj", stmt.args[0])
    return isinstance(cls, type) and issubclass(cls, StopIteration)


def _is_named(path: str, names: frozenset[str]) -> bool:
    """Whether a path leads through something with one of these names."""
    return not names.isdisjoint(names_in(path))


def very_object(frame: Frame, x: Abstract) -> Abstract:
    """An object from outside as it is, or a captured container: the function gets the very one.

    Raises:
        UnsupportedSyntax: E118, the program has changed it: the function would not see it.
    """
    if not isinstance(x, Instance | RecordObj | ListObj | DictObj) or not x.path:
        return x
    if isinstance(x, RecordObj) and x.is_tuple:
        return x
    if not _is_captured(x):
        if isinstance(x, ListObj | DictObj):
            return x
        if is_changed_below(frame.session, x.path):
            what = f"the function, before {describe(x)} goes to one without derivative,"
            raise error("E118", None, what=what, fix="pass what is new as an argument of its own")
    return frame.session.inputs.whole(x.path)


def _is_captured(x: Any) -> bool:
    return bool(x.path) and not x.path.startswith("A[")
