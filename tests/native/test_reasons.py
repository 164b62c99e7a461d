"""What is told of loops that stay NumPy's: the user's line and what in it has no form."""

from __future__ import annotations

import numpy as np

import srcad
from srcad.native.boundary import length
from srcad.native.boundary.reasons import Reason, told
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request


def unusual(x, m):
    total = 0.0
    for i in range(len(x)):
        spread = np.sort(m * x[i], axis=None, kind="heapsort")
        total += spread[0]
    means = np.zeros(len(x))
    for i in range(len(x)):
        means[i] = total * x[i]
    return np.sum(means * means)


def test_the_line_and_the_function_are_named():
    request = Request("grad", unusual, backend="native")
    artifact, _ = compile_request(request, (np.ones(3), np.eye(3)), frozenset())
    line = unusual.__code__.co_firstlineno + 3
    text = 'spread = np.sort(m * x[i], axis=None, kind="heapsort")'
    why = "`sort` has no form as loops here"
    assert artifact.left[0] == f"line {line}, `{text}`: {why}"
    assert not any("passed to compiled code" in each for each in artifact.left)


def test_what_follows_from_another_reason_is_told_only_alone():
    own, other = Reason("no form", False), Reason("its tape", True)
    assert told([own, other, own]) == ["no form"]
    assert told([other]) == ["its tape"]
    assert told([]) == []


def table_of_lists(x):
    table = [[0.0] * (len(x) + 1) for _ in range(len(x) + 1)]
    for i in range(1, len(x) + 1):
        for j in range(1, len(x) + 1):
            table[i][j] = abs(x[i - 1] - x[j - 1]) + min(table[i - 1][j], table[i][j - 1])
    return table[-1][-1] + np.sum(x**2)


def test_a_program_that_numba_would_take_minutes_for_stays_whole(monkeypatch):
    monkeypatch.setattr(length, "MOST_OF_A_LOOP", 20)
    gradient = srcad.value_and_grad(table_of_lists, backend="native", cache=False)
    x = np.array([0.3, 1.2, -0.4, 0.9, 2.0])
    assert gradient(x)[0] == table_of_lists(x)
    told_of = gradient.explain()
    assert not told_of.compiled
    assert "loops over lists, which are unrolled" in told_of.stays[0]
