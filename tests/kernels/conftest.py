"""Every test of kernels runs in memory that nobody has written, with warnings of numbers raised."""

import pytest
from poison import pattern_for, poisoned


@pytest.fixture(autouse=True)
def poisoned_memory(request):
    """Another pattern for each test, the same one in each run."""
    with poisoned(pattern_for(request.node.nodeid)):
        yield
