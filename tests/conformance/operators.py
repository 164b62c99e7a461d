"""Operators, comparisons and tests of truth, of each pair of kinds in both orders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import CORE, KINDS, Kind

BINARY = ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in")
UNARY = ("-{a}", "+{a}", "~{a}", "not {a}", "bool({a})", "abs({a})", "{a} if {a} else 0.0")
ASKED = ("==", "!=", "<", "in")  # of every pair, and of constants
# What meets the kinds that do not all meet each other.
PARTNERS = [
    KINDS[name]
    for name in (
        "int", "float", "bool", "str", "none", "list", "tuple_int", "dict", "set", "array",
        "array_0d", "array_2d", "array_str", "np_float64", "np_int64", "plain", "namedtuple",
    )
]  # fmt: skip
OTHERS = [each for each in KINDS.values() if not each.core]


def pairs() -> Iterator[tuple[Kind, Kind]]:
    """Pairs of kinds in both orders: those at the core with each other, others with partners."""
    yield from product(CORE, CORE)
    for other, partner in product(OTHERS, PARTNERS):
        yield other, partner
        if not partner.core or other is not partner:
            yield partner, other


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    yield from _unary()
    for a, b in pairs():
        for op in (*COMPARISONS, *BINARY):
            if not is_endless(op, b):
                yield Case(f"a {op} b", {"a": a, "b": b})
    yield from _augmented()
    yield from _same()
    yield from _constants()
    yield from _connected()
    yield from _contained()


def is_endless(op: str, b: Kind) -> bool:
    """Whether Python computes the power for as long as there is memory: `2 ** 2**70`."""
    return op in ("**", "<<") and b.name == "int_big"


def _unary() -> Iterator[Case]:
    for a, text in product(KINDS.values(), UNARY):
        yield Case(text.format(a="a"), {"a": a})
        yield Case(text.format(a="a"), captured={"a": a})
        if a.literal is not None:
            yield Case(text.format(a=f"({a.literal})"))


def _augmented() -> Iterator[Case]:
    """`a op= b`, which changes what the caller has where Python does."""
    for a, b in product(CORE, CORE):
        for op in BINARY:
            if not is_endless(op, b):
                yield Case(f"a {op}= b\nreturn a", {"a": a, "b": b})


def _same() -> Iterator[Case]:
    """One object with itself: a container has what is identical, NaN too."""
    for a in KINDS.values():
        for op in COMPARISONS:
            yield Case(f"a {op} a", {"a": a})
        yield Case("[a] == [a]", {"a": a})
        yield Case("(a, 1.0) != (a, 1.0)", {"a": a})
        yield Case("a in [a]", {"a": a})
        yield Case("a in (1.0, a)", {"a": a})
        yield Case("{'k': a} == {'k': a}", {"a": a})
        yield Case("[a, 1.0].index(a)", {"a": a})
        yield Case("[a, 1.0].count(a)", {"a": a})


def _constants() -> Iterator[Case]:
    """One operand a global, or written in the function."""
    for a, b in product(CORE, CORE):
        for op in (*ASKED, "+", "*", "is"):
            yield Case(f"a {op} b", {"a": a}, {"b": b})
            yield Case(f"b {op} a", {"a": a}, {"b": b})
            if b.literal is not None:
                yield Case(f"a {op} {b.literal}", {"a": a})
                yield Case(f"{b.literal} {op} a", {"a": a})


def _connected() -> Iterator[Case]:
    """`and`, `or`, ternaries and chains."""
    for a, b in product(CORE, CORE):
        for text in (
            "a and b", "a or b", "a if b else 1.0", "1.0 if a == b else 2.0",
            "2.0 if a != b and b != a else 1.0", "a < b < a", "a == b == a", "a != b != 1",
            "not a == b", "bool(a == b)", "[a, 1] == [b, 1]", "(a,) == (b,)", "(a, 2) != (b, 2)",
            "a in [b, 1.5]", "a in (b,)", "{0: a} == {0: b}", "[[a]] == [[b]]", "(a, b) < (b, a)",
        ):  # fmt: skip
            yield Case(text, {"a": a, "b": b})


def _contained() -> Iterator[Case]:
    """Kinds that are no core inside containers."""
    for a, b in product(OTHERS, PARTNERS):
        for text in ("[a, 1] == [b, 1]", "a in [b, 1.5]", "b in (a, 1.5)", "[b] == [a]"):
            yield Case(text, {"a": a, "b": b})
