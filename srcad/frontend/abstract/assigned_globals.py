"""Globals that the program assigns: what each of them holds at a point of lowering.

    global mode                 set_global(module, "mode", "fast")     an effect, once and in order
    mode = "fast"
    return rate(x)              `rate` reads "fast"

Others may see a global: callbacks, threads, the caller after an exception. So each assignment is
made when the program runs, where it stands. Here stands what functions that are read see of it,
from the start of the program: on a path that assigns nothing, a global keeps what it held.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from srcad.frontend.abstract.objects import Abstract
from srcad.frontend.reading.capture import Inputs

Key = tuple[str, str]  # a module and a name in it


@dataclass(eq=False)
class AssignedGlobals:
    """`env` holds the globals by `module.name`, as a frame does its names."""

    env: dict[str, Abstract] = field(default_factory=dict)
    subjects: dict[str, Abstract] = field(default_factory=dict)

    def start(self, inputs: Inputs, keys: frozenset[Key]) -> None:
        """Read what the globals hold when the program is called."""
        for module, name in sorted(keys):
            home = sys.modules[module]
            path = f"{inputs.keep(home)}.{name}"
            self.env[f"{module}.{name}"] = inputs.lift(vars(home)[name], path, name)

    def holds(self, names: dict[str, Any], name: str) -> str | None:
        """The place of a name of a module in `env`; None if the program does not assign it."""
        if not self.env:
            return None
        home = module_of(names)
        place = "" if home is None else f"{home.__name__}.{name}"
        return place if place in self.env else None


def module_of(names: dict[str, Any]) -> ModuleType | None:
    """The module with these names, if it is found by its own name."""
    home = sys.modules.get(str(names.get("__name__")))
    return home if isinstance(home, ModuleType) and vars(home) is names else None


__all__ = ["AssignedGlobals", "Key", "module_of"]
