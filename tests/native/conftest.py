"""Tests of compiled programs run with uninitialised memory full of patterns."""

import pytest
from poison import pattern_for, poisoned


@pytest.fixture(autouse=True)
def poisoned_memory(request):
    """The pattern depends on the test's name alone."""
    with poisoned(pattern_for(request.node.nodeid), strict=False):
        yield
