"""Many random programs, counted by family: right, refused (by code), unfit, and the faults.

    python -m random_programs.campaign 100000 2000           # from tests/; seeds 100000 to 101999
    python -m random_programs.campaign 100000 60000 FOLDER   # goes on where it was left, by pieces
    python -m random_programs.campaign summary FOLDER
    python -m random_programs.campaign reduce 100123         # the fault of a seed, made small

A folder keeps a line for each piece of a campaign and commit, and a file for each fault.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from random_programs.generator import Program
from random_programs.people import family_of, program_of
from random_programs.tree import shrink
from random_programs.verdict import examine

from srcad.errors import SrcadError

BUDGET = 200  # programs tried to make a fault small
LIMIT_S = 30  # for a program that was made smaller: its loops may have become endless
PIECE = 100  # programs, between two lines of a folder
EVERY = 250  # programs, between two summaries


@dataclass
class Report:
    """What became of the programs of a campaign. `counts`: by family and outcome."""

    family: str | None = None
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    examples: dict[str, int] = field(default_factory=dict)
    faults: dict[int, str] = field(default_factory=dict)

    def add(self, seed: int) -> None:
        """Check the program of a seed."""
        name = self.family or family_of(seed)
        program = program_of(seed, name)
        verdict = examine(program, seed)
        if verdict.faults:
            outcome = "faults"
            self.faults[seed] = f"seed {seed}, {name}: " + "\n".join(verdict.faults)
        elif verdict.refused:
            outcome = "refused"
        else:
            outcome = "right" if verdict.checked else "unfit"
        self.counts[name, outcome] += 1
        if not verdict.faults and verdict.refused:
            kind = kind_of(verdict.refused[0])
            self.refusals[kind] += 1
            self.examples.setdefault(kind, seed)

    def sum_of(self, outcome: str) -> int:
        """The programs of all families with this outcome."""
        return sum(count for (_, each), count in self.counts.items() if each == outcome)

    @property
    def right(self) -> int:
        """The programs that are right."""
        return self.sum_of("right")

    @property
    def total(self) -> int:
        """The programs that are fit to be checked."""
        return self.counts.total() - self.sum_of("unfit")

    def summary(self) -> str:
        """The counts of each family, and what was refused."""
        lines = []
        for name in ["all", *sorted({name for name, _ in self.counts})]:
            n = [
                self.sum_of(each) if name == "all" else self.counts[name, each]
                for each in ("right", "refused", "faults", "unfit")
            ]
            lines.append(f"{name:9} {n[0]:6} right {n[1]:6} refused {n[2]:5} faults {n[3]:5} unfit")
        lines += [
            f"{count:6} {kind} (seed {self.examples[kind]})"
            for kind, count in self.refusals.most_common()
        ]
        return "\n".join(lines)

    def record(self, first: int, count: int, seconds: float) -> dict[str, Any]:
        """The report as a line of a folder."""
        return {
            "commit": commit(), "first": first, "count": count, "seconds": round(seconds, 1),
            "family": self.family,
            "counts": [[*key, n] for key, n in self.counts.items()],
            "refusals": [[kind, n, self.examples[kind]] for kind, n in self.refusals.items()],
            "faults": self.faults,
        }  # fmt: skip

    def merge(self, record: dict[str, Any]) -> None:
        """Add what a line of a folder says."""
        for name, outcome, n in record["counts"]:
            self.counts[name, outcome] += n
        for kind, n, seed in record["refusals"]:
            self.refusals[kind] += n
            self.examples.setdefault(kind, seed)
        self.faults.update({int(seed): text for seed, text in record["faults"].items()})


def kind_of(refusal: SrcadError) -> str:
    """The code and what is said, without the names of the program."""
    said = re.sub(r"`[A-Za-z_]+\d+(z\w*)?(\W[^`]*)?`", "`...`", str(refusal.args[1]))
    return f"{refusal.code} {said[:100]}"


def commit() -> str:
    """The commit of the compiler, with a mark where files differ from it."""
    asked = ["git", "describe", "--always", "--dirty", "--abbrev=10"]
    made = subprocess.run(asked, cwd=Path(__file__).parent, capture_output=True, text=True)
    return made.stdout.strip()


def reduced(program: Program, seed: int, fault: str) -> str:
    """A small program with the same kind of fault."""
    kind = kind_of_fault(fault)
    return shrink(program.source, lambda source: kind in faults_of(program, seed, source), BUDGET)


def faults_of(program: Program, seed: int, source: str) -> list[str]:
    """The kinds of the faults of a changed program."""
    try:
        with time_limit(LIMIT_S):
            return [kind_of_fault(each) for each in examine(program, seed, source).faults]
    except Exception:
        return []


def kind_of_fault(fault: str) -> str:
    """What is wrong, without where and how much."""
    return re.sub(r"\[[^\]]*\]", "", ":".join(fault.split(":")[:2]))


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


def campaign(seeds: Iterable[int], family: str | None = None) -> Report:
    """Check the programs of many seeds."""
    report = Report(family)
    for k, seed in enumerate(seeds):
        if k and k % EVERY == 0:
            print(report.summary(), flush=True)
        known = len(report.faults)
        report.add(seed)
        if len(report.faults) > known:
            print(report.faults[seed], flush=True)
    return report


def by_pieces(first: int, count: int, folder: Path) -> None:
    """A campaign that goes on where it was left, at this commit."""
    folder.mkdir(parents=True, exist_ok=True)
    lines, here = folder / "pieces.jsonl", commit()
    done = {each["first"] for each in records(folder) if each["commit"] == here}
    for at in range(first, first + count, PIECE):
        if at in done:
            continue
        start = time.process_time()
        report = campaign(range(at, min(at + PIECE, first + count)))
        made = report.record(at, PIECE, time.process_time() - start)
        with lines.open("a") as out:
            out.write(json.dumps(made) + "\n")
        for seed, fault in report.faults.items():
            said = "".join(f"# {line}\n" for line in fault.splitlines())
            (folder / f"seed_{seed}.py").write_text(said + program_of(seed).source)


def records(folder: Path) -> list[dict[str, Any]]:
    """The lines of a folder."""
    path = folder / "pieces.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def summary(folder: Path) -> str:
    """What a folder says of each commit."""
    reports: dict[str, Report] = defaultdict(Report)
    seconds: Counter[str] = Counter()
    for each in records(folder):
        reports[each["commit"]].merge(each)
        seconds[each["commit"]] += each["seconds"]
    return "\n\n".join(
        f"commit {name}: {report.counts.total()} programs, {seconds[name]:.0f} s\n"
        f"{report.summary()}\n"
        + "\n".join(fault.splitlines()[0][:150] for fault in report.faults.values())
        for name, report in reports.items()
    )


def show_reduced(seed: int, family: str | None = None) -> None:
    """Print each fault of a seed with the small program that has it."""
    program = program_of(seed, family)
    for fault in examine(program, seed).faults:
        print(f"# {fault}\n{reduced(program, seed, fault)}", flush=True)


def main(args: list[str]) -> None:
    """What the command line asks for."""
    if args[0] == "summary":
        print(summary(Path(args[1])))
    elif args[0] == "reduce":
        show_reduced(int(args[1]), *args[2:3])
    elif len(args) > 2:
        by_pieces(int(args[0]), int(args[1]), Path(args[2]))
        print(summary(Path(args[2])))
    else:
        start = time.time()
        print(campaign(range(int(args[0]), int(args[0]) + int(args[1]))).summary())
        print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
