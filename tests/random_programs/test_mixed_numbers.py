"""Programs of numbers of several kinds give what Python gives, or are refused."""

import time
import warnings

import numpy as np
import pytest
from random_programs.mixed_numbers import Writer, check

from srcad.errors import InternalError, SrcadError

BLOCK = 12


def are_right(seeds):
    """How many programs are; the others are refused."""
    right = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # of overflows and NaN, which are compared
        for seed in seeds:
            try:
                check(seed)
                right += 1
            except InternalError:
                raise
            except SrcadError:
                pass
    return right


@pytest.mark.parametrize("first", [0, 100])
def test_fixed_seeds(first):
    assert are_right(range(first, first + BLOCK)) > BLOCK / 2


def test_fresh_seeds():
    first = int(time.time()) * BLOCK
    print("seeds from", first)
    are_right(range(first, first + BLOCK))


def test_same_seed_same_program():
    assert Writer(7).source() == Writer(7).source()
