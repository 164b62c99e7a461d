"""Rules at their cases, inside of a program: as loops it computes what NumPy computes, in double
and in single precision.

Here those of functions that compiled code has a form of; `-m campaign` takes all, and machine code.
"""

from __future__ import annotations

import linecache
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from native.backends import both, compare

from srcad import runtime
from srcad.errors import InternalError, SrcadError
from srcad.kernels import teams
from srcad.native.scalarize.handlers.table import HANDLERS
from srcad.native.scalarize.scalars import scalar_ops
from srcad.pipeline.request import Request
from srcad.rules import ZERO, Rule
from tests.rules.calls import OURS, Call, call_id, cases_of, make_call, random_like

VARIED = [rule for rule in OURS if rule.jvp is not None]
# Not of `lstsq`: one of its results is an integer; nor of complex eigenvalues, of which
# `test_called.py` has programs.
HANDLED = HANDLERS.keys() - {np.linalg.lstsq, runtime.complex_eig, runtime.complex_eigvals}
KNOWN = [rule for rule in VARIED if rule.fn in scalar_ops.WRITERS or rule.fn in HANDLED]
OTHERS = [rule for rule in VARIED if rule not in KNOWN]
every_dtype = pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["double", "single"])


def is_given(x: Any) -> bool:
    """Whether an argument is the program's, and not written into it."""
    is_number = isinstance(x, float | np.generic)
    return (isinstance(x, np.ndarray) or is_number) and np.asarray(x).dtype.kind in "fib"


def program_of(call: Call) -> tuple[Any, tuple[Any, ...]] | None:
    """A function that goes on computing with the rule's function, and its arguments."""
    y = call.value()
    items = y if isinstance(y, list | tuple) else [y]
    if any(not isinstance(x, np.ndarray | np.generic | float) for x in items):
        return None
    kinds = [np.asarray(x).dtype.kind for x in items]
    if not set(kinds) <= {"f", "c"}:
        return None
    given = [k for k, x in enumerate(call.args) if is_given(x)]
    scope: dict[str, Any] = {"np": np, "fn": call.rule.fn}

    def written(name: str, x: Any) -> str:
        if isinstance(x, int | float | str | None):
            return repr(x)
        scope[name] = x
        return name

    passed = [f"a{k}" if k in given else written(f"c{k}", x) for k, x in enumerate(call.args)]
    passed += [f"{name}={written(f'o_{name}', x)}" for name, x in call.kwargs.items()]
    names = [f"y[{k}]" for k in range(len(items))] if isinstance(y, list | tuple) else ["y"]
    forms = {
        "f": "np.sum(np.sin(1.3 * {0}) * {0})",
        "c": "np.sum(np.sin(1.3 * np.real({0})) * (1.0 + np.imag({0})))",
    }
    total = " + ".join(forms[kind].format(name) for kind, name in zip(kinds, names, strict=True))
    params = ", ".join(f"a{k}" for k in given)
    text = f"def f({params}):\n    y = fn({', '.join(passed)})\n    return {total}\n"
    filename = f"<rule {call_id(call.rule)} {id(call)}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    exec(compile(text, filename, "exec"), scope)
    return scope["f"], tuple(call.args[k] for k in given)


def requests(f: Any, args: tuple[Any, ...]) -> Any:
    """The derivatives, with what they are called with."""
    rng = np.random.default_rng(0)
    tangents = [random_like(rng, x) for x in args]
    tangents = [np.zeros_like(x) if t is ZERO else t for t, x in zip(tangents, args, strict=True)]
    yield Request("jvp", f, ()), (*args, *tangents)
    varied = tuple(k for k, x in enumerate(args) if np.asarray(x).dtype.kind == "f")
    yield Request("value_and_grad", f, varied, single=False), args


def check(rule: Rule, dtype: Any, cases: Any, numba: bool = False) -> Counter[str]:
    """How often the backends agreed, and how often compiled code left it to NumPy."""
    found: Counter[str] = Counter()
    for case in cases:
        made = program_of(make_call(rule, case, dtype))
        if made is None:
            continue
        for request, args in requests(*made):
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")  # cases stand at the ends of domains, too
                try:
                    pair = both(request, args, len(made[1]), numba)
                except InternalError:
                    raise
                except SrcadError:
                    found["refused"] += 1
                    continue
                for count in (1, 2) if numba and pair.functions else (1,):
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(teams, "thread_count", lambda _, count=count: count)
                        is_single = dtype == np.float32
                        try:
                            found[compare(pair, args, is_single, kinds=False)] += 1
                        except Exception as wrong:
                            wrong.add_note(f"{call_id(rule)} at {case}, {request.kind}")
                            raise
    return found


@every_dtype
@pytest.mark.parametrize("rule", KNOWN, ids=call_id)
def test_loops_compute_what_the_rule_says(rule, dtype):
    assert check(rule, dtype, cases_of(rule)[::3])["equal"]


@pytest.mark.campaign
@every_dtype
@pytest.mark.parametrize("rule", OTHERS, ids=call_id)
def test_loops_around_other_rules(rule, dtype):
    check(rule, dtype, cases_of(rule))


@pytest.mark.campaign
@every_dtype
@pytest.mark.parametrize("rule", VARIED, ids=call_id)
def test_machine_code_computes_what_the_rule_says(rule, dtype):
    pytest.importorskip("numba")
    check(rule, dtype, cases_of(rule), numba=True)
