"""What abstract values lead to: their parts, and what the functions among them can read."""

from __future__ import annotations

from collections.abc import Container as Containing
from collections.abc import Iterable
from collections.abc import Iterator as Items
from typing import Any

from srcad.frontend.abstract.closures import Bound, FunctionObj, Generator, Managed, Suspended
from srcad.frontend.abstract.containers.containers import (
    MUTABLE,
    Container,
    DictObj,
    Grown,
    ListObj,
    RecordObj,
    SetObj,
    View,
)
from srcad.frontend.abstract.containers.contents import contents
from srcad.frontend.abstract.containers.laid import Laid, LaidRow
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import Enumerate, Iterator, Lazy, Map, Reversed, Zip
from srcad.frontend.abstract.objects import (
    Abstract,
    AbstractObject,
    Closed,
    Either,
    Instance,
    Method,
    Partial,
    Raised,
    Range,
    Ref,
    Super,
    is_local_class,
)
from srcad.frontend.abstract.session import Names
from srcad.frontend.lists.opened import Open, Pieces
from srcad.frontend.reading.binding import free_names
from srcad.ir.nodes import Value

_LEAVES = frozenset((Value, int, float, complex, bool, str, type(None)))


def outward(frame: Frame | None) -> Items[Frame]:
    """A frame and those around it."""
    while frame is not None:
        yield frame
        frame = frame.outer


def containers_in(roots: Iterable[Abstract]) -> list[Container]:
    """The mutable containers that values lead to, in order of discovery."""
    roots = [x for x in roots if x.__class__ not in _LEAVES]  # most are
    return [x for x in reachable(roots) if isinstance(x, MUTABLE)]


def reachable(
    roots: Iterable[Abstract], inside: Iterable[Names] = (), apart: Containing[Any] = ()
) -> list[Abstract]:
    """Everything that values consist of or refer to, but for what names of the frames `inside` and
    the mutable containers `apart` hold.
    """
    found: list[Abstract] = []
    seen: set[int] = set()
    frames: set[Names] = set(inside)
    waiting = list(roots)[::-1]
    while waiting:
        x = waiting.pop()
        if id(x) in seen:
            continue
        seen.add(id(x))
        found.append(x)
        if x.__class__ in _LEAVES:  # most are
            continue
        if apart and isinstance(x, MUTABLE) and x in apart:
            continue
        waiting.extend(parts_of(x)[::-1])
        if isinstance(x, FunctionObj | Generator | Suspended):
            for frame in outward(x.frame):
                if frame not in frames:
                    frames.add(frame)
                    waiting.extend(frame.env.values())
    return found


def read_by(fn: Abstract) -> list[Container]:
    """The mutable containers that a function can reach, of names those alone which it reads."""
    found: list[Container] = []
    seen: set[int] = set()
    waiting = [fn]
    while waiting:
        x = waiting.pop()
        if id(x) in seen or x.__class__ in _LEAVES:
            continue
        seen.add(id(x))
        if isinstance(x, MUTABLE):
            found.append(x)
        waiting.extend(parts_of(x))
        if isinstance(x, FunctionObj):
            names = free_names(x.node)
            waiting.extend(f.env[n] for f in outward(x.frame) for n in names & f.env.keys())
        elif isinstance(x, Generator | Suspended):
            waiting.extend(each for f in outward(x.frame) for each in f.env.values())
    return found


def parts_of(x: Abstract) -> tuple[Abstract, ...]:
    """What an abstract value consists of or refers to directly; nothing for leaves."""
    match x:
        case tuple():
            return x
        case slice() | Range():
            return (x.start, x.stop, x.step)
        case RecordObj():
            return (*x.fields.values(), *_class_parts(x.cls))
        case ListObj() | DictObj() | SetObj() | Instance():
            return tuple(contents(x, in_order=False).values())
        case Ref():
            return _class_parts(x.obj) if isinstance(x.obj, type) else ()
        case Partial():
            held = x.kwargs.values() if type(x.named) is dict else (x.named,)
            return (x.fn, *x.args, *held)
        case Bound():
            return (x.fn, x.receiver)
        case Method() | Super():
            return (x.receiver,)
        case Enumerate():
            return (x.inner, x.start)
        case Reversed() | Iterator():
            return (x.inner,)
        case Generator():
            return (x.source,)
        case Managed():
            return (x.generator,)
        case View():
            return (x.owner,)
        case Zip() | Lazy():
            return x.parts
        case Map():
            return (x.fn, *x.parts)
        case Closed():
            return x.parts
        case Raised():
            return x.args
        case Grown():
            return (*x.columns, *x.last)
        case Laid():
            return x.arrays
        case LaidRow():
            return (x.table, *x.at)
        case Open():
            return (*x.first, x.last, x.slots)
        case Pieces():
            return (x.piece,)
        case Either():
            return (x.code, *x.cases.values())
        case FunctionObj():
            return (*x.defaults, *x.kw_defaults.values())
        case _:
            return ()


def _class_parts(cls: type) -> tuple[Abstract, ...]:
    """What the attributes of a class made inside the program are."""
    local = [vars(each) for each in cls.__mro__ if is_local_class(each)]
    found = [x for attributes in local for x in attributes.values()]
    return tuple(x for x in found if isinstance(x, Value | AbstractObject))
