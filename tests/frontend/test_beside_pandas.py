"""What stands beside a Series or a DataFrame: arrays and lists of other lengths, as in pandas."""

import numpy as np
import pytest

import srcad

pd = pytest.importorskip("pandas")

SERIES = {
    "floats": pd.Series([1.0, 2.0, 3.0, 4.0]),
    "ints": pd.Series([1, 2, 3, 4]),
    "single": pd.Series([1.0, 2.0, 3.0, 4.0], dtype="f4"),
    "one": pd.Series([5.0]),
}
TABLE = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
PROGRAMS = [
    lambda s, t: s + [4],
    lambda s, t: s * np.array([0.5], dtype="f4"),
    lambda s, t: np.array([4.0]) - s,
    lambda s, t: s ** np.array([2]),
    lambda s, t: np.hypot(s, np.array([3.0])),
    lambda s, t: np.add(s, [2.0]),
    lambda s, t: np.maximum(s, np.array([2.0])),
    lambda s, t: s + np.ones(3),
    lambda s, t: s + np.ones(0),
    lambda s, t: s < np.array([2.0]),
    lambda s, t: np.less(s, np.array([2.0])),
    lambda s, t: t + np.ones(2),
    lambda s, t: t + np.ones(1),
    lambda s, t: t * np.ones(3),
    lambda s, t: t + np.ones((2, 1)),
    lambda s, t: t + np.ones((1, 2)),
    lambda s, t: t + np.ones((1, 1)),
    lambda s, t: t + np.ones((1, 2, 2)),
]


@pytest.mark.parametrize("kind", SERIES)
@pytest.mark.parametrize("f", PROGRAMS)
def test_lengths(f, kind):
    def values(s, t):
        return f(s, t).to_numpy()

    s = SERIES[kind]
    try:
        wanted = values(s, TABLE)
    except ValueError:
        with pytest.raises(ValueError, match=r"broadcast|coerce"):
            srcad.compile(values)(s, TABLE)
        return
    found = srcad.compile(values)(s, TABLE)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
