"""Items: read, written and deleted, of every kind by every kind of index."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import CORE, KINDS

INDICES = (
    "0",
    "1",
    "-1",
    "2",
    "-3",
    "7",
    "True",
    "1.0",
    "None",
    "...",
    "'a'",
    "'b'",
    "'z'",
    "b'a'",
    ":",
    "1:",
    ":-1",
    "::2",
    "::-1",
    "5:1",
    "1:1",
    "-1:",
    "::0",
    "'a':",
    "1.0:",
    "[0]",
    "[0, 1]",
    "[1, 0]",
    "[]",
    "[True, False]",
    "(0, 0)",
    "0, 0",
    "0, 1",
    "...,  0",
    ":, 0",
    "0, :",
    "None, 0",
    ":, None",
    "(0,)",
    "()",
    "[[0], [1]]",
    "[0, 1], [1, 0]",
    ":, [0]",
    "np.int64(1)",
    "np.array(0)",
    "np.array([0, 1])",
    "np.array([True, False])",
    "np.array([1.0])",
    "slice(1)",
    "slice(0, 1)",
    "range(1)",
    "{0}",
    "{}",
    "a",
    "a > 0",
    "a == a",
    "len",
    "0, 0, 0",
    "False",
    "1, ...",
    "-2**63",
)
VALUES = ("9", "2.5", "[7.0]", "[7.0, 8.0]", "'q'", "None", "a", "1j", "np.ones(2)", "True", "()")
ASSIGNED = (
    "0",
    "-1",
    "5",
    "'a'",
    ":",
    "1:",
    "::2",
    "[0, 1]",
    "[True, False]",
    "0, 0",
    "...",
    "None",
    "1.0",
    "np.array([0, 0])",
    "()",
    "a > 0",
    ":1",
    "'new'",
    "5:",
    "1:1",
)


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    for a, index in product(KINDS.values(), INDICES):
        yield Case(f"a[{index}]", {"a": a})
        if a.core:
            yield Case(f"a[{index}]", captured={"a": a})
            yield Case(f"b = a[{index}]\nreturn a, b, type(b).__name__", {"a": a})
    for a, b in product(CORE, CORE):
        yield Case("a[b]", {"a": a, "b": b})
        yield Case("a[b:]", {"a": a, "b": b})
        yield Case("a[0, b]", {"a": a, "b": b})
    for a, index in product(KINDS.values(), ASSIGNED):
        yield Case(f"del a[{index}]\nreturn a", {"a": a})
        for value in VALUES if a.core else VALUES[:5]:
            yield Case(f"a[{index}] = {value}\nreturn a", {"a": a})
        for op in ("+=", "*=", "/=", "|="):
            yield Case(f"a[{index}] {op} 2\nreturn a", {"a": a})
