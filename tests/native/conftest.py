"""Tests of compiled programs run with uninitialised memory full of patterns, and need Numba."""

from pathlib import Path

import pytest
from optional import needs_numba
from poison import pattern_for, poisoned

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(needs_numba)


@pytest.fixture(autouse=True)
def poisoned_memory(request):
    """The pattern depends on the test's name alone."""
    with poisoned(pattern_for(request.node.nodeid), strict=False):
        yield
