"""The schedule of checkpoints: as few steps as can be, for loops of known and unknown length."""

from functools import cache
from math import comb

import numpy as np
import pytest

from srcad.runtime.checkpoints.revolve import (
    CACHED,
    WORTH,
    advances,
    divided,
    first_stop,
    repetitions,
)
from srcad.runtime.checkpoints.states import Checkpoints

CASES = [(n, slots) for n in range(0, 48) for slots in range(1, 8)]


@cache
def fewest(parts, slots):
    """What Bellman's recursion finds over all schedules (Griewank & Walther 2000, eq. 4)."""
    if parts <= 1:
        return 0
    if slots == 1:
        return parts * (parts - 1) // 2
    stops = range(1, parts)
    return min(m + fewest(m, slots) + fewest(parts - m, slots - 1) for m in stops)


def test_the_formula_counts_what_the_best_schedule_takes():
    for parts, slots in CASES:
        assert advances(parts, slots) == fewest(parts, slots)
        if parts:
            r = repetitions(parts, slots)
            assert comb(slots + r, slots) >= parts
            assert r == 0 or comb(slots + r - 1, slots) < parts


def test_the_first_stop_belongs_to_a_best_schedule():
    for parts, slots in CASES:
        if parts > 1 and slots > 1:
            m = first_stop(parts, slots)
            found = m + fewest(m, slots) + fewest(parts - m, slots - 1)
            assert 1 <= m < parts
            assert found == fewest(parts, slots)


def played(n, is_known=True, **options):
    """The loop `for i in range(n): x = i + 1`, there and back: the steps that were run, the most
    states at once, and how often a step was repeated at most.
    """
    states = Checkpoints(range(n) if is_known else None, (0,), **options)
    x = most = 0
    back: list[int] = []
    again = dict.fromkeys(range(n), 0)
    if is_known:
        for _ in range(states.legs()):
            start, stop = states.keep(x)
            assert x == start
            x = stop
        start, stop = states.last()
        assert x == start
        x, back = stop, list(reversed(range(start, stop)))
    else:
        for i in range(n):
            states.offer(i)
            most = max(most, len(states.kept))
            x = i + 1
    assert x == n
    work, steps = states.work(), n
    for _ in range(states.parts()):
        most = max(most, len(states.kept))
        x = states.restore()
        for _ in range(states.legs()):
            start, stop = states.keep(x)
            assert x == start
            x, steps = stop, steps + stop - start
            most = max(most, len(states.kept))
            for i in range(start, stop):
                again[i] += 1
        start, stop = states.part()
        assert x == start
        back += reversed(range(start, stop))
        steps += stop - start
    assert back == list(reversed(range(n)))
    assert states.run == steps
    assert n == 0 or work == pytest.approx(steps / n)
    return steps, most, max(again.values(), default=0)


def test_as_few_steps_are_run_as_can_be_where_the_length_is_known():
    for n, slots in CASES:
        steps, most, _ = played(n, slots=slots)
        assert most <= slots
        assert steps == n + advances(n, slots)  # each is recorded once


def test_no_step_is_repeated_more_than_in_the_best_schedule_where_the_length_is_not_known():
    for n, slots in CASES:
        if slots > 1:
            _, most, again = played(n, is_known=False, slots=slots)
            assert most <= slots
            assert again <= repetitions(n, slots)


@pytest.mark.parametrize("is_known", [True, False])
def test_states_and_the_tape_of_a_part_fit_the_budget(is_known):
    for n in (1, 2, 7, 100, 1000):
        for budget in (100, 200, 1000, 10_000, 10**6):
            for tape in (None, 1, 30):
                states = Checkpoints(range(n) if is_known else None, (0,), budget, tape=tape)
                states.count = n
                assert states.nbytes() <= budget
                played(n, is_known, budget=budget, tape=tape)


def taken(n, size, slots):
    return n + size * advances(-(-n // size), slots)


def test_a_tape_stays_in_caches_where_that_takes_few_more_steps():
    state = 10**6
    for n in (10**4, 10**5, 10**6):
        for budget in (20 * state, 200 * state):
            size, slots = divided(n, state, state, budget, n)
            fewest = min(
                taken(n, s, min(-(-n // s), free))
                for s in (2**k for k in range(20))
                if (free := (budget - s * state) // state - 1) >= 1
            )
            assert taken(n, size, slots) <= WORTH * fewest
            assert size * state <= CACHED or n == 10**4
    assert Checkpoints(None, (np.zeros(state),), 10**10, tape=1000).size == CACHED // 1000
    # What fits as a whole is not run again, wherever it fits.
    assert divided(1000, state, state, 2000 * state, 1000)[0] == 1000


def test_a_larger_budget_never_takes_more_steps():
    steps = [
        played(500, budget=budget, tape=10)[0] for budget in (100, 200, 400, 1000, 3000, 10**5)
    ]
    assert steps == sorted(steps, reverse=True)
    assert steps[-1] == 500


def test_what_a_budget_holds_is_not_run_again():
    for n in (1, 2, 5, 100, 1000, 12_345):
        for tape in (1, 30, 1000):
            state = 32  # that of a number
            assert played(n, budget=n * tape + state, tape=tape)[0] == n
            if n > 1 and tape > 1:
                assert played(n, budget=n * tape + 2 * state - 1, tape=tape)[0] == n


def test_states_grow_as_the_logarithm_of_the_steps():
    for is_known in (True, False):
        few, many = (played(n, is_known, tape=64_000)[1] for n in (60, 12_000))
        assert 3 <= few <= 6
        assert 7 <= many <= 10


def test_a_budget_that_is_too_small_is_refused_with_what_is_needed():
    with pytest.raises(ValueError, match=r"two states take 1,824, and what one step saves 25"):
        Checkpoints(range(10), (np.zeros(100),), budget=1000, tape=25)
    assert Checkpoints(range(1), (np.zeros(100),), budget=1000, tape=5).size == 1
    with pytest.raises(ValueError, match="too small"):
        Checkpoints(None, (np.zeros(100),), budget=1000, tape=5)


def test_a_state_is_kept_though_the_loop_writes_it():
    x = np.arange(3.0)
    states = Checkpoints(range(4), (x,), slots=2)
    states.keep(x)
    x[:] = 7
    states.parts()
    states.pending.clear()
    np.testing.assert_array_equal(states.kept[0][1][0], [0, 1, 2])


def test_the_same_states_serve_twice():
    states = Checkpoints(range(3), (np.zeros(2),), slots=3)
    for _ in range(states.legs()):
        states.keep(np.full(2, float(states.pending[-1][0])))
    assert states.last() == (2, 3)
    for again in (states.again(), states.again()):
        assert again.parts() == 2
        for i in reversed(range(2)):
            found = again.restore()
            assert found.tolist() == [i, i]
            found += 1
            again.part()


def test_generators_are_put_back_and_those_of_the_caller_left_alone():
    rng = np.random.default_rng(0)
    states = Checkpoints(range(2), (0.0,), generators=(rng,))
    states.keep(0.0)
    drawn = rng.random()
    after = rng.bit_generator.state
    states.parts()
    states.restore()
    assert states.generator(0).random() == drawn
    assert rng.bit_generator.state == after
