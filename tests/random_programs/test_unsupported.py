"""What cannot be differentiated is refused where it stands, or differentiated rightly."""

from __future__ import annotations

import os
import time

import pytest
from random_programs.checks import Unfit
from random_programs.unsupported import ARGUMENTS, PLANTS, fault_of_argument, find_fault, plant

CAMPAIGN = int(os.environ.get("SRCAD_CAMPAIGN", "1000"))
FIRST = int(os.environ.get("SRCAD_CAMPAIGN_SEED", "100000"))


def check(kind: str, seed: int) -> bool:
    """Whether the program says something; fails where what it says is wrong."""
    planted = plant(seed, kind)
    try:
        fault = find_fault(planted)
    except Unfit:
        return False
    if fault is not None:
        pytest.fail(f"{kind}, seed {seed}: {fault}\n\n{planted.source}", pytrace=False)
    return True


@pytest.mark.parametrize("kind", PLANTS)
def test_kinds(kind: str) -> None:
    said = [check(kind, seed) for seed in range(3)]
    assert any(said)


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_arguments(kind: str) -> None:
    for seed in range(2):
        assert fault_of_argument(seed, kind) is None


def test_a_fresh_seed() -> None:
    seed = int(time.time())
    print("seed", seed)
    kinds = list(PLANTS)
    for k in range(5):
        check(kinds[(seed + 17 * k) % len(kinds)], seed + k)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", PLANTS)
def test_campaign(kind: str) -> None:
    said = [check(kind, FIRST + k) for k in range(CAMPAIGN // 20)]
    assert sum(said) > 0.6 * len(said)
