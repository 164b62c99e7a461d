"""Random programs over samples: in parts they give what all samples give, or are refused.

    cd tests && python -m parallel.random_batches 0 200

Each program of `random_programs.generator` gets an axis of samples for some of its parameters, in
one of these ways, of which the later ones are seldom sums; or its own axis `n` is that of samples.
"""

from __future__ import annotations

import copy
import random
import sys
import warnings
from collections import Counter

import numpy as np
from random_programs.checks import load
from random_programs.generator import generate

import srcad
import srcad.parallel
from srcad.api.arguments.trees import flatten

LOOP = "total = {start}\n    for k in range(count):\n        total {step} {call}\n    return "
WAYS = {
    "loop": LOOP.format(start="0.0", step="+=", call="{call}") + "total",
    "mean": LOOP.format(start="0.0", step="= total +", call="{call}") + "total / count",
    "list": "return np.sum(np.array([{call} for k in range(count)]))",
    "prior": "return np.mean(np.array([{call} for k in range(count)])) + 0.1 * np.sum({shared})",
    "squares": "return np.mean(np.array([{call} for k in range(count)]) ** 2)",
    "decay": LOOP.format(start="0.0", step="= 0.9 * total +", call="{call}") + "total",
    "place": LOOP.format(start="0.0", step="+= k *", call="{call}") + "total",
    "product": LOOP.format(start="1.0", step="*=", call="{call}") + "total",
    "largest": "return np.max(np.array([{call} for k in range(count)]))",
    "variance": "return np.var(np.array([{call} for k in range(count)]))",
    "rows": "",
}
SUMS = ("loop", "mean", "list", "prior", "squares")


def batched(seed, n_samples=5):
    """A source, the names that are split, the arguments, and the way."""
    rng, program = random.Random(seed), generate(seed)
    way = rng.choice([*WAYS])
    names = [name for name, _ in program.parameters]
    rest = ["n", "m", "i_n", "i_m", "flag"]
    if way == "rows":
        over = [name for name, shape in program.parameters if shape[:1] == ("n",)] + ["i_n"]
        call = ["len(i_n)" if name == "n" else name for name in (*names, *rest)]
        body = f"return f({', '.join(call)})"
        given = list(program.arguments(seed, n_samples, 3))
    else:
        over = [name for name in names if rng.random() < 0.6] or names[:1]
        call = [f"{name}[k]" if name in over else name for name in names] + rest
        shared = next((name for name in names if name not in over), "0.0")
        body = WAYS[way].replace("{call}", f"f({', '.join(call)})").replace("{shared}", shared)
        body = f"count = len({over[0]})\n    {body}"
        several = [program.arguments(seed + 100 * k, 3, 2) for k in range(n_samples)]
        given = list(several[0])
        for k, name in enumerate(names):
            if name in over:
                given[k] = np.array([each[k] for each in several])
    source = f"{program.source}\n\ndef whole({', '.join([*names, *rest])}):\n    {body}\n"
    return source, over, given, way


def outcome(seed):
    """ "right", "refused", "unfit", or what is wrong; and the way."""
    source, over, given, way = batched(seed)
    argnums = tuple(k for k, x in enumerate(given[:-5]))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        whole = load(source).__globals__["whole"]
        try:
            value = whole(*copy.deepcopy(given))
            wanted = srcad.value_and_grad(whole, argnums)(*copy.deepcopy(given))
        except Exception:
            return "unfit", way
        if not all(np.all(np.isfinite(leaf)) for leaf in flatten(wanted)[0]):
            return "unfit", way
        for parts in (1, 2, 5):
            step = srcad.parallel.value_and_grad(whole, argnums, over=tuple(over), parts=parts)
            try:
                found = step(*copy.deepcopy(given))
            except srcad.UnsupportedSyntax as problem:
                return f"refused {problem.code}", way
            except Exception as problem:
                return f"WRONG: {type(problem).__name__}: {problem}", way
            if why := unlike(found, wanted, value):
                return f"WRONG: {parts} parts: {why}", way
    return "right", way


def unlike(found, wanted, value):
    """How a result differs from that by all samples."""
    if not np.allclose(found[0], value, rtol=1e-9, atol=1e-9):
        return f"the value is {found[0]}, not {value}"
    for a, b in zip(flatten(found)[0], flatten(wanted)[0], strict=True):
        if type(a) is not type(b) or np.shape(a) != np.shape(b):
            return f"{type(a).__name__} of {np.shape(a)}, not {type(b).__name__} of {np.shape(b)}"
        if not np.allclose(a, b, rtol=1e-7, atol=1e-8 * (1 + np.max(np.abs(b), initial=0))):
            return f"{a} is not {b}"
    return ""


def campaign(seeds):
    """Outcomes by way, and those that are wrong by seed."""
    counts, wrong = Counter(), {}
    for seed in seeds:
        found, way = outcome(seed)
        counts[way, found.split(":")[0]] += 1
        if found.startswith("WRONG"):
            wrong[seed] = f"{way}: {found}"
    return counts, wrong


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    counts, wrong = campaign(range(first, first + count))
    for (way, found), number in sorted(counts.items()):
        print(f"{way:10} {found:14} {number}")
    for seed, why in wrong.items():
        print(seed, why)
    sys.exit(bool(wrong))
