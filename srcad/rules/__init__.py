"""Derivative rules: NumPy's functions here, yours by the same six constructors.

from srcad.rules import elementwise
elementwise(softplus, lambda y, x: 1 - np.exp(-y))
"""

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
