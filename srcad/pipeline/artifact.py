"""The result of compiling: text, what it needs from outside, and how it becomes a callable."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from srcad.errors import Location, error
from srcad.ir.guards import Guard
from srcad.pipeline.calls.generated import register

# Of loops inside one another Python takes 20, of blocks 100.
_LIMITS = frozenset(
    {
        "too many statically nested blocks",
        "too many levels of indentation",
        "too many nested parentheses",
    }
)


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled program as data.

    `captures` are the paths of the captured inputs, passed after the arguments in this order;
    `globals` are objects the text refers to that no import reaches; `line_map` leads from the
    text's lines to the user's. `compiled` are the functions that Numba compiles, `left` says why
    the rest stays NumPy. One that `writes` changes its arguments, from the line `border` on. One
    that `acts` prints, draws, or calls what does more than compute. What is `assumed` stays as it
    is in this process, and is checked in others.
    `from_disk`: no compiler has run for it in this process.
    """

    text: str
    entry: str
    captures: tuple[str, ...] = ()
    guards: tuple[Guard, ...] = ()
    kept: tuple[Any, ...] = ()
    globals: Mapping[str, Any] = field(default_factory=dict)
    line_map: Mapping[int, Location] = field(default_factory=dict)
    compiled: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    writes: bool = False
    border: int = 0
    acts: bool = False
    assumed: tuple[Guard, ...] = ()
    from_disk: bool = field(default=False, compare=False)

    def load(self, filename: str, namespace: dict[str, Any] | None = None) -> Callable[..., Any]:
        """Execute the text and return its public function; tracebacks and pdb see `filename`.

        Args:
            namespace: of a module made for it; a new one by default.

        Raises:
            InternalError: E903, the text is no Python.
        """
        lines = self.text.splitlines(keepends=True)
        linecache.cache[filename] = (len(self.text), None, lines, filename)
        register(filename, self.line_map)
        namespace = {"__name__": "srcad.generated"} if namespace is None else namespace
        namespace.update(self.globals)
        try:
            program = compile(self.text, filename, "exec")
        except SyntaxError as problem:
            if problem.msg in _LIMITS:
                what = f"a program with more inside one another than Python takes ({problem.msg})"
                raise error("E140", self.line_map.get(problem.lineno or 0), what=what) from None
            raise error("E903", None, what=str(problem), notes=(self.text,)) from problem
        exec(program, namespace)
        function: Callable[..., Any] = namespace[self.entry]
        return function


class Loaded(NamedTuple):
    """The public function of a program with compiled functions, its file, and what loading took."""

    entry: Callable[..., Any]
    filename: str
    seconds: float
