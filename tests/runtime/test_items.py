"""How containers compare their items."""

import numpy as np
import pytest

from srcad.runtime import is_or_equals


def test_as_python_lists_do():
    nan, x = float("nan"), np.ones(2)
    assert is_or_equals(nan, nan) is ([nan] == [nan]) is True
    assert is_or_equals(nan, float("nan")) is ([nan] == [float("nan")]) is False
    assert is_or_equals(x, x) is ([x] == [x]) is True
    assert is_or_equals(np.float64(1.0), 1) is True
    with pytest.raises(ValueError):
        is_or_equals(x, x.copy())
