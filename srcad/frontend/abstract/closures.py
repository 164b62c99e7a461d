"""Code of the program that runs later, with the frame in which its names are looked up."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Iterator as Items
from dataclasses import dataclass
from typing import ClassVar

import gast

from srcad.errors import Location
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.iterators import OneShot
from srcad.frontend.abstract.objects import Abstract, AbstractObject, Ref


@dataclass(eq=False, slots=True)
class FunctionObj(AbstractObject):
    """A `def` or lambda inside the function, with the frame in which it was defined."""

    noun: ClassVar[str] = "a function"
    is_function: ClassVar[bool] = True
    node: gast.FunctionDef | gast.Lambda
    frame: Frame
    defaults: list[Abstract]
    kw_defaults: dict[str, Abstract]
    home: type | None = None  # the class in which it was defined

    @property
    def name(self) -> str:
        """The function's name."""
        return getattr(self.node, "name", "<lambda>")


@dataclass(eq=False, slots=True)
class Bound(AbstractObject):
    """A Python function bound to its object: called with the object first."""

    fn: Ref | FunctionObj
    receiver: Abstract


@dataclass(eq=False, slots=True)
class Generator(OneShot):
    """A generator expression, run when something iterates over it; `source`: what its first clause
    iterates over.
    """

    node: gast.GeneratorExp
    frame: Frame
    source: Abstract


@dataclass(eq=False, slots=True)
class Suspended(OneShot):
    """What a call of a function with `yield` gives: `run(take)` reads its body in `frame`, and
    gives `take` what it yields, each time before the body goes on; `steps` gives it when asked.
    """

    noun: ClassVar[str] = "a generator"
    frame: Frame
    node: gast.FunctionDef
    place: Location  # of the first `yield`
    run: Callable[[Callable[[Abstract], Abstract]], None]
    steps: Callable[[], Items[Abstract]]


@dataclass(eq=False, slots=True)
class Managed(AbstractObject):
    """What a call of a function under `contextlib.contextmanager` gives: a manager that enters by
    running the generator to its `yield` and leaves by running it to its end.
    """

    noun: ClassVar[str] = "a context manager"
    generator: Suspended
