"""The programs of a function in parts, found again by the guards of what they assume."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from srcad.parallel.choosing import Choice
from srcad.parallel.programs import Program
from srcad.parallel.splitting import paths_of
from srcad.pipeline.calls.dispatch import MISS, build_dispatch
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import Specializer
from srcad.pipeline.targets import AUTO, NUMPY


@dataclass(frozen=True, slots=True)
class _Known:
    """A program, or two, with what reads their captured values where their guards hold."""

    choice: Choice
    captured: Callable[..., Any]


class KnownPrograms:
    """The programs of a request, of which the arguments at the places `over` are split."""

    def __init__(self, request: Request, over: Sequence[int]) -> None:
        self._request = request
        self._over = over
        self._specializers: dict[tuple[str, ...], Specializer] = {}
        self._known: tuple[_Known, ...] = ()

    def find(self, args: tuple[Any, ...]) -> tuple[Choice, tuple[Any, ...]]:
        """What is known of the program for arguments like these, which is compiled if need be, and
        the values that it captures.
        """
        for known in self._known:
            found = known.captured(*args)
            if found is not MISS:
                return known.choice, found[len(args) :]
        known = self._compile(args)
        self._known = (known, *self._known)
        return known.choice, known.captured(*args)[len(args) :]

    def _compile(self, args: tuple[Any, ...]) -> _Known:
        specializer = self._specializer(args)
        found = specializer.find((*args, 1.0), len(args)).artifact
        native, plain = None, found
        if found.compiled:
            native, plain = found, specializer.by_numpy().find((*args, 1.0), len(args)).artifact
        captured = build_dispatch(
            lambda *passed: passed, self._request.primal, len(args), 0,
            found.guards, found.captures, found.kept,
        )  # fmt: skip
        return _Known(Choice(specializer.request, Program(plain, native)), captured)

    def _specializer(self, args: Sequence[Any]) -> Specializer:
        over = tuple(path for k in self._over for path in paths_of(args[k], k))
        if over not in self._specializers:
            backend = self._request.backend
            request = replace(
                self._request, over=over, backend=NUMPY.name if backend == AUTO else backend
            )
            self._specializers[over] = Specializer(request)
        return self._specializers[over]


__all__ = ["KnownPrograms"]
