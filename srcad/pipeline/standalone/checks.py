"""What a saved module checks of its arguments: generated code is right for these alone.

Guard("A[0]", "leaf", (float64, (False,)))         _check("w", _kind(w), "float64[:]")
the same, where one entry is another program       _check("w", _kind(w, 0), "float64[:]")
Guard("A[1].shape[0] == A[0].shape[0]", ...)   ->  _check("x.shape[0]", x.shape[0], w.shape[0])
Guard("A[2]", "equals", "mean")                    _check("mode", repr(mode), "'mean'")
"""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from srcad.emit.printing.unparse import unparse
from srcad.errors import error
from srcad.ir.guards import Guard

# Paths through the function, which a written module does not have: `A[0] is F.__globals__['kind']`.
_OF_FUNCTION = re.compile(r"(?<![\w.\])'\"])F\.")

_TEXT = '''

def {whole}({parameters}):
    """Refuse arguments that this module was not generated for."""
{checks}


def {check}(what, found, expected):
    if found != expected:
        raise TypeError(f"{{what}} is {{found}}; this module needs {{expected}}")


def {kind}(x, *axes):
    """Tell a kind of argument: `float64[:, 1]`, an array; `float`; `list of 2`; `dict of 'w'`.

    Of these axes an extent of 1 is told apart.
    """
    name = type(x).__name__
    if type(x) in (np.ndarray, np.memmap):
        extents = ("1" if n == 1 and k in axes else ":" for k, n in enumerate(x.shape))
        return f"{{x.dtype}}[{{', '.join(extents)}}]"
    if type(x) is dict:
        return f"{{name}} of {{', '.join(sorted(map(repr, x)))}}"
    return f"{{name}} of {{len(x)}}" if isinstance(x, (list, tuple)) else name
'''


def argument_checks(
    guards: Sequence[Guard],
    places: Mapping[str, str],
    names: Sequence[str],
    used: set[str],
    general: frozenset[str] = frozenset(),
) -> tuple[list[str], list[str]]:
    """The line that calls the checks, and the lines of the functions that make them.

    Args:
        places: names of arguments and captured values, by their paths.
        names: the arguments.
        used: names that must not be taken.
        general: paths of extents that may be 1, and of dicts whose keys may have any order.

    Raises:
        CacheError: E503, for an argument that cannot be checked.
    """
    end = "_of_argument" if used & {"_check_arguments", "_check", "_kind"} else ""
    whole, check, kind = f"_check_arguments{end}", f"_check{end}", f"_kind{end}"
    lines = list(_checks(guards, places, check, kind, general))
    if not lines:
        return [], []
    text = _TEXT.format(
        whole=whole,
        check=check,
        kind=kind,
        parameters=", ".join(names),
        checks="\n".join(f"    {line}" for line in lines),
    )
    return [f"{whole}({', '.join(names)})"], text.splitlines()


def _checks(
    guards: Sequence[Guard],
    places: Mapping[str, str],
    check: str,
    kind: str,
    general: frozenset[str],
) -> Iterator[str]:
    """A line for each guard on an argument: what it is called, what it is, and what it must be."""
    order = sorted(places, key=len, reverse=True)
    pattern = re.compile("|".join(rf"(?<![\w.\])]){re.escape(path)}(?!\w)" for path in order))
    members = {guard.path for guard in guards if isinstance(guard.expected, enum.Enum)}
    for guard in guards:
        if "A[" not in guard.path or guard.path.startswith("type("):
            continue  # of what is frozen, or of the class of an argument
        if guard.path.startswith("tuple(") and guard.path[6:-1] in general:
            continue  # the order of keys
        at = pattern.sub(lambda found: places[found[0]], guard.path)
        if _OF_FUNCTION.search(pattern.sub("", guard.path)):  # an argument may be called `F`
            if guard.path.partition(" is ")[0] in members:
                continue  # which member of an enumeration it is, is checked
            what = "a program that depends on whether an argument is an object of this process"
            raise error("E503", None, what=what, fix="compare values, or members of an `Enum`")
        expected = _kind_of(guard)
        one, _, other = at.partition(" == ")
        if guard.kind == "type" and issubclass(guard.expected, np.ndarray):  # with fields
            name = f"type({at}).__name__"
            yield _printed(f"{check}({name!r}, {name}, {guard.expected.__name__!r})")
        elif guard.kind == "apart":
            yield _printed(f"{check}({f'np.shares_memory{at}'!r}, np.shares_memory{at}, False)")
        elif other and guard.expected is True:
            yield _printed(f"{check}({one!r}, {one}, {other})")
        elif guard.kind in ("equals", "static") or _is_told_by_text(guard):
            yield _printed(f"{check}({at!r}, repr({at}), {repr(guard.expected)!r})")
        elif expected is not None:
            asked = ", ".join([at, *map(str, _told_apart(guard, general))])
            yield _printed(f"{check}({at!r}, {kind}({asked}), {expected!r})")
        else:
            what = f"a program that depends on the function or module passed as `{at}`"
            fix = "differentiate a function that calls it by its name"
            raise error("E503", None, what=what, fix=fix)


def _is_told_by_text(guard: Guard) -> bool:
    """Whether an object is the one that a guard wants if it prints as that: a member of an `Enum`,
    a constant that is a default.
    """
    if guard.kind != "is" or isinstance(guard.expected, enum.Enum):
        return isinstance(guard.expected, enum.Enum)
    parts = guard.expected if type(guard.expected) is tuple else (guard.expected,)
    return all(type(x) in _CONSTANTS for x in parts)


_CONSTANTS = (bool, int, float, complex, str, bytes, type(None))


def _told_apart(guard: Guard, general: frozenset[str]) -> list[int]:
    """The axes of an array where one entry is not as good as any other number."""
    if guard.kind != "leaf" or isinstance(guard.expected, type) or len(guard.expected) == 1:
        return []
    ones = enumerate(guard.expected[1])
    return [k for k, is_one in ones if is_one or f"{guard.path}.shape[{k}]" not in general]


def _printed(line: str) -> str:
    """A statement with the quotes of generated code."""
    return unparse(ast.parse(line).body[0]).replace("\n", "\n    ")


def _kind_of(guard: Guard) -> str | None:
    """What `_kind` of the written module says of an argument that the guard accepts."""
    expected = guard.expected
    match guard.kind:
        case "leaf" if isinstance(expected, type):
            return expected.__name__
        case "leaf" if len(expected) == 1:
            return str(expected[0].type.__name__)
        case "leaf":
            return f"{expected[0]}[{', '.join('1' if one else ':' for one in expected[1])}]"
        case "length":
            return f"{expected[0].__name__} of {expected[1]}"
        case "keys":
            return f"dict of {', '.join(sorted(map(repr, expected)))}"
        case "type" if issubclass(expected, tuple):
            return f"{expected.__name__} of {len(expected._fields)}"
        case "type":
            return str(expected.__name__)
        case _:
            return None
