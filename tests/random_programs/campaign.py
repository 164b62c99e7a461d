"""Many random programs, counted: differentiated, refused (by code), unfit, and the faults.

    python -m random_programs.campaign 100000 2000      # from tests/; seeds 100000 to 101999

Prints each fault with the small program it was reduced to, and what users would be refused.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from random_programs.checks import Unfit, find_fault
from random_programs.generator import Program, generate
from random_programs.tree import shrink

from srcad.errors import SrcadError

BUDGET = 200  # programs tried to make a fault small
THOROUGH = 3  # one in so many is checked in single precision and to second order as well
LIMIT_S = 30  # for a program that was made smaller: its loops may have become endless
EVERY = 250  # programs, between two summaries


@dataclass
class Report:
    """What became of the programs of a campaign."""

    right: int = 0
    unfit: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, int] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)

    def add(self, seed: int) -> None:
        """Check the program of a seed."""
        program = generate(seed)
        try:
            fault = find_fault(program, thorough=seed % THOROUGH == 0)
        except Unfit:
            self.unfit += 1
            return
        except np.linalg.LinAlgError:
            self.unfit += 1
            return
        except SrcadError as refusal:
            kind = kind_of(refusal)
            self.refused[kind] += 1
            self.examples.setdefault(kind, seed)
            return
        if fault is None:
            self.right += 1
        else:
            self.faults[seed] = f"seed {seed}: {fault}\n\n{reduced(program, fault)}"

    @property
    def total(self) -> int:
        """The programs that are fit to be differentiated."""
        return self.right + self.refused.total() + len(self.faults)

    def summary(self) -> str:
        """The counts, and what was refused."""
        lines = [
            f"{self.right} right, {self.refused.total()} refused, {len(self.faults)} faults, "
            f"{self.unfit} unfit"
        ]
        lines += [
            f"{count:6} {kind} (seed {self.examples[kind]})"
            for kind, count in self.refused.most_common()
        ]
        return "\n".join(lines)


def kind_of(refusal: SrcadError) -> str:
    """The code and what is said, without the names of the program."""
    said = re.sub(r"`[a-z_]+\d+(\W[^`]*)?`", "`...`", str(refusal.args[1]))
    return f"{refusal.code} {said[:100]}"


def reduced(program: Program, fault: str) -> str:
    """A small program with the same kind of fault."""
    kind = fault.split(":")[0]
    return shrink(program.source, lambda source: fault_kind(program, source) == kind, BUDGET)


def fault_kind(program: Program, source: str) -> str | None:
    """The kind of the fault of a changed program, if it has one."""
    try:
        with time_limit(LIMIT_S):
            fault = find_fault(program, source=source)
    except Exception:
        return None
    return fault and fault.split(":")[0]


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """Raise `TimeoutError` inside after so many seconds, where the system has alarms."""

    def stop(*_: object) -> None:
        raise TimeoutError

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def campaign(seeds: Iterable[int], folder: Path | None = None) -> Report:
    """Check the programs of many seeds; put each fault into a file of `folder`."""
    report = Report()
    for k, seed in enumerate(seeds):
        if k and k % EVERY == 0:
            print(report.summary(), flush=True)
        known = len(report.faults)
        report.add(seed)
        if len(report.faults) > known:
            print(report.faults[seed], flush=True)
            if folder is not None:
                text = "".join(
                    f"# {line}\n" for line in report.faults[seed].split("\n\n")[0].splitlines()
                )
                program = report.faults[seed].split("\n\n", 1)[1]
                (folder / f"seed_{seed}.py").write_text(text + program)
    return report


if __name__ == "__main__":
    start = time.time()
    first, count = int(sys.argv[1]), int(sys.argv[2])
    out = Path(sys.argv[3]) if len(sys.argv) > 3 else None
    made = campaign(range(first, first + count), out)
    print(made.summary())
    print(f"{time.time() - start:.0f} s")
