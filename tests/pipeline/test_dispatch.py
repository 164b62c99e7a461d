"""The generated calls: what is passed on, and what is left to others."""

import numpy as np
import pytest

from srcad.ir.guards import Guard, leaf_key, rule_version
from srcad.pipeline.calls.dispatch import MISS, Rest, build_call, build_dispatch

X = np.ones((2, 3))
GUARDS = [Guard("A[0]", "leaf", leaf_key(X)), Guard("A[1]", "leaf", float)]


def primal(x, k):
    return k * x


def told(name):
    return lambda *args, **named: (name, args, named)


def call_of(entry=told("entry"), guards=GUARDS, n_args=2):
    rest = Rest(told("general"), told("failed"), told("missed"))
    return build_call(entry, primal, n_args, guards, (), (), rest)


def table():
    return [told(f"entry {bits}") for bits in range(66)]


def test_extra_arguments_are_passed_on_unchecked():
    take = build_dispatch(told("entry"), primal, 2, 1, GUARDS, (), ())
    assert take(X, 2.0, "any") == ("entry", (X, 2.0, "any"), {})
    assert take(X, 2, "any") is MISS


def test_the_size_chooses_a_program():
    take = build_dispatch(table(), primal, 2, 0, GUARDS, (), ())
    assert take(X, 2.0)[0] == "entry 3"
    assert take(np.ones((8, 8)), 2.0)[0] == "entry 7"
    call, _ = call_of(table())
    assert call(np.ones((8, 8)), 2.0)[0] == "entry 7"


def test_what_raises_inside_is_no_miss():
    def entry(*args):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        build_dispatch(entry, primal, 2, 0, GUARDS, (), ())(X, 2.0)


def test_a_call_leaves_to_others_what_is_not_plain():
    call, _ = call_of()
    assert call(X, 2.0) == ("entry", (X, 2.0), {})
    assert call(X) == ("general", (X,), {})
    assert call() == ("general", (), {})
    assert call(X, k=2.0) == ("general", (X,), {"k": 2.0})
    assert call(X, 2.0, 3) == ("general", (X, 2.0, 3), {})
    assert call(X, 2.0, out=X) == ("general", (X, 2.0), {"out": X})
    assert call(X, 2) == ("missed", ((X, 2),), {})


def test_a_call_tells_what_was_raised():
    problem = ValueError()

    def entry(*args):
        raise problem

    call, served = call_of(entry)
    assert call(X, 2.0) == ("failed", (problem, (X, 2.0)), {})
    assert served(False) == 1


def test_a_call_counts_until_it_is_ended():
    call, served = call_of()
    assert [call(X, 2.0)[0], call(X, 2)[0], call(X)[0]] == ["entry", "missed", "general"]
    assert served(False) == 1
    assert served(True) == 1
    assert call(X, 2.0) == ("missed", ((X, 2.0),), {})


def test_a_call_does_not_outlive_the_rules():
    call, _ = call_of()
    rule_version.advance()
    assert call(X, 2.0) == ("missed", ((X, 2.0),), {})


def test_a_call_makes_a_detour_where_another_program_may_be_wanted():
    call, _ = call_of()
    with rule_version.detour():
        assert call(X, 2.0) == ("missed", ((X, 2.0),), {})
    assert call(X, 2.0)[0] == "entry"


def test_a_call_without_arguments():
    call, _ = call_of(guards=[], n_args=0)
    assert call() == ("entry", (), {})
    assert call(1) == ("general", (1,), {})
