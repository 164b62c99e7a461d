"""How values are described."""

import numpy as np

from srcad.explore.values import Observations, Seen


def seen(*values):
    found = Seen("x")
    for value in values:
        assert found.add(value)
    return found


def test_ranges_and_counts():
    found = seen(np.array([1.0, np.nan, np.inf, -2.5]), np.array([3.0, np.nan, 0.0, 0.0]))
    assert (found.kind, found.range, found.odd) == ("f64[4]", "-2.5 to 3", "2 nan, 1 inf")
    assert found.times == 2
    found = seen(1.0, np.nan, -np.inf, 3.0, -2.0, 2)
    assert (found.kind, found.range, found.odd) == ("float, int", "-2 to 3", "1 nan, 1 inf")
    found = seen(np.float64(1), np.float64("nan"))
    assert (found.kind, found.range, found.odd, found.times) == ("f64", "1", "1 nan", 2)
    assert seen(2).range == "2"
    assert seen(True, False).range == "0 to 1"
    assert seen(np.array([np.nan])).range == ""
    assert seen(np.zeros(0)).range == ""
    assert seen(3 + 4j).range == "5"
    assert seen(np.zeros(2, np.float32), np.zeros(3, np.float32)).kind == "f32[...]"


def test_what_is_no_number_is_left_out():
    assert not Seen("x").add("text")
    assert not Seen("x").add(np.array(["a"]))
    observed = Observations()
    observed.look(3, [("x", "text")])
    assert observed.found == {}


def test_an_end_to_looking():
    observed = Observations()
    observed.look(1, [("x", 1.0)])
    observed.spent_s = 100.0
    observed.look(1, [("x", 2.0)])
    assert observed.is_over
    assert observed.found[1]["x"].times == 1
