"""Random programs obey the laws of `checks`: some always, many with `-m campaign`."""

from __future__ import annotations

import os
import time

import pytest
from random_programs.campaign import campaign
from random_programs.generator import generate

from srcad.pipeline import stages

FIXED = range(24)
CAMPAIGN = int(os.environ.get("SRCAD_CAMPAIGN", "1000"))
FIRST = int(os.environ.get("SRCAD_CAMPAIGN_SEED", "100000"))
REFUSED = 0.15  # of the programs, at most


@pytest.fixture(autouse=True)
def _verified(monkeypatch):
    monkeypatch.setattr(stages, "CHECKED", True)


def run(seeds):
    report = campaign(seeds)
    print(report.summary())
    if report.faults:
        pytest.fail("\n".join(report.faults.values()), pytrace=False)
    return report


def test_fixed_seeds():
    report = run(FIXED)
    assert report.right >= (1 - REFUSED) * report.total
    assert report.total > 0.8 * len(FIXED)


def test_a_fresh_seed():
    seed = int(time.time())
    print("seed", seed)
    run([seed])


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
def test_campaign(block):
    size = CAMPAIGN // 10
    first = FIRST + block * size
    report = run(range(first, first + size))
    assert report.right >= (1 - REFUSED) * report.total
    assert report.total > 0.8 * size


def test_same_seed_same_program():
    assert generate(7).source == generate(7).source
