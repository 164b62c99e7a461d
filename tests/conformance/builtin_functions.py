"""Python's builtin functions, formatting, iteration and unpacking, of every kind."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import CORE, KINDS
from conformance.operators import PARTNERS

OF_ONE = (
    *("abs", "all", "any", "bool", "bytes", "callable", "chr", "complex", "dict", "enumerate"),
    *("float", "frozenset", "hash", "hex", "int", "iter", "len", "list", "max", "min", "next"),
    *("oct", "ord", "range", "repr", "reversed", "round", "set", "slice", "sorted", "str", "sum"),
    *("tuple", "type", "zip", "ascii", "bin", "bytearray", "vars", "format", "np.ndim", "np.shape"),
    *("np.size", "np.asarray", "np.array", "np.float64", "np.int64", "np.isscalar", "np.copy"),
)
TEXTS = (
    "list(enumerate(a))", "list(zip(a, a))", "list(map(double, a))", "list(reversed(a))",
    "list(filter(None, a))", "sorted(a, reverse=True)", "sorted(a, key=lambda x: -x)",
    "max(a, default=1.0)", "min(a, default=1.0)", "max(a, key=lambda x: -x)", "sum(a, 1.0)",
    "sum(a, start=2)", "next(iter(a))", "next(iter(a), 5.0)", "list(iter(a))", "len(list(a))",
    "int(a, 2)", "round(a, 1)", "round(a, -1)", "round(a, None)", "f'{a}'", "f'{a!r}'",
    "f'{a:.2f}'", "f'{a:>8}'", "'%s' % a", "'%s' % (a,)", "'%.1f' % a", "'{}'.format(a)",
    "'{0!r}'.format(a)", "format(a, '.3e')", "str(a).upper()", "' '.join(a)",
    "isinstance(a, (int, float))", "isinstance(a, np.ndarray)", "isinstance(a, str)",
    "isinstance(a, (list, tuple))", "isinstance(a, dict)", "isinstance(a, bool)",
    "isinstance(a, np.floating)", "isinstance(a, np.generic)", "isinstance(a, complex)",
    "isinstance(a, Plain)", "isinstance(a, object)", "isinstance(a, type(a))", "isinstance(1, a)",
    "issubclass(type(a), int)", "issubclass(a, int)", "type(a) is float", "type(a) == type(1.0)",
    "type(a)(a)", "type(a)()", "dict(a)", "dict(x=a)", "dict([(1, a)])", "dict.fromkeys(a)",
    "list(range(a))", "list(range(0, a))", "list(range(a, 5, 2))", "slice(a, None)", "range(3, a)",
    "complex(a, 1.0)", "complex(1.0, a)", "np.array([a, a])", "np.array((a,))", "np.array([[a]])",
    "np.stack([a, a])", "np.concatenate([a, a])", "np.asarray(a, dtype=float)", "np.add(a, 1)",
    "np.sum(a)", "np.max(a)", "np.sqrt(a)", "np.zeros(a)", "np.ones((2, a))", "np.arange(a)",
    "np.where(a, 1.0, 2.0)", "np.full(2, a)", "np.isnan(a)", "np.linspace(0, 1, a)", "a()",
    "a(1.0)", "print(a)", "all(x for x in a)", "any(x == 1.0 for x in a)", "sum(x for x in a)",
    "max(x for x in a)", "tuple(x for x in a)", "{x for x in a}", "{x: 1 for x in a}",
    "[x for x in a]", "[x for x in a if x]", "[(k, x) for k, x in enumerate(a)]",
    "[x for y in (a, a) for x in y]", "[*a]", "(*a, 1)", "{*a}", "{**a}", "[*a, *a]", "max(*a)",
    "dict(**a)", "dict(zip(a, a))", "set(a) | {1}", "(lambda *x: x)(*a)", "(lambda **x: x)(**a)",
    "(lambda x, y: (y, x))(*a)", "x, y = a\nreturn y, x", "x, *y = a\nreturn y, x",
    "*x, y = a\nreturn y, x", "[x] = a\nreturn x", "x, (y, z) = a\nreturn z",
    "(x, y), z = a, 1.0\nreturn y", "x = y = a\nreturn x, y", "x, y = a, a\nreturn y is x",
    "x, y = y, x = a\nreturn x", "r = []\nfor x in a:\n    r.append(x)\nreturn r",
    "r = 0.0\nfor x in a:\n    r = r + x\nreturn r",
    "r = 0.0\nfor x in a:\n    if x == 1.0:\n        break\n    r += 1\nelse:\n    r = -1.0\nreturn r",
    "for x in a:\n    pass\nreturn x", "r = 1.0\nfor k, x in enumerate(a):\n    r = r + k\nreturn r",
    "r = []\nfor x in reversed(a):\n    r.append(x)\nreturn r",
    "r = []\nfor x, y in zip(a, a):\n    r.append((y, x))\nreturn r",
    "r = []\nfor x in sorted(a):\n    r.append(x)\nreturn r",
    "r = []\nfor x, y in a:\n    r.append(y)\nreturn r",
    "r = []\nfor x in list(a):\n    r.append(x)\nreturn r, a",
    "i = iter(a)\nreturn next(i), next(i)", "i = iter(a)\nnext(i)\nreturn list(i)",
    "with a as x:\n    return 1.0", "assert a\nreturn 1.0", "raise a\nreturn 1.0", "del a\nreturn 1.0",
    "while a:\n    return 1.0\nreturn 2.0", "if a:\n    return 1.0\nreturn 2.0",
    "match a:\n    case [x, y]:\n        return 1.0\n    case {'a': x}:\n        return 2.0\n"
    "    case int() | float():\n        return 3.0\n    case _:\n        return 4.0",
)  # fmt: skip
OF_TWO = (
    "divmod(a, b)", "pow(a, b)", "max(a, b)", "min(a, b)", "isinstance(a, type(b))", "sum(a, b)",
    "list(zip(a, b))", "round(a, b)", "format(a, b)", "'%s' % b if a else 1", "[a, b]", "{a: b}",
    "(a, b)", "a.__class__(b)", "list(map(lambda x, y: (x, y), a, b))", "pow(a, b, 3)",
    "[(x, y) for x in a for y in b]", "np.array([a, b])", "np.add(a, b)", "range(a, b)",
    "np.maximum(a, b)", "complex(a, b)", "max([a, b])", "sorted([a, b])", "sum([a, b])",
    "x, y = a, b\nx, y = y, x\nreturn x, y", "max(a, b, 1.0)", "[*a, *b]", "{**a, **b}",
    "all([a, b])", "any((a, b))", "print(a, b)", "isinstance(a, b)", "getattr(a, b)",
    "f'{a} and {b}'", "a.extend(b)\nreturn a", "a.append(b)\nreturn a", "a.update(b)\nreturn a",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    texts = [f"{name}(a)" for name in OF_ONE] + list(TEXTS)
    for a, text in product(KINDS.values(), texts):
        yield Case(text, {"a": a})
        yield Case(text, captured={"a": a})
        if a.literal is not None and a.core and "{a" not in text:
            yield Case(f"a = {a.literal}\n" + (text if "return" in text else f"return {text}"))
    for a, b in product(CORE, PARTNERS):
        for text in OF_TWO:
            yield Case(text, {"a": a, "b": b})
