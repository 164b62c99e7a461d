"""Compiling on a stack of its own, where the caller's is too small."""

import dataclasses
import os
import signal
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from faults.starts import in_fork

import srcad
from srcad.frontend.reading import capture
from srcad.pipeline import depth
from srcad.pipeline.depth import with_room


def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)


def test_what_fits_is_made_by_the_caller():
    assert with_room(threading.get_ident, deep) == threading.get_ident()


def test_what_does_not_is_made_by_another_thread_and_the_limit_is_as_before():
    before = sys.getrecursionlimit()
    made = []

    def make():
        found = deep(5000)
        made.append(threading.get_ident())
        return found

    assert with_room(make, deep) == 5000
    assert made != [threading.get_ident()]
    assert sys.getrecursionlimit() == before


def test_what_has_no_end_is_refused_where_the_function_stands():
    def endless():
        return 1 + endless()

    before = sys.getrecursionlimit()
    with pytest.raises(srcad.SrcadError, match="60,000 calls") as caught:
        with_room(endless, endless)
    assert caught.value.code == "E140"
    assert caught.value.location.line == endless.__code__.co_firstlineno
    assert sys.getrecursionlimit() == before


def test_other_exceptions_are_the_callers():
    def make():
        deep(5000)
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        with_room(make, deep)


def test_settings_of_the_caller_hold_in_the_other_thread():
    def make():
        deep(5000)
        return np.geterr()["divide"]

    with np.errstate(divide="raise"):
        assert with_room(make, deep) == "raise"


def softly(x):
    return np.sum(np.tanh(x) * x)


def test_a_caller_near_its_limit_gets_its_gradient():
    gradient = srcad.grad(softly, backend="numpy", cache=False)
    left = sys.getrecursionlimit() - len(list(frames())) - 60

    def at(n):
        return gradient(np.ones(3)) if n == 0 else at(n - 1)

    assert np.allclose(at(left), np.tanh(1.0) + 1 - np.tanh(1.0) ** 2)


def frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_finds_the_limit_as_it_was():
    before, inside, ends = sys.getrecursionlimit(), threading.Event(), threading.Event()

    def compile_long():
        with depth._high_limit(), depth._limits:
            inside.set()
            ends.wait()

    def child():
        signal.alarm(20)
        assert sys.getrecursionlimit() == before
        assert with_room(lambda: deep(5000), deep) == 5000
        assert sys.getrecursionlimit() == before
        return "right"

    thread = threading.Thread(target=compile_long, daemon=True)
    thread.start()
    inside.wait()
    try:
        assert in_fork(child) == "right"
    finally:
        ends.set()
        thread.join()
    assert sys.getrecursionlimit() == before


@dataclasses.dataclass
class Node:
    value: float
    parent: Any = None
    children: dict[str, Any] = dataclasses.field(default_factory=dict)


def of_the_first(x, held):
    return x * (held.value if isinstance(held, Node) else held[0])


def holding_themselves() -> list[Any]:
    root = Node(2.0)
    root.children["only"] = Node(3.0, root)
    listed: list[Any] = [1.5]
    listed.append((0.5, listed))
    keyed: dict[Any, Any] = {0: 1.5}
    keyed[1] = [keyed]
    return [root, listed, keyed]


@pytest.mark.parametrize("held", holding_themselves(), ids=["node", "list", "dict"])
def test_what_holds_itself_is_refused_by_name(held):
    for derivative in (srcad.grad(of_the_first), srcad.grad(of_the_first, (0, 1))):
        with pytest.raises(srcad.SrcadError, match="holds itself") as caught:
            derivative(2.0, held)
        assert caught.value.code == "E322"


def test_what_holds_one_object_in_many_places_is_read_or_refused(monkeypatch):
    monkeypatch.setattr(capture, "MAX_OBJECTS", 1_000)
    node = Node(1.0)
    for _ in range(5):
        node = Node(2.0, node, {"same": node})
    assert srcad.grad(of_the_first)(3.0, node) == 2.0
    for _ in range(40):
        node = Node(2.0, node, {"same": node})
    with pytest.raises(srcad.SrcadError, match="more than 1,000 objects"):
        srcad.grad(of_the_first)(3.0, node)


INTERRUPTED = """
import signal, sys
import deep, srcad

class Late(Exception):
    pass

def ring(*_):
    raise Late

signal.signal(signal.SIGALRM, ring)
gradient = srcad.grad(deep.f, backend="numpy", cache=False)
signal.setitimer(signal.ITIMER_REAL, float(sys.argv[1]))
try:
    gradient(0.5)
except Late:
    pass
signal.setitimer(signal.ITIMER_REAL, 0)
print(gradient(3.5))
"""


@pytest.mark.parametrize("seconds", [0.6, 1.2])
def test_an_interrupt_does_not_end_the_process(tmp_path, seconds):
    """The other thread goes on for a while: the limit is not lowered below where threads are."""
    branches = "".join(f"    elif x < {k}:\n        y = x * {k}.0\n" for k in range(1, 900))
    text = f"    if x < 0:\n        y = x\n{branches}    else:\n        y = x\n    return y\n"
    (tmp_path / "deep.py").write_text(f"def f(x):\n{text}")
    (tmp_path / "run.py").write_text(INTERRUPTED)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "run.py"), str(seconds)],
        env={**os.environ, "SRCAD_CACHE": "0"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["4.0"]
