"""Functions declared without derivative: called once for each run, never while compiling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import srcad
from srcad.rules import nondiff

X = np.array([3.0, 1.0, 2.0])


def test_a_log_sees_each_call_and_nothing_else() -> None:
    seen: list[float] = []

    def report(x: Any) -> None:
        seen.append(float(x))

    nondiff(report)

    def f(x: Any) -> Any:
        for k in range(3):
            report(x * k)
        return x * x

    g = srcad.grad(f)
    assert g(2.0) == 4.0
    assert seen == [0.0, 2.0, 4.0]
    g(1.0)
    assert seen[3:] == [0.0, 1.0, 2.0]


def test_the_type_of_a_result_is_read_from_the_source() -> None:
    @nondiff
    def best(x: Any) -> Any:
        return np.argmax(x)

    g = srcad.grad(lambda x: x[best(x)] ** 2)
    np.testing.assert_array_equal(g(X), [6.0, 0.0, 0.0])


def test_the_type_of_a_result_may_be_told() -> None:
    counted: list[int] = []

    def ranks(x: Any) -> Any:
        counted.append(len(x))
        return np.argsort(x) + 1.0

    nondiff(ranks)
    with pytest.raises(srcad.UnsupportedSyntax, match="type_of"):
        srcad.grad(lambda x: np.sum(ranks(x) * x))(X)
    nondiff(ranks, type_of=lambda x: x)
    np.testing.assert_array_equal(srcad.grad(lambda x: np.sum(ranks(x) * x))(X), [2.0, 3.0, 1.0])
    assert counted == [3]


@nondiff
def behind_a_buffer(b: Any) -> None:
    b.data[0] = 7.0


@nondiff
def in_a_text(b: Any) -> None:
    exec("b[0] = 7.0")


@nondiff
def of_a_shape(b: Any) -> None:
    setattr(b, "shape", (3, 1))  # no store that its text shows


@nondiff
def in_a_list(b: Any) -> None:
    exec("b[0][0] = 7.0")


def _array(change: Any, x: Any) -> Any:
    b = x * 1.0
    change([b] if change is in_a_list else b)
    return b.sum()


@pytest.mark.parametrize("change", [behind_a_buffer, in_a_text, of_a_shape, in_a_list])
@pytest.mark.parametrize("of", [srcad.compile, srcad.grad])
def test_a_hidden_write_is_refused_when_it_runs(change: Any, of: Any) -> None:
    """Its source is more than srcad reads: it was taken as one that writes nothing."""
    x = X.copy()
    with pytest.raises(NotImplementedError, match="changes what it is given"):
        of(lambda x: _array(change, x))(x)
    np.testing.assert_array_equal(x, X)


def test_a_hidden_write_in_a_try_is_refused_at_once() -> None:
    def f(x: Any) -> Any:
        b = x * 1.0
        try:
            in_a_text(b)
        except Exception:
            return x[0]
        return b.sum()

    with pytest.raises(srcad.UnsupportedSyntax, match="E103"):
        srcad.compile(f)(X)


def test_what_only_reads_may_be_more_than_srcad_reads() -> None:
    seen: list[float] = []

    @nondiff
    def report(b: Any) -> None:
        exec("seen.append(b.sum())", {"seen": seen, "b": b})

    @nondiff(type_of=lambda x: x)
    def ranks(x: Any) -> Any:
        return eval("np.argsort(x) + 1.0")

    def f(x: Any) -> Any:
        for k in range(2):
            report(x * k)
        return np.sum(ranks(x) * x)

    np.testing.assert_array_equal(srcad.grad(f)(X), np.argsort(X) + 1.0)
    assert seen == [0.0, 6.0]


class Scaling:
    def __init__(self, by: Any) -> None:
        self.by = by
        self.calls = 0

    @nondiff
    def scaled(self, x: Any) -> Any:
        return x * self.by

    @nondiff
    def best(self, x: Any) -> Any:
        return np.argmax(x)

    @nondiff
    def parts(self, x: Any) -> Any:
        return x * 2.0, [np.sum(x), self.by]

    @nondiff
    def show(self, x: Any) -> None:
        print("by", self.by)

    @nondiff
    def refused(self, x: Any) -> None:
        raise ValueError("refused")

    @nondiff
    def counted(self, x: Any) -> float:
        self.calls += 1
        return 2.0

    @nondiff
    def itself(self, x: Any) -> Any:
        return self


def _of_one_made_inside(x: Any) -> Any:
    return np.sum(Scaling(x).scaled(x) * x)


def _of_several_results(x: Any) -> Any:
    a, (total, by) = Scaling(x[1]).parts(x)
    return np.sum(a * x) + total * x[0] + by * x[1]


def _of_a_place(x: Any) -> Any:
    return x[Scaling(1.0).best(x)] ** 2


def _in_a_loop(x: Any) -> Any:
    total = 0.0
    for k in range(3):
        scaling = Scaling(k)
        scaling.show(x)
        total = total + np.sum(scaling.scaled(x) * x)
    return total


def _that_raises(x: Any) -> Any:
    try:
        Scaling(1.0).refused(x)
    except ValueError:
        return np.sum(x * x)
    return np.sum(x)


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (_of_one_made_inside, [9.0, 1.0, 4.0]), (_of_several_results, [12.0, 3.0, 4.0]),
        (_of_a_place, [6.0, 0.0, 0.0]), (_in_a_loop, [9.0, 3.0, 6.0]),
        (_that_raises, [6.0, 2.0, 4.0]),
    ],
)  # fmt: skip
def test_a_method_of_an_object_that_is_made_inside(f: Any, slope: Any, capsys: Any) -> None:
    expected, said = f(X), capsys.readouterr().out
    assert srcad.compile(f)(X) == expected
    assert capsys.readouterr().out == said
    value, gradient = srcad.value_and_grad(f)(X)
    assert value == expected
    assert capsys.readouterr().out == said
    np.testing.assert_array_equal(gradient, slope)


def test_what_a_method_of_such_an_object_may_not_do() -> None:
    def counting(x: Any) -> Any:
        scaling = Scaling(1.0)
        scaling.counted(x)
        return np.sum(x) * scaling.calls

    def giving_itself(x: Any) -> Any:
        return np.sum(x) * Scaling(x[0]).itself(x).by

    for f, code in ((counting, "E118"), (giving_itself, "E120")):
        with pytest.raises(srcad.SrcadError, match=code):
            srcad.grad(f)(X)
