"""Derivative rules: NumPy's functions here, yours by the same five constructors.

from srcad.rules import elementwise
elementwise(softplus, lambda y, x: 1 - np.exp(-y))
"""

from srcad.rules.broadcast import unbroadcast
from srcad.rules.registry import RULES, Rule, elementwise, linear, nondiff, rule, same, zero
from srcad.rules.staged import call
from srcad.rules.zero import ZERO

__all__ = [
    "RULES",
    "ZERO",
    "Rule",
    "call",
    "elementwise",
    "linear",
    "nondiff",
    "rule",
    "same",
    "unbroadcast",
    "zero",
]
