"""Functions without derivative that raise wherever they are called: when the program runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import srcad
from srcad.rules import nondiff

seen: list[str] = []
IS_CHECKED = True


@nondiff
def check(x: Any, mode: str) -> None:
    if mode == "strict":
        seen.append("checked")
        raise ValueError("not finite")


@nondiff
def check_by_global(x: Any) -> None:
    if IS_CHECKED:
        raise ValueError("checked")


@nondiff
def ended(x: Any) -> float:
    raise StopIteration


class Model:
    @nondiff
    def hook(self, x: Any) -> None:
        raise NotImplementedError


MODEL = Model()


class Counter:
    def __init__(self) -> None:
        self.is_first = True

    @nondiff
    def once(self, x: Any) -> None:
        if self.is_first:
            self.is_first = False
            raise ValueError


def at_once(x: Any) -> Any:
    check(x, "strict")
    return np.sum(x**2)


def of_a_method(x: Any) -> Any:
    MODEL.hook(x)
    return np.sum(x**2)


def behind_a_print(x: Any) -> Any:
    print("before")
    check(x, "strict")
    print("behind")
    return np.sum(x**2)


def in_a_branch(x: Any) -> Any:
    s = np.sum(x**2)
    if s > 4.0:
        check(x, "strict")
    return s


def in_a_loop(x: Any) -> Any:
    s = 0.0
    for i in range(len(x)):
        if x[i] > 2.0:
            check(x, "strict")
        print("turn")
        s = s + x[i] ** 2
    return s


def in_a_comprehension(x: Any) -> Any:
    made = [check(v, "strict") for v in x]
    return np.sum(x) + len(made)


def in_an_expression(x: Any) -> Any:
    return np.sum(x) + (check_by_global(x) or 1.0)


def handled(x: Any) -> Any:
    try:
        check(x, "strict")
    except ValueError:
        return np.sum(x**3)
    return np.sum(x**2)


def handled_by_name(x: Any) -> Any:
    try:
        check(x, "strict")
        scale = 2.0
    except TypeError:
        scale = 1.0
    except (ValueError, OSError) as e:
        scale = 3.0 + len(str(e))
    finally:
        print("end")
    return np.sum(x) * scale


def not_handled(x: Any) -> Any:
    try:
        check(x, "strict")
    except KeyError:
        return np.sum(x)
    return np.sum(x**2)


def in_a_test(x: Any) -> Any:
    while check(x, "strict"):
        x = x * 2.0
    return np.sum(x)


def _outcome(f: Callable[..., Any], x: Any, capsys: Any) -> tuple[Any, str, int]:
    seen.clear()
    try:
        found: Any = np.asarray(f(x)).tolist()
    except Exception as problem:
        found = type(problem), problem.args
    return found, capsys.readouterr().out, len(seen)


@pytest.mark.parametrize(
    "f",
    [
        at_once, of_a_method, behind_a_print, in_a_branch, in_a_loop, in_a_comprehension,
        in_an_expression, handled, handled_by_name, not_handled, in_a_test,
    ],
)  # fmt: skip
def test_it_raises_in_its_turn(f: Any, capsys: Any) -> None:
    compiled, derived = srcad.compile(f), srcad.value_and_grad(f)
    for x in (np.array([1.0, 0.5]), np.array([1.0, 3.0, 2.0])):
        expected = _outcome(f, x, capsys)
        assert _outcome(compiled, x, capsys) == expected
        assert _outcome(lambda x: derived(x)[0], x, capsys) == expected


def test_the_derivative_behind_a_handler() -> None:
    np.testing.assert_array_equal(srcad.grad(handled)(np.array([1.0, 2.0])), [3.0, 12.0])


def test_a_global_that_says_so_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: Any) -> Any:
        check_by_global(x)
        return x * x

    g = srcad.grad(f)
    with pytest.raises(ValueError, match="checked"):
        g(3.0)
    monkeypatch.setattr(f"{__name__}.IS_CHECKED", False)
    assert g(3.0) == 6.0


def test_what_it_changes_itself_is_not_read() -> None:
    def f(x: Any, counter: Counter) -> Any:
        try:
            counter.once(x)
        except ValueError:
            pass
        counter.once(x)
        return x * x

    with pytest.raises(srcad.UnsupportedSyntax, match="is_first"):
        srcad.compile(f)(3.0, Counter())


def test_a_stop_iteration_that_ends_an_iterator_is_refused() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for v in map(ended, x):
            total = total + v
        return total

    with pytest.raises(srcad.UnsupportedSyntax, match="StopIteration"):
        srcad.compile(f)(np.ones(3))
