"""Every test of what generated text calls runs in memory that nobody has written."""

import pytest
from poison import pattern_for, poisoned


@pytest.fixture(autouse=True)
def poisoned_memory(request):
    """Another pattern for each test, the same one in each run."""
    with poisoned(pattern_for(request.node.nodeid), strict=False):
        yield
