"""Imports of modules that stand alone: how they are ordered, and which need srcad."""

from __future__ import annotations

import importlib

from srcad.emit.module import import_group


def needs_srcad(name: str) -> bool:
    """Whether a module has something of srcad's."""
    top = name.split(".")[0]
    if top == "srcad":
        return True
    if import_group(top) < 2 or top in ("numba", "llvmlite"):
        return False
    return any(
        str(getattr(value, "__name__", "")).split(".")[0] == "srcad"
        or str(getattr(value, "__module__", "")).split(".")[0] == "srcad"
        or type(value).__module__.split(".")[0] == "srcad"
        for value in vars(importlib.import_module(name)).values()
    )


def grouped(statements: set[str]) -> list[str]:
    """Imports in the groups of emitted modules; one for each module."""
    members: dict[str, set[str]] = {}
    for line in statements:
        start, _, names = line.partition(" import ")
        members.setdefault(start, set()).update(names.split(", ") if names else ())
    groups: list[list[str]] = [[], [], []]
    for start in sorted(members, key=lambda start: (start.startswith("from"), start)):
        names = ", ".join(sorted(members[start], key=lambda name: (name.lower(), name)))
        line = f"{start} import {names}" if names else start
        groups[import_group(start.split()[1])].append(line)
    return [line for group in groups if group for line in ("", *group)][1:]


__all__ = ["grouped", "needs_srcad"]
