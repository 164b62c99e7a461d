"""Compiled programs on workers: machine code is sent, and "auto" keeps the faster program."""

import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import srcad
import srcad.parallel
from srcad.parallel import choosing
from srcad.parallel.choosing import Choice, Raced, raced

pytest.importorskip("numba")


def waves(u, x):
    total = 0.0
    for i in range(len(x)):
        r = u
        for _ in range(20):
            r = r + 0.1 * np.sin(r * x[i])
        total += r
    return total


GIVEN = 0.5, np.linspace(0.0, 1.0, 2000)
taken: list = []


def start(folder):
    """Begin a worker with a cache folder of its own, that tells what is loaded and compiled."""
    os.environ["SRCAD_CACHE_DIR"] = str(folder)
    from srcad.kernels.machine_code import MachineCode

    load, save = MachineCode.load, MachineCode.save

    def watched_load(self, key):
        found = load(self, key)
        taken.append((self.base, found is not None))
        return found

    def watched_save(self, key, code):
        taken.append((self.base, "compiled"))
        save(self, key, code)

    MachineCode.load, MachineCode.save = watched_load, watched_save


def told():
    return taken


@pytest.fixture(scope="module")
def pool(tmp_path_factory):
    folder = tmp_path_factory.mktemp("worker")
    folder.chmod(0o700)
    context = get_context("spawn")
    with ProcessPoolExecutor(1, context, initializer=start, initargs=(folder,)) as pool:
        yield pool


def test_machine_code_is_sent(pool):
    step = srcad.parallel.value_and_grad(waves, over="x", engine=pool, backend="native")
    wanted = srcad.value_and_grad(waves, backend="numpy")(*GIVEN)
    np.testing.assert_allclose(step(*GIVEN), wanted)
    found = [what for base, what in pool.submit(told).result() if base.startswith("waves_part")]
    assert found == [True]


def choice_of(step):
    """What is known of the program that was found last."""
    return step._programs._known[0].choice


def until_decided(step):
    """Call until a program is chosen."""
    results, end = [], time.monotonic() + 120
    while not results or choice_of(step).state not in ("decided", "left"):
        results.append(step(*GIVEN))
        assert time.monotonic() < end
    return [*results, step(*GIVEN)], choice_of(step)


@pytest.mark.parametrize("kind", ["here", "threads", "processes"])
def test_the_faster_program_takes_over(kind, pool, monkeypatch):
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    with ThreadPoolExecutor(2) as threads:
        engine = {"here": None, "threads": threads, "processes": pool}[kind]
        step = srcad.parallel.value_and_grad(waves, over="x", engine=engine, parts=2)
        results, choice = until_decided(step)
    assert choice.state == "decided"
    assert choice.program.native is not None  # a loop in Python is slower, beyond doubt
    for found in results:
        np.testing.assert_allclose(found, results[0], rtol=1e-12)


def test_numpy_stays_where_it_is_faster_or_results_differ():
    made = srcad.parallel.value_and_grad(waves, over="x", backend="numpy")
    made(*GIVEN)
    numpy = choice_of(made).program
    for found, state in (
        (Raced(1.0, 2.0, ""), "decided"),
        (Raced(2.0, 1.0, "the value differs"), "left"),
    ):
        choice = Choice(choice_of(made).request, numpy, "ready", rival=numpy)
        choice.decide(found)
        assert choice.state == state
        assert choice.program is numpy
    assert raced(lambda x: x, lambda x: x + 1, [1.0]).why


def test_programs_without_loops_stay_on_numpy(monkeypatch):
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    monkeypatch.setattr(choosing, "WORTH_S", 0.0)

    def product(w, x):
        return np.sum(x @ w)

    step = srcad.parallel.grad(product, over="x", parts=2)
    step(np.ones(3), np.ones((4, 3)))
    end = time.monotonic() + 60
    while choice_of(step).state in ("watches", "compiles"):
        step(np.ones(3), np.ones((4, 3)))
        assert time.monotonic() < end
    assert choice_of(step).program.native is None
