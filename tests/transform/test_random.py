"""Random programs in both modes and second order, against differences of the primal."""

import numpy as np
import pytest
from transform.programs import check, directions_for
from transform.random_programs import Generator

from srcad.ir.evaluate import evaluate


def run(seed):
    fn = Generator(seed).program()
    rng = np.random.default_rng(seed)
    args = (rng.uniform(-1, 1, 3), rng.uniform(-1, 1, 3), np.float64(rng.uniform(-1, 1)))
    if is_smooth(fn, args):
        check(fn, *args, tol=1e-6)


def is_smooth(fn, args):
    """Whether no condition changes near `args`, where differences would see a jump."""

    def slope(h):
        down, up = ([a + t * d for a, d in zip(args, dots, strict=True)] for t in (-h, h))
        return (evaluate(fn, *up)[0] - evaluate(fn, *down)[0]) / (2 * h)

    for seed in (0, 1):
        dots = directions_for(fn, args, seed)
        if not np.isclose(slope(2e-3), slope(1e-4), rtol=1e-3, atol=1e-3):
            return False
    return True


@pytest.mark.parametrize("start", range(0, 60, 10))
def test_random_programs(start):
    for seed in range(start, start + 10):
        run(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("start", range(1000, 6000, 100))
def test_many_random_programs(start):
    for seed in range(start, start + 100):
        run(seed)
