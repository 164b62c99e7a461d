"""What a compiled function writes: last, in place, and only where nothing can raise any more."""

import numpy as np
import pytest
from optimize.passes import assert_same

from srcad.ir import Op, show
from srcad.ir.evaluate import evaluate
from srcad.pipeline.passes import optimize
from srcad.pipeline.request import Request
from srcad.pipeline.stages import compile_request, lower_with_statics
from srcad.runtime.effects import commit


def committed(f, *args):
    """The program of a compiled function, optimised."""
    lowered, _ = lower_with_statics(Request("compile", f, ()), args, frozenset())
    return optimize(lowered.function)


def behind(fn):
    """The names of the operations behind the border."""
    body = fn.body.body
    at = next(k for k, stmt in enumerate(body) if isinstance(stmt, Op) and stmt.fn is commit)
    return [stmt.fn.__name__ for stmt in body[at + 1 :]]


def vectors(n=2):
    return [np.arange(1.0, 4.0) + k for k in range(n)]


def test_before_and_after(golden):
    def step(w, b, x, rate):
        z = np.linalg.inv(np.outer(x, x) + np.eye(3)) @ (w * x)
        w -= rate * np.outer(z, x)[0]
        b[1:] += z[1:]
        return np.sum(z)

    args = (*vectors(3), 0.1)
    lowered, _ = lower_with_statics(Request("compile", step, ()), args, frozenset())
    golden("optimize_commit.txt", f"{show(lowered.function)}\n{show(optimize(lowered.function))}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x -= 0.1 * y", ["mul", "isub"]),
        ("x *= 2.0; x += y; x /= 3.0", ["imul", "iadd", "itruediv"]),
        ("x += 2.0 * x", ["mul", "iadd"]),
        ("x[:] = y + x", ["iadd"]),
        ("x[1:] -= y[1:]", ["getitem", "index_isub"]),
        ("x -= np.outer(y, y)[0]", ["isub"]),  # an index may be out of range
        ("x *= y; y -= 1.0", ["imul", "isub"]),
        ("y -= 1.0; x *= y", ["isub", "imul"]),
        # What others read of the old content keeps it from being overwritten.
        ("t = x[1:].copy(); x += y; y[1:] = t", ["getitem", "add", "index_set", "index_set"]),
        ("t = x.copy(); x += y; return t", ["iadd"]),  # a copy there is anyway
        ("x += y; y[:] = x", ["iadd", "index_set"]),
        ("t = x.copy(); x[:] = y; y[:] = t", ["copy", "copy", "index_set", "index_set"]),
        ("x += y; y += x", ["iadd", "iadd"]),
        ("x += 1.0; return np.sum(x)", ["index_set"]),
        ("x += 1.0; return x.copy()", ["index_set"]),
        ("x += x[::-1]", ["getitem", "add", "index_set"]),
        ("x[y > 0] = 1.0", ["index_set"]),
    ],
)
def test_what_stands_behind_the_border(text, expected):
    scope = {"np": np}
    source = f"def f(x, y):\n    {text}\n"
    exec(compile(source, "<f>", "exec"), scope)
    import linecache

    linecache.cache["<f>"] = (len(source), None, source.splitlines(keepends=True), "<f>")
    fn = committed(scope["f"], *vectors())
    assert behind(fn) == expected, show(fn)
    ours, theirs = vectors(), vectors()
    evaluate(fn, *ours)
    scope["f"](*theirs)
    assert_same(ours, theirs, show(fn))


def test_strided_arrays_are_copied_into():
    def f(x, y):
        x -= y

    fn = committed(f, np.zeros((3, 2))[:, 0], np.ones(3))
    assert behind(fn) == ["index_set"] or behind(fn) == ["sub", "index_set"]


def test_sums_stay_with_their_terms_unless_they_read_what_is_written():
    def f(w, b, t, x):
        s = np.tanh(t)
        b -= s.sum(axis=0)
        x += w @ b
        w -= np.outer(x, b)
        return s

    fn = committed(f, np.ones((2, 3)), np.ones(3), np.ones((4, 3)), np.ones(2))
    assert behind(fn) == ["isub", "matmul", "iadd", "outer", "isub"]


def test_programs_without_writes_have_no_border():
    made = committed(lambda x: x * 2.0, np.ones(3))
    assert not any(isinstance(stmt, Op) and stmt.fn is commit for stmt in made.body.body)


def test_results_share_names_with_what_they_are():
    def f(x, y):
        x += y
        return x

    artifact, _ = compile_request(Request("compile", f, ()), vectors(), frozenset())
    assert artifact.text.endswith("    x += y\n    return x\n")
    assert artifact.writes
