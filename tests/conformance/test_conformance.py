"""The comparison of outcomes sees what it must, and cases are what their numbers say."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from conformance.case import Case
from conformance.families import FAMILIES, all_cases, count, one
from conformance.kinds import KINDS, Pair
from conformance.outcome import Outcome, difference, disagreement, run
from conformance.runner import campaign, check

import srcad

HELD = (
    "operators",
    "subscripts",
    "aliases",
    "lists",
    "selections",
    "made",
)  # the families of which no case is known to differ
SLICE = 300  # cases of a family, in a slice


@pytest.mark.parametrize(
    ("want", "got"),
    [
        (0.0, -0.0), (1, True), (1, 1.0), (1.0, np.float64(1.0)), (np.bool_(True), True),
        (np.ones(2), np.ones(2, "f4")), (np.ones(2), np.ones((1, 2))), (np.ones(2), [1.0, 1.0]),
        (np.array(1.0), np.float64(1.0)), (np.ones((2, 3)), np.ones((3, 2)).T),
        (np.ones(2, ">f8"), np.ones(2)), (np.array([0.0]), np.array([-0.0])),
        (np.array([np.nan]), np.array([1.0])), ([1.0], (1.0,)), ([1.0], [1.0, 2.0]),
        ((1.0, 2.0), Pair(1.0, 2.0)), (Pair(1.0, 2.0), Pair(1.0, 3.0)), (1 + 0j, complex(1, -0.0)),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}), ({"a": 1}, {"a": True}), ([[1]], [[1.0]]),
        ({1}, frozenset({1})), (range(2), [0, 1]), (np.sum, np.mean), (None, False), ("a", b"a"),
        (np.array([None, 1], object), np.array([None, True], object)),
        (np.datetime64("2020"), np.datetime64("2021")), (int, float),
        (slice(0.0), slice(-0.0)), (slice(float("nan")), slice(None)), (slice(1), slice(True)),
    ],
)  # fmt: skip
def test_differences_are_seen(want, got):
    assert difference(want, got)
    assert difference(got, want)
    assert difference([want], [got])
    assert difference({"k": (want,)}, {"k": (got,)})


@pytest.mark.parametrize("name", KINDS)
def test_a_value_is_as_another_of_its_kind(name):
    for variant in (0, 1):
        assert difference(KINDS[name].make(variant), KINDS[name].make(variant)) is None
    assert (
        difference([float("nan"), np.full(2, np.nan)], [float("nan"), np.full(2, np.nan)]) is None
    )
    assert difference(slice(float("nan"), 2), slice(float("nan"), 2)) is None


def outcome(call, *arguments):
    return run(call, arguments)


def test_aliases_are_seen():
    def agree(first, second):
        want, got = (outcome(each, np.ones(3), [1.0]) for each in (first, second))
        return disagreement(want, got, (np.ones(3), [1.0])) is None

    wholes = (lambda x, y: x, lambda x, y: x[:], lambda x, y: x.copy())
    for k, first in enumerate(wholes):
        for n, second in enumerate(wholes):
            assert agree(first, second) is (k == n)
    assert not agree(lambda x, y: y, lambda x, y: [1.0])
    assert not agree(lambda x, y: (x, y), lambda x, y: (x, [1.0]))
    assert agree(lambda x, y: [x, y], lambda x, y: [x, y])


def test_changed_arguments_are_seen():
    def change(x):
        x[0] = 2.0

    want = outcome(change, np.ones(2))
    assert "arguments" in disagreement(want, outcome(lambda x: None, np.ones(2)), (np.ones(2),))
    assert disagreement(want, outcome(change, np.ones(2)), (np.ones(2),)) is None


def test_addresses_are_those_of_the_same_arguments():
    want, same, other = (
        outcome(call, object(), object())
        for call in (lambda x, y: f"{x!r}", lambda x, y: f"{x!r}", lambda x, y: f"{y!r}")
    )
    assert disagreement(want, same, same.arguments) is None
    assert disagreement(want, other, other.arguments)
    copied = outcome(lambda x, y: repr([object()]), object(), object())
    assert disagreement(want, copied, copied.arguments)


def test_what_is_raised_is_compared():
    def fail(problem):
        def raising():
            raise problem

        return outcome(raising)

    refusal = fail(srcad.errors.error("E132", None, what="this"))
    value = Outcome((), 1.0)
    assert disagreement(value, refusal, ()) is None
    assert disagreement(fail(TypeError()), refusal, ()) is None
    assert disagreement(fail(TypeError()), fail(TypeError()), ()) is None
    assert disagreement(fail(TypeError()), fail(ValueError()), ())
    assert disagreement(fail(TypeError()), value, ())
    assert disagreement(value, fail(TypeError()), ())
    assert disagreement(value, fail(RecursionError()), ())
    for code in ("E605", "E901"):
        assert disagreement(value, fail(srcad.errors.error(code, None, what="this")), ())
        assert disagreement(
            fail(TypeError()), fail(srcad.errors.error(code, None, what="this")), ()
        )


def test_a_wrong_program_is_found(monkeypatch):
    monkeypatch.setattr(srcad, "compile", lambda f, **options: lambda a: 2.0 * a)
    assert "result" in check(Case("2 * a", {"a": KINDS["int"]}), "x:0")[0]
    assert check(Case("2.0 * a", {"a": KINDS["float"]}), "x:0")[0] is None


def test_refusals_of_what_python_answers_are_told_apart():
    given = {"a": KINDS["array"]}
    cases = [Case("hash((1, a))", given), Case("id(a)", given), Case("np.sum(a)", given)]
    report = campaign((f"x:{k}", case) for k, case in enumerate(cases))
    assert (report.alike, report.both, report.refused.total()) == (1, 1, 1)
    assert report.total == len(cases)


@pytest.mark.parametrize("family", FAMILIES)
def test_numbers_are_names(family):
    last = count(family) - 1
    for number in (0, last // 2, last):
        case = one(f"{family}:{number}")
        assert str(case) == str(one(f"{family}:{number}"))
        compile(case.source, "case", "exec")


def run_slice(family, first, step):
    report = campaign(islice(all_cases([family]), first, None, step))
    print(report.summary())
    if report.faults:
        pytest.fail("\n".join(report.faults), pytrace=False)


@pytest.mark.parametrize("family", HELD)
def test_a_fixed_slice(family):
    run_slice(family, 0, max(1, count(family) // SLICE))


@pytest.mark.campaign  # as long as not every case of these families has been run on one commit
@pytest.mark.parametrize("family", HELD)
def test_a_fresh_slice(family):
    step = max(1, count(family) // SLICE)
    first = random.randrange(step)
    print(f"python -m conformance.campaign {family}::{step} {first}")
    run_slice(family, first, step)


@pytest.mark.campaign
@pytest.mark.parametrize("block", range(10))
@pytest.mark.parametrize("family", FAMILIES)
def test_campaign(family, block):
    run_slice(family, block, 10)
