"""What `srcad.compile` returns shares memory, and is the same object, as in Python: by data too."""

import copy
import warnings

import numpy as np
import pytest
from optional import BACKENDS, NATIVE
from test_compile import assert_same

import srcad

COPIES = """x.copy(); x * 1.0; x / 1; x ** 1; x - 0.0; +x; -(-x); x.astype(float); copy.deepcopy(x)
copy.copy(x); x.flatten(); x[1:].copy(); np.where(x > 2.0, x, x); np.array(x); np.copy(x); x + 0
x[[0, 1, 2]]; np.maximum(x, x); x.copy().copy(); x.copy()[1:]; x * 2; np.ones(3)"""
VIEWS = "x[:]; x[::1]; x.reshape(3); x.ravel(); x.reshape(-1); x.T; x[::-1]; x[...]; np.asarray(x)"
X = np.array([1.0, 2.0, 3.0])
M = np.array([[0.0, 1.0], [2.0, 3.0], [1.0, 1.0]])


def compare(f, backend, *calls):
    compiled = srcad.compile(f, backend=backend, cache=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for args in calls:
            ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
            assert_same((compiled(*ours), ours), (f(*theirs), theirs))


def written(expression, tmp_path):
    """A function of a file of its own, which srcad reads."""
    path = tmp_path / "made.py"
    path.write_text(
        "import copy\nimport numpy as np\n\n\ndef f(x, n):\n    if n:\n"
        f"        x = {expression}\n    return x\n"
    )
    namespace = {}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace["f"]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "expression", [e.strip() for e in f"{COPIES};{VIEWS}".replace("\n", ";").split(";")]
)
def test_one_path_makes_an_array(expression, backend, tmp_path):
    compare(written(expression, tmp_path), backend, (X, 1), (X, 0))


def copied(x, n):
    return x.copy() if n else x


def in_loop(x, n):
    for _ in range(n):
        x = x * 1.0
    return x


def in_while(x, n):
    while n > 0:
        x = x.copy()
        n -= 1
    return x


def in_containers(x, n):
    return {"a": copied(x, n), "b": (x, copied(x, n)), "c": [copied(v, n) for v in (x, x[1:])]}


def best_row(x, n):
    best = x[0]
    for row in x:
        if row[0] > best[0]:
            best = row.copy()
    return best


def stored(p, n):
    p["old"] = p["w"].copy() if n else p["w"]
    p["w"] = p["w"] - 1.0


def in_try(x, n):
    try:
        y = x.copy()
        if n:
            raise ValueError
    except ValueError:
        y = x
    return y


def one_of_two(x, n):
    y = x * 2
    return (x if n else y), y, y * 1.0


def equal_arrays(x, n):
    a = b = x
    if n:
        a, b = x * 2, x * 2
    return a, b


def equal_views(x, n):
    a = b = x
    if n:
        a, b = x[1:], x[1:]
    return a, b, x[1:], x[1:]


def new_and_its_view(x, n):
    a = b = x
    if n:
        a = x * 2
        b = a[1:]
    return a, b


def argument_or_written(x, k):
    w = x * 2
    w += 1
    return x if k else w


def argument_or_written_too(x, k):
    w = x * 2
    w += 1
    return (x if k else w), w


def view_or_view_of_written(x, k):
    w = x.copy()
    w[0] = 3.0
    v = w[1:]
    return (x[1:] if k else v), w


def argument_or_filled(x, k):
    w = np.zeros(3)
    for i in range(3):
        w[i] = x[i] * 2
    if k:
        w = x
    return w


def stored_or_written(p, k):
    w = p["w"] * 2
    w += 1
    p["y"] = p["w"] if k else w
    return w


ON_ARRAYS = [
    copied, in_loop, in_while, in_containers, in_try, one_of_two, equal_arrays, equal_views,
    new_and_its_view, argument_or_written, argument_or_written_too, view_or_view_of_written,
    argument_or_filled,
]  # fmt: skip


@pytest.mark.parametrize("f", ON_ARRAYS)
def test_new_arrays_and_the_callers_stay_apart(f):
    compare(f, "numpy", (X, 1), (X, 0), (X, 2))


@pytest.mark.parametrize("f", [each for each in ON_ARRAYS if each not in (in_loop, in_while)])
@pytest.mark.parametrize("backend", [NATIVE])
def test_new_arrays_and_the_callers_stay_apart_natively(f, backend):
    compare(f, backend, (X, 1), (X, 0), (X, 2))


@pytest.mark.parametrize("f", [stored, stored_or_written])
@pytest.mark.parametrize("backend", BACKENDS)
def test_what_is_stored(f, backend):
    compare(f, backend, ({"w": X}, 1), ({"w": X}, 0))


def test_rows():
    compare(best_row, "numpy", (M, 0), (M[::-1], 0))
