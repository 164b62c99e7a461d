"""Table: for each function of NumPy's and Python's with a rule, whether loops with it are compiled.

    python benchmarks/rules_in_loops.py [--only np.linalg]

Each case of a rule becomes a program that calls the function in a loop. Its value and gradient are
made into loops for the native backend, and not run. A case counts whose loops are compiled as a
whole; of the others the table has the first reason. Needs no Numba. Three minutes.
"""

from __future__ import annotations

import argparse
import linecache
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from timing import print_table

from srcad.errors import SrcadError
from srcad.pipeline import stages
from srcad.pipeline.request import Request

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
BODY = """\
def f({params}):
    s = 0.0
    for t in range(3):
        y = fn({passed})
        s += {total}
{steps}    return s
"""


def is_given(x: Any) -> bool:
    """Return whether an argument of a case is one of the program's."""
    is_number = isinstance(x, float | np.generic)
    return (isinstance(x, np.ndarray) or is_number) and np.asarray(x).dtype.kind in "fib"


def is_literal(x: Any) -> bool:
    """Return whether a program has an argument written down: a number, a text, a tuple of them."""
    if isinstance(x, tuple | list):
        return all(map(is_literal, x))
    return type(x) in (int, bool, float, str, type(None), slice)


def in_a_loop(call: Any) -> tuple[Any, tuple[Any, ...], tuple[int, ...]]:
    """Return a function that makes a call in a loop, its arguments, and which of them vary."""
    y = call.value()
    scope: dict[str, Any] = {"np": np, "fn": call.rule.fn}

    def written(name: str, x: Any) -> str:
        if is_literal(x):
            return repr(x)
        scope[name] = x
        return name

    given = [k for k, x in enumerate(call.args) if is_given(x)]
    varied = [k for k in given if np.asarray(call.args[k]).dtype.kind == "f"]
    passed = [f"a{k}" if k in given else written(f"c{k}", x) for k, x in enumerate(call.args)]
    passed += [f"{name}={written(f'o_{name}', x)}" for name, x in call.kwargs.items()]
    several = isinstance(y, list | tuple)
    names = [f"y[{k}]" for k in range(len(y))] if several else ["y"]
    text = BODY.format(
        params=", ".join(f"a{k}" for k in given), passed=", ".join(passed),
        total=" + ".join(f"np.sum(np.abs({name}) * 1.5)" for name in names),
        steps="".join(f"        a{k} = a{k} * (0.999 - 0.001 * t)\n" for k in varied),
    )  # fmt: skip
    filename = f"<a loop around {id(call)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), scope)
    places = tuple(j for j, k in enumerate(given) if k in varied)
    return scope["f"], tuple(call.args[k] for k in given), places


def reasons_of(call: Any) -> list[str] | None:
    """Return why loops around a call stay NumPy's; None if it has no gradient to compile."""
    from native.backends import loops

    try:
        f, args, varied = in_a_loop(call)
        if not varied:
            return None
        passed: dict[str, Any] = {}
        request = Request("value_and_grad", f, varied, single=False)
        stages.compile_request(request, args, frozenset(), passed.__setitem__)
    except (SrcadError, TypeError, ValueError):  # the case is none for such a program
        return None
    left: list[str] = []
    loops(passed["optimize"], left)
    return [why.split(": ", 1)[1] for why in left]


def main(argv: Sequence[str] | None = None) -> None:
    """Print the table."""
    from tests.rules.calls import OURS, call_id, cases_of, make_call

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="a part of the names of functions")
    options = parser.parse_args(argv)
    warnings.simplefilter("ignore")  # what is compiled is counted, not what is computed
    np.seterr(all="ignore")
    stages._is_for_compilation = lambda request: True
    rows = []
    for rule in OURS:
        name = call_id(rule)
        if rule.jvp is None or options.only not in name or name.startswith(("scipy", "srcad")):
            continue
        told = [reasons_of(make_call(rule, case, np.float64)) for case in cases_of(rule)]
        told = [why for why in told if why is not None]
        if told:
            whole = sum(not why for why in told)
            first = next((why[0] for why in told if why), "")
            rows.append([name, str(whole), str(len(told)), first])
    print_table(["function", "cases compiled", "of", "what leaves"], sorted(rows))
    print(f"\nin all cases: {sum(row[1] == row[2] for row in rows)} of {len(rows)}")
    print(f"in one at least: {sum(row[1] != '0' for row in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
