"""Random programs obey the laws of `checks`: some always, many with `-m campaign`."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from random_programs.checks import Unfit, find_fault
from random_programs.generator import generate
from random_programs.tree import shrink

from srcad.errors import SrcadError

FIXED = range(12)
CAMPAIGN = int(os.environ.get("SRCAD_CAMPAIGN", "1000"))


def run(seed: int) -> bool:
    """Whether the program of this seed was differentiated; fails, and shrinks it, if wrongly."""
    program = generate(seed)
    try:
        fault = find_fault(program)
    except (Unfit, SrcadError, np.linalg.LinAlgError):
        return False
    if fault is not None:
        kind = fault.split(":")[0]
        small = shrink(program.source, lambda source: fault_kind(program, source) == kind)
        pytest.fail(f"seed {seed}: {fault}\n\n{small}", pytrace=False)
    return True


def fault_kind(program, source):
    try:
        fault = find_fault(program, source=source)
    except Exception:
        return None
    return fault and fault.split(":")[0]


def test_fixed_seeds():
    assert sum(map(run, FIXED)) > 0.7 * len(FIXED)


def test_a_fresh_seed():
    seed = int(time.time())
    print("seed", seed)
    run(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
def test_campaign(block):
    first = 100_000 + block * CAMPAIGN // 10
    assert sum(map(run, range(first, first + CAMPAIGN // 10))) > 0.7 * (CAMPAIGN // 10)


def test_same_seed_same_program():
    assert generate(7).source == generate(7).source
