"""Objects by more names than one: what is changed by one is seen by the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from conformance.case import Case
from conformance.kinds import CORE, KINDS

CHANGES = (
    "{x}.append(5.0)",
    "{x}[0] = 5.0",
    "{x}['a'] = 5.0",
    "{x}[:] = [5.0]",
    "{x}.clear()",
    "{x}.pop()",
    "{x}.sort()",
    "{x}.reverse()",
    "{x}.extend([1.0])",
    "{x}.insert(0, 5.0)",
    "{x}.update(a=5.0)",
    "{x}.add(5)",
    "{x}.discard(0)",
    "{x}.remove(1.0)",
    "{x}.w = 5.0",
    "{x}.x = 5.0",
    "del {x}[0]",
    "{x}.setdefault('z', []).append(1.0)",
    "{x}.fill(5.0)",
    "{x}.popitem()",
    "{x}.__setitem__(0, 5.0)",
    "{x}[...] = 5.0",
    "{x}[0:1] *= 2",
    "{x}.pop(0)",
    "{x}.pop('a')",
    "{x}.pop('z', 1.0)",
    "{x} += [1.0]",
    "{x} *= 2",
    "{x} |= {{9}}",
    "{x}.difference_update([0])",
    "{x}.move_to_end('a')",
    "{x}.put(0, 5.0)",
    "{x} += {x}",
)
PROGRAMS = (
    "b = a\n{change_b}\nreturn a, b",
    "b = [a, a]\nx = b[0]\n{change_x}\nreturn b, a",
    "b = {'k': a}\nx = b['k']\n{change_x}\nreturn b, a",
    "b = list(a)\n{change_b}\nreturn a, b",
    "b = a.copy()\n{change_b}\nreturn a, b",
    "b = a[:]\n{change_b}\nreturn a, b",
    "b = (a, a)\nx, y = b\n{change_x}\nreturn y, b",
    "b = [a] * 2\nx = b[1]\n{change_x}\nreturn b",
    "def g(x):\n    {change_x}\n    return x\nb = g(a)\nreturn a, b, a is b",
    "for x in [a]:\n    {change_x}\nreturn a",
    "b = [x for x in (a, a)]\nx = b[0]\n{change_x}\nreturn b",
    "b = Plain(a)\nx = b.w\n{change_x}\nreturn b, a",
    "b = Pair(a, a)\nx = b.x\n{change_x}\nreturn b, a",
    "b = type(a)(a)\n{change_b}\nreturn a, b",
    "b = a + a\n{change_b}\nreturn a, b",
    "b = dict(k=a)\nc = dict(b)\nx = c['k']\n{change_x}\nreturn b, c, a",
    "x = a\ntry:\n    {change_x}\nexcept Exception:\n    return a, 1.0\nreturn a, 2.0",
    "g = lambda: a\nx = g()\n{change_x}\nreturn a, g()",
    "b = np.asarray(a)\n{change_b}\nreturn a, b",
    "b = sorted(a)\n{change_b}\nreturn a, b",
)
# Objects that may be changed, and some that may not.
CHANGED = [
    each
    for each in KINDS.values()
    if each.name.startswith(("list", "dict", "set", "deque", "ordered", "default", "counter"))
    or each.name
    in (
        "array",
        "array_2d",
        "array_0d",
        "array_int64",
        "plain",
        "dataclass",
        "tuple",
        "namedtuple",
        "str",
        "array_strided",
        "array_str",
        "frozenset",
        "vector",
    )
]
PAIRS = (
    "a is b",
    "b = a\nreturn a is b, b",
    "[a, b, a]",
    "{'x': a, 'y': (b, a)}",
    "a, b = b, a\nreturn a, b",
    "c = [a]\nc.append(b)\nc[0], c[1] = c[1], c[0]\nreturn c",
    "c = [a, b]\nc.reverse()\nreturn c, a",
    "c = {'k': a}\nc['k'] = b\nreturn c",
    "c = [a]\nc += [b]\nreturn c, a",
    "c = [a] + [b]\nreturn c",
    "a[0] = b\nreturn a",
    "a['k'] = b\nreturn a",
    "a.w = b\nreturn a",
    "a.append(b)\nreturn a, b",
    "c = (a, b)\nreturn c + c",
    "c = [[a], [b]]\nd = c[:]\nd[0].append(b)\nreturn c, d",
    "c = a if b else b\nreturn c",
    "c = a or b\nreturn c is a",
    "a.insert(0, b)\nreturn a",
    "c = {}\nc.update(k=a)\nreturn c, c.setdefault('k', b)",
    "a[:] = b\nreturn a",
    "a[1:] = b\nreturn a",
    "a.extend(b)\nreturn a",
    "a.update(b)\nreturn a",
    "a += b\nreturn a, b",
    "a |= b\nreturn a, b",
)


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    for a, program, change in product(CHANGED, PROGRAMS, CHANGES):
        filled = {f"change_{x}": change.format(x=x) for x in "bx"}
        text = program
        for name, line in filled.items():
            text = text.replace(f"{{{name}}}", line)
        yield Case(text, {"a": a})
    for a, b in product(CORE, CORE):
        for text in PAIRS:
            yield Case(text, {"a": a, "b": b})
