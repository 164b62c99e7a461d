"""Garbage is collected rarely while compiling, and as the caller has it before and after."""

import gc

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.pipeline.collection import rare_collections


@pytest.fixture(autouse=True)
def _threshold():
    before = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    yield
    gc.set_threshold(*before)


def test_rare_inside_as_before_after():
    with rare_collections():
        assert gc.get_threshold()[0] > 700
        with rare_collections():
            pass
        assert gc.get_threshold()[0] > 700  # the first one to enter restores it
    assert gc.get_threshold() == (700, 10, 10)


def test_a_compilation_leaves_it_whether_it_ends_or_is_refused():
    srcad.grad(lambda x: np.sum(x * x), cache=False)(np.ones(3))
    assert gc.get_threshold() == (700, 10, 10)
    with pytest.raises(SrcadError):
        srcad.grad(lambda x: x, cache=False)(np.ones(3))
    assert gc.get_threshold() == (700, 10, 10)


@pytest.mark.parametrize("own", [(0, 10, 10), (1_000_000, 5, 5)])
def test_what_collects_more_rarely_stays(own):
    gc.set_threshold(*own)
    with rare_collections():
        assert gc.get_threshold() == own
    assert gc.get_threshold() == own


def test_what_is_set_meanwhile_stays():
    with rare_collections():
        gc.set_threshold(900, 9, 9)
    assert gc.get_threshold() == (900, 9, 9)


def test_a_collector_that_is_off_stays_off():
    gc.disable()
    try:
        with rare_collections():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()
