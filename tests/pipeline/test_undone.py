"""Draws of random numbers, undone where a compiled program is not the one that counts."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import srcad
from srcad.nn import dropout
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.undone import generator_paths, tried, undoing
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request

X = np.linspace(-1, 1, 12)
shared = np.random.default_rng(5)


def loss(x, rng):
    h = dropout(np.tanh(x) * np.sin(x), 0.5, rng)
    return np.sum(h * h)


def deep(x, given):
    return loss(x, given["rng"]) + x[0] * given["more"][1].random()


def captured(x):
    return loss(x, shared)


def indexed(x, rng, k):
    """Draws, and then reads what compiled code refuses to read."""
    s = rng.random()
    for i in range(k):
        s = s * x[i] + np.sin(s)
    return s


def artifact(fn, *args):
    return compile_request(Request("grad", fn, backend="native"), args, frozenset())[0]


def places(rng):
    return rng.bit_generator.state["state"]["state"]


def test_generators_are_found_where_they_come_from():
    more = {"rng": np.random.default_rng(1), "more": [1, np.random.default_rng(2)]}
    found = artifact(deep, X, more)
    assert sorted(generator_paths(found.guards)) == ["A[1]['more'][1]", "A[1]['rng']"]
    assert generator_paths(artifact(captured, X).guards) == ["F.__globals__['shared']"]


@pytest.mark.parametrize("fails", [True, False])
@pytest.mark.parametrize("always", [True, False])
def test_what_is_drawn_is_put_back(fails, always):
    given = {"rng": np.random.default_rng(1), "more": [1, np.random.default_rng(2)]}
    generators = [given["rng"], given["more"][1]]

    def program(x, given):
        drawn = [rng.random() for rng in generators]
        generators[0].integers(5, dtype=np.int32)  # leaves half of a number for the next one
        if fails:
            raise IndexError
        return drawn

    before = [rng.bit_generator.state for rng in generators]
    wrapped = (tried if always else undoing)(artifact(deep, X, given), program)
    if fails:
        with pytest.raises(IndexError):
            wrapped(X, given)
    else:
        fresh = [np.random.default_rng(1).random(), np.random.default_rng(2).random()]
        assert wrapped(X, given) == fresh
    after = [rng.bit_generator.state for rng in generators]
    assert (after == before) == (fails or always)


def test_captured_generators_come_last():
    state = places(shared)
    wrapped = tried(artifact(captured, X), lambda x, rng: rng.random())
    assert wrapped(X, shared) != wrapped(X, np.random.default_rng(6))
    assert places(shared) == state


def test_nobody_else_draws_meanwhile():
    rng, started, drawn = np.random.default_rng(1), threading.Event(), []

    def program(x, rng):
        other = threading.Thread(target=lambda: (started.set(), drawn.append(rng.random())))
        other.start()
        started.wait()
        other.join(0.05)
        assert not drawn
        return other

    other = tried(artifact(loss, X, rng), program)(X, rng)
    other.join()
    assert drawn == [np.random.default_rng(1).random()]


def test_a_program_without_generators_is_as_it_was():
    assert undoing(Artifact("", ""), test_captured_generators_come_last) is (
        test_captured_generators_come_last
    )


def test_dropout_is_compiled():
    for fn, args in ((loss, (X, np.random.default_rng(1))), (captured, (X,))):
        found = artifact(fn, *args)
        assert found.compiled, found.left
        assert "1 random" in found.left


def test_a_draw_into_an_array_is_not():
    def into(x, rng, out):
        rng.random(out=out)
        return np.sum(np.sin(x) * np.cos(x))

    try:
        found = artifact(into, X, np.random.default_rng(1), np.zeros(3))
    except srcad.SrcadError:
        return  # refused altogether
    assert not found.compiled


@pytest.mark.parametrize("backend", ["native", "auto"])
def test_both_backends_draw_the_same(backend, monkeypatch):
    pytest.importorskip("numba")
    from srcad.pipeline.calls import takeover
    from srcad.pipeline.disk import background

    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    monkeypatch.setattr(background, "compile_file", lambda path, names: "")
    monkeypatch.setattr(background, "submit", lambda job: job())
    monkeypatch.setattr(takeover, "WORTH_S", 0.0)
    given, other = np.random.default_rng(7), np.random.default_rng(7)
    f = srcad.value_and_grad(indexed, backend=backend)
    plain = f.on("numpy")
    for k in (12, 0, 5, 12, 13, 12, 13, 7, 12, 12, 12, 12, 12):
        results = []
        for program, rng in ((f, given), (plain, other)):
            try:
                results.append(program(X, rng, k))
            except IndexError:
                results.append((np.nan, np.full(12, np.nan)))
        for a, b in zip(*results, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
        assert given.bit_generator.state == other.bit_generator.state
    assert f.explain().compiled
