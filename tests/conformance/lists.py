"""Lists that loops make of Python's and NumPy's floats, changed and read.

ws = [0.5]; for v in x: ws.append(v); ws.reverse(); return ws[k]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

import numpy as np
from conformance.case import Case
from conformance.kinds import Kind

STARTS = ("[0.5]", "[x[0]]", "[0.0, x[1]]", "[]", "[2.0] * 2", "[x[1], -2.0]")
LOOPS = (
    "ws.append(v)", "ws.append(2.0)", "ws.append(v if v > 1 else 0.0)", "if v > 1: ws.append(v)",
    "ws.append(1.0 if v > 1 else v)\n    ws.append(0.5)", "ws.append(v)\n    ws.append(1.0)",
    "if v > 1:\n        ws.append(1.0)\n    else:\n        ws.append(v)", "ws.insert(0, 1.0)",
    "ws.append(v)\n    ws[0] = 0.25", "ws.append(-1.0)\n    ws[-1] = v", "ws = ws + [v]",
    "ws.append(1.0)\n    ws.append(ws[0])", "ws.append(v)\n    ws.append(ws.pop(0))",
    "for u in x[:2]: ws.append(u)", "for u in x[:2]: ws.append(1.0)\n    ws.append(v)",
    "ws.append(3.0)\n    ws = ws[1:]", "ws = [v, 1.0]", "ws += [1.0, v]",
    "ws.append(v)\n    if v > 1: ws[0] = 1.0",
)  # fmt: skip
EDITS = (
    "pass", "ws.append(3.0)", "ws.extend([x[1], 4.0])", "ws.reverse()", "ws = ws[1:]",
    "ws.insert(1, 0.0)", "ws.insert(k, x[0])", "ws[k] = 7.0", "ws[k] = x[2]", "del ws[0]",
    "if x[0] > 1: ws.append(1.0)", "if x[0] > 1: ws[0] = 1.0",
    "if x[0] > 1: ws[0] = x[1]\nelse: ws[0] = 5.0", "ws = ws + ws", "ws.pop()",
    "if x[0] > 1: ws = [1.0, x[1]]",
)  # fmt: skip
READS = (
    "ws[k]", "ws[0]", "ws[-1]", "(ws[k] - 0.75) ** 0.5", "1.0 / ws[k]", "-ws[k] % 2.0", "ws",
    "sum(ws)", "max(ws), min(ws)", "ws[k], ws[0]", "ws[k] * x[0] + 1.0", "ws[k] + 1.0",
    "np.array(ws)", "[w * 2.0 for w in ws][k]", "ws[k] if k > 0 else 1.0",
    "np.float32(2.0) * ws[k]", "abs(ws[k])", "ws[k] in ws, len(ws)", "float(ws[k])",
)  # fmt: skip
ARRAYS, NUMBERS = ([0.5, 2.0, 0.0, 1.5], [1.5, 0.25]), (1, 0, 5)


def cases() -> Iterator[Case]:
    """All of them, with arrays and positions in turn; a program is called with others too."""
    made = product(STARTS, LOOPS, EDITS, READS)
    for i, (start, loop, edit, read) in enumerate(made):
        at = i + i // len(READS)
        first, second = ARRAYS[at % 2], ARRAYS[1 - at % 2]
        x = Kind("an array", partial(np.array, first), partial(np.array, second))
        here, there = ([NUMBERS[each % 3]] for each in (at, at + 1))
        n = Kind(f"{here}, then {there}", partial(np.array, here), partial(np.array, there))
        body = f"k = int(n[0])\nws = {start}\nfor v in x:\n    {loop}\n{edit}\nreturn {read}"
        yield Case(body, {"x": x, "n": n})
