"""Count the programs that each pass of the compiler changes, to see which passes are worth keeping.

    python benchmarks/pass_counts.py [--random 300]
    python benchmarks/pass_counts.py --write-docs       # docs/passes.md

Compiles value and gradient of each program for both backends, without running it: the test corpus
(a family is a theme), random programs (a family of the generator), and the numerical programs and
networks of the benchmarks (a family each). The examples (a family each) run in their short form on
NumPy, and everything that they transform is compiled for both backends. A pass that changes fewer
than two families is removed, or docs/passes.md says why it stays. Needs Numba.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import shlex
import sys
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), *(str(ROOT / each) for each in ("tests", "benchmarks", "examples"))]
FIRST = 900_000  # seed of the random programs
# The examples, with the options of their short form.
EXAMPLES = {
    "autoencoder": "--epochs 3",
    "mnist_cnn": "--epochs 3",
    "mnist_rnn": "--epochs 3",
    "imdb_cnn": "--epochs 3",
    "forward_mode": "",
    "bundle_adjustment": "",
    "physics_simulation": "--size 24 --turns 6 --steps 10",
    "bayesian_regression": "--samples 1000",
    "neural_ode": "--steps 100 --swings 6",
    "heat_conduction": "--cells 20 --times 30 --rounds 20",
    "variational_autoencoder": "--epochs 20",
    "transformer": "--steps 60",
    "cart_pole": "--rounds 40",
}

Case = tuple[str, str, Callable[..., Any], tuple[int, ...], Any]  # source, family, function, ...


def corpus() -> Iterator[Case]:
    """Every program of the tests' corpus."""
    from corpus.all import THEMES

    for theme in THEMES:
        for program in theme.program.programs:
            args = program.arguments()[0]
            yield "corpus", theme.__name__, program.fn, (0,), args


def random_programs(count: int) -> Iterator[Case]:
    """Programs of every family of the generator."""
    from random_programs.checks import SIZES, load
    from random_programs.people import family_of, program_of

    for seed in range(FIRST, FIRST + count):
        program = program_of(seed)
        argnums = tuple(range(len(program.parameters)))
        args = program.arguments(seed, *SIZES[0])
        yield "random", family_of(seed), load(program.source), argnums, args


def benchmarks() -> Iterator[Case]:
    """The numerical programs and the networks."""
    import numpy as np
    from numerical.programs import PROGRAMS, argnums, loss_of
    from training.networks import MODELS

    for name, program in PROGRAMS.items():
        args = program.arguments("T")
        yield "benchmarks", name, loss_of(program.fn), argnums(args), args
    for name, model in MODELS.items():
        weights = model.draw(np.random.default_rng(0))
        yield "benchmarks", name, model.loss, (0,), (weights, *model.batches(1)[0])


def changing(fn: Callable[..., Any], argnums: tuple[int, ...], args: Any) -> set[str] | None:
    """The passes that change the program for one of the backends; None of one that is refused."""
    import srcad
    from srcad.errors import SrcadError
    from srcad.ir.passes import observed

    found: set[str] = set()
    with observed(lambda step: found.add(step.name) if step.changed else None):
        for backend in ("numpy", "native"):
            try:
                srcad.value_and_grad(fn, argnums, backend=backend, cache=False).source(*args)
            except SrcadError:
                return None
    return found


def changing_in_example(name: str, options: str) -> set[str]:
    """The passes that change what an example transforms, for one of the backends."""
    from srcad.errors import SrcadError
    from srcad.ir.passes import observed
    from srcad.pipeline.disk import store
    from srcad.pipeline.stages import compile_request

    found: set[str] = set()
    compile_or_load = store.compile_or_load

    def for_both(request: Any, args: Any, statics: Any) -> Any:
        with contextlib.suppress(SrcadError):
            compile_request(replace(request, backend="native"), args, statics)
        return compile_or_load(request, args, statics)

    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, SRCAD_NATIVE="0"),
        mock.patch.object(store, "compile_or_load", for_both),
        observed(lambda step: found.add(step.name) if step.changed else None),
    ):
        importlib.import_module(name).main(shlex.split(options))
    return found


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Without what programs print, and warnings of theirs, which say nothing of passes."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


def count(n_random: int) -> tuple[dict[str, dict[str, set[str]]], dict[str, dict[str, int]], Any]:
    """By pass and source: the families, and the number of programs; and all programs by source."""
    families: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    programs: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    totals: dict[str, int] = defaultdict(int)

    def add(source: str, family: str, found: set[str]) -> None:
        totals[source] += 1
        for name in found:
            families[name][source].add(family)
            programs[name][source] += 1

    for cases in (corpus(), random_programs(n_random), benchmarks()):
        for source, family, fn, argnums, args in cases:
            with quietly():
                found = changing(fn, argnums, args)
            if found is not None:
                add(source, family, found)
    for example, options in EXAMPLES.items():
        with quietly():
            add("examples", example, changing_in_example(example, options))
    return families, programs, totals


def table(n_random: int) -> str:
    """The passes in their order, with what they change."""
    from srcad.pipeline.passes import STAGES

    families, programs, totals = count(n_random)
    sources = ("corpus", "random", "benchmarks", "examples")
    heads = [f"{source} ({totals[source]})" for source in sources]
    rows = [f"| stage | pass | {' | '.join(heads)} | families |", "|---|---|" + "---:|" * 5]
    for stage in STAGES:
        for name in dict.fromkeys(each.name for each in stage.passes):
            counts = " | ".join(str(programs[name][source]) for source in sources)
            total = sum(len(families[name][source]) for source in sources)
            rows.append(f"| {stage.name} | {name} | {counts} | {total} |")
    return "\n".join(rows) + "\n"


COUNTED = re.compile(r"(<!-- counted -->\n\n).*?(?=\n<!-- end -->)", re.DOTALL)


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--random", type=int, default=300, help="how many random programs")
    parser.add_argument("--write-docs", action="store_true", help="write docs/passes.md")
    chosen = parser.parse_args()
    made = table(chosen.random)
    if chosen.write_docs:
        page = ROOT / "docs" / "passes.md"
        text, n = COUNTED.subn(lambda mark: mark[1] + made, page.read_text(encoding="utf-8"))
        assert n == 1, "passes.md has no place for the table"
        page.write_text(text, encoding="utf-8")
    else:
        print(made, end="")


if __name__ == "__main__":
    main()
