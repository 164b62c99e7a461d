"""`scipy.special`: the error and logistic functions."""

from __future__ import annotations

from scipy import special

from srcad.rules.registry import elementwise

elementwise(special.expit, lambda y, x: y * (1 - y))
