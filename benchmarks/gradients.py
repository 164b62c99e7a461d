"""Generated gradients against the best written by hand, and against other systems.

    python benchmarks/gradients.py [--quick] [--only rnn] [--no-peers]

Every ratio is of medians of calls that took turns in one process: below 1 is faster than by hand.
`source` is the generated function called directly, `srcad` the decorated one with its look-up.
Nothing is asserted but that all systems compute the same numbers.
"""

from __future__ import annotations

import argparse

import numpy as np
import peers
import programs
from timing import geometric_mean, interleave, print_table

import srcad

SYSTEMS = ("source", "srcad", "autograd", "PyTorch", "JAX")


def generated(gradient, args):
    """Return the generated function itself, from its source."""
    scope: dict[str, object] = {}
    exec(compile(gradient.source(*args), "<generated>", "exec"), scope)
    public = [name for name in scope.get("__all__", ())] or [
        name for name, value in scope.items() if callable(value) and not name.startswith("_")
    ]
    return scope[public[-1]]


def calls_of(program, with_peers):
    """Return the call of each system on a program's data, by hand first, all checked alike."""
    transform = srcad.value_and_grad if program.mode == "value_and_grad" else srcad.grad
    gradient = transform(program.loss, program.argnums)
    direct = generated(gradient, program.args)
    calls = {
        "hand": lambda: program.hand(*program.args),
        "source": lambda: direct(*program.args),
        "srcad": lambda: gradient(*program.args),
    }
    calls |= peers.available(program) if with_peers else {}
    single = any(leaf.dtype == np.float32 for leaf in programs.leaves(program.args))
    want = calls["hand"]()
    for name, call in calls.items():
        programs.check_same(f"{program.name}: {name}", call(), want, 1e-4 if single else 1e-9)
    return calls


def main(argv=None):
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--no-peers", action="store_true", help="srcad and by hand only")
    options = parser.parse_args(argv)
    rows, ratios = [], {name: [] for name in SYSTEMS}
    for program in programs.programs():
        if options.only.lower() not in program.name.lower():
            continue
        programs.check(program)
        medians = interleave(calls_of(program, not options.no_peers), 0.1 if options.quick else 1.0)
        hand = medians["hand"]
        cells = [program.name, f"{hand * 1e6:.1f}"]
        for name in SYSTEMS:
            cells.append(f"{medians[name] / hand:.2f}" if name in medians else "-")
            if name in medians and program.counted:
                ratios[name].append(medians[name] / hand)
        rows.append(cells)
    means = [f"{geometric_mean(r):.2f}" if r else "-" for r in ratios.values()]
    rows.append(["geometric mean (unindented rows)", "", *means])
    print_table(["program", "hand, us", *(f"{name} / hand" for name in SYSTEMS)], rows)


if __name__ == "__main__":
    main()
