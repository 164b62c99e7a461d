"""A program in use: its data, its callable, its guarded call, and what its exceptions mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, Protocol

from srcad.pipeline.artifact import Artifact, Loaded
from srcad.pipeline.calls.dispatch import Programs
from srcad.pipeline.calls.finishing import file_of, finish, is_of_file
from srcad.pipeline.calls.refusal import Refused, meant, raise_meant


class Again(Protocol):
    """The program of NumPy for what a compiled one has refused."""

    def __call__(self, args: Sequence[Any], n_primal: int, /) -> Any:
        """Run it."""

    def find(self, args: Sequence[Any], n_primal: int, /) -> Specialisation:
        """The program itself."""


class Race(Protocol):
    """Seconds of one call of both programs, for arguments of some sizes; which one won."""

    sizes: tuple[int, int]
    numpy_s: float
    native_s: float
    winner: str


class Takeover(Protocol):
    """Whether a compiled program takes over from NumPy's, as `srcad.pipeline.calls.takeover` finds.

    `seconds` is what `calls` took so far; `process` the one that compiles.
    """

    state: str
    calls: int
    seconds: float
    process: int
    numpy: Specialisation
    native: Artifact | None
    loaded: Loaded | None

    @property
    def races(self) -> Sequence[Race]:
        """One for each size class."""

    def copy(self) -> None:
        """Let the compiled program get copies of read-only arrays from now on."""


@dataclass(slots=True)
class Failures:
    """How often a compiled program raised and NumPy did not: in all, and one call after the other.

    `hits` is how many calls had been served at the last one, `last` what was raised.
    """

    total: int = 0
    times: int = 0
    hits: int = -1
    last: str = ""


@dataclass(frozen=True, slots=True)
class Specialisation:
    """A program in use: its data, its callable, and the guarded call of it.

    `again` is called with the arguments, and with how many of them are the primal's, when a
    compiled program has raised, and finds NumPy's program; None for a program of NumPy. `why` tells
    why it is not compiled; `takeover` decides about it where another target may take over. One that
    `copies` gets copies of read-only arrays. `backend`: what it was made for, if not for that of
    the request. `direct` is what a call runs where the guards hold;
    None where more than that is to be done.
    """

    artifact: Artifact
    entry: Callable[..., Any]
    dispatch: Callable[..., Any]
    filename: str
    again: Again | None = None
    why: str = ""
    load_seconds: float = 0.0
    takeover: Takeover | None = None
    copies: bool = False
    direct: Programs | None = None
    failures: Failures = field(default_factory=Failures)
    backend: str = ""

    def handle(self, problem: BaseException) -> str:
        """Raise what an exception means, unless compiled code has refused the call: why it did.
        What had begun to write the arguments is finished before.
        """
        if self.artifact.writes:
            finish(problem, self._programs(problem))
        refused = meant(problem, self.artifact, self.filename or file_of(problem, self.artifact))
        if self.again is not None and isinstance(refused, Refused):
            return str(refused)
        self.reraise(problem)

    def _programs(self, problem: BaseException) -> Iterator[tuple[Artifact, str]]:
        """All that a call may have run, with their files."""
        # Its first call imports a compiled program, whose file is known only then.
        yield self.artifact, self.filename or file_of(problem, self.artifact)
        if self.takeover is not None:
            yield self.takeover.numpy.artifact, self.takeover.numpy.filename
            if self.takeover.native is not None and self.takeover.loaded is not None:
                yield self.takeover.native, self.takeover.loaded.filename

    def reraise(self, problem: BaseException) -> NoReturn:
        """Raise what an exception of the generated text means in terms of the user's source."""
        program = self
        if not self.filename:
            program = replace(self, filename=file_of(problem, self.artifact))
        elif self.takeover is not None and not is_of_file(problem, self.filename):
            program = self.takeover.numpy  # which runs for arguments of some sizes
        raise_meant(problem, program.artifact, program.filename)
