from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from srcad.ir import NumberType, Value
from srcad.optimize.tape.min_cut import smallest_cut


def values(names):
    return [Value(name, NumberType(float)) for name in names]


def can_compute(wanted, needs, chosen):
    """Whether `wanted` can be computed from `chosen`."""

    def has(value):
        return value in chosen or (needs.get(value) is not None and all(map(has, needs[value])))

    return all(map(has, wanted))


def test_one_that_others_are_made_of():
    u, a, s, t = values("uast")
    needs = {a: [u], s: [a], t: [u]}
    assert smallest_cut([s, t], needs, {u: 3, a: 2, s: 2, t: 2}) == {u}
    assert smallest_cut([s, t], needs, {u: 5, a: 2, s: 2, t: 2}) == {s, t}


def test_the_least_is_computed_again():
    u, a, s = values("uas")
    assert smallest_cut([s], {a: [u], s: [a]}, {u: 1, a: 1, s: 1}) == {s}


def test_what_needs_nothing_of_the_loop_costs_nothing():
    a, s = values("as")
    assert smallest_cut([s], {a: [], s: [a]}, {a: 1, s: 1}) == set()
    assert smallest_cut([s], {s: None}, {s: 1}) == {s}
    assert smallest_cut([], {}, {}) is None


@given(st.data())
def test_no_other_set_is_cheaper(data):
    nodes = values("abcdefg")
    needs = {}
    for k, node in enumerate(nodes):
        kind = data.draw(st.sampled_from(["given", "lacking", "made", "made"]))
        if kind != "given":
            some = data.draw(st.lists(st.sampled_from(nodes[:k]), max_size=3)) if k else []
            needs[node] = None if kind == "lacking" else some
    costs = {node: data.draw(st.integers(0, 5)) for node in nodes}
    wanted = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=4, unique=True))
    cut = smallest_cut(wanted, needs, costs)
    assert can_compute(wanted, needs, cut)
    least = min(
        sum(costs[v] for v in chosen)
        for n in range(len(nodes) + 1)
        for chosen in combinations(nodes, n)
        if can_compute(wanted, needs, chosen)
    )
    assert sum(costs[v] for v in cut) == least
