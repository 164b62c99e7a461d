"""Random programs over samples: in parts they give what all samples give, or are refused."""

import os
import time

import pytest
from parallel.random_batches import campaign


def test_fixed_seeds():
    counts, wrong = campaign(range(30))
    assert not wrong, wrong
    assert sum(n for (_, found), n in counts.items() if found == "right") >= 8


def test_a_fresh_seed():
    seed = int(time.time())
    print("seed", seed)
    _, wrong = campaign(range(seed, seed + 2))
    assert not wrong, wrong


@pytest.mark.campaign
def test_campaign():
    first = int(os.environ.get("SRCAD_CAMPAIGN_SEED", "100000"))
    _, wrong = campaign(range(first, first + int(os.environ.get("SRCAD_CAMPAIGN", "1000"))))
    assert not wrong, wrong
