"""What a function makes itself, beside its arguments and beside more of the same.

b = [v for v in a]
return a == b
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import KINDS
from conformance.operators import BINARY, COMPARISONS

APPENDED = "{b} = []\nfor v in {a}:\n    {b}.append(v)"
# Lists whose length data gives, NumPy's scalars and classes, NaN.
MADE = (
    "{b} = list({a})", "{b} = [v for v in {a}]", "{b} = sorted({a})", "{b} = {a}.tolist()",
    APPENDED, "{b} = [v for v in {a} if v > 0]", "{b} = [*{a}][:2]", "{b} = list({a}) + [1.0]",
    "{b} = [(v, 1.0) for v in {a}]", "{b} = [[v] for v in {a}]", "{b} = tuple({a})",
    "{b} = [v if v > 1 else 0 for v in {a}]", "{b} = list(range(int({a}[0])))",
    "{b} = [int(v) for v in {a} if v > 0]", "{b} = deque({a})", "{b} = list(enumerate({a}))",
    "{b} = np.int64({a}[0])", "{b} = np.float32(2)", "{b} = {a}.dtype.type(1)", "{b} = np.int64(3)",
    "{b} = np.bool_({a}[0] > 1)", "{b} = float({a}[0])", "{b} = np.int64", "{b} = type({a})",
    "{b} = type({a}[0])", "{b} = {a}.dtype", "{b} = float('nan')", "{b} = [float('nan')]",
    "{b} = [np.nan, 1.0]", "{b} = np.nan", "{b} = (float('nan'), {a}[0])",
    "{b} = {{'k': float('nan')}}", "{b} = np.float64('nan')", "{b} = {a}[0] * np.nan",
    "{b} = [v * 2 for v in {a}]", "{b} = float('nan') if {a}[0] > 1 else np.nan",
)  # fmt: skip
BESIDE = (
    "a", "a[:1]", "a[0]", "a[:, None]", "1.0", "2", "[1.0, 2.5]", "(1.0,)", "np.float64(1.0)",
    "None", "'a'", "[1.0, np.nan]", "np.nan", "b[0]", "[b]", "b",
)  # fmt: skip
ARRAYS = [KINDS[name] for name in ("array", "array_int64", "array_float32")]
IN_FILE = KINDS["memmap"]  # what is computed of one may be of either class


def cases() -> Iterator[Case]:
    """What is made beside something else in both orders, then beside another of its own."""
    for made, other, op in product(MADE, BESIDE, (*COMPARISONS, *BINARY)):
        first = made.format(a="a", b="b")
        for k, text in enumerate((f"b {op} {other}", f"{other} {op} b")):
            kinds = [*ARRAYS, IN_FILE] if op in COMPARISONS else ARRAYS
            kind = kinds[(len(made) + len(other) + len(op) + k) % len(kinds)]
            yield Case(f"{first}\nreturn {text}", {"a": kind}, scope={"deque": deque})
    for made, kind in product(MADE, ARRAYS):
        both = "\n".join(made.format(a="a", b=name) for name in "bc")
        for text in (
            *(f"b {op} c" for op in (*COMPARISONS, *BINARY)), "[b] == [c]", "b in [c]",
            "[c, 1.0].count(b)", "[c, 1.0].index(b)", "(b, 1.0) == (c, 1.0)", "(b, 1) < (c, 2)",
            "{'k': b} == {'k': c}", "np.sum(a) * (2.0 if np.all(a == b) else 3.0)",
            "np.equal(b, c)", "np.equal(a, b)", "np.array_equal(a, b)", "np.where(a == b, a, 0.0)",
        ):  # fmt: skip
            yield Case(f"{both}\nreturn {text}", {"a": kind}, scope={"deque": deque})
