import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("numba")
import numba
from native.accuracy import DTYPES

from srcad.kernels.products import tiled_products
from srcad.kernels.products.blas import find_gemm
from srcad.native.functions import matmul_into, matmul_rows
from srcad.native.vectorised import MATMUL_INTO, MATMUL_ROWS

if not find_gemm():
    pytest.skip("NumPy's BLAS has no names that are known", allow_module_level=True)


@numba.njit
def compiled(out, x, x_at, x_transposed, y, y_at, y_transposed, k):
    matmul_into(out, x, x_at, x_transposed, y, y_at, y_transposed, k)


@numba.njit
def compiled_rows(first, last, out, x, x_at, x_transposed, y, y_at, y_transposed, k):
    matmul_rows(first, last, out, x, x_at, x_transposed, y, y_at, y_transposed, k)


@pytest.fixture(scope="module", params=[0, 2**20], ids=["BLAS", "tiles"])
def by(request):
    """Compiled with BLAS alone, and with tiles for what is small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tiled_products, "MOST_TERMS", request.param)
        yield numba.njit(compiled.py_func)


def normal(*shape, dtype=np.float64):
    return np.random.default_rng(len(shape)).normal(size=shape).astype(dtype)


# The memory of both factors, where they begin, which are transposed, the result's shape, and k.
PARTS = [
    ((4, 3), (0, 0), False, (3, 5), (0, 0), False, (4, 5), 3),
    ((3, 4), (0, 0), True, (3, 5), (0, 0), False, (4, 5), 3),
    ((4, 3), (0, 0), False, (5, 3), (0, 0), True, (4, 5), 3),
    ((3, 4), (0, 0), True, (5, 3), (0, 0), True, (4, 5), 3),
    ((2, 4, 3), (1, 0, 0), False, (3, 5), (0, 0), False, (4, 5), 3),
    ((2, 4, 3), (-1, 0, 0), False, (2, 2, 3, 5), (-2, 1, 0, 0), False, (4, 5), 3),
    ((6, 9), (1, 4), False, (7, 8), (2, 3), False, (4, 5), 3),
    ((6, 9), (1, 4), True, (7, 8), (2, 3), True, (4, 5), 3),
    ((2, 3, 4), (0, 0, 0), False, (4, 5), (0, 0), False, (2, 3, 5), 4),
    ((2, 3, 4), (0, 0, 0), True, (2, 3, 5), (0, 0, 0), False, (4, 5), 6),
    ((0, 3), (0, 0), False, (3, 5), (0, 0), False, (0, 5), 3),
    ((4, 0), (0, 0), False, (0, 5), (0, 0), False, (4, 5), 0),
    ((0, 4), (0, 0), True, (0, 5), (0, 0), False, (4, 5), 0),
    ((4, 3), (0, 0), False, (3, 0), (0, 0), False, (4, 0), 3),
    ((4, 1), (0, 0), False, (1, 5), (0, 0), False, (4, 5), 1),
    ((20, 30), (2, 3), True, (40, 70), (1, 5), False, (20, 40), 18),
    ((3, 50, 30), (-1, 4, 3), False, (90, 70), (30, 5), True, (40, 33), 18),
    ((2, 60, 70), (1, 0, 0), True, (2, 60, 65), (0, 0, 0), False, (70, 65), 60),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", PARTS)
def test_agrees_with_numpy(part, dtype, by):
    x_shape, x_at, x_transposed, y_shape, y_at, y_transposed, shape, k = part
    x, y = normal(*x_shape, dtype=dtype), normal(*y_shape, dtype=dtype)
    wanted, found = np.full(shape, np.nan, dtype), np.full(shape, np.nan, dtype)
    for call, out in ((MATMUL_INTO, wanted), (by, found)):
        call(out, x, x_at, x_transposed, y, y_at, y_transposed, k)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=200 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("part", PARTS)
def test_some_rows_of_a_product(part, dtype):
    x_shape, x_at, x_transposed, y_shape, y_at, y_transposed, shape, k = part
    x, y = normal(*x_shape, dtype=dtype), normal(*y_shape, dtype=dtype)
    rows = int(np.prod(shape[:-1]))
    for first, last in ((0, rows), (rows // 3, rows - rows // 4), (rows // 2, rows // 2)):
        wanted, found = np.full(shape, np.nan, dtype), np.full(shape, np.nan, dtype)
        for call, out in ((MATMUL_ROWS, wanted), (compiled_rows, found)):
            call(first, last, out, x, x_at, x_transposed, y, y_at, y_transposed, k)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=200 * np.finfo(dtype).eps)


def test_tiles_are_in_the_code_where_they_are_faster(by):
    x = np.ones((4, 4))
    by(np.empty((4, 4)), x, (0, 0), False, x, (0, 0), False, 4)
    code = by.inspect_llvm(by.signatures[-1])
    assert ("srcad_tiled_product" in code) == bool(tiled_products.MOST_TERMS)


def test_other_dtypes_and_orders_are_not_taken():
    x = np.ones((2, 2))
    for y in (np.ones((2, 2), np.float32), np.asfortranarray(np.ones((2, 3)))[:, :2]):
        with pytest.raises(numba.TypingError):
            compiled(np.empty((2, 2)), x, (0, 0), False, y, (0, 0), False, 2)


PROGRAM = """
import numpy as np
from numba import njit
from srcad.native.functions import matmul_into

@njit("(float64[:, ::1],)", cache=True, nogil=True)
def squared(x):
    y = np.empty((x.shape[0], x.shape[1]))
    matmul_into(y, x, (0, 0), False, x, (0, 0), False, x.shape[0])
    return y
"""
CALLER = """
import numpy as np
from program import squared
assert squared(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist() == [[7.0, 10.0], [15.0, 22.0]]
print(sum(squared.stats.cache_hits.values()))
"""


def test_machine_code_from_the_disk_finds_the_blas_again(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "caller.py").write_text(CALLER)
    runs = [
        subprocess.run(
            [sys.executable, "caller.py"],
            cwd=tmp_path,
            env={"PYTHONPATH": ":".join(["."] + [p for p in sys.path if p])},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert runs == ["0", "1"]
