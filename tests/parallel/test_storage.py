"""Samples in files: parts of memory maps, Zarr, HDF5-like, Dask arrays and Parquet."""

import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from parallel.programs import ridge

import srcad
import srcad.parallel
from srcad.parallel.storage import ahead

N = 103


def arrays():
    rng = np.random.default_rng(0)
    return rng.standard_normal(3), rng.standard_normal((N, 3)), rng.standard_normal(N)


class Source:
    """What an array in a file looks like; it tells which rows were read."""

    def __init__(self, x):
        self._x, self.shape, self.dtype, self.read = x, x.shape, x.dtype, []

    def __len__(self):
        return len(self._x)

    def __getitem__(self, rows):
        self.read.append((rows.start, rows.stop, threading.current_thread().name))
        return self._x[rows]


def in_memory_map(x, folder):
    found = np.memmap(folder / "x", x.dtype, "w+", shape=x.shape)
    found[:] = x
    return found


def in_zarr(x, folder):
    zarr = pytest.importorskip("zarr")
    return zarr.create_array(str(folder / "x.zarr"), data=x, chunks=(10,) * x.ndim)


def in_dask(x, folder):
    return pytest.importorskip("dask.array").from_array(x, chunks=20)


def in_parquet(x, folder):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    names = [f"c{k}" for k in range(x.shape[1])]
    table = pyarrow.table({name: x[:, k] for k, name in enumerate(names)})
    parquet.write_table(table.slice(0, 60), folder / "a.parquet", row_group_size=17)
    parquet.write_table(table.slice(60), folder / "b.parquet", row_group_size=17)
    return srcad.parallel.parquet(folder, names)


def as_it_is(x, folder):
    return Source(x)


KINDS = [as_it_is, in_memory_map, in_zarr, in_dask, in_parquet]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("parts", [1, 2, 7, 200])
def test_parts_of_files_are_those_of_arrays(kind, parts, tmp_path):
    w, x, y = arrays()
    stored = kind(x, tmp_path)
    made = srcad.parallel.value_and_grad
    wanted = made(ridge, (0, 1), over=("x", "y"), parts=parts)(w, x, y)
    found = made(ridge, (0, 1), over=("x", "y"), parts=parts)(w, stored, y)
    with ThreadPoolExecutor(2) as pool:
        threads = made(ridge, (0, 1), over=("x", "y"), parts=parts, engine=pool)(w, stored, y)
    for each in (found, threads):
        assert each[0] == wanted[0]
        assert all(map(np.array_equal, each[1], wanted[1]))
        assert all(type(g) is np.ndarray for g in each[1])


@pytest.mark.parametrize("kind", KINDS)
def test_processes_are_sent_what_is_in_files(kind, tmp_path):
    w, x, y = arrays()
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), engine=pool, parts=3)
        found = step(w, kind(x, tmp_path), y)
    wanted = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=3)(w, x, y)
    assert found[0] == wanted[0]
    np.testing.assert_array_equal(found[1], wanted[1])


def test_each_part_is_read_once_and_by_another_thread():
    w, x, y = arrays()
    source = Source(x)
    srcad.parallel.grad(ridge, over=("x", "y"), parts=4)(w, source, y)
    assert [rows[:2] for rows in source.read] == [(0, 26), (26, 52), (52, 78), (78, 103)]
    assert all("reads-ahead" in name for *_, name in source.read)


def test_no_more_than_one_part_is_read_ahead():
    made, taken = [], []
    for k in ahead([lambda k=k: made.append(k) or k for k in range(5)]):
        taken.append(k)
        assert len(made) <= len(taken) + 1
    assert taken == [0, 1, 2, 3, 4]
    assert [*ahead([])] == []


def test_what_is_read_ahead_may_be_dropped():
    dropped = ahead([lambda k=k: np.ones(k) for k in range(5)])
    next(dropped)
    dropped.close()
    held = [ahead([lambda: None, lambda: held.clear()])]  # dropped in the thread that reads
    next(held[0])
    while held:
        time.sleep(0.01)


def test_files_in_containers_and_gradients_by_them(tmp_path):
    def loss(w, batch):
        return np.mean((batch["x"] @ w - batch["y"]) ** 2)

    w, x, y = arrays()
    wanted = srcad.grad(loss, (0, 1))(w, {"x": x, "y": y})
    found = srcad.parallel.grad(loss, (0, 1), over="batch", parts=3)(
        w, {"x": in_memory_map(x, tmp_path), "y": Source(y)}
    )
    np.testing.assert_allclose(found[0], wanted[0])
    np.testing.assert_allclose(found[1]["x"], wanted[1]["x"])
    np.testing.assert_allclose(found[1]["y"], wanted[1]["y"])


def test_private_changes_of_a_memory_map_stay(tmp_path):
    w, x, y = arrays()
    in_memory_map(x, tmp_path).flush()
    private = np.memmap(tmp_path / "x", x.dtype, "c", shape=x.shape)
    private[:] = 2 * x
    step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=3)
    assert step(w, private, y)[0] == step(w, 2 * x, y)[0] == step(w, private, y)[0]
    np.testing.assert_array_equal(private, 2 * x)
    written = np.memmap(tmp_path / "x", x.dtype, "r+", shape=x.shape)
    written[:] = 3 * x
    assert step(w, written[::2], y[::2])[0] == step(w, 3 * x[::2], y[::2])[0]
    np.testing.assert_array_equal(written, 3 * x)


def test_pages_of_files_are_let_go(tmp_path):
    status = Path("/proc/self/status")
    if not status.exists():
        pytest.skip("the system does not tell how much memory files take")

    def megabytes_of_files():
        lines = status.read_text().splitlines()
        return int(next(line.split()[1] for line in lines if line.startswith("RssFile"))) / 1000

    x = np.memmap(tmp_path / "x", float, "w+", shape=(1_000_000, 8))
    step = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=50)
    before = megabytes_of_files()
    step(np.ones(8), x, np.ones(len(x)))
    assert megabytes_of_files() - before < 32
    assert np.all(x[::1000] == 0)


def test_what_cannot_be_read_names_its_part():
    class Broken(Source):
        def __getitem__(self, rows):
            if rows.start > 30:
                raise OSError("the disk is gone")
            return self._x[rows]

    class Shorter(Source):
        def __getitem__(self, rows):
            return self._x[rows][:-1]

    w, x, y = arrays()
    step = srcad.parallel.grad(ridge, over=("x", "y"), parts=3)
    with pytest.raises(OSError, match="the disk is gone") as problem:
        step(w, Broken(x), y)
    assert any("in part 2 of 3" in note for note in problem.value.__notes__)
    with pytest.raises(ValueError, match="rows 0 to 35 of a stored array"):
        step(w, Shorter(x), y)


def test_a_column_without_values_is_refused(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"a": [1.0, None], "b": [1, 2]}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="'a' has 1 rows without a value"):
        srcad.parallel.parquet(tmp_path / "t.parquet", "a")[0:2]
    b = srcad.parallel.parquet(tmp_path / "t.parquet", "b")
    assert b.shape == (2,)
    np.testing.assert_array_equal(b[0:2], [1, 2])
    assert np.asarray(b).dtype == np.int64
    with pytest.raises(FileNotFoundError):
        srcad.parallel.parquet(tmp_path / "none", "a")


def test_progress_sees_each_part():
    seen = []

    def progress(parts, total):
        seen.append(total)
        for part in parts:
            seen.append("part")
            yield part

    w, x, y = arrays()
    step = srcad.parallel.grad(ridge, over=("x", "y"), parts=3, progress=progress)
    np.testing.assert_allclose(step(w, x, y), srcad.grad(ridge)(w, x, y))
    assert seen == [3, "part", "part", "part"]


def test_progress_that_leaves_parts_out_is_told():
    w, x, y = arrays()
    step = srcad.parallel.grad(
        ridge, over=("x", "y"), parts=3, progress=lambda parts, total: list(parts)[1:]
    )
    with pytest.raises(ValueError, match="2 of 3 parts"):
        step(w, x, y)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_few_samples_in_files(n):
    w, x, y = arrays()
    step = srcad.parallel.value_and_grad(ridge, (0, 1), over=("x", "y"), parts=3)
    wanted, found = step(w, x[:n], y[:n]), step(w, Source(x[:n]), Source(y[:n]))
    assert found[0] == wanted[0]
    assert all(map(np.array_equal, found[1], wanted[1]))


@pytest.mark.parametrize("dtype", [">f8", "<f4", ">i2", "?"])
def test_files_of_any_dtype(dtype, tmp_path):
    w, x, y = arrays()
    x = (5 * x).astype(dtype)
    wanted = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=3)(w, x, y)
    found = srcad.parallel.value_and_grad(ridge, over=("x", "y"), parts=3)(
        w, in_memory_map(x, tmp_path), y
    )
    assert found[0] == wanted[0]
    assert found[1].dtype == wanted[1].dtype
    np.testing.assert_array_equal(found[1], wanted[1])


def test_batches(tmp_path):
    _, x, y = arrays()
    for stored in (x, in_memory_map(x, tmp_path), Source(x)):
        found = [*srcad.parallel.batches({"x": stored, "y": y}, 40)]
        assert [len(batch["x"]) for batch in found] == [40, 40, 23]
        np.testing.assert_array_equal(np.concatenate([batch["x"] for batch in found]), x)
        assert all(type(batch["x"]) is np.ndarray for batch in found)
    mixed = [*srcad.parallel.batches((x, y), 10, np.random.default_rng(0))]
    assert {len(a) for a, _ in mixed} == {10, 3}
    found = np.sort(np.concatenate([b for _, b in mixed]))
    np.testing.assert_array_equal(found, np.sort(y))
    assert [*srcad.parallel.batches(np.zeros((0, 2)), 3)] == []
    with pytest.raises(ValueError, match="at least one"):
        next(srcad.parallel.batches(x, 0))
    with pytest.raises(ValueError, match="differs in length"):
        next(srcad.parallel.batches((x, y[1:]), 3))


def test_threads_read_one_parquet_file_by_turns(tmp_path):
    _, x, _ = arrays()
    stored = in_parquet(x, tmp_path)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda k: stored[k : k + 5], [*range(len(x) - 5)] * 20))
    for k, rows in enumerate(found):
        at = k % (len(x) - 5)
        assert np.array_equal(rows, x[at : at + 5])
