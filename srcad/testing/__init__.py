"""Checking derivatives against differences of the function itself."""

from srcad.testing.gradients import check_grads
from srcad.testing.rules import check_rule

__all__ = ["check_grads", "check_rule"]
