"""Compiled functions that threads share compute what one thread computes, and no thread touches
what another writes: run as Python, by three threads, with a detector of races.
"""

from __future__ import annotations

from collections import Counter

import pytest
from native.backends import both, compare
from native.test_corpus import NAMES, requests
from native.test_random_programs import FIXED, compared

from srcad.kernels import teams
from srcad.kernels.threads import thread_count

BLOCKS = 20


@pytest.fixture
def three(monkeypatch):
    """However little the work is, three threads share it."""
    monkeypatch.setattr(teams, "thread_count", lambda work: 3 if thread_count(1 << 60) > 1 else 1)


@pytest.fixture(autouse=True)
def number_of_threads():
    import srcad

    before = srcad.num_threads()
    srcad.set_num_threads(3)
    yield
    srcad.set_num_threads(before)


def shared(program):
    """What came of the calls of a program of the corpus, where threads share something."""
    found = Counter()
    for request, args in requests(program):
        pair = both(request, args, len(program.arguments()[0]))
        if "together(" in pair.text:
            found[compare(pair, args, program.single, kinds=False)] += 1
    return found


@pytest.mark.parametrize("block", range(BLOCKS))
def test_programs_of_the_corpus(three, block):
    total = Counter()
    for name in list(NAMES)[block::BLOCKS]:
        try:
            total.update(shared(NAMES[name]))
        except AssertionError as problem:
            raise AssertionError(f"{name}: {problem!r}") from None
    print(total)
    assert total["equal"] > 5 * total["left"]


def test_random_programs(three):
    total = Counter()
    for seed in FIXED:
        total.update(compared(seed))
    print(total)
    assert total["equal"]
