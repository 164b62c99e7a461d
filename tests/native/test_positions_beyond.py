"""Positions beyond an end: compiled code raises as NumPy, of arrays that are never made too.

(2 * np.arange(n) + 1.0)[k]      no memory is read where `k` leads
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from random_programs.checks import load

import srcad
from srcad.errors import IndexShapeError

pytest.importorskip("numba")

ARRAYS = {
    "an argument": "x",
    "entry by entry": "x * 2",
    "numbers that count": "np.arange(n) * 2 + 1.0",
    "ones": "np.ones(n)",
    "one number": "np.full(n, 2.0)",
    "zeros like another": "np.zeros_like(x) + 1.0",
    "a number broadcast": "np.broadcast_to(x[0], (n,))",
    "by a condition": "np.where(x > 1, 2.0, 3.0)",
    "a part": "(np.arange(n + 2) + x[0])[1:-1]",
    "from the end": "(np.arange(n) * 1.0)[::-1]",
    "a column": "np.arange(2 * n).reshape(n, 2)[:, 0]",
    "joined": "np.concatenate([np.ones(1), np.zeros(n - 1)])",
    "with a margin": "np.pad(np.ones(n - 2), 1)",
    "chosen": "(np.arange(n) * 1.0)[np.arange(n)]",
}
READS = {
    "by an int": "np.sum(a[i])",
    "by ints": "np.sum(a[k])",
    "by a table": "np.sum(a[k.reshape(1, -1)])",
    "one after the other": "sum([a[j] for j in k])",
    "columns": "np.sum(np.stack([a, a])[:, k])",
    "taken": "np.sum(np.take(a, k))",
    "left out": "np.sum(np.delete(a, i))",
    "put in": "np.sum(np.insert(a, i + np.sign(i), 1.0))",
}
PLACES = [(1, 7), (1, -6), (1, 5), (1, -1)]


HEAD = "import numpy as np\ndef f(x, k, i):\n    n = x.shape[0]\n"
PAIRS = list(itertools.product(ARRAYS, READS))


def check(array, read):
    """Both where the program reads what it finds, and where nothing does."""
    begin = f"{HEAD}    a = {ARRAYS[array]}\n    "
    for end in (f"return {READS[read]} * x[0]\n", f"{READS[read]}\n    return np.sum(x)\n"):
        f = load(begin + end)
        transformed = [each(f, backend="native") for each in (srcad.compile, srcad.value_and_grad)]
        for places in PLACES:
            given = np.arange(5.0) + 1.0, np.array(places), places[1]
            try:
                wanted = f(*given)
            except IndexError:
                for made in transformed:
                    with pytest.raises(IndexShapeError):
                        made(*given)
                continue
            value, _ = transformed[1](*given)
            assert transformed[0](*given) == pytest.approx(wanted)
            assert value == pytest.approx(wanted)


@pytest.mark.parametrize(("array", "read"), PAIRS[::7])
def test_a_position_beyond_an_end_raises(array, read):
    check(array, read)


@pytest.mark.campaign
@pytest.mark.parametrize(("array", "read"), PAIRS)
def test_all_positions_beyond_an_end_raise(array, read):
    check(array, read)
