"""Transformations of random programs agree with each other, or are refused."""

import time

import pytest
from random_programs.transformations import LAWS, campaign

BLOCK = 4


@pytest.mark.parametrize("first", [100, 112, 1110, 1796043083, None])
def test_laws(first):
    first = int(time.time()) if first is None else first
    counts, faults = campaign(range(first, first + BLOCK))
    assert not faults, "\n".join(faults.values())
    assert sum(counts[law, "right"] for law in LAWS) > counts.total() / 2
