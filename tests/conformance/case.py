"""A case: a small function, and the kinds of what it is given."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.kinds import NAMES, Kind


@dataclass(frozen=True)
class Case:
    """The function `f` of `parameters`, with what is `captured` as globals of its module.

    `body` is an expression, or the lines of the function with its `return`. `scope`: names that it
    reads besides those in `kinds.NAMES`.
    """

    body: str
    parameters: Mapping[str, Kind] = field(default_factory=dict)
    captured: Mapping[str, Kind] = field(default_factory=dict)
    scope: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The text of the function."""
        is_expression = "return" not in self.body and "\n" not in self.body
        lines = [f"return {self.body}"] if is_expression else self.body.splitlines()
        head = f"def f({', '.join(self.parameters)}):"
        return "\n".join([head, *(f"    {line}" for line in lines), ""])

    def __str__(self) -> str:
        given = [f"{name}: {kind.name}" for name, kind in self.parameters.items()]
        given += [f"{name}: {kind.name}, a global" for name, kind in self.captured.items()]
        return f"{self.body!r}  with {'; '.join(given) or 'nothing'}"

    def arguments(self, variant: int) -> tuple[Any, ...]:
        """New arguments."""
        return tuple(kind.make(variant) for kind in self.parameters.values())

    def load(self, filename: str) -> Callable[..., Any]:
        """The function, in a namespace of its own, known to `inspect.getsource`."""
        source = self.source
        linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
        names = {**NAMES, **self.scope, **{n: kind.make() for n, kind in self.captured.items()}}
        names["__name__"] = "conformance_case"
        exec(compile(source, filename, "exec"), names)
        return names["f"]  # type: ignore[no-any-return]
