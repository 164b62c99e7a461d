"""What a program of the corpus is: a function, and arguments for several calls of it.

    program = Theme("branches")

    @program(vector, vector)
    def loss(x, y): ...

Each maker takes a `numpy.random.Generator` and returns one argument. A program with `others` has
more argument tuples that the same lowering must serve: other sizes, the other branch, other numbers
of iterations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

Maker = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Program:
    """One function with its arguments. `again`: more argument tuples for the same lowering.

    `edges` are further ones at which there is no derivative. smooth: second derivatives exist where
    the arguments are. varied: it can be differentiated. single: it computes in single precision
    inside. rounded: its arrays may lie otherwise in memory, which changes last digits. laid_out: it
    may be refused for arrays that lie otherwise in memory.
    """

    theme: str
    fn: Callable[..., Any]
    makers: tuple[Any, ...]
    again: tuple[tuple[Any, ...], ...] = ()
    edges: tuple[tuple[Any, ...], ...] = ()
    smooth: bool = True
    varied: bool = True
    single: bool = False
    rounded: bool = False
    laid_out: bool = False

    @property
    def name(self) -> str:
        return f"{self.theme}-{self.fn.__name__}"

    def arguments(self, seed: int = 0) -> list[tuple[Any, ...]]:
        """All argument tuples."""
        rng = np.random.default_rng(seed)
        tuples = (self.makers, *self.again, *self.edges)
        return [tuple(_made(m, rng) for m in makers) for makers in tuples]


def _made(maker: Any, rng: np.random.Generator) -> Any:
    return maker(rng) if callable(maker) else maker


class Theme:
    """The programs of one file; called, a decorator that adds one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.programs: list[Program] = []

    def __call__(
        self,
        *makers: Any,
        again: Iterable[tuple[Any, ...]] = (),
        edges: Iterable[tuple[Any, ...]] = (),
        **options: Any,
    ) -> Callable[..., Any]:
        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.programs.append(
                Program(self.name, fn, makers, tuple(again), tuple(edges), **options)
            )
            return fn

        return add


def array(*shape: int, dtype: Any = float) -> Maker:
    """A maker of arrays with normal entries."""
    return lambda rng: rng.standard_normal(shape).astype(dtype)


def positive(*shape: int) -> Maker:
    """A maker of arrays with entries between 0.5 and 2."""
    return lambda rng: rng.uniform(0.5, 2.0, shape)


def integers(*shape: int, below: int) -> Maker:
    """A maker of integer arrays."""
    return lambda rng: rng.integers(0, below, shape)


def number(rng: np.random.Generator) -> float:
    """A Python float."""
    return float(rng.standard_normal())


def positive_number(rng: np.random.Generator) -> float:
    """A Python float between 0.5 and 2."""
    return float(rng.uniform(0.5, 2.0))


scalar = number
vector = array(4)
matrix = array(3, 4)
