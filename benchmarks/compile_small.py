"""What it costs to compile the gradient of a small program: the corpus, stage by stage.

    python benchmarks/compile_small.py [--every N] [--repeat N]

Each program of the tests' corpus that has a gradient is compiled anew for NumPy; its source has
been parsed before. The figures are milliseconds of the processor for one program, the mean of all
and the least of some repetitions. Compare two versions alternately. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
import time
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

from timing import print_table

STAGES = ("lower", "derive", "optimize", "emit")


def compiled(program, spent):
    """Compile a program's gradient; add the seconds of its stages. Whether it has one."""
    from srcad.errors import SrcadError
    from srcad.pipeline.request import Request
    from srcad.pipeline.stages import compile_request

    args = program.arguments()[0]
    request = Request("grad", program.fn, tuple(range(len(args))), False, backend="numpy")
    marks = [("", time.process_time())]

    def watch(stage, result):
        marks.append((stage, time.process_time()))

    try:
        with contextlib.redirect_stdout(io.StringIO()):
            compile_request(request, args, frozenset(), watch)
    except SrcadError:  # it returns no number
        return False
    for (_, before), (stage, after) in pairwise(marks):
        spent[stage] += after - before
    return True


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--every", type=int, default=4, help="one program in so many")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from corpus.all import PROGRAMS

    warnings.simplefilter("ignore")
    with_gradient = [p for p in PROGRAMS[:: options.every] if compiled(p, Counter())]
    best = {}
    for _ in range(options.repeat):
        spent = Counter()
        for program in with_gradient:
            compiled(program, spent)
        for stage in STAGES:
            best[stage] = min(best.get(stage, spent[stage]), spent[stage])
    each = [1000 * best[stage] / len(with_gradient) for stage in STAGES]
    row = [str(len(with_gradient)), *(f"{ms:.1f}" for ms in (*each, sum(each)))]
    print_table(["programs", *STAGES, "ms in all"], [row])


if __name__ == "__main__":
    main()
