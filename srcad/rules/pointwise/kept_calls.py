"""Calls of the user's functions without derivative, which are kept as they are."""

from __future__ import annotations

from srcad.rules.core.facts import told_by_source
from srcad.rules.core.registry import nondiff
from srcad.rules.core.table import Case
from srcad.runtime.effects import as_told, unwritten

nondiff(unwritten, type_of=told_by_source, cases=(Case(str, 2),))
nondiff(as_told, type_of=told_by_source, cases=(Case("str", str, 2),))
