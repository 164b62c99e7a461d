"""Which modules may state a rule.

srcad states one for each function, users freely for their own functions, and with `override=True`
where srcad has one.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

from srcad.errors import error
from srcad.ir.guards import rule_version
from srcad.rules.core.table import RULES, Rule, name_of

_INSIDE = (__name__, "srcad.rules.core.registry", f"{__package__}.constants")

# The functions whose rules come with srcad, and the globals of the module that stated each;
# replacing one of these asks for `override=True`.
shipped: dict[Any, dict[str, Any]] = {}
# Those whose rules a user stated: programs made with them mean nothing to another process.
of_users: set[Any] = set()


def register(new: Rule, override: bool) -> None:
    """Enter a rule. Users replace their own freely (a notebook cell run again), ours knowingly."""
    by = globals_of_caller()
    is_ours = is_of_srcad(by)
    if is_ours:
        taken = RULES.holds(new.fn) and not _is_stated_again(new.fn, by)
    else:
        RULES.load()  # ours first, so that yours is not overwritten
        taken = RULES.holds(new.fn) and new.fn in shipped
    if taken and not override:
        fix = "pass override=True if yours is meant to replace it"
        raise error("E601", None, what=f"`{name_of(new.fn)}`", fix=fix)
    if is_ours:
        shipped[new.fn] = by
    RULES[new.fn] = new
    if not is_ours:
        of_users.add(new.fn)
        rule_version.advance()


def _is_stated_again(fn: Any, by: dict[str, Any]) -> bool:
    """Whether a rule is one that the same module stated when its import was interrupted."""
    before = shipped.get(fn)
    return before is not None and before is not by and before.get("__name__") == by["__name__"]


def globals_of_caller() -> dict[str, Any]:
    """Those of the module in which a rule is stated; of srcad's own that which has the statement,
    not the function of another one that it calls.
    """
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_globals.get("__name__") in _INSIDE:
        frame = frame.f_back
    while frame.f_back is not None and _is_helper(frame) and is_of_srcad(frame.f_back.f_globals):
        frame = frame.f_back
    return frame.f_globals


def _is_helper(frame: FrameType) -> bool:
    return is_of_srcad(frame.f_globals) and frame.f_code.co_name != "<module>"


def is_of_srcad(module: dict[str, Any]) -> bool:
    """Whether a module is of srcad, not of a user."""
    return str(module.get("__name__")).startswith("srcad.")


__all__ = ["globals_of_caller", "is_of_srcad", "of_users", "register", "shipped"]
