"""What gradients of the dearest rules cost, without a clock: the bytes that they take.

The functions are those of benchmarks/rules.py, which measures the time.
"""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import srcad

FOLDER = Path(__file__).parents[2] / "benchmarks"


def load():
    sys.path.insert(0, str(FOLDER))
    try:
        spec = importlib.util.spec_from_file_location("benchmark_of_rules", FOLDER / "rules.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(FOLDER))
    return module


BENCHMARK = load()


@pytest.mark.parametrize("name", BENCHMARK.VECTORS)
def test_bytes_grow_with_the_entries_of_a_vector(name):
    assert BENCHMARK.growth(name) < 2.5


@pytest.mark.parametrize("name", BENCHMARK.MATRICES)
def test_bytes_grow_with_the_entries_of_a_matrix(name):
    assert BENCHMARK.growth(name) < 4.5


@pytest.mark.parametrize(
    ("f", "most"),
    [
        (np.trace, 1.1),
        (lambda x: np.sum(np.diag(x) ** 2), 1.1),
        (lambda x: np.sum(x[3]), 1.1),
        (lambda x: np.sum(np.sort(x[:, 0])), 1.1),
        (lambda x: np.sum(np.take(x, np.array([1, 1, 2]), axis=0) ** 2), 1.1),
        (lambda x: np.max(x), 2.3),
        (lambda x: np.sum(np.cumsum(x, axis=0)), 3.1),
    ],
    ids=["trace", "diag", "row", "sort", "take", "max", "cumsum"],
)
def test_no_temporary_is_larger_than_it_must_be(f, most):
    """Peak bytes over those of the gradient, which is as large as the argument."""
    x = np.random.default_rng(0).standard_normal((200, 200))
    gradient = srcad.grad(f)
    assert BENCHMARK.peak(lambda: gradient(x)) < most * x.nbytes


def test_a_table_read_row_by_row_keeps_one_gradient():
    def rows(table):
        total = 0.0
        for i in range(40):
            total = total + np.sum(table[i] ** 2)
        return total

    table = np.ones((40, 1000))
    gradient = srcad.grad(rows)
    assert BENCHMARK.peak(lambda: gradient(table)) < 1.3 * table.nbytes
