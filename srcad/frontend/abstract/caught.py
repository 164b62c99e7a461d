"""What `__exit__` of a context manager is given where an exception leaves a `with` block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from srcad.frontend.abstract.objects import AbstractObject
from srcad.ir.nodes import Value


@dataclass(frozen=True, eq=False, slots=True)
class CaughtClass(AbstractObject):
    """The class of an exception that was caught, which is known when the program runs."""

    noun: ClassVar[str] = "the class of an exception that was caught"
    error: Value


class Traceback(AbstractObject):
    """A traceback: it is there, and nothing reads it."""

    __slots__ = ()
    noun = "a traceback"
