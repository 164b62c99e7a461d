"""What is kept between the sweeps: ten programs pinned, and how memory is counted."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import srcad

X = np.linspace(0.1, 0.9, 6)
SQUARE = np.full((6, 6), 0.1)


def linear_chain(x):
    y = 2.0 * x + 1.0
    z = y[1:] - y[:-1]
    return np.sum(z[::-1])


def linear_stencil(u):
    u = u.copy()
    for _ in range(100):
        u[1:-1] = 0.5 * (u[2:] + u[:-2])
    return np.sum(u)


def periodic_stencil(u):
    for _ in range(100):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1))
    return np.sum(u)


def tanh_steps(x):
    for _ in range(100):
        x = np.tanh(x)
    return np.sum(x)


def product(x, y):
    return np.sum(x * y)


def exponential(x):
    y = np.exp(x)
    return np.sum(y * y)


def matrices(a, b, c):
    ab = a @ b
    return np.sum(ab @ c)


def branch(x):
    if np.sum(x) > 0:
        y = np.exp(x) * x
    else:
        y = 3.0 * x
    return np.sum(2.0 * y)


def squared_until_big(x):
    while np.sum(x) < 100:
        x = x * x + 1.0
    return np.sum(x)


def recurrent(w, xs):
    h = np.zeros(6)
    for x in xs:
        h = np.tanh(w @ h + x)
    return np.sum(h)


def perceptron(params, x, t):
    h = np.tanh(x @ params["w"] + params["b"])
    y = h @ params["v"]
    return np.mean((y - t) ** 2)


LAYERS = {"w": np.ones((6, 4)), "b": np.ones(4), "v": np.ones((4, 2))}

# Program, argnums, arguments, what it keeps (line of the function, name, what, bytes), read again.
PINNED: list[tuple[Any, Any, tuple[Any, ...], list[tuple[int, str, str, int]], str]] = [
    (linear_chain, 0, (X,), [], ""),
    (linear_stencil, 0, (X,), [], ""),
    (periodic_stencil, 0, (X,), [], ""),
    (tanh_steps, 0, (X,), [(2, "x", "tape of 100", 100 * 48)], ""),
    (product, (0, 1), (X, X + 1), [], "x y"),
    (exponential, 0, (X,), [(1, "y", "array", 48)], ""),
    (matrices, (0, 1, 2), (SQUARE, SQUARE + 1, SQUARE + 2), [(1, "ab", "array", 288)], "a b c"),
    (branch, 0, (X,), [(2, "", "array", 48)], "x"),
    (branch, 0, (-X,), [], "x"),
    # Four iterations; what the first one read is the argument.
    (squared_until_big, 0, (X,), [(2, "x", "tape of 4", 3 * 48)], "x"),
    # h before each iteration and after the last: the initial zeros are one array too.
    (recurrent, 0, (SQUARE, np.ones((7, 6))), [(3, "h", "tape of 8", 8 * 48)], "w"),
    (
        perceptron,
        0,
        (LAYERS, np.ones((5, 6)), np.ones((5, 2))),
        [(1, "h", "array", 160), (3, "", "array", 80)],
        'params["v"] x',
    ),
]


@pytest.mark.parametrize(("f", "argnums", "args", "kept", "again"), PINNED)
def test_pinned(f, argnums, args, kept, again):
    for transformation in (srcad.grad, srcad.value_and_grad):
        report = transformation(f, argnums).saved(*args)
        first = inspect.getsourcelines(f)[1]
        assert [(e.line - first, e.name, e.what, e.bytes) for e in report.entries] == kept
        assert report.total == sum(row[-1] for row in kept)
        assert " ".join(report.read_again) == again


def test_memory_is_linear_in_the_turns():
    def steps(x, n):
        for _ in range(n):
            x = np.tanh(x)
        return np.sum(x)

    totals = [srcad.grad(steps).saved(X, n).total for n in (10, 100, 1000)]
    assert totals == [480, 4800, 48000]


def test_nested_loops_keep_one_array_a_turn():
    def f(x):
        for _ in range(3):
            for _ in range(4):
                x = np.sin(x)
        return np.sum(x)

    # The first is the argument.
    assert srcad.grad(f).saved(X).total == 11 * X.nbytes


def test_a_loop_that_exits_keeps_the_turns_made():
    def doubled(x):
        for _ in range(100):
            x = 2.0 * x
            if np.sum(x) > 50.0:
                break
        return np.sum(x)

    def squared(x):
        for _ in range(100):
            x = x * x
            if np.sum(x) < 1.0:
                break
        return np.sum(x)

    assert srcad.grad(doubled).saved(X).total == 0
    # Three iterations, the first of which reads the argument.
    (entry,) = srcad.grad(squared).saved(X).entries
    assert (entry.what, entry.bytes) == ("tape of 3", 2 * X.nbytes)


def test_views_count_what_they_keep_alive_once():
    def f(x):
        y = np.exp(x)
        return np.sum(y[3:] * y[1::-1])

    assert srcad.grad(f).saved(X[:5]).total == X[:5].nbytes


def test_views_of_arguments_cost_nothing():
    def f(x):
        y = x.reshape(2, 3).T
        return np.sum(y * y)

    report = srcad.grad(f).saved(X)
    assert (report.total, report.read_again) == (0, ("x",))


def test_captured_values_are_read_again():
    report = srcad.grad(lambda x: np.sum(np.sin(x) * SQUARE)).saved(X)
    assert report.read_again == ("x", "SQUARE")


def product_of_halves(x, least):
    if np.sum(x) < least:
        return np.sum(np.sin(x))
    return np.sum(np.cos(x)) * product_of_halves(x * 0.5, least)


def test_calls_save_by_line():
    report = srcad.grad(product_of_halves).saved(np.full(4, 8.0), 5.0)
    first = inspect.getsourcelines(product_of_halves)[1]
    (x,) = (entry for entry in report.entries if entry.name == "x")
    # 32, 16, 8, 4: the first is the argument, the calls made three.
    assert (x.line - first, x.what, x.bytes) == (3, "of 4 calls", 3 * 32)
    assert "x" in report.read_again


def test_dtype_and_shape():
    (entry,) = srcad.grad(exponential).saved(X.astype(np.float32)).entries
    assert (entry.shape, entry.dtype, entry.bytes) == ((6,), "float32", 24)


def test_elements_of_different_shapes():
    def f(x):
        for i in range(3):
            y = np.exp(x[i:])
            x = np.concatenate([x[:i], y])
        return np.sum(x)

    tapes = [e for e in srcad.grad(f).saved(X).entries if e.dtype == "float64"]
    assert [(e.name, e.shape, e.bytes) for e in tapes] == [("y", None, 8 * (6 + 5 + 4))]


def test_aux_is_not_saved_for_the_reverse_sweep():
    def f(x):
        return np.sum(2.0 * x), np.exp(x)

    for transformation in (srcad.grad, srcad.value_and_grad):
        assert transformation(f, has_aux=True).saved(X).total == 0


def test_mistakes_are_told_at_the_users_line():
    with pytest.raises(srcad.ShapeError, match=r"test_saved\.py"):
        srcad.grad(product).saved(X, X[:4])
    with pytest.raises(srcad.NotDifferentiable, match="E315"):
        srcad.grad(product).saved(X)


def test_report_prints_as_a_table():
    report = srcad.grad(tanh_steps).saved(X)
    line = inspect.getsourcelines(tanh_steps)[1] + 2
    head, row, *rest = str(report).splitlines()
    assert head.split() == ["line", "source", "saved", "what", "shape", "dtype", "bytes"]
    assert row.split("  ")[-1].strip() == "4,800"
    assert row.split()[:4] == [str(line), "x", "=", "np.tanh(x)"]
    assert len(head) == len(row)
    assert rest == ["total 4,800 bytes"]
    assert repr(report) == str(report)
    assert str(srcad.grad(product).saved(X, X)) == "nothing is saved\nread again: y"


def test_the_forward_sweep_is_cut_from_the_program_that_runs():
    """What is marked is the program that is called, but for the mark."""
    from srcad.emit.module import emit
    from srcad.ir import Block, Function
    from srcad.pipeline import stages
    from srcad.pipeline.passes import optimize
    from srcad.pipeline.reports import saved_values
    from srcad.pipeline.request import Request

    for f, argnums, args, _, _ in PINNED:
        wanted = argnums if isinstance(argnums, tuple) else (argnums,)
        request = Request("grad", f, wanted, not isinstance(argnums, tuple))
        lowered, _statics = stages.lower_with_statics(request, args, frozenset())
        texts = []
        for border in (None, saved_values._border):
            program = optimize(stages.derive_request(request, lowered.function, border))
            body = [
                s for s in program.body.body if getattr(s, "fn", None) is not saved_values._border
            ]
            plain = Block(program.params, body, program.body.results)
            texts.append(emit(Function(program.name, plain, program.interface)).text)
        assert texts[0] == texts[1]


def waves(x, a):
    return np.sin(x) * a


def test_a_pullback_keeps_what_a_gradient_does():
    report = srcad.pullback(waves).saved(X, 2.0)
    assert report.total == srcad.grad(lambda x, a: np.sum(waves(x, a)), (0, 1)).saved(X, 2.0).total
    assert report.total > 0
    both = srcad.pullback(lambda p, *xs: p["w"] * np.exp(xs[0]) * xs[1])
    assert both.saved({"w": 2.0}, X, 3).total > 0
    assert srcad.pullback(lambda n: n * 2).saved(3).total == 0


def test_a_product_with_the_hessian_takes_its_vector():
    def f(x, n=2):
        return np.sum(np.exp(x) ** n)

    product = srcad.hvp(f)
    expected = srcad.grad(f).saved(X).total
    assert product.saved(X).total == product.saved(X, X).total == expected
    assert product.saved(X, X, 2).total == product.saved(X, v=X).total == expected
    assert product.saved(X, 2).total == expected


def test_tangents_keep_nothing():
    assert srcad.pushforward(waves).saved(X, 2.0).total == 0


@pytest.mark.parametrize("transformation", [srcad.compile, srcad.vmap])
def test_what_runs_in_one_sweep_is_refused(transformation):
    with pytest.raises(srcad.SrcadError, match="E325"):
        transformation(lambda x: np.sin(x)).saved(X)
