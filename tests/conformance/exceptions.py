"""Exceptions that Python and NumPy raise by themselves: their classes, and who catches them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import CORE, KINDS

RAISING = (
    "a[0]",
    "a[9]",
    "a['z']",
    "a[-9]",
    "a[b]",
    "a.no_such_name",
    "a()",
    "a + b",
    "a / 0",
    "a // 0",
    "a % 0",
    "1 / a",
    "a ** -1",
    "a @ b",
    "-a",
    "len(a)",
    "int(a)",
    "float(a)",
    "list(a)",
    "a < b",
    "iter(a)",
    "next(iter(a))",
    "sum(a)",
    "max(a)",
    "sorted(a)",
    "a.pop()",
    "a.pop('z')",
    "a.remove(77)",
    "a.index(77)",
    "a.append(b)",
    "a.upper()",
    "a.real",
    "a.shape",
    "a.sum()",
    "a.reshape(7)",
    "np.reshape(a, (7,))",
    "np.concatenate([a, b])",
    "np.add(a, b)",
    "np.zeros(a)",
    "np.linalg.inv(a)",
    "np.stack([a, b])",
    "{a: 1}",
    "{a}",
    "hash(a)",
    "range(a)",
    "chr(a)",
    "a[0][0]",
    "a['a']['b']",
    "b[a]",
    "np.array([a, [1.0, 2.0]])",
    "(lambda x: x)()",
    "double()",
    "double(a, b)",
    "Plain()",
    "Point()",
    "int('q')",
    "float('q')",
    "unknown",
    "[][a]",
    "{}[b]",
    "(1.0).foo",
    "[1.0, 2.0][a]",
    "(1.0, 2.0)[b]",
    "{0: 1.0}[a]",
    "'ab'[a]",
    "dict(a)",
    "abs(a)",
    "round(a)",
    "complex(a)",
    "str(a, 'x')",
    "bool(a)",
    "np.sum(a, axis=5)",
    "a.T[9]",
    "a.split()",
    "a.item()",
    "math_missing.sin(a)",
    "getattr(a, 'zz')",
    "setattr(a, 'zz', 1)",
    "isinstance(a, 1)",
)
STATEMENTS = (
    "x, y = a",
    "x, y, z = a",
    "(x, y), z = a",
    "[x] = a",
    "a[0] = b",
    "a[9] = b",
    "a['z'] = b",
    "a.w = b",
    "a.no_such = b",
    "del a[0]",
    "del a['z']",
    "del a.w",
    "a += b",
    "a[0] += b",
    "a -= 1",
    "a @= b",
    "for x in a: pass",
    "for x, y in a: pass",
    "raise a",
    "raise ValueError(a)",
    "raise KeyError",
    "assert a",
    "assert not a, 'words'",
    "raise IndexError('x') from None",
    "import no_such_module",
    "x = undefined_name",
    "x = late\nlate = 1",
    "raise StopIteration",
    "x = [1.0][5]",
    "x = 1 / 0",
    "x = 1.0 / 0.0",
    "x = np.ones(2)[5]",
    "x = {}['a']",
    "x = int('a')",
    "x = None + 1",
    "x = 'a' + 1",
    "x = 2.0 ** 5000",
    "x = np.ones(2) + np.ones(3)",
    "return a",
    "x = (-8) ** 0.5",
    "x = 10 ** 400 * 1.0",
    "x = [].pop()",
    "x = ().index(1)",
    "x = 'a'.foo()",
    "x = np.linalg.inv(np.zeros((2, 2)))",
    "x = np.zeros(-1)",
    "x = np.reshape(np.ones(3), (2, 2))",
)
CLASSES = (
    "Exception",
    "IndexError",
    "KeyError",
    "LookupError",
    "TypeError",
    "ValueError",
    "ZeroDivisionError",
    "ArithmeticError",
    "AttributeError",
    "(TypeError, ValueError)",
)
ARGUMENTS = [
    KINDS[name]
    for name in (
        "int",
        "float",
        "str",
        "none",
        "list",
        "tuple",
        "dict",
        "array",
        "array_2d",
        "array_0d",
        "array_int64",
        "np_float64",
        "set",
        "plain",
        "namedtuple",
        "list_empty",
        "exception",
        "bool",
    )
]


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    for a, b in product(CORE, (KINDS["float"], KINDS["list"], KINDS["array"])):
        given = {"a": a, "b": b}
        for text in RAISING:
            yield Case(text, given)
            yield Case(
                f"try:\n    return {text}\nexcept Exception as e:\n    return type(e)", given
            )
    for a, line in product(ARGUMENTS, STATEMENTS):
        given = {"a": a, "b": KINDS["float"]}
        text = line.replace("\n", "\n    ")
        yield Case(f"{line}\nreturn a", given)
        yield Case(f"try:\n    {text}\nexcept Exception as e:\n    return type(e)\nreturn a", given)
        yield Case(f"try:\n    {text}\nfinally:\n    b = 2.0\nreturn b", given)
        yield Case(
            f"try:\n    {text}\nexcept TypeError:\n    return 1.0\nelse:\n    return a", given
        )
    for a, text, cls in product(ARGUMENTS, RAISING[:40], CLASSES):
        given = {"a": a, "b": KINDS["float"]}
        yield Case(f"try:\n    r = {text}\nexcept {cls}:\n    r = -1.0\nreturn r", given)
