"""What it costs to compile a program of N statements: time and memory, stage by stage.

    python benchmarks/compile_size.py [--family NAME ...] [--sizes N ...] [--profile]
    python benchmarks/compile_size.py --transform jvp --backend native ...

Each program is made, differentiated and run in a process of its own, whose memory and time are
bounded; the seconds are those of the processor. The exponent is that of time in size between the
last two sizes that came through: 1 is linear. A program that is refused shows its code.
`--profile` prints where a compilation's time goes instead. Nothing is asserted.
"""

from __future__ import annotations

import argparse
import cProfile
import importlib.util
import json
import math
import pstats
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import compile_families
import compile_plain
from timing import print_table

MEMORY = 6 << 30  # bytes of address space of one process
SECONDS = 120
FAMILIES = {**compile_families.FAMILIES, **compile_plain.FAMILIES}
SIZES = (100, 300, 1000, 3000, 10_000)
STAGES = ("lower", "derive", "optimize", "emit")


def by_value_and_grad(f, args, **options):
    """Return the value and the gradient of a function."""
    import srcad

    return srcad.value_and_grad(f, **options)(*args)


def by_compile(f, args, **options):
    """Return what the compiled function returns."""
    import srcad

    return srcad.compile(f, **options)(*args)


def by_jvp(f, args, **options):
    """Return the value and its derivative along the arguments."""
    import srcad

    return srcad.jvp(f, args, args, **options)


def by_hvp(f, args, **options):
    """Return the product of the Hessian and the first argument."""
    import srcad

    return srcad.hvp(f, **options)(args[0], args[0], *args[1:])


TRANSFORMS = {
    "value_and_grad": by_value_and_grad,
    "compile": by_compile,
    "jvp": by_jvp,
    "hvp": by_hvp,
}


def made(family, n, folder):
    """Return the function of a family with N statements, and its arguments."""
    import numpy as np

    text, args = FAMILIES[family](n)
    path = Path(folder) / f"{family}_{n}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module.f, eval(f"({args},)", {"np": np})


def peak():
    """Return the most memory that this process has had, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


class Stages:
    """Times of the stages of a compilation, and the process' peak of memory after each."""

    def __init__(self):
        self.seconds = dict.fromkeys(STAGES, 0.0)
        self.bytes = dict.fromkeys(STAGES, 0)

    def watch(self, module, name, stage):
        """Measure the calls of a function of a module as part of a stage."""
        inner = getattr(module, name)

        def measured(*args, **options):
            start = time.process_time()
            try:
                return inner(*args, **options)
            finally:
                self.seconds[stage] += time.process_time() - start
                self.bytes[stage] = peak()

        setattr(module, name, measured)


def measure(family, n, transform="value_and_grad", backend="numpy"):
    """Return what compiling and calling a derivative of a program took, in this process."""
    from srcad.emit import module as emitter
    from srcad.errors import SrcadError
    from srcad.pipeline import stages as pipeline

    with tempfile.TemporaryDirectory() as folder:
        warm, args = made("scalars", 3, folder)
        call = partial(TRANSFORMS[transform], backend=backend, cache=False)
        call(warm, args)
        stages = Stages()
        stages.watch(pipeline, "lower_with_statics", "lower")
        stages.watch(pipeline, "derive_request", "derive")
        stages.watch(pipeline, "optimized", "optimize")
        stages.watch(emitter, "emit", "emit")
        refused = None
        try:
            f, args = made(family, n, folder)
        except (SyntaxError, RecursionError, MemoryError) as problem:
            f, args, refused = warm, (1.5,), f"Python: {type(problem).__name__}"
        before, start = peak(), time.process_time()
        try:
            call(f, args)
        except SrcadError as refusal:
            refused = refusal.code
        seconds = time.process_time() - start
    return {
        "seconds": seconds,
        "bytes": peak() - before,
        "stages": stages.seconds,
        "peaks": stages.bytes,
        "refused": refused,
    }


def profile(family, n, transform, backend):
    """Print where the time of compiling a program goes."""
    with tempfile.TemporaryDirectory() as folder:
        warm, args = made("scalars", 3, folder)
        call = partial(TRANSFORMS[transform], backend=backend, cache=False)
        call(warm, args)
        f, args = made(family, n, folder)
        profiler = cProfile.Profile()
        profiler.enable()
        try:
            call(f, args)
        finally:
            profiler.disable()
            stats = pstats.Stats(profiler)
            stats.sort_stats("cumtime").print_stats("srcad", 60)
            stats.sort_stats("tottime").print_stats(35)


def in_process(family, n, options):
    """Return what `measure` gives in a process of its own, or the kind of its end."""
    how = family, n, options.transform, options.backend
    code = f"import json, compile_size as c; print(json.dumps(c.measure(*{how!r})))"
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY})); "
    try:
        ran = subprocess.run(
            [sys.executable, "-c", limit + code],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            timeout=options.seconds,
        )
    except subprocess.TimeoutExpired:
        return f"over {options.seconds:g} s"
    if ran.returncode:
        lines = ran.stderr.strip().splitlines() or [f"exit {ran.returncode}"]
        return lines[-1].split(":")[0][:24]
    return json.loads(ran.stdout.splitlines()[-1])


def rows_of(family, options):
    """Return the rows of the table for one family; sizes after one that failed are left out."""
    last = None
    for n in options.sizes:
        found = in_process(family, n, options)
        if isinstance(found, str):
            yield [family, str(n), found, *[""] * (len(STAGES) + 2)]
            return
        exponent = ""
        if last and found["refused"] is None:
            exponent = f"{math.log(found['seconds'] / last[1]) / math.log(n / last[0]):.2f}"
        parts = [f"{found['stages'][stage]:.2f}" for stage in STAGES]
        result = found["refused"] or f"{found['seconds']:.2f}"
        yield [family, str(n), result, *parts, f"{found['bytes'] / 1e6:.0f}", exponent]
        if found["refused"]:
            return
        last = (n, found["seconds"])


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--family", nargs="*", default=list(FAMILIES))
    parser.add_argument("--sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--transform", choices=TRANSFORMS, default="value_and_grad")
    parser.add_argument("--backend", choices=("numpy", "native"), default="numpy")
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    if options.profile:
        for family in options.family:
            for n in options.sizes:
                profile(family, n, options.transform, options.backend)
        return
    rows = []
    for family in options.family:
        for row in rows_of(family, options):
            print("\t".join(row), file=sys.stderr, flush=True)
            rows.append(row)
    print_table(["program", "N", "seconds", *STAGES, "MB", "exponent"], rows)


if __name__ == "__main__":
    main()
