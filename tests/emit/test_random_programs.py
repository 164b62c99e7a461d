"""Random programs: the printed text computes what the IR means, to the bit."""

import warnings

import pytest
from emit.irtext import check
from emit.random_ir import Generator, arguments


def check_seed(seed):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        check(Generator(seed).program(), *arguments())


@pytest.mark.parametrize("block", range(6))
def test_random_programs(block):
    for seed in range(25 * block, 25 * (block + 1)):
        check_seed(seed)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(100))
def test_many_random_programs(block):
    for seed in range(1000 + 25 * block, 1000 + 25 * (block + 1)):
        check_seed(seed)
