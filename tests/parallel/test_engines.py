"""Threads, processes and joblib: the same result to the bit, and what goes wrong there."""

import os
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, wait
from multiprocessing import get_context

import numpy as np
import pytest
from parallel.programs import RIGHT, arguments, by_helper, ridge

import srcad
import srcad.parallel
from srcad.api.arguments.trees import flatten


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@pytest.fixture(scope="module")
def threads():
    with ThreadPoolExecutor(2) as pool:
        yield pool


@pytest.fixture
def engine(request):
    if request.param == "joblib":
        joblib = pytest.importorskip("joblib")
        return joblib.Parallel(n_jobs=2)
    return request.getfixturevalue(request.param)


def assert_equal_bits(found, wanted):
    pairs = zip(flatten(found)[0], flatten(wanted)[0], strict=True)
    assert all(np.array_equal(x, y) and type(x) is type(y) for x, y in pairs)


@pytest.mark.parametrize("engine", ["threads", "processes", "joblib"], indirect=True)
def test_engines_agree_to_the_bit(engine):
    for function in RIGHT[:3] + RIGHT[-3:]:
        given = arguments(function, np.random.default_rng(0), 11)
        options = {"argnums": (0, 1), "over": (1, 2)}
        wanted = srcad.parallel.value_and_grad(function, parts=2, **options)(*given)
        step = srcad.parallel.value_and_grad(function, engine=engine, **options)
        for _ in range(2):
            assert_equal_bits(step(*given), wanted)


def test_workers_get_what_the_function_reads_here(processes, monkeypatch):
    given = arguments(by_helper, np.random.default_rng(0), 11)
    step = srcad.parallel.grad(by_helper, over=(1, 2), engine=processes)
    first = step(*given)
    monkeypatch.setitem(by_helper.__globals__, "scale", 1.4)
    np.testing.assert_allclose(step(*given), 2 * first)


def test_functions_that_cannot_be_imported_are_sent(processes):
    gain = 3.0

    def local(w, x):
        return np.sum(gain * w * x)

    step = srcad.parallel.value_and_grad(local, over="x", engine=processes)
    assert step(2.0, np.arange(4.0)) == (36.0, 18.0)
    decorated = srcad.parallel.grad(over="x", engine=processes)(local)
    assert decorated(2.0, np.arange(4.0)) == 18.0


@pytest.mark.parametrize("engine", ["threads", "processes", "joblib"], indirect=True)
def test_what_a_part_raises_names_part_and_process(engine):
    def checked(w, x):
        assert np.all(x < 9), "too large"
        return np.sum(w * x)

    step = srcad.parallel.grad(checked, over="x", engine=engine)
    with pytest.raises(AssertionError, match="too large") as problem:
        step(1.0, np.array([1.0, 2.0, 3.0, 10.0]))
    assert any("in part 2 of 2" in note for note in problem.value.__notes__)
    assert step(1.0, np.arange(4.0)) == 6.0


def test_shapes_that_do_not_fit_are_told_at_the_users_line(processes):
    step = srcad.parallel.grad(ridge, over=("x", "y"), engine=processes)
    with pytest.raises(srcad.ShapeError, match="E402"):
        step(np.ones(4), np.ones((5, 3)), np.ones(5))


def test_a_lost_process_is_named():
    def ends(w, x):
        return np.sum(w * x)

    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        step = srcad.parallel.grad(ends, over="x", engine=pool)
        assert step(1.0, np.arange(4.0)) == 6.0
        wait([pool.submit(os._exit, 1)])
        with pytest.raises(RuntimeError, match="of 2 parts not computed"):
            step(1.0, np.arange(4.0))


def test_another_numpy_is_refused(monkeypatch, processes):
    monkeypatch.setattr(np, "__version__", "1.0")
    step = srcad.parallel.grad(lambda w, x: np.sum(w * x), over="x", engine=processes)
    with pytest.raises(RuntimeError, match=r"compiled for NumPy 1\.0, and this worker has"):
        step(1.0, np.arange(4.0))


def test_aux_is_put_together():
    def loss(w, x):
        z = x @ w
        parts = {"each": np.tanh(z), "mean": np.mean(z), "n": len(x), "norm": np.sum(w**2)}
        return np.mean(z**2), (parts, "name", None)

    given = np.ones(3), np.random.default_rng(0).standard_normal((7, 3))
    wanted = srcad.value_and_grad(loss, has_aux=True)(*given)
    found = srcad.parallel.value_and_grad(loss, over="x", parts=3, has_aux=True)(*given)
    pairs = zip(flatten(found)[0], flatten(wanted)[0], strict=True)
    for x, y in pairs:
        assert type(x) is type(y)
        assert x == y if isinstance(x, str) else np.allclose(x, y)
    gradient, aux = srcad.parallel.grad(loss, over="x", parts=3, has_aux=True)(*given)
    np.testing.assert_allclose(gradient, wanted[1])
    assert aux[0]["n"] == 7


def test_containers_are_split_and_summed():
    def loss(params, batch):
        z = batch["x"] @ params["w"][0] + params["b"]
        return np.mean((z - batch["y"]) ** 2) + np.sum(params["w"][0] ** 2)

    rng = np.random.default_rng(0)
    params = {"w": (rng.standard_normal(3),), "b": 0.5}
    batch = {"x": rng.standard_normal((7, 3)), "y": rng.standard_normal(7)}
    wanted = srcad.value_and_grad(loss, (0, 1))(params, batch)
    found = srcad.parallel.value_and_grad(loss, (0, 1), over="batch", parts=3)(params, batch)
    for x, y in zip(flatten(found)[0], flatten(wanted)[0], strict=True):
        np.testing.assert_allclose(x, y)


def test_no_samples_give_what_python_gives():
    step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=2)
    given = np.ones(3), np.ones((0, 3)), np.ones(0)
    value, w_bar = step(*given)
    assert value == ridge(*given)
    np.testing.assert_allclose(w_bar, 0.2 * np.ones(3))


def test_mistakes_in_the_call_are_told():
    def loss(w, x, y):
        return np.sum(w * x * y)

    with pytest.raises(ValueError, match="differs in length"):
        srcad.parallel.grad(loss, over=("x", "y"))(1.0, np.ones(3), np.ones(4))
    with pytest.raises(ValueError, match="no axis"):
        srcad.parallel.grad(loss, over="x")(1.0, 2.0, 3.0)
    with pytest.raises(ValueError, match="no way to compute"):
        srcad.parallel.grad(loss, over="x", engine=3)
    with pytest.raises(ValueError, match="no way to compute"):
        srcad.parallel.grad(loss, over="x", parts=0)


def test_compiled_programs_run_on_workers(processes):
    pytest.importorskip("numba")
    given = arguments(ridge, np.random.default_rng(0), 11)
    wanted = srcad.value_and_grad(ridge)(*given)
    step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), engine=processes, backend="native")
    found = step(*given)
    np.testing.assert_allclose(found[0], wanted[0])
    np.testing.assert_allclose(found[1], wanted[1])


def test_arrays_in_files(tmp_path, processes):
    x = np.memmap(tmp_path / "x", float, "w+", shape=(9, 3))
    x[:] = np.random.default_rng(0).standard_normal((9, 3))
    y, w = np.arange(9.0), np.ones(3)
    wanted = srcad.value_and_grad(ridge)(w, np.array(x), y)
    for engine in (None, processes):
        step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), engine=engine, parts=3)
        found = step(w, x, y)
        np.testing.assert_allclose(found[0], wanted[0])
        assert type(found[1]) is np.ndarray
        np.testing.assert_allclose(found[1], wanted[1])
