"""Rules at their edges: a slice always, all with `-m campaign`."""

import itertools

import pytest
from rules.edges import campaign, edges

STEP = 397


def test_a_slice_of_the_edges():
    counts, faults = campaign(itertools.islice(edges(), 5, None, STEP))
    assert not faults, "\n".join(faults)
    assert counts["alike"] > counts.total() / 4


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(40))
def test_all_edges(first):
    _, faults = campaign(itertools.islice(edges(), first, None, 40))
    assert not faults, "\n".join(faults)
