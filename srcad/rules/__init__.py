"""Derivative rules: NumPy's functions here, yours by the same six constructors.

from srcad.rules import elementwise
elementwise(softplus, lambda y, x: 1 - np.exp(-y))
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from srcad.rules.core.broadcast import unbroadcast
    from srcad.rules.core.compose import known
    from srcad.rules.core.product import over
    from srcad.rules.core.registry import composed, elementwise, linear, nondiff, rule, same, zero
    from srcad.rules.core.staged import call
    from srcad.rules.core.table import RULES, Case, Rule
    from srcad.rules.core.zero import ZERO

__all__ = [
    "RULES",
    "ZERO",
    "Case",
    "Rule",
    "call",
    "composed",
    "elementwise",
    "known",
    "linear",
    "nondiff",
    "over",
    "rule",
    "same",
    "unbroadcast",
    "zero",
]

_MODULES = {
    "broadcast": ("unbroadcast",),
    "compose": ("known",),
    "product": ("over",),
    "registry": ("composed", "elementwise", "linear", "nondiff", "rule", "same", "zero"),
    "staged": ("call",),
    "table": ("RULES", "Case", "Rule"),
    "zero": ("ZERO",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    # What is beneath this imports its parts first, also where an import of this was interrupted.
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'srcad.rules' has no attribute {name!r}")
    module = importlib.import_module(f"srcad.rules.core.{_MODULE_OF[name]}")
    globals()[name] = found = getattr(module, name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
