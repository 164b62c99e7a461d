"""Rules at ties and at the bounds of options: a slice always, all with `-m campaign`."""

import itertools

import numpy as np
import pytest
from optional import BACKENDS
from rules.bounds import bounds, fault_of
from rules.campaigns import campaign

import srcad

STEP = 997


def windows(beta):
    s = 0.0
    for m in range(1, 5):
        s = s + np.sum(np.kaiser(m, beta) ** 2)
    return s


def window(beta, m):
    return np.sum(np.kaiser(m, beta) * np.arange(1.0, m + 1))


@pytest.mark.parametrize("backend", BACKENDS)
def test_windows_of_one_entry(backend):
    value, slope = srcad.value_and_grad(windows, backend=backend)(2.0)
    assert value == pytest.approx(windows(2.0))
    assert slope == pytest.approx((windows(2 + 1e-6) - windows(2 - 1e-6)) / 2e-6)
    for m in (1, 2, 5):
        value, slope = srcad.value_and_grad(window, backend=backend)(2.0, m)
        assert value == pytest.approx(window(2.0, m))
        assert slope == pytest.approx((window(2 + 1e-6, m) - window(2 - 1e-6, m)) / 2e-6)


def test_a_slice_of_the_bounds():
    counts, faults = campaign(itertools.islice(bounds(), 5, None, STEP), fault_of)
    assert not faults, "\n".join(faults)
    assert counts["alike"] > counts.total() / 4


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(40))
def test_all_bounds(first):
    _, faults = campaign(itertools.islice(bounds(), first, None, 40), fault_of)
    assert not faults, "\n".join(faults)
