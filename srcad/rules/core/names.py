"""What srcad does with each public name of NumPy and of Python's numeric modules.

np.tanh      elementwise      its rule says so
np.trapezoid composed         its rule says so
len          read             the frontend reads such a call as Python does
np.load      refused          by the table `names.toml`, which says why and what to write instead
KeyError     class            an exception, or a class that is named and not called

Only what has no rule stands in the table. A new NumPy brings names that stand nowhere: they are
refused as any unknown function is, and a test finds them.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Container, Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from srcad.errors import SrcadError, error
from srcad.rules.core.call_facts import INSTEAD
from srcad.rules.core.table import RULES, name_of
from srcad.rules.scipy import refused as of_scipy

MODULES: dict[str, ModuleType] = {
    "": builtins,
    "math": math,
    "operator": operator,
    "functools": functools,
    "itertools": itertools,
    "np": np,
    "np.linalg": np.linalg,
    "np.fft": np.fft,
    "np.lib.stride_tricks": np.lib.stride_tricks,
}
# Classes of which each member is a name of its own.
CLASSES: dict[str, type] = {"ndarray": np.ndarray, "ufunc": np.ufunc}
# How attributes work, which programs have no business with.
_OF_PYTHON = frozenset(
    {
        "__class__", "__class_getitem__", "__delattr__", "__dir__", "__doc__", "__getattribute__",
        "__getstate__", "__init__", "__init_subclass__", "__new__", "__qualname__", "__repr__",
        "__setattr__", "__signature__", "__sizeof__", "__str__", "__subclasshook__", "__format__",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """What the table says of a name: `status` is `refused` or `class`."""

    status: str
    reason: str = ""
    fix: str = ""


# A name that stands nowhere, as a version newer than the table has it.
UNKNOWN = Entry("refused", "no rule is stated for it")


@cache
def stated() -> Mapping[str, Entry]:
    """The table `names.toml`."""
    # Imported here: programs that call nothing refused do not pay for them.
    import tomllib
    from importlib import resources

    text = resources.files("srcad.rules.core").joinpath("names.toml").read_text("utf-8")
    return {
        name: Entry(status, group["reason"], group.get("fix", ""))
        for status, groups in tomllib.loads(text).items()
        for group in groups
        for name in group["names"].split()
    }


@cache
def public_names() -> Mapping[str, Any]:
    """Every public callable, objects such as `np.r_`, the members of arrays and ufuncs, by name."""
    found: dict[str, Any] = {}
    for prefix, module in MODULES.items():
        for name in _names_in(module):
            member = getattr(module, name)
            made_by = type(member).__module__  # `np.r_` is an object, `exit` comes from `site`
            if made_by.startswith("numpy.lib") or (callable(member) and "site" not in made_by):
                found[f"{prefix}.{name}".lstrip(".")] = member
    for prefix, cls in CLASSES.items():
        for name in dir(cls):
            is_operator = cls is np.ndarray and name.startswith("__")
            if name not in _OF_PYTHON and (is_operator or not name.startswith("_")):
                found[f"{prefix}.{name}"] = getattr(cls, name)
    return found


def _names_in(module: ModuleType) -> Iterator[str]:
    names = getattr(module, "__all__", None) or dir(module)
    return (name for name in sorted(names) if not name.startswith("_"))


def status_of(name: str, read: Container[str]) -> str | None:
    """The status of a public name, None if there is none; `read`: what the frontend reads."""
    member = public_names()[name]
    if isinstance(member, Hashable) and (member in RULES or member in INSTEAD):
        return RULES[INSTEAD.get(member, member)].kind
    if name in read:
        return "read"
    if isinstance(member, type) and issubclass(member, BaseException):
        return "class"
    entry = stated().get(name)
    return entry.status if entry else None


@cache
def _refused() -> Mapping[int, str]:
    """The names of what is refused, by identity."""
    refused = [name for name, entry in stated().items() if entry.status == "refused"]
    return {id(member): name for name in refused if (member := _member(name)) is not None}


def _member(name: str) -> Any:
    """What is called so; None if this version of Python or NumPy has it not."""
    prefix, _, last = name.rpartition(".")
    return getattr(CLASSES.get(prefix) or MODULES[prefix], last, None)


def refusal(fn: object) -> SrcadError | None:
    """The error for a call of what the table refuses."""
    home = getattr(fn, "__module__", None) or ""
    if isinstance(fn, FunctionType) and home.split(".")[0] not in ("numpy", "scipy", "site"):
        return None  # the user's own: the table need not be read
    name = _refused().get(id(fn))
    return of_scipy.refusal(name_of(fn)) if name is None else refusal_of(name)


def refusal_of(name: str) -> SrcadError | None:
    """The error for a name of the table that is refused."""
    entry = stated().get(name)
    if entry is None or entry.status != "refused":
        return None
    return error("E204", None, what=f"`{name}`", fix=entry.fix, notes=(entry.reason,))


__all__ = ["CLASSES", "MODULES", "Entry", "public_names", "refusal", "refusal_of", "stated"]
