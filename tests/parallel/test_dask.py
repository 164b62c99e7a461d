"""A real cluster of two processes: what lies with workers, and what happens when they are lost."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from parallel import kills
from parallel.programs import arguments, by_helper, ridge, softmax, squares

import srcad
import srcad.parallel
from srcad.api.arguments.trees import flatten

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")


@pytest.fixture(scope="module")
def client():
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def assert_equal_bits(found, wanted):
    pairs = zip(flatten(found)[0], flatten(wanted)[0], strict=True)
    assert all(np.array_equal(x, y) and type(x) is type(y) for x, y in pairs)


def wanted_of(function, given, parts=2, argnums=(0, 1)):
    return srcad.parallel.value_and_grad(function, argnums, over=(1, 2), parts=parts)(*given)


@pytest.mark.parametrize("function", [squares, ridge, softmax, by_helper])
def test_arrays_from_here(client, function):
    given = arguments(function, np.random.default_rng(0), 11)
    step = srcad.parallel.value_and_grad(function, (0, 1), over=(1, 2), engine=client)
    for _ in range(2):
        assert_equal_bits(step(*given), wanted_of(function, given))


def test_dask_arrays_are_computed_with_in_their_chunks(client):
    w, x, y = arguments(ridge, np.random.default_rng(0), 12)
    wanted = wanted_of(ridge, (w, x, y), parts=3)
    step = srcad.parallel.value_and_grad(ridge, (0, 1), over=("x", "y"), engine=client)
    lying = client.persist(da.from_array(x, chunks=(4, 2)))
    assert_equal_bits(step(w, lying, y), wanted)
    assert_equal_bits(step(w, lying, da.from_array(y, chunks=5)), wanted)
    assert_equal_bits(step(w, da.from_array(x, chunks=((4, 0, 4, 4), 3)), y), wanted)


def test_chunks_of_one_sample(client):
    w, x, y = arguments(squares, np.random.default_rng(0), 3)
    step = srcad.parallel.value_and_grad(squares, (0, 1), over=("x", "y"), engine=client)
    found = step(w, da.from_array(x, chunks=(1, 3)), y)
    assert_equal_bits(found, wanted_of(squares, (w, x, y), parts=3))


def test_futures_are_computed_with_where_they_lie(client):
    w, x, y = arguments(ridge, np.random.default_rng(0), 12)
    step = srcad.parallel.value_and_grad(ridge, (0, 1), over=("x", "y"), engine=client)
    xs, ys = client.scatter([x[:5], x[5:]]), client.scatter([y[:5], y[5:]])
    found = step(w, xs, ys)
    assert found[0] == pytest.approx(ridge(w, x, y))
    np.testing.assert_allclose(found[1][1], srcad.grad(ridge, 1)(w, x, y))
    with pytest.raises(ValueError, match="E323"):
        step(w, xs, client.scatter([y[:4], y[4:]]))
    with pytest.raises(ValueError, match="not like the first one"):
        step(w, client.scatter([x[:5], x[5:, :2]]), ys)


def test_unknown_lengths_are_refused(client):
    w, x, y = arguments(ridge, np.random.default_rng(0), 12)
    lying = da.from_array(x, chunks=(4, 3))
    step = srcad.parallel.grad(ridge, over=("x", "y"), engine=client)
    with pytest.raises(ValueError, match="compute_chunk_sizes"):
        step(w, lying[da.from_array(y, chunks=4) > 0], y)


def test_what_a_part_raises_names_part_and_worker(client):
    def checked(w, x):
        assert np.all(x < 9), "too large"
        return np.sum(w * x)

    step = srcad.parallel.grad(checked, over="x", engine=client)
    with pytest.raises(AssertionError, match="too large") as problem:
        step(1.0, np.array([1.0, 2.0, 3.0, 10.0]))
    assert any("in part 2 of 2, in process" in note for note in problem.value.__notes__)
    assert any(
        note in map("at worker {}".format, client.nthreads()) for note in problem.value.__notes__
    )


def test_large_arguments_are_sent_once(client):
    def loss(w, x):
        return np.mean((x @ w) ** 2)

    rng = np.random.default_rng(0)
    w, x = rng.standard_normal((300, 1000)), rng.standard_normal((8, 300))
    step = srcad.parallel.value_and_grad(loss, over="x", engine=client)
    assert_equal_bits(step(w, x), srcad.parallel.value_and_grad(loss, over="x", parts=2)(w, x))


@pytest.mark.parametrize("parts", [1, 2, 3, 5, 8])
def test_large_gradients_are_added_by_the_workers(client, parts):
    def loss(params, scale, x):
        z = np.tanh(x @ params["w"]) * scale
        return np.mean(z**2) + np.sum(params["b"] ** 2), {"each": z[:, 0], "mean": np.mean(z)}

    rng = np.random.default_rng(0)
    params = {"w": rng.standard_normal((3, 20_000)), "b": rng.standard_normal(3)}
    given = params, 0.5, rng.standard_normal((11, 3))
    options = {"argnums": (0, 1, 2), "over": "x", "has_aux": True, "parts": parts}
    wanted = srcad.parallel.value_and_grad(loss, **options)(*given)
    step = srcad.parallel.value_and_grad(loss, engine=client, **options)
    assert step._adds(given) is not None
    for _ in range(2):
        assert_equal_bits(step(*given), wanted)


def test_a_part_that_raises_beside_large_gradients_is_named(client):
    def checked(w, x):
        assert np.all(x < 9), "too large"
        return np.sum(w) * np.sum(x)

    step = srcad.parallel.grad(checked, over="x", engine=client, parts=4)
    with pytest.raises(AssertionError, match="too large") as problem:
        step(np.ones(50_000), np.array([1.0, 2.0, 10.0, 10.0]))
    assert any("in part 3 of 4" in note for note in problem.value.__notes__)


def process_of_one(client):
    """A worker's process; one that was killed before may still be listed for a moment."""
    for _ in range(100):
        try:
            return next(iter(client.run(os.getpid).values()))
        except (OSError, RuntimeError):
            time.sleep(0.2)
    raise AssertionError("no worker answers")


def test_parts_of_killed_workers_are_computed_elsewhere(client):
    def slow(w, x):
        total = 0.0
        for i in range(len(x)):
            r = x[i] @ w
            for _ in range(300):
                r = np.sin(r) + w[0]
            total += r
        return total

    w, x = np.ones(3), np.random.default_rng(0).standard_normal((400, 3))
    wanted = srcad.parallel.value_and_grad(slow, over="x", parts=8)(w, x)
    step = srcad.parallel.value_and_grad(slow, over="x", engine=client, parts=8)
    step(w, x)
    for delay in (0.05, 0.2):
        timer = threading.Timer(delay, os.kill, (process_of_one(client), signal.SIGKILL))
        timer.start()
        assert_equal_bits(step(w, x), wanted)
        timer.join()
        client.wait_for_workers(2, timeout=60)


@pytest.mark.campaign
def test_gradients_of_workers_that_are_killed_are_the_same_to_the_bit():
    found = kills.campaign(int(os.environ.get("SRCAD_CAMPAIGN", "100")))
    assert not found.wrong, str(found)


def test_as_many_parts_when_a_worker_is_lost(client):
    x = np.random.default_rng(0).standard_normal((1000, 3))
    step = srcad.parallel.value_and_grad(kills.waves, over="x", engine=client)
    wanted = step(np.ones(3), x)
    os.kill(process_of_one(client), signal.SIGKILL)
    while len(client.nthreads()) > 1:
        time.sleep(0.01)
    assert_equal_bits(step(np.ones(3), x), wanted)
    client.wait_for_workers(2, timeout=60)


def test_samples_that_are_lost_for_good_are_told(monkeypatch):
    from srcad.parallel.engines import dask

    def loss(w, x):
        return np.sum(w * x)

    monkeypatch.setattr(dask, "PATIENCE_S", 1.0)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        step = srcad.parallel.grad(loss, over="x", engine=client)
        lying = client.scatter([np.ones(3), np.ones(3)])
        assert step(1.0, lying) == 6.0
        os.kill(process_of_one(client), signal.SIGKILL)
        with pytest.raises(RuntimeError, match=r"lay with a worker that is lost.*parts 1, 2 of 2"):
            step(1.0, lying)


def test_all_workers_lost_is_told(monkeypatch):
    from srcad.parallel.engines import dask

    monkeypatch.setattr(dask, "PATIENCE_S", 1.0)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
    ):
        step = srcad.parallel.grad(ridge, over=("x", "y"), engine=client, parts=2)
        given = arguments(ridge, np.random.default_rng(0), 6)
        step(*given)
        cluster.scale(0)
        start = time.monotonic()
        while client.nthreads() and time.monotonic() < start + 30:
            time.sleep(0.1)
        with pytest.raises(RuntimeError, match=r"lost; parts 1, 2 of 2"):
            step(*given)


def test_another_numpy_on_a_worker_is_told(client):
    def pretend(version):
        import srcad.parallel.engines.dask  # noqa: F401 - what it loads reads the version too

        np.__version__, before = version, np.__version__
        return before

    before = next(iter(client.run(pretend, "1.0").values()))
    try:
        step = srcad.parallel.grad(lambda w, x: np.sum(w * x), over="x", engine=client)
        with pytest.raises(RuntimeError, match=r"this worker has 1\.0") as problem:
            step(1.0, np.arange(4.0))
        assert any("in part 1 of 2, in process" in note for note in problem.value.__notes__)
    finally:
        client.run(pretend, before)
