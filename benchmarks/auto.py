"""Whether `backend="auto"` costs more than the better of its two: after it has taken over.

    python benchmarks/auto.py                                   # all programs at S, all models
    python benchmarks/auto.py --programs lu,covariance --models rnn --seconds 2

Each program's value and gradient is called on `"auto"` until it has decided; then NumPy's, the
compiled and the automatic one take turns in one process. The last column is the time of `"auto"`
over the lesser of the others, by medians and in brackets by least times; 1.05 is the limit.
"""

from __future__ import annotations

import argparse
import sys
import time

from models import NAMES, limit_threads

LIMIT = 1.05
WAIT_S = 120.0


def options(argv):
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--programs", default="all", help="names, separated by commas; '' for none")
    parser.add_argument("--models", default=",".join(NAMES), help="'' for none")
    parser.add_argument("--size", default="S", choices=("T", "S", "M"))
    parser.add_argument("--seconds", type=float, default=1.0, help="for each program and backend")
    parser.add_argument("--threads", type=int, default=2)
    return parser.parse_args(argv)


def cases(chosen):
    """Yield the name, the derivative and its arguments."""
    import numpy as np
    from numerical.programs import PROGRAMS, argnums, loss_of
    from training.networks import MODELS

    import srcad

    names = list(PROGRAMS) if chosen.programs == "all" else chosen.programs.split(",")
    for name in filter(None, names):
        program = PROGRAMS[name]
        args = program.arguments(chosen.size)
        yield name, srcad.value_and_grad(loss_of(program.fn), argnums=argnums(args)), args
    for name in filter(None, chosen.models.split(",")):
        model = MODELS[name]
        transform = srcad.value_and_grad if model.value else srcad.grad
        weights = model.draw(np.random.default_rng(0))
        yield name, transform(model.loss), (weights, *model.batches(1)[0])


def settle(derivative, args):
    """Call until the choice is made; return what serves, and the seconds that it took."""
    start = time.perf_counter()
    while time.perf_counter() - start < WAIT_S:
        derivative(*args)
        told = derivative.explain(*args)
        waits = ("a compiled version is", "the next calls run both")
        if not any(word in told.why for word in waits):
            if told.measured:
                return told.measured[-1].faster, time.perf_counter() - start
            return f"numpy: {told.why.partition(':')[0]}", time.perf_counter() - start
    return "undecided", WAIT_S


def measure(derivative, args, seconds):
    """Return median and least seconds of each backend, taken by turns."""
    from statistics import median

    backends = {name: derivative.on(name) for name in ("numpy", "native", "auto")}
    samples = {name: [] for name in backends}
    for call in backends.values():
        call(*args)
    end, k = time.perf_counter() + 3 * seconds, 0
    while k < 9 or time.perf_counter() < end:
        names = list(backends)
        for name in names[k % 3 :] + names[: k % 3]:
            call = backends[name]
            call(*args)  # untimed: for the memory and caches that its predecessor left otherwise
            start = time.perf_counter()
            call(*args)
            samples[name].append(time.perf_counter() - start)
        k += 1
    return {name: (median(times), min(times)) for name, times in samples.items()}


def main(argv=None):
    """Measure and print; return the ratios of medians by name."""
    chosen = options(argv)
    limit_threads(chosen.threads)
    from timing import print_table

    rows, ratios = [], {}
    for name, derivative, args in cases(chosen):
        served, waited = settle(derivative, args)
        found = measure(derivative, args, chosen.seconds)
        over = [found["auto"][k] / min(found["numpy"][k], found["native"][k]) for k in (0, 1)]
        ratios[name] = over[0]
        times = [f"{found[each][0] * 1e3:.3g}" for each in ("numpy", "native", "auto")]
        rows.append((name, *times, f"{over[0]:.2f} ({over[1]:.2f})", served, f"{waited:.1f}"))
        print(*rows[-1], file=sys.stderr, flush=True)
    head = (
        "program",
        "NumPy, ms",
        "compiled, ms",
        "auto, ms",
        "auto / better",
        "serves",
        "after, s",
    )
    print_table(head, rows)
    slower = [name for name, ratio in ratios.items() if ratio > LIMIT]
    print(f"\nslower by more than {LIMIT - 1:.0%}: {', '.join(slower) or 'none'}")
    return ratios


if __name__ == "__main__":
    main(sys.argv[1:])
