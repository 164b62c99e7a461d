"""How containers compare their items."""

import numpy as np
import pytest

from srcad.runtime import is_or_equals, listed


def test_as_python_lists_do():
    nan, x = float("nan"), np.ones(2)
    assert is_or_equals(nan, nan) is ([nan] == [nan]) is True
    assert is_or_equals(nan, float("nan")) is ([nan] == [float("nan")]) is False
    assert is_or_equals(x, x) is ([x] == [x]) is True
    assert is_or_equals(np.float64(1.0), 1) is True
    with pytest.raises(ValueError):
        is_or_equals(x, x.copy())


def test_the_list_of_the_entries_of_arrays():
    x, n = np.array([0.5, 0.25]), np.array([1, 2])
    for columns, are_pythons, is_tuple, wanted in (
        ((x,), (True,), False, [0.5, 0.25]),
        ((x,), (False,), False, [np.float64(0.5), np.float64(0.25)]),
        ((n, x), (True, False), True, [(1, np.float64(0.5)), (2, np.float64(0.25))]),
    ):
        found = listed(columns, are_pythons, is_tuple)
        assert repr(found) == repr(wanted)
