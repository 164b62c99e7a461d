"""Functions with a rule that do more than give a result: never called on made-up arguments."""

from __future__ import annotations

import functools
import json
import logging
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.frontend.reading.acting_functions import does_besides
from srcad.rules import rule

HELD: dict[str, Any] = {}
BUFFER = np.zeros(8)
RNG = np.random.default_rng(0)
LOG = logging.getLogger(__name__)
count = 0
keep = [].append


class State:
    def __init__(self) -> None:
        self.calls = 0
        self._reset()

    def _reset(self) -> None:
        self.last = 0.0

    def counted(self, x: Any) -> Any:
        self.calls += 1
        return np.sum(x)

    def by_a_method(self, x: Any) -> Any:
        return self.counted(x)

    def looking(self, x: Any) -> Any:
        return np.sum(x) * (1.0 + self.last)


STATE = State()


def to_a_file(x: Any) -> Any:
    np.save("w.npy", x)
    return np.sum(x)


def as_text(x: Any) -> Any:
    with open("w.txt", "a") as f:
        print(x, file=f)
    return np.sum(x)


def with_a_mode(x: Any) -> Any:
    with Path("w.txt").open("w") as f:
        print(x, file=f)
    return np.sum(x)


def as_bytes(x: Any) -> Any:
    x.tofile("w.bin")
    return np.sum(x)


def as_json(x: Any) -> Any:
    with open("w.json", mode="w") as f:
        json.dump(x.tolist(), f)
    return np.sum(x)


def by_a_process(x: Any) -> Any:
    subprocess.run(["true"], check=True)
    return np.sum(x)


def of_the_system(x: Any) -> Any:
    os.makedirs("made", exist_ok=True)
    return np.sum(x)


def of_the_surroundings(x: Any) -> Any:
    os.environ["PROBED"] = "1"
    return np.sum(x)


def over_the_net(x: Any) -> Any:
    import urllib.request

    urllib.request.urlopen("http://localhost")
    return np.sum(x)


def in_a_log(x: Any) -> Any:
    LOG.info("called")
    return np.sum(x)


def by_global(x: Any) -> Any:
    global count
    count += 1
    return np.sum(x)


def helper(x: Any) -> None:
    HELD["x"] = x


def by_a_helper(x: Any) -> Any:
    helper(x)
    return np.sum(x)


def by_two_helpers(x: Any) -> Any:
    return by_a_helper(x) * 2.0


def fill(into: Any, x: Any) -> None:
    into[: len(x)] = x


def in_what_a_helper_is_passed(x: Any) -> Any:
    fill(BUFFER, x)
    return np.sum(x)


def in_an_object(x: Any) -> Any:
    STATE.counted(x)
    return np.sum(x)


def by_a_bound_method(x: Any) -> Any:
    keep(x)
    return np.sum(x)


def drawn(x: Any) -> Any:
    return np.sum(x) + np.random.normal()


def drawn_by_a_generator(x: Any) -> Any:
    return np.sum(x) + RNG.normal()


def drawn_by_python(x: Any) -> Any:
    return np.sum(x) + random.random()


def by_name(x: Any) -> Any:
    setattr(STATE, "calls", 1)
    return np.sum(x)


ACTING: list[Callable[..., Any]] = [
    to_a_file, as_text, with_a_mode, as_bytes, as_json, by_a_process, of_the_system,
    of_the_surroundings, over_the_net, in_a_log, by_global, by_a_helper, by_two_helpers,
    in_what_a_helper_is_passed, in_an_object, by_a_bound_method, drawn, drawn_by_a_generator,
    drawn_by_python, by_name,
]  # fmt: skip


def a_loop(x: Any) -> Any:
    total = 0.0
    kept = []
    for v in x:
        kept.append(v * v)
        total += v
    return total


def of_a_new_buffer(x: Any) -> Any:
    buffer = np.zeros(len(x))
    fill(buffer, x)
    return np.sum(buffer)


def of_a_copy(x: Any) -> Any:
    x = x.copy()
    fill(x, x[::-1])
    return np.sum(x)


def of_a_new_object(x: Any) -> Any:
    return State().looking(x)


def of_a_file_that_is_read(x: Any) -> Any:
    with open(__file__) as f:
        return np.sum(x) * len(f.read(1))


def printed(x: Any) -> Any:
    print("called", file=sys.stdout)
    sys.stdout.write("called")
    return np.sum(x)


def of_the_surroundings_as_read(x: Any) -> Any:
    return np.sum(x) * len(os.environ.get("NO_SUCH", "1")) * min(os.cpu_count() or 1, 1)


@functools.lru_cache
def order(n: int) -> int:
    return n


def of_a_cache(x: Any) -> Any:
    return np.sum(x) * order(1)


def drawn_by_a_new_generator(x: Any) -> Any:
    return np.sum(x) + 0.0 * np.random.default_rng(0).normal()


QUIET: list[Callable[..., Any]] = [
    a_loop, of_a_new_buffer, of_a_copy, of_a_new_object, of_a_file_that_is_read, printed,
    of_the_surroundings_as_read, of_a_cache, drawn_by_a_new_generator,
]  # fmt: skip


@pytest.mark.parametrize("fn", ACTING)
def test_it_is_asked_for_its_type(fn: Any, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    states = RNG.bit_generator.state, random.getstate()
    rule(fn, vjp=lambda g, y, x: g * np.ones_like(x))
    with pytest.raises(srcad.MissingRule, match="E207"):
        srcad.grad(lambda x: fn(x))(np.ones(4))
    assert not list(tmp_path.iterdir())
    assert (count, STATE.calls, HELD, BUFFER.sum()) == (0, 0, {}, 0.0)
    assert states == (RNG.bit_generator.state, random.getstate())
    assert "PROBED" not in os.environ


@pytest.mark.parametrize("fn", QUIET)
def test_what_only_computes_is_called(fn: Any, capsys: Any) -> None:
    assert does_besides(fn) == ""
    rule(fn, vjp=lambda g, y, x: g * np.ones_like(x))
    np.testing.assert_array_equal(srcad.grad(lambda x: 2.0 * fn(x))(np.ones(4)), np.full(4, 2.0))
    assert capsys.readouterr().out == ""


def test_the_note_says_what_it_does() -> None:
    assert does_besides(to_a_file) == "it calls `np.save`"
    assert does_besides(by_two_helpers) == "it changes `HELD`"
    assert does_besides(State.by_a_method) == "it calls `self.counted`"


shapes: list[Any] = []


def _taking() -> Any:
    while True:
        shapes.append((yield))


sink = _taking()
next(sink)


def slow(x: Any) -> Any:
    sink.send(np.shape(x))
    return np.sum(x)


@pytest.mark.parametrize("x", [np.ones(4), np.ones((4, 5))])
def test_it_is_called_once_for_a_program(x: Any) -> None:
    rule(slow, vjp=lambda g, y, x: g * np.ones_like(x))

    def f(x: Any) -> Any:
        total = slow(x) * slow(2.0 * x)
        for k in range(3):
            total = total + slow(k * x)
        return total

    shapes.clear()
    g = srcad.compile(f)
    assert shapes == []
    assert g(x) == f(x)
    assert shapes.count((3,) * x.ndim) == 1


def overwriting(x: Any) -> Any:
    x *= 2.0
    return np.sum(x)


def test_one_that_writes_into_its_argument_is_refused() -> None:
    rule(overwriting, vjp=lambda g, y, x: g * np.ones_like(x))
    with pytest.raises(srcad.UnsupportedSyntax, match="E116"):
        srcad.grad(lambda x: overwriting(x))(np.ones(4))
