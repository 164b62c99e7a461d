"""Fingerprints: what a program on disk depends on, the same in every process.

    program_key(request, args)     -> "loss-2c26b46b68ffc68ff99b453c1d304134"
    describe_guard(Guard("F.__globals__['scale']", "leaf", float))
                                   -> ["F.__globals__['scale']", "leaf", "float"]

The key tells programs apart by what is known before compiling: the function's code, the signature
of the arguments, the options, and the versions of all that took part. What else a program was
specialised to stands in its guards; these are described too, and compared with what their paths
lead to in the process that reads the program. What cannot be described (`Opaque`) is not kept.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import inspect
import marshal
import re
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcad.interrupts import raise_users_own
from srcad.ir.guards import ARRAY_CLASSES, Guard, are_apart, leaf_key, name_in_module
from srcad.ir.marks import checkpointed, checkpointing_of
from srcad.ir.switches import is_debugging
from srcad.pipeline.disk.surroundings import Facts, Opaque, scipy_files, surroundings
from srcad.pipeline.request import Request

_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), range)
_NUMBERS = (int, float, complex)
_WRAPPERS = {
    staticmethod: "__func__",
    classmethod: "__func__",
    property: "fget",
    functools.cached_property: "func",
    types.MethodType: "__func__",
}


def program_key(request: Request, args: Sequence[Any], statics: Iterable[str] = ()) -> str | None:
    """The name of the program on disk; None for a program that cannot be kept there.

    Args:
        statics: paths of the inputs to whose values the program is specialised.
    """
    try:
        if _has_changed_rules() or is_debugging():
            return None
        scope = {"F": request.primal, "A": args}
        facts = [
            describe(request.primal),
            _signature(request.primal),
            repr(request.options()),
            _structures(args),
            [[path, _constant(value)] for path, value in _values(sorted(statics), scope)],
            surroundings(),
            scipy_files(),
            request.target.versions(),
        ]
    except Opaque:
        return None
    word = re.sub(r"\W+", "_", request.name, flags=re.ASCII).strip("_")
    word = word if word[:1].isalpha() else f"f_{word}".rstrip("_")
    return f"{word[:60]}-{hashlib.sha256(repr(facts).encode()).hexdigest()[:32]}"


def _values(paths: Iterable[str], scope: dict[str, Any]) -> Iterable[tuple[str, Any]]:
    for path in paths:
        try:
            value = eval(path, dict(scope))
        except Exception as problem:  # a path of another signature's program
            raise_users_own(problem)
            continue
        yield path, value


# Guards ------------------------------------------------------------------------------------------


def describe_guard(guard: Guard) -> Facts:
    """A guard as facts; raises `Opaque`."""
    expected = guard.expected
    match guard.kind:
        case "is":
            facts = describe(expected)
        case "code":
            facts = describe(expected[0])
        case "equals" | "static" | "apart":
            facts = _constant(expected)
        case "type":
            facts = describe(expected)
        case "leaf":
            facts = _leaf(expected)
        case "length":
            facts = [expected[0].__name__, expected[1]]
        case "keys":
            facts = [_constant(key) for key in expected]
        case _:
            raise Opaque
    return [guard.path, guard.kind, facts]


def restore_guard(facts: Facts, live: Any) -> Guard | None:
    """The guard of these facts in this process, where its path leads to `live`; None if broken."""
    path, kind, _ = facts
    try:
        guard = Guard(path, kind, _EXPECTED[kind](live))
        return guard if describe_guard(guard) == facts else None
    except (Opaque, AttributeError, TypeError):
        return None


def _expected_leaf(live: Any) -> Any:
    if isinstance(live, np.ndarray) and type(live) not in ARRAY_CLASSES:
        raise Opaque
    return leaf_key(live)


_EXPECTED: dict[str, Callable[[Any], Any]] = {
    "is": lambda live: live,
    "code": lambda live: (live, live.__code__),
    "equals": lambda live: live,
    "static": lambda live: live,
    "type": type,
    "leaf": _expected_leaf,
    "length": lambda live: (type(live), len(live)),
    "keys": tuple,
    "apart": lambda live: are_apart(*live),
}


# Objects -----------------------------------------------------------------------------------------


def describe(obj: Any) -> Facts:
    """A function, class, module or callable object; raises `Opaque`."""
    if _is_ruled_by_user(obj):
        raise Opaque
    kind = type(obj)
    wrapped = checkpointed(obj)
    if wrapped is not None:
        return ["checkpoint", repr(checkpointing_of(obj)), describe(wrapped)]
    if kind is types.FunctionType:
        return ["function", _place(obj), code_digest(obj.__code__)]
    if kind is types.ModuleType:
        return ["module", obj.__name__]
    if kind is types.MethodType and _is_of_library(obj.__self__):
        # Of a library's object, `scipy.stats.norm.pdf`: the function is that of others too.
        return ["method", describe(obj.__self__), obj.__name__]
    if kind in _WRAPPERS:
        return [kind.__name__, describe(getattr(obj, _WRAPPERS[kind]))]
    if isinstance(obj, type):
        return _class(obj)
    request = getattr(obj, "__srcad_request__", None)
    if isinstance(request, Request):
        return ["derivative", repr(request.options()), describe(request.primal)]
    if (place := _place(obj)) is not None and place[-1]:
        return ["object", place]
    if _is_users(kind):
        # Its attributes and methods have guards of their own.
        return ["instance", _class(kind)]
    if (name := name_in_module(obj)) is not None:
        return ["object", name]
    raise Opaque


def code_digest(code: types.CodeType) -> str:
    """A digest of code, of what it contains, and of where it stands."""
    return hashlib.sha256(marshal.dumps(_ordered(code), 2)).hexdigest()


def _ordered(constant: Any) -> Any:
    """`constant` without sets, whose order differs between processes."""
    if isinstance(constant, types.CodeType):
        return constant.replace(co_consts=tuple(map(_ordered, constant.co_consts)))
    if isinstance(constant, frozenset):
        return ("frozenset", *sorted(constant, key=repr))
    if isinstance(constant, tuple):
        return tuple(map(_ordered, constant))
    return constant


def _class(cls: type) -> Facts:
    fields = getattr(cls, "_fields", None)
    if dataclasses.is_dataclass(cls):
        fields = [field.name for field in dataclasses.fields(cls)]
    bases = [f"{base.__module__}.{base.__qualname__}" for base in cls.__mro__]
    special = [name for name in ("__init__", "__post_init__") if name in vars(cls)]
    return ["class", _place(cls), bases, fields and list(fields), special]


def _place(obj: Any) -> list[Any] | None:
    """Module and name, and whether `obj` is what is found there."""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    home = getattr(obj, "__module__", None)
    if home is None and isinstance(obj, np.ufunc):
        home = "scipy.special"
    if not isinstance(name, str) or not isinstance(home, str):
        return None
    found: Any = sys.modules.get(home)
    for part in name.split("."):
        found = inspect.getattr_static(found, part, None)
    return [home, name, found is obj]


def _is_of_library(obj: Any) -> bool:
    """Whether an object, not a class, is a library's."""
    return not isinstance(obj, type) and not _is_users(type(obj))


def _is_users(cls: type) -> bool:
    """Whether a class is Python code of the user's, not of a library or of an extension."""
    top = cls.__module__.split(".")[0]
    return top not in ("numpy", "scipy", "srcad") and top not in sys.stdlib_module_names


# Arguments ---------------------------------------------------------------------------------------


def _structures(args: Sequence[Any]) -> list[Facts]:
    """The part of a signature that arguments contribute: containers, leaves and constants.

    A container that comes again, inside itself or not, is told by its number.
    """
    numbers: dict[int, int] = {}

    def structure(x: Any) -> Facts:
        if isinstance(x, np.ndarray | np.generic) or type(x) in _NUMBERS:
            return _leaf(_expected_leaf(x))
        if not _is_container(x):
            try:
                return _constant(x)
            except Opaque:
                return describe(x) if callable(x) else ["instance", _class(type(x))]
        if id(x) in numbers:
            return ["again", numbers[id(x)]]
        numbers[id(x)] = len(numbers)
        if type(x) is dict:
            return ["dict", *([_constant(key), structure(item)] for key, item in x.items())]
        if type(x) in (list, tuple):
            return [type(x).__name__, *map(structure, x)]
        if isinstance(x, tuple):
            return [_class(type(x)), *map(structure, x)]
        fields = [field.name for field in dataclasses.fields(x)]
        return [_class(type(x)), *(structure(getattr(x, name, None)) for name in fields)]

    return [structure(x) for x in args]


def _is_container(x: Any) -> bool:
    """Whether what an argument holds is part of the signature."""
    is_object = dataclasses.is_dataclass(x) and not isinstance(x, type)
    return is_object or type(x) in (dict, list) or isinstance(x, tuple)


def _leaf(key: Any) -> Facts:
    """The facts of a `leaf_key`."""
    if isinstance(key, type):
        if key not in _NUMBERS:
            raise Opaque
        return key.__name__
    dtype = _dtype(key[0])
    return [dtype, *(list(ones) for ones in key[1:2]), *(cls.__name__ for cls in key[2:])]


def _constant(x: Any) -> Facts:
    if type(x) in _PLAIN:
        return [type(x).__name__, hex(x) if type(x) is int else repr(x)]
    if type(x) is slice:
        return ["slice", *map(_constant, (x.start, x.stop, x.step))]
    if type(x) is tuple:
        return ["tuple", *map(_constant, x)]
    if isinstance(x, np.dtype):
        return ["dtype", _dtype(x)]
    if isinstance(x, np.generic):
        return ["scalar", _dtype(x.dtype), x.tobytes().hex()]
    raise Opaque


def _dtype(dtype: np.dtype[Any]) -> str:
    if dtype.hasobject or dtype.names is not None or dtype.subdtype is not None:
        raise Opaque
    return dtype.str


def _signature(primal: Callable[..., Any]) -> Facts:
    """Names, kinds and constant defaults of the parameters: they are printed."""
    try:
        parameters = inspect.signature(primal).parameters.values()
    except (ValueError, TypeError):
        return None
    return [[p.name, p.kind.name, _default(p.default)] for p in parameters]


def _default(x: Any) -> Facts:
    try:
        return _constant(x)
    except Opaque:
        return None


# Rules -------------------------------------------------------------------------------------------


def _has_changed_rules() -> bool:
    """Whether the user replaced one of srcad's own rules: any program may have it inside."""
    registration = sys.modules.get("srcad.rules.core.declaration.registration")
    return registration is not None and not registration.shipped.keys().isdisjoint(
        registration.of_users
    )


def _is_ruled_by_user(obj: Any) -> bool:
    """Whether the user states the rule of a function: its bodies may read anything."""
    registration = sys.modules.get("srcad.rules.core.declaration.registration")
    try:
        return registration is not None and obj in registration.of_users
    except TypeError:
        return False
