"""Random programs obey the laws of `checks`: some always, many with `-m campaign`."""

from __future__ import annotations

import os
import time

import pytest
from random_programs import aliases, bindings, indexed_lists
from random_programs.campaign import campaign
from random_programs.people import CLASSIC, MIXED, program_of
from random_programs.snippets import FAMILIES

FIXED = range(24)
CAMPAIGN = int(os.environ.get("SRCAD_CAMPAIGN", "1000"))
FIRST = int(os.environ.get("SRCAD_CAMPAIGN_SEED", "100000"))
REFUSED = 0.15  # of the programs, at most


def run(seeds, family=CLASSIC):
    report = campaign(seeds, family)
    print(report.summary())
    if report.faults:
        pytest.fail("\n".join(report.faults.values()), pytrace=False)
    return report


def test_fixed_seeds():
    report = run(FIXED)
    assert report.right >= (1 - REFUSED) * report.total
    assert report.total > 0.8 * len(FIXED)


@pytest.mark.parametrize("family", FAMILIES)
def test_what_people_write(family):
    run((0, 2), family)


@pytest.mark.parametrize("family", [CLASSIC, MIXED])
def test_a_fresh_seed(family):
    seed = int(time.time())
    print("seed", seed)
    run([seed], family)


@pytest.mark.parametrize("first", [0, 10, 20, None])
@pytest.mark.parametrize("kind", [bindings, aliases, indexed_lists])
def test_what_stands_for_what(kind, first):
    first = int(time.time()) if first is None else first
    counts, faults = bindings.campaign(kind.written, range(first, first + 10))
    assert not faults, "\n".join(faults.values())
    assert counts["right"]


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
def test_campaign(block):
    size = CAMPAIGN // 10
    first = FIRST + block * size
    report = run(range(first, first + size))
    assert report.right >= (1 - REFUSED) * report.total
    assert report.total > 0.8 * size


@pytest.mark.campaign
@pytest.mark.parametrize("family", [*FAMILIES, MIXED])
def test_campaign_of_what_people_write(family):
    run(range(FIRST, FIRST + CAMPAIGN // 10), family)


@pytest.mark.parametrize("family", [CLASSIC, MIXED])
def test_same_seed_same_program(family):
    assert program_of(7, family).source == program_of(7, family).source
