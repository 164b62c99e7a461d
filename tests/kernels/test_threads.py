"""The pool of threads: same results for any number, nesting, exceptions, forks, memory kept."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import srcad
from srcad import kernels
from srcad.kernels.threads import parallel, scratch, shared_pool

RNG = np.random.default_rng(0)
WORK = 1 << 24  # enough for several threads


@pytest.fixture(autouse=True)
def number_of_threads() -> Iterator[None]:
    before = srcad.num_threads()
    yield
    srcad.set_num_threads(before)


def test_the_number_is_set_and_told() -> None:
    srcad.set_num_threads(3)
    assert srcad.num_threads() == kernels.num_threads() == 3


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "2", None])
def test_numbers_that_are_none(n: Any) -> None:
    with pytest.raises(ValueError, match=f"expected a number of at least 1, got {n!r}"):
        srcad.set_num_threads(n)


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 16])
def test_parts_make_up_the_whole_in_order(threads: int, n: int) -> None:
    srcad.set_num_threads(threads)
    parts = parallel(lambda a, b: list(range(a, b)), n, WORK)
    assert [k for part in parts for k in part] == list(range(n))
    assert len(parts) <= max(1, min(threads, n))


def test_parts_run_at_once() -> None:
    srcad.set_num_threads(2)
    both = threading.Barrier(2, timeout=30)
    assert len(parallel(lambda a, b: both.wait(), 2, WORK)) == 2


def test_little_work_stays_in_this_thread() -> None:
    srcad.set_num_threads(4)
    assert parallel(lambda a, b: threading.get_ident(), 100, 1000) == [threading.get_ident()]


def test_parts_are_not_split_again() -> None:
    srcad.set_num_threads(2)
    found = parallel(lambda a, b: parallel(lambda c, d: (c, d), 10, WORK), 2, WORK)
    assert found == [[(0, 10)], [(0, 10)]]
    assert len(parallel(lambda a, b: None, 2, WORK)) == 2  # and are, after that


@pytest.mark.parametrize("at", [0, 1])
def test_an_exception_in_a_part_is_raised(at: int) -> None:
    srcad.set_num_threads(2)

    def part(start: int, stop: int) -> int:
        if start // 5 == at:
            raise OSError(f"part {at}")
        return stop - start

    with pytest.raises(OSError, match=f"part {at}"):
        parallel(part, 10, WORK)
    assert parallel(lambda a, b: b - a, 10, WORK) == [5, 5]


def test_an_exception_waits_for_the_other_parts() -> None:
    """No part still writes when the caller goes on."""
    srcad.set_num_threads(2)
    release, finished = threading.Event(), []

    def part(start: int, stop: int) -> None:
        if start == 0:
            release.set()
            raise OSError("first")
        release.wait(30)
        threading.Event().wait(0.05)
        finished.append(start)

    with pytest.raises(OSError, match="first"):
        parallel(part, 2, WORK)
    assert finished == [1]


def _step() -> Any:
    rng = np.random.default_rng(1)
    p = {"k": rng.standard_normal((16, 8, 3, 3)), "w": rng.standard_normal((16 * 49, 5))}
    x = rng.standard_normal((30, 8, 16, 16))

    def loss(p: Any, x: Any) -> Any:
        h, _ = kernels.max_pool2d(np.maximum(kernels.conv2d(x, p["k"]), 0), 2)
        return np.mean(np.tanh(h.reshape(len(x), -1) @ p["w"]) ** 2)

    return srcad.value_and_grad(loss, argnums=(0, 1))(p, x)


def test_results_are_equal_for_any_number_of_threads() -> None:
    srcad.set_num_threads(1)
    value, (p, x) = _step()
    for threads in (2, 3):
        srcad.set_num_threads(threads)
        found, (found_p, found_x) = _step()
        assert found == value
        np.testing.assert_array_equal(found_x, x)
        for key in p:  # sums over samples are added in another order
            np.testing.assert_allclose(found_p[key], p[key], rtol=1e-12, atol=1e-15)
    again, (again_p, _) = _step()
    assert again == found
    np.testing.assert_array_equal(again_p["k"], found_p["k"])  # and the same each time


def test_callers_in_several_threads() -> None:
    srcad.set_num_threads(2)
    x, w = RNG.standard_normal((40, 4, 24, 24)), RNG.standard_normal((8, 4, 5, 5))
    expected = [kernels.conv2d(x * k, w) for k in range(4)]
    found: dict[int, Any] = {}

    def run(k: int) -> None:
        for _ in range(3):
            found[k] = kernels.conv2d(x * k, w)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    for k in range(4):
        np.testing.assert_array_equal(found[k], expected[k])


def test_memory_for_temporaries_is_kept() -> None:
    first = scratch((100, 3), np.float64)
    second = scratch((50,), np.float32)
    assert np.shares_memory(first, second)
    assert second.dtype == np.float32
    assert scratch((), np.float32).shape == ()
    assert scratch((0, 4), np.float32).shape == (0, 4)
    of_other: list[Any] = []
    thread = threading.Thread(target=lambda: of_other.append(scratch((10,), np.float64)))
    thread.start()
    thread.join(30)
    assert not np.shares_memory(of_other[0], scratch((10,), np.float64))


_FORKS = """
import os, sys, warnings
import numpy as np
import srcad
from srcad import kernels

srcad.set_num_threads(2)
x, w = np.ones((64, 4, 24, 24)), np.ones((8, 4, 5, 5))
expected = kernels.conv2d(x, w)
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    os._exit(0 if np.array_equal(kernels.conv2d(x, w), expected) else 1)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_makes_its_own_pool() -> None:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", _FORKS], env=environment, timeout=60)
    assert done.returncode == 0


@pytest.mark.parametrize(("wanted", "found"), [("3", "3"), ("", None), ("none", "ValueError")])
def test_the_environment_says_how_many(wanted: str, found: str | None) -> None:
    text = "import srcad; print(srcad.num_threads())"
    environment = {**os.environ, "SRCAD_NUM_THREADS": wanted}
    command = [sys.executable, "-c", text]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    if found == "ValueError":
        assert "SRCAD_NUM_THREADS: expected a number of at least 1, got 'none'" in done.stderr
    else:
        assert int(done.stdout) == int(found or done.stdout) >= 1


def test_threads_stay_when_another_number_is_set() -> None:
    srcad.set_num_threads(2)
    pool = shared_pool(2)
    srcad.set_num_threads(1)
    srcad.set_num_threads(2)
    assert shared_pool(2) is pool
    srcad.set_num_threads(100)
    assert shared_pool(100) is not pool
