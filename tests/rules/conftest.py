"""The tests of rules need all of them in the table, and leave it as it was."""

from collections.abc import Iterator

import pytest

import srcad.rules.core.library  # noqa: F401
from srcad.ir.guards import rule_version
from srcad.rules import RULES
from srcad.rules.core.declaration.registration import of_users


@pytest.fixture(autouse=True)
def _table() -> Iterator[None]:
    """Take back the rules that a test states: other tests compile programs with ours."""
    before, stated = dict(RULES), set(of_users)
    yield
    for fn in of_users - stated:
        if fn in before:
            RULES[fn] = before[fn]
        else:
            del RULES[fn]
        of_users.discard(fn)
        rule_version.advance()
