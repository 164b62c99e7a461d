"""Random programs as loops compute what they compute by NumPy: some always, many with
`-m campaign`.
"""

from __future__ import annotations

import os
import time
import warnings
from collections import Counter

import numpy as np
import optree
import pytest
from native.backends import assert_alike, both, compare, outcome
from random_programs.checks import SIZES, load, rounded, still
from random_programs.people import CLASSIC, WideProgram, program_of

from srcad.errors import InternalError, SrcadError
from srcad.ir.passes import disabled, observed
from srcad.kernels import teams
from srcad.pipeline.passes import BOUNDARY, OUTLINE, SCALARIZE
from srcad.pipeline.request import Request

# Among them a read ahead of a compiled write, shapes unbound on some path, a `try` around a call.
FIXED = (*range(30), 150, 426, 471, 660, 683)
# The last adds a double array to a single one in place.
FIXED_SINGLE = (*range(10), 300023)
# The passes over compiled functions that a program may do without.
OPTIONAL = {
    each.name
    for stage in (OUTLINE, SCALARIZE, BOUNDARY)
    for each in stage.passes
    if not each.required
}
CAMPAIGN = int(os.environ.get("SRCAD_CAMPAIGN", "1000"))
FIRST = int(os.environ.get("SRCAD_CAMPAIGN_SEED", "100000"))


def requests(fn, calls, varied):
    """A request for each derivative, with its calls."""
    rng = np.random.default_rng(0)

    def tangent(k, x):
        if k >= varied and not isinstance(x, np.ndarray | float):
            return still(x)
        made = rng.standard_normal(np.shape(x)) * (k < varied)
        if isinstance(x, np.ndarray) and x.dtype.kind == "U":
            return x
        return made if made.ndim else float(made)

    pushed = [(*args, *(tangent(k, x) for k, x in enumerate(args))) for args in calls]
    yield Request("jvp", fn, ()), pushed
    yield Request("value_and_grad", fn, tuple(range(varied)), single=False), calls


def in_single(args, are_strong):
    """The arguments with arrays in single precision, and numbers too if they are to be strong."""

    def made(x):
        if isinstance(x, np.ndarray) and x.dtype == float:
            return x.astype(np.float32)
        return np.float32(x) if are_strong and type(x) is float else x

    return tuple(map(made, args))


def compared(seed, numba=False, single=False, family=CLASSIC):
    """How many calls of a program were compared, and how many left to NumPy."""
    program = program_of(seed, family)
    fn = load(program.source)
    # Other words and flags ask for other programs: the calls have them in common.
    step = 0 if isinstance(program, WideProgram) else 1
    calls = [program.arguments(seed + k * step, *size) for k, size in enumerate(SIZES)]
    found = Counter()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for request, given in requests(fn, calls, len(program.parameters)):
            given = [in_single(args, seed % 3 == 0) for args in given] if single else given
            try:
                pair = both(request, given[0], len(calls[0]), numba)
            except InternalError:
                raise
            except SrcadError:
                continue
            found["native"] += bool(pair.functions)
            for args, count in turns(given, numba) if pair.functions else ():
                try:
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(teams, "thread_count", lambda _, count=count: count)
                        found[compare(pair, args, single, kinds=False)] += 1
                except AssertionError as problem:
                    if is_noise(pair, args, len(program.parameters), single):
                        found["noise"] += 1
                        continue
                    raise AssertionError(f"seed {seed}\n{program.source}\n{problem!r}") from None
    return found


def is_noise(pair, args, varied, single):
    """Whether NumPy's own results are others where the arguments are rounded otherwise, as those of
    a chaotic program are, or the results differ by less than the largest is rounded by, as what a
    saturated `tanh` leaves of a cotangent does. Where one of the two raises, that is no rounding.
    """
    wanted, found = (outcome(call, args)[0] for call in (pair.numpy, pair.native))
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return False
    x, y = (np.concatenate([*map(np.ravel, optree.tree_leaves(r))]) for r in (wanted, found))
    rounding = (1e-6 if single else 1e-12) * np.max(np.abs(x), where=np.isfinite(x), initial=0)
    if x.shape == y.shape and np.allclose(y, x, rtol=0, atol=rounding, equal_nan=True):
        return True
    for step in (1e-7, 4e-7) if single else (2e-16, 1e-15):
        again, _ = outcome(pair.numpy, [*rounded(args[:varied], step), *args[varied:]])
        try:
            assert_alike(again, wanted, single, kinds=False)
        except AssertionError:
            return True
    return False


def turns(calls, numba):
    """Each call with one thread, and with two where there are threads."""
    return [(args, count) for args in calls for count in ((1, 2) if numba else (1,))]


def run(seeds, numba=False, single=False):
    """The counts of all programs."""
    total: Counter[str] = Counter()
    for seed in seeds:
        total.update(compared(seed, numba, single))
    print(total)
    return total


def test_fixed_seeds():
    total = run(FIXED)
    assert total["native"] > 0.5 * len(FIXED)
    assert total["left"] < 0.2 * total["equal"]


def test_single_precision():
    total = run(FIXED_SINGLE, single=True)
    assert total["equal"] > 2 * len(FIXED_SINGLE)


@pytest.mark.parametrize("seed", [4, 7, 12])
def test_each_pass_that_changes_a_program_keeps_every_bit(seed):
    program = program_of(seed)
    fn = load(program.source)
    args = program.arguments(seed, *SIZES[0])
    names = set()
    with np.errstate(all="ignore"):
        *_, (request, (given,)) = requests(fn, [args], len(program.parameters))
        with observed(lambda step: names.add(step.name) if step.changed else None):
            pair = both(request, given, len(args))
        for name in OPTIONAL & names:
            with disabled(name):
                without = both(request, given, len(args))
            assert_same_bits(pair.native, without.native, given, f"{name}\n{program.source}")
    assert len(OPTIONAL & names) > 5


def assert_same_bits(one, other, args, source):
    """Two compiled programs give the same, or leave the call to NumPy both."""
    (found, kept), (wanted, also_kept) = (outcome(each, args) for each in (one, other))
    if isinstance(wanted, Exception):
        assert type(found) is type(wanted), source
        return
    for a, b in zip(*map(optree.tree_leaves, ((found, kept), (wanted, also_kept))), strict=True):
        assert type(a) is type(b), source
        np.testing.assert_array_equal(a, b, err_msg=source)


def test_a_fresh_seed():
    seed = int(time.time())
    print("seed", seed)
    run([seed])


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
def test_campaign(block):
    size = CAMPAIGN // 10
    run(range(FIRST + block * size, FIRST + (block + 1) * size))


@pytest.mark.campaign
@pytest.mark.parametrize("single", [False, True], ids=["double", "single"])
@pytest.mark.parametrize("seed", range(30))
def test_compiled(seed, single):
    """Where single precision differs, double precision tells whether that is rounding."""
    pytest.importorskip("numba")
    run([seed], numba=True, single=single)
