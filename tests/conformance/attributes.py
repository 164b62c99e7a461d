"""Every attribute and every method of every kind: read, called, and set."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.case import Case
from conformance.kinds import KINDS, Kind

# Addresses, sizes in memory, what only the interpreter calls, and what is another in each process.
_LEFT_OUT = {
    "__array_interface__",
    "__array_struct__",
    "__sizeof__",
    "__dir__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__init_subclass__",
    "__subclasshook__",
    "__new__",
    "__init__",
    "__del__",
    "__weakref__",
    "__dict__",
    "__builtins__",
    "__globals__",
    "__code__",
    "__closure__",
    "__loader__",
    "__spec__",
    "__dlpack__",
    "__buffer__",
    "__cached__",
    "__subclasses__",
    "__instancecheck__",
    "__subclasscheck__",
    "ctypes",
    "data",
    "tofile",
    "dump",
    "dumps",
    "setflags",
    "resize",
    "bit_generator",
    "spawn",
}
# What Python computes for as long as there is memory: `(2**70).__pow__(2**70)`.
_ENDLESS = {("int_big", name) for name in ("__pow__", "__rpow__", "__lshift__", "__rlshift__")}
# Modules and NumPy's classes have too many; NumPy's functions are cases of their own.
_WHOLE = {"module"}
NOTHING = ("",)
SIMPLE = ("", "0", "1", "-1", "1.0", "'a'", "None", "a", "[0, 1]", "(1, 0)", "0, 1", "'a', 'b'")
ARRAY = (
    *("", "0", "1", "-1", "None", "a", "[0, 1]", "(0, 1)", "(2, 1)", "1, -1", "0, 1", "axis=0"),
    *("axis=-1", "axis=None", "axis=(0,)", "keepdims=True", "dtype=float", "'f4'", "float", "'F'"),
    *("0, 1.0", "a, 0", "[1, 0], 2.0", "decimals=1", "'i8'", "copy=False", "1.0", "-1, 1"),
)
STRING = ("'a,b'", "'%'", "0, 1", "1, '-'", "['a', 'b']", "a, a", "a, a, 1", "'utf-8'", "None, 1")
CONTAINER = ("1.0", "'b', 2.0", "0, 9.0", "{'c': 1.0}", "c=1.0", "{0}", "[[1, 2]]", "-5", "'z'")
DUNDER = ("", "1", "a", "2.5", "'a'")


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    for kind in KINDS.values():
        if kind.name in _WHOLE:
            continue
        for name in sorted(set(dir(kind.make()))):
            if name not in _LEFT_OUT and (kind.name, name) not in _ENDLESS:
                yield from _of_attribute(kind, name)
        yield from _of_kind(kind)


def _of_attribute(kind: Kind, name: str) -> Iterator[Case]:
    try:
        found = getattr(kind.make(), name)
    except Exception:
        found = None
    yield Case(f"a.{name}", {"a": kind})
    if name.startswith("__"):
        for given in DUNDER if callable(found) else ():
            yield Case(f"a.{name}({given})", {"a": kind})
        return
    yield Case(f"a.{name}", captured={"a": kind})
    yield Case(f"getattr(a, {name!r})", {"a": kind})
    yield Case(f"hasattr(a, {name!r})", {"a": kind})
    if not callable(found):
        yield Case(f"a.{name} = 1.0\nreturn a", {"a": kind})
        return
    for given in _given(kind, name):
        yield Case(f"a.{name}({given})", {"a": kind})
        # What the call changes is seen in the object, too.
        yield Case(f"b = a.{name}({given})\nreturn a, b", {"a": kind})
    yield Case(f"f = a.{name}\nreturn f()", {"a": kind})


def _given(kind: Kind, name: str) -> tuple[str, ...]:
    x = kind.make()
    if hasattr(x, "dtype") and not isinstance(x, type):
        return ARRAY if kind.core else ARRAY[::3]
    if isinstance(x, str | bytes):
        return SIMPLE + STRING
    if isinstance(x, list | tuple | dict | set | frozenset | range) or kind.name == "deque":
        return SIMPLE + CONTAINER
    return SIMPLE


def _of_kind(kind: Kind) -> Iterator[Case]:
    for text in (
        "a.no_such_name", "getattr(a, 'no_such_name', 1.0)", "hasattr(a, 'no_such_name')",
        "a.no_such_name()", "a.no_such_name = 1.0\nreturn a", "del a.no_such_name\nreturn 1.0",
        "a.w", "a.x",
        "a.w = 2.0\nreturn a.w", "a.x = 2.0\nreturn a.x", "a.w += 1.0\nreturn a",
        "setattr(a, 'w', 3.0)\nreturn a", "vars(a)", "type(a).__name__", "a.__class__.__name__",
        "type(a)",
        "a.__class__ is type(a)", "a.__doc__", "id(a) == id(a)",
    ):  # fmt: skip
        yield Case(text, {"a": kind})
        yield Case(text, captured={"a": kind})
