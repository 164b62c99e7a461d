"""Value and gradient of compiled programs by one thread and by several.

    python benchmarks/scaling.py --programs softmax,k_means --sizes M --rounds 9
    python benchmarks/scaling.py --write-docs       # docs/backends.md

The numbers of threads take turns, each round beginning with another. Before each timed call there
is one that is not. OpenBLAS has as many threads as srcad's largest number; in turns with fewer it
still has them. Results by one and by several threads are compared, and it is told where two calls
by as many threads do not agree to the bit.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from statistics import median

from models import limit_threads

PROGRAMS = (
    "softmax,log_sum_exp,k_means,horizontal_diffusion,sparse_product,trace_of_tanh,"
    "covariance,jacobi_2d,cavity_flow,mixture,gemver"
)


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default=PROGRAMS, help="names, separated by commas")
    parser.add_argument("--models", default="cnn", help="training steps; '' for none")
    parser.add_argument("--sizes", default="M", help="of T, S and M (default: M)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    parser.add_argument("--write-docs", action="store_true", help="the table in docs/backends.md")
    return parser.parse_args(argv)


def leaves(tree):
    """The arrays of nested tuples and dictionaries."""
    import numpy as np

    if isinstance(tree, dict):
        tree = tuple(tree.values())
    if isinstance(tree, tuple | list):
        return [leaf for each in tree for leaf in leaves(each)]
    return [np.asarray(tree)]


def check(name, call, counts):
    """See to it that all numbers of threads compute the same."""
    import numpy as np

    import srcad

    wanted = None
    for count in counts:
        srcad.set_num_threads(count)
        found, again = leaves(call()), leaves(call())
        if not all(map(np.array_equal, found, again)):
            print(f"{name}: two calls by {count} threads differ in bits", file=sys.stderr)
        wanted = wanted or found
        for a, b in zip(found, wanted, strict=True):
            scale = float(np.max(np.abs(b), initial=0.0))
            tolerance = (1e-4 if a.dtype == np.float32 else 1e-9) * scale
            assert np.allclose(a, b, rtol=0, atol=tolerance), f"{name}: {count} threads"


def measure(call, counts, rounds):
    """The seconds of timed calls by number of threads."""
    import srcad

    times = {count: [] for count in counts}
    for k in range(rounds):
        for count in counts[k % len(counts) :] + counts[: k % len(counts)]:
            srcad.set_num_threads(count)
            call()
            start = time.perf_counter()
            call()
            times[count].append(time.perf_counter() - start)
    return times


def calls(chosen):
    """What is measured: a title and a function without arguments."""
    import numpy as np
    from numerical.programs import PROGRAMS as KNOWN
    from numerical.programs import argnums, loss_of
    from training.measure import MODELS

    import srcad

    for size in chosen.sizes.split(","):
        for key in filter(None, chosen.programs.split(",")):
            program = KNOWN[key]
            args = program.arguments(size)
            f = srcad.value_and_grad(loss_of(program.fn), argnums(args), backend="native")
            yield f"{program.title}, {size}", lambda f=f, args=args: f(*args)
    for key in filter(None, chosen.models.split(",")):
        model = MODELS[key]
        p = model.draw(np.random.default_rng(0))
        x, y = model.batches(1)[0]
        f = srcad.value_and_grad(model.loss, backend="native")
        yield f"{model.title}, gradient", lambda f=f, p=p, x=x, y=y: f(p, x, y)


def rows(chosen, counts):
    """The table: milliseconds, and the ratios of medians and of least times."""
    for title, call in calls(chosen):
        check(title, call, counts)
        times = measure(call, counts, chosen.rounds)
        base = times[counts[0]]
        cells = [title, *(f"{1e3 * median(times[n]):.3g}" for n in counts)]
        for n in counts[1:]:
            middle, least = median(base) / median(times[n]), min(base) / min(times[n])
            cells.append(f"{middle:.2f} ({least:.2f})")
        yield cells


def main(argv=None):
    """Measure and print; return the table."""
    chosen = options(argv)
    counts = [int(n) for n in chosen.threads.split(",")]
    limit_threads(max(counts))
    from timing import print_table

    head = ["", *(f"{n} threads, ms" if n > 1 else "1 thread, ms" for n in counts)]
    head += [f"{counts[0]} / {n}" for n in counts[1:]]
    table = list(rows(chosen, counts))
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.0f}")
    print_table(head, table)
    if chosen.write_docs:
        write(head, table, chosen.rounds)
    return table


def write(head, table, rounds):
    """Put the table in `docs/backends.md`."""
    from numerical.report import DOCS
    from training.report import markdown, replaced

    machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}"
    text = f"{machine}; {rounds} rounds; load average {os.getloadavg()[0]:.0f} while measured."
    path = DOCS / "backends.md"
    text = f"{text}\n\n{markdown(head, table)}"
    path.write_text(replaced(path.read_text(), "scaling", text, "benchmarks/scaling.py"))


if __name__ == "__main__":
    main(sys.argv[1:])
