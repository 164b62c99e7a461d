"""Does the cost of a gradient grow as that of its function does?

    python benchmarks/growth.py [--only NAME ...]
    python benchmarks/growth.py --write-docs      # docs/performance.md, docs/growth.png

    MALLOC_TRIM_THRESHOLD_=268435456 MALLOC_MMAP_THRESHOLD_=67108864 python benchmarks/growth.py
                                                  # memory stays in the process between two calls

Programs of loops that change arrays in place are run at four sizes, at which the function does 1,
4, 16 and 64 times the work. For each of them: the time of value and gradient over that of the
function, both compiled, and how many bytes are saved for the reverse sweep. Were whole arrays saved
in each iteration, ratio and bytes would grow with the size.
"""

from __future__ import annotations

import argparse
import sys

import growth_series  # noqa: F401 - its programs are noted
from growth_programs import PROGRAMS
from timing import interleave, median, print_table

import srcad

WORK = (1, 4, 16, 64)


def ratios(program, seconds):
    """Return the time of value and gradient over that of the function, at each size."""
    found = []
    for work in WORK:
        x = program.argument(work)
        f = srcad.compile(program.function, backend="native")
        g = srcad.value_and_grad(program.function, backend="native")
        calls = {"f": lambda f=f, x=x: f(x), "g": lambda g=g, x=x: g(x)}
        rounds = [interleave(calls, seconds) for _ in range(3)]
        found.append(min(times["g"] / times["f"] for times in rounds))
    return found


def bytes_saved(program):
    """Return the bytes that the reverse sweep reads for the first size's work, at two sizes."""
    gradient = srcad.value_and_grad(program.function)
    return [gradient.saved(program.argument(work)).total / work for work in WORK[:2]]


def measure(chosen):
    """Return the ratios and the growth of memory by title."""
    found = {}
    for program in PROGRAMS:
        name = program.function.__name__
        if chosen.only and name not in chosen.only:
            continue
        times, (first, second) = ratios(program, chosen.seconds), bytes_saved(program)
        found[name.replace("_", " ")] = times, second / first if first else 1.0
        print(name, " ".join(f"{ratio:.1f}" for ratio in times), file=sys.stderr)
    return found


def main(argv=None):
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", help="names of programs")
    parser.add_argument("--seconds", type=float, default=0.05, help="to measure each size")
    parser.add_argument("--write-docs", action="store_true")
    chosen = parser.parse_args(argv)
    found = measure(chosen)
    head = ["", *(f"work x {work}" for work in WORK), "bytes saved, growth"]
    table = [
        [name, *(f"{r:.1f}" for r in times), f"{growth:.2f}"]
        for name, (times, growth) in sorted(found.items(), key=lambda each: -each[1][0][-1])
    ]
    print_table(head, table)
    growth = median([times[-1] / times[0] for times, _ in found.values()])
    print(f"from the first size to the last the ratio is multiplied by {growth:.2f}")
    if chosen.write_docs:
        write(head, table, found)


def write(head, table, found):
    """Put the table in `docs/performance.md`, and the picture beside it."""
    import matplotlib.pyplot as plt
    from numerical.report import DOCS
    from training.report import markdown, replaced

    figure, axes = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    all_times = [times for times, _ in found.values()]
    for times in all_times:
        axes.plot(WORK, times, color="tab:blue", alpha=0.4, marker=".")
    middle = [median(column) for column in zip(*all_times, strict=True)]
    axes.plot(WORK, middle, color="black", marker="o", label="median")
    axes.set(xscale="log", xticks=WORK, xticklabels=WORK, ylim=(0, None))
    axes.set(xlabel="work of the function", ylabel="value and gradient / function")
    axes.legend()
    figure.savefig(DOCS / "growth.png", dpi=150)
    path = DOCS / "performance.md"
    text = f"![The ratio at four sizes](growth.png)\n\n{markdown(head, table)}"
    path.write_text(replaced(path.read_text(), "growth", text, "benchmarks/growth.py"))


if __name__ == "__main__":
    main()
