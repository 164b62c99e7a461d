"""Which program serves the calls, told in text: what `.explain()` prints.

value_and_grad of heat
runs      compiled code
because   of both, it is the faster for arguments of the sizes below
compiles  heat_value_and_grad_1, 41 lines
measured  numbers in the arguments         NumPy    compiled
          8,192 to 32,767                15.9 ms      314 us
took      3.2 s to compile, by a process aside
          12.1 ms to import
file      ~/.cache/srcad/heat_value_and_grad-4b4260d8.../heat_value_and_grad.py
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from srcad.pipeline import machine
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.aside import WORTH_CALLS, WORTH_S
from srcad.pipeline.defects import INTERNAL
from srcad.pipeline.reports.notebook import framed, pairs
from srcad.pipeline.request import Request
from srcad.pipeline.specialisation import Specialisation, Takeover
from srcad.pipeline.targets import NUMPY, TARGETS, targets_of

_COUNT = re.compile(r"\d+ \S+")  # `3 matmul`; other lines of what stays are reasons


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of one call for arguments with `least` to `most` numbers; `faster` is the winner."""

    least: int
    most: int
    numpy_s: float
    native_s: float
    faster: str


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a program runs as it does.

    `runs` is the name of the target (`srcad.pipeline.targets`). `compiled` has the names of
    compiled functions and their numbers of lines, `kernels` those of srcad's kernels that are
    compiled, `stays` what NumPy does between them. `compile_s` is None where nothing was compiled
    aside, `load_s` where nothing was imported. `failed` tells of calls that the compiled program
    refused.
    """

    title: str
    backend: str
    runs: str
    why: str
    compiled: tuple[tuple[str, int], ...] = ()
    stays: tuple[str, ...] = ()
    measured: tuple[Measured, ...] = ()
    compile_s: float | None = None
    load_s: float | None = None
    file: str = ""
    failed: str = ""
    kernels: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines, last = [self.title], ""
        for head, text in self._rows():
            if text:
                lines.append(f"{head if head != last else '':<9} {text}")
                last = head
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks."""
        rows = [(head, text) for head, text in self._rows() if text]
        return framed(f'<p class="head">{escape(self.title)}</p>{pairs(rows)}')

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "runs", TARGETS[self.runs].title
        yield "because", self.why
        for name, lines in self.compiled:
            yield "compiles", f"{name}, {lines} lines"
        yield "kernels", ", ".join(self.kernels)
        counts = [text for text in self.stays if _COUNT.fullmatch(text)]
        for reason in self.stays:
            yield "stays", reason if reason not in counts else ""
        yield "stays", ", ".join(counts)
        if self.measured:
            yield "measured", f"{'numbers in the arguments':<26}{'NumPy':>12}{'compiled':>12}"
        for each in self.measured:
            sizes = f"{each.least:,} to {each.most:,}"
            yield "measured", f"{sizes:<26}{_time(each.numpy_s):>12}{_time(each.native_s):>12}"
        if self.compile_s is not None:
            yield "took", f"{_time(self.compile_s)} to compile, by a process aside"
        if self.load_s is not None:
            yield "took", f"{_time(self.load_s)} to import"
        yield "file", self.file
        yield "failed", self.failed


def explain(request: Request, found: Specialisation) -> Explanation:
    """The explanation of a specialisation."""
    takeover = found.takeover
    artifact = (takeover and takeover.native) or found.artifact
    loaded, target = _loaded(found), targets_of(request.backend)[-1]
    if found.backend and (own := targets_of(found.backend)[0]) not in targets_of(request.backend):
        target = own
    return Explanation(
        title=f"{request.kind} of {request.name}",
        backend=request.backend,
        runs=(target if found.artifact.compiled or not target.compiles else NUMPY).name,
        why=_why(request, found),
        compiled=_functions(artifact),
        stays=artifact.left,
        measured=tuple(_measured(takeover)) if takeover else (),
        compile_s=machine.compile_seconds(loaded[0]) if loaded else None,
        load_s=loaded[1] if loaded else None,
        file=_short(loaded[0]) if loaded else "",
        failed=_failed(found),
        kernels=tuple(name for name in artifact.compiled if name.endswith("]")),
    )


def _why(request: Request, found: Specialisation) -> str:
    if found.why:
        return found.why
    takeover = found.takeover
    if takeover is None:
        if request.target.compiles and not found.artifact.compiled:
            defects = [why for why in found.artifact.left if why.startswith(INTERNAL)]
            return defects[0] if defects else "nothing in it is compiled"
        return f'of backend="{request.backend}"'
    match takeover.state:
        case "watches":
            done = f"{takeover.calls} call{'s' * (takeover.calls != 1)}"
            limit = f"a compiled version is made after {WORTH_CALLS} calls and {_time(WORTH_S)}"
            return f"{limit}; so far {done} took {_time(takeover.seconds)}"
        case "compiles" if takeover.process != os.getpid():
            return "the process was forked while the compiled version was made"
        case "compiles":
            return "a compiled version is being made aside"
        case "compares" if not any(race.winner for race in takeover.races):
            return "the next calls run both, to see which is faster"
    return "of both, it is the faster for arguments of the sizes below"


def _failed(found: Specialisation) -> str:
    failures = found.failures
    if not failures.total:
        return ""
    return f"{failures.total} times, where NumPy served the call; the last: {failures.last}"


def _measured(takeover: Takeover) -> Iterator[Measured]:
    for race in takeover.races:
        if race.winner:
            yield Measured(*race.sizes, race.numpy_s, race.native_s, race.winner)


def _functions(artifact: Artifact) -> tuple[tuple[str, int], ...]:
    """Names and lengths of the compiled functions of a text, helpers left out."""
    if not artifact.compiled:
        return ()
    return tuple(
        (node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.parse(artifact.text).body
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(decorator, ast.Call) for decorator in node.decorator_list)
    )


def _loaded(found: Specialisation) -> tuple[str, float] | None:
    """The file of a compiled program, and the seconds that its import took."""
    if found.takeover is not None:
        loaded = found.takeover.loaded
        return (loaded.filename, loaded.seconds) if loaded else None
    is_loaded = found.artifact.compiled and found.filename
    return (found.filename, found.load_seconds) if is_loaded else None


def _short(path: str) -> str:
    home = os.path.expanduser("~")
    return f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path


def _time(seconds: float) -> str:
    """`15.9 ms`: three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} us"
