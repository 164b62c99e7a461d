"""Long, wide and deep programs: work grows with them, and they are right or refused in words."""

import gc
import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.frontend import recording
from srcad.pipeline import depth

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def benchmark():
    """Return the benchmark of compiling, whose families of programs are tried here."""
    sys.path.insert(0, str(BENCHMARKS))
    try:
        return importlib.import_module("compile_size")
    finally:
        sys.path.remove(str(BENCHMARKS))


FAMILIES = benchmark()


def source(folder, text, name="f"):
    """Return a function of a text, in a file of its own."""
    path = folder / f"m{abs(hash(text))}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def compiled(f, args):
    return srcad.value_and_grad(f, backend="numpy", cache=False)(*args)


def calls(family, n, folder):
    """Return how many functions are called to compile a program of a family."""
    f, args = FAMILIES.made(family, n, folder)
    counted = 0

    def count(frame, event, arg):
        nonlocal counted
        counted += event in ("call", "c_call")

    gc.collect()
    gc.disable()  # Python 3.11.2 may crash where it collects frames that a profiler has seen
    with np.errstate(all="ignore"):
        sys.setprofile(count)
        try:
            compiled(f, args)
        finally:
            sys.setprofile(None)
            gc.enable()
    return counted


# Branches inside branches are walked from the outermost at each depth by some passes.
@pytest.mark.parametrize(
    ("family", "n"),
    [
        *((family, 20) for family in ("scalars", "one_name", "arrays", "writes", "slices")),
        ("choices", 20),
        *((family, 30) for family in ("appends", "many_arguments", "helpers", "one_helper")),
        ("array_list", 200),
        *((family, 30) for family in ("unrolled_constants", "branches", "dictionary")),
        *((family, 50) for family in ("mutual", "entry_branches")),
        *((family, 10) for family in ("loops", "history", "elifs", "ternaries")),
        *((family, 32) for family in ("binary_recursion", "nested_data", "wide_sum")),
    ],
)
def test_four_times_the_program_is_four_times_the_work(family, n, tmp_path):
    calls(family, 3, tmp_path)
    assert calls(family, 4 * n, tmp_path) < 4.5 * calls(family, n, tmp_path)


def test_what_coupled_recurrences_are_called_does_not_double(tmp_path):
    text = (
        "import numpy as np\n"
        "def f(x):\n"
        "    a, b = x[x > 0.5], x[x > 0.7]\n"
        "    for k in [0.5] * 60:\n"
        "        a = a * k + b\n"
        "        b = b * k + a\n"
        "    return np.sum(a) + np.sum(b)\n"
    )
    f = source(tmp_path, text)
    x = np.ones(3)
    value, gradient = compiled(f, (x,))
    assert value == pytest.approx(f(x))
    assert_gradient(f, (x,), gradient)


def assert_gradient(f, args, gradient, h=1e-6):
    """The gradient by the first argument is that of differences."""
    x = np.asarray(args[0], float)
    flat, found = x.ravel(), np.asarray(gradient).ravel()
    for k in range(flat.size):
        ends = []
        for sign in (1, -1):
            moved = flat.copy()
            moved[k] += sign * h
            moved = moved.reshape(x.shape) if x.ndim else float(moved[0])
            ends.append(f(moved, *args[1:]))
        rounding = 1e-7 + 1e-15 * abs(ends[0]) / h
        assert found[k] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-5, abs=rounding)


@pytest.mark.parametrize(
    ("family", "n"),
    [
        ("elifs", 1000),
        ("ternaries", 190),
        ("ternaries", 500),
        ("parentheses", 190),
        ("nested_calls", 190),
        ("wide_sum", 300),
        ("wide_sum", 900),
        ("many_arguments", 300),
        ("unrolled", 5000),
        ("one_helper", 2000),
        ("helpers", 300),
        ("nested_data", 200),
        ("deep_recursion", 300),
        ("one_name", 1000),
        ("mutual", 300),
        ("entry_branches", 300),
        ("choices", 300),
        ("array_elifs", 300),
        ("scalars", 1000),
        pytest.param("scalars", 10_000, marks=pytest.mark.campaign),
        pytest.param("writes", 10_000, marks=pytest.mark.campaign),
    ],
)
def test_what_python_runs_is_compiled_and_right(family, n, tmp_path):
    f, args = FAMILIES.made(family, n, tmp_path)
    with np.errstate(all="ignore"):
        value, gradient = compiled(f, args)
        assert value == pytest.approx(f(*args))
        assert_gradient(f, args, gradient)


def test_a_list_that_is_read_by_position_is_written_out(tmp_path):
    text = (
        "def f(x):\n"
        "    xs = [x]\n"
        "    for k in [0.5] * 1000:\n"
        "        xs.append(xs[-1] * k + x)\n"
        "    return xs[-1] * xs[500]\n"
    )
    f = source(tmp_path, text)
    value, gradient = compiled(f, (1.5,))
    assert value == f(1.5)
    assert_gradient(f, (1.5,), gradient)


# Refusals ----------------------------------------------------------------------------------------


def refusal(f, *args):
    with pytest.raises(srcad.SrcadError) as caught:
        compiled(f, args)
    return caught.value


def test_what_grows_without_end_is_refused_where_it_stands(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "MAX_OPERATIONS", 3000)
    text = (
        "import numpy as np\n"
        "def fib(x, n):\n"
        "    return x if n < 2 else fib(x * 0.5, n - 1) + np.sin(fib(x, n - 2))\n"
        "def f(x):\n"
        "    return fib(x, 30)\n"
    )
    found = refusal(source(tmp_path, text), 1.0)
    assert found.code == "E140"
    assert found.location.line == 3
    assert "3,000 operations" in str(found)


def test_a_list_of_a_million_is_refused_at_once(tmp_path):
    text = "def f(x):\n    for k in [0.5] * 1_000_000:\n        x = x * k\n    return x\n"
    found = refusal(source(tmp_path, text), 1.0)
    assert (found.code, found.location.line) == ("E140", 2)
    assert "1,000,000 items" in str(found)
    assert "10,000" in str(found)


def test_a_function_that_ends_too_deep_is_refused_shortly(tmp_path):
    text = "def f(x, d=1500):\n    return x if d == 0 else f(x * 0.9, d - 1)\n"
    found = refusal(source(tmp_path, text), 1.0)
    assert (found.code, found.location.line) == ("E126", 2)
    assert "1,000 calls" in str(found)
    assert len(str(found)) < 3000


def test_more_blocks_inside_one_another_than_python_takes(tmp_path):
    inner = "x"
    for k in range(150):
        inner = f"({inner} if x < {200 - k}.0 else x * {k}.0)"
    f = source(tmp_path, f"def f(x):\n    return {inner}\n")
    found = refusal(f, 1.5)
    assert (found.code, found.location.line) == ("E140", 2)
    assert "too many levels of indentation" in str(found)


def loops_inside(n):
    loops = [f"{'    ' * (k + 1)}for i{k} in range(n):\n" for k in range(n)]
    body = "    " * (n + 1) + "x = x * 0.5 + 1.0\n"
    return f"def f(x, n=1):\n{''.join(loops)}{body}    return x\n"


def test_loops_inside_one_another_are_compiled_or_refused_at_once(tmp_path):
    f = source(tmp_path, loops_inside(6))
    assert compiled(f, (1.5,)) == (f(1.5), 0.5)
    found = refusal(source(tmp_path, loops_inside(19)), 1.5)
    assert (found.code, found.location.line) == ("E140", 14)


def test_what_is_nested_too_deeply_for_any_stack(tmp_path, monkeypatch):
    monkeypatch.setattr(depth, "CALLS", 1100)
    f, args = FAMILIES.made("elifs", 400, tmp_path)
    found = refusal(f, *args)
    assert found.code == "E140"
    assert found.location is not None
    assert "1,100 calls" in str(found)
