"""The way past the `Specializer`: a function that checks the arguments and runs a program itself.

gradient(w, x)         compiles
gradient(w, x)         the specializer goes through its programs, and finds one that serves
gradient(w, x)         that one is called directly from now on
gradient(w, "mean")    as the guards do not hold: the specializer again
gradient(w, x)         directly; until another program is made, or this one is replaced
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from srcad.pipeline.calls.dispatch import Rest, build_call
from srcad.pipeline.specialisation import Specialisation

Call = Callable[..., Any]


class Direct:
    """The direct call of one transformed function: of `program`, or none while that is None.

    Args:
        general: the call with any arguments.
        use: told what a user's call goes to.
    """

    def __init__(self, general: Call, use: Callable[[Call], None]) -> None:
        self.general = general
        self.use = use
        self.program: Specialisation | None = None
        self._served: Callable[[bool], int] | None = None

    @property
    def hits(self) -> int:
        """The calls that went this way since it began."""
        return self._served(False) if self._served is not None else 0

    def begin(
        self,
        program: Specialisation,
        primal: Call,
        n_args: int,
        failed: Callable[[Specialisation, BaseException, tuple[Any, ...]], Any],
        missed: Callable[[Specialisation, tuple[Any, ...]], Any],
    ) -> None:
        """Call a program directly from now on."""
        assert program.direct is not None
        made = program.artifact
        rest = Rest(self.general, partial(failed, program), partial(missed, program))
        call, self._served = build_call(
            program.direct, primal, n_args, made.guards, made.captures, made.kept, rest
        )
        self.program = program
        self.use(call)

    def end(self) -> int:
        """Wait for a program to serve a call; returns how many it was that went this way."""
        hits = self._served(True) if self._served is not None else 0
        self._served = self.program = None
        self.use(self.general)
        return hits
