"""Fingerprints: what a program on disk depends on, the same in every process.

    program_key(request, args)     -> "loss-2c26b46b68ffc68ff99b453c1d304134"
    describe_guards([Guard("F.__globals__['scale']", "leaf", float)])
                                   -> [["F.__globals__['scale']", "leaf", "float"]]

The key tells programs apart by what is known before compiling: the function's code, the signature
of the arguments, the options, and the versions of all that took part. What else a program was
specialised to stands in its guards; these are described too, and compared with what their paths
lead to in the process that reads the program. What cannot be described (`Opaque`) is not kept.
"""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import inspect
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcad.devices import is_array
from srcad.interrupts import raise_users_own
from srcad.ir.guards import ARRAY_CLASSES, Guard, are_apart, leaf_key
from srcad.ir.switches import is_debugging
from srcad.pipeline.disk.objects import (
    Met,
    describe,
    describe_class,
    describe_constant,
    describe_dtype,
)
from srcad.pipeline.disk.surroundings import Facts, Opaque, scipy_files, surroundings
from srcad.pipeline.request import Request
from srcad.runtime.records import is_dataclass

_NUMBERS = (int, float, complex)


def program_key(request: Request, args: Sequence[Any], statics: Iterable[str] = ()) -> str | None:
    """The name of the program on disk; None for a program that cannot be kept there.

    Args:
        statics: paths of the inputs to whose values the program is specialised.
    """
    try:
        if _has_changed_rules() or is_debugging():
            return None
        scope = {"F": request.primal, "A": args}
        met = Met()
        facts = [
            describe(request.primal, met),
            _signature(request.primal),
            repr(request.options()),
            _structures(args, met),
            [[path, describe_constant(value)] for path, value in _values(sorted(statics), scope)],
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


def describe_guards(guards: Iterable[Guard]) -> list[Facts]:
    """Guards as facts, which tell what they have in common, too; raises `Opaque`."""
    met = Met()
    return [_describe_guard(guard, met) for guard in guards]


def restore_guards(facts: Sequence[Facts], live: Sequence[Any]) -> tuple[Guard, ...] | None:
    """The guards of these facts in this process, where their paths lead to `live`; None if one is
    broken.
    """
    met, guards = Met(), []
    try:
        for told, obj in zip(facts, live, strict=True):
            path, kind, _ = told
            guard = Guard(path, kind, _EXPECTED[kind](obj))
            if _describe_guard(guard, met) != told:
                return None
            guards.append(guard)
    except (Opaque, AttributeError, TypeError):
        return None
    return tuple(guards)


def _describe_guard(guard: Guard, met: Met) -> Facts:
    expected = guard.expected
    match guard.kind:
        case "is" | "type":
            facts = describe(expected, met)
        case "code":
            facts = describe(expected[0], met)
        case "equals" | "static" | "apart":
            facts = describe_constant(expected)
        case "leaf":
            facts = _leaf(expected)
        case "length":
            facts = [expected[0].__name__, expected[1]]
        case "keys":
            facts = [describe_constant(key) for key in expected]
        case _:
            raise Opaque
    return [guard.path, guard.kind, facts]


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


# Arguments ---------------------------------------------------------------------------------------


def _structures(args: Sequence[Any], met: Met) -> list[Facts]:
    """The part of a signature that arguments contribute: containers, leaves and constants.

    A container that comes again, inside itself or not, is told by its number.
    """
    numbers: dict[int, int] = {}

    def structure(x: Any) -> Facts:
        if is_array(x) or isinstance(x, np.generic) or type(x) in _NUMBERS:
            return _leaf(_expected_leaf(x))
        if not _is_container(x):
            try:
                return describe_constant(x)
            except Opaque:
                is_one = callable(x) or isinstance(x, enum.Enum)
                return describe(x, met) if is_one else ["instance", describe_class(type(x), met)]
        if id(x) in numbers:
            return ["again", numbers[id(x)]]
        numbers[id(x)] = len(numbers)
        if type(x) is dict:
            return ["dict", *([describe_constant(key), structure(item)] for key, item in x.items())]
        if type(x) in (list, tuple):
            return [type(x).__name__, *map(structure, x)]
        if isinstance(x, tuple):
            return [describe_class(type(x), met), *map(structure, x)]
        fields = [field.name for field in dataclasses.fields(x)]
        return [
            describe_class(type(x), met),
            *(structure(getattr(x, name, None)) for name in fields),
        ]

    return [structure(x) for x in args]


def _is_container(x: Any) -> bool:
    """Whether what an argument holds is part of the signature."""
    is_object = is_dataclass(x) and not isinstance(x, type)
    return is_object or type(x) in (dict, list) or isinstance(x, tuple)


def _leaf(key: Any) -> Facts:
    """The facts of a `leaf_key`."""
    if isinstance(key, type):
        if key not in _NUMBERS:
            raise Opaque
        return key.__name__
    dtype = describe_dtype(key[0])
    return [dtype, *(list(ones) for ones in key[1:2]), *(cls.__name__ for cls in key[2:])]


def _signature(primal: Callable[..., Any]) -> Facts:
    """Names, kinds and constant defaults of the parameters: they are printed."""
    try:
        parameters = inspect.signature(primal).parameters.values()
    except (ValueError, TypeError):
        return None
    return [[p.name, p.kind.name, _default(p.default)] for p in parameters]


def _default(x: Any) -> Facts:
    try:
        return describe_constant(x)
    except Opaque:
        return None


# Rules -------------------------------------------------------------------------------------------


def _has_changed_rules() -> bool:
    """Whether the user replaced one of srcad's own rules: any program may have it inside."""
    registration = sys.modules.get("srcad.rules.core.declaration.registration")
    return registration is not None and not registration.shipped.keys().isdisjoint(
        registration.of_users
    )
