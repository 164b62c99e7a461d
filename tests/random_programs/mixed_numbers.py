"""Random programs of numbers of several kinds: Python's, NumPy's, narrow ones, truths and None, in
branches, loops and `try`, which `whole` returns beside a value that is differentiated.

Each line of the tables is an expression; `{i}`, `{f}` and `{b}` in it become integers, floats and
truths, `{n}` an integer or a float.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from random_programs.checks import Fault, close, load
from random_programs.conformance import assert_same, conforms, copied, is_raised, outcome

import srcad

PARAMETERS = "x, y, a, b, k, n, flag"
START = """\
t = 0.25
p, q, r, z = k, a, flag, None
i8, u8, i6 = np.int8(k), np.uint8(n), np.int64(n - 2)
f4, F, I = np.float32(a), x.astype(np.float32), np.array([2, -1, 3, k])
s, c = 'ab', 1 + 2j
"""
LEAVES = {
    "i": "k n 3 -2 len(x) i8 u8 i6 I[1] I[k] 0 7 p (k-2) True 200 10**3",
    "f": "a b x[0] f4 F[1] 0.5 -1.5 2.5 q t x[k] 1e3 0.0 -0.0 float('inf') y.sum()",
    "b": "flag k>1 (x[0]>0) (a>b) np.bool_(flag) r z k u8 n a True x.any()",
}
INTEGERS = """
({i} + {i})|({i} - {i})|({i} * {i})|({i} // {i})|({i} % {i})|({i} << abs({i}))|({i} >> 1)
({i} & {i})|({i} | {i})|({i} ^ {i})|(~{i})|(-{i})|abs({i})|int({f})|round({f})|math.floor({f})
math.trunc({f})|divmod({i}, {i})[0]|pow({i}, 2, 5)|min({i}, {i})|max({i}, {i})|({i} ** 2)
sum([{i}, {i}])|int({b})|({b} + {b})|len(str({i}))|int(str({i}))|math.gcd({i}, {i})
({i} if {b} else {i})|({i} or {i})|({i} and {i})|np.sign({i})|np.int8({i})|operator.index({i})
math.comb(abs({i}), 2)|np.abs({i})|math.isqrt(abs({i}))|np.minimum({i}, {i})
np.floor_divide({i}, {i})|np.power({i}, 2)|I.max()|math.prod(({i}, {i}))|({i}).real
np.bitwise_and({i}, {i})|(x > 0).sum()|np.count_nonzero([{i}, {i}])
"""
FLOATS = """
({f} + {f})|({f} * {i})|({i} / {i})|({f} // {f})|({f} % {f})|({f} // {i})|({i} % {f})|({f} ** 2)
(abs({i}) ** 0.5)|divmod({f}, {f})[1]|round({f}, 1)|float({i})|abs({f})|min({f}, {i})
max({i}, {f}, {f})|({f} if {b} else {i})|({f} or {i})|({f} and {f})|float(str({f}))
math.fmod({f}, {f})|(-{f})|(+{f})|math.copysign({f}, {f})|np.float32({f})|np.mod({f}, {f})
sum([{f}, {i}])|math.hypot({f}, {i})|np.maximum({f}, {i})|np.where({b}, {f}, {i})
np.add({f}, {i})|({f} * {b})|np.round({f}, 1)|complex({f}, {i}).imag|({f}).real
np.clip({f}, 0, {i})|np.sum([{f}, {i}])|np.mean([{i}, {i}])|np.array([{f}, {i}])[1]
[{f}, {i}][{b}]|{{True: {f}, False: {i}}}[{b}]|({f}, {i})[k % 2]|math.modf({f})[0]
sorted([{f}, {i}, {f}])[1]|np.float64({i})|np.heaviside({f}, {i})|math.sqrt(abs({i}))
sum({b} for _ in range(n))|max(x, key=abs)|min([{f}, {f}], key=lambda z: -z)|int({f} * 10) / 10
(lambda z, w={f}: z * w)({f})|functools.reduce(lambda z, w: z * w, [{f}, {i}, {f}])
({f} == {i}) * {f}|np.divide({f}, {i})|np.dot([{f}, {i}], [{f}, 1])|np.full(2, {i})[0]
np.asarray({i}) * {f}|np.float32({i}) * {f}|np.float32({f}) * {i}|np.array({f}).item()
np.zeros(1, int)[0] + {f}|({f} ** {i})
"""
TRUTHS = """
({n} < {n})|({n} < {n} <= {n})|({n} == {n} != {n})|({b} and {b})|({b} or {b})|(not {b})
({b} == {b})|({b} ^ {b})|({b} & {b})|({n} in ({n}, {n}))|({n} not in [{n}, {n}])|bool({n})
({n} is None)|isinstance({i}, int)|any([{b}, {b}])|all(({b}, {n}))|({n} >= {n} > 0)
float({n}).is_integer()|np.isfinite({n})|math.isnan({n})|np.logical_xor({b}, {b})
({b} if {b} else {b})|({n} in I)|({n} in {{1, 2, 3}})|({n} in range(5))|np.isclose({n}, {n})
(x > {n}).all()|np.signbit({n})|({b} > {b})|({n}, {n}) < ({n}, {n})|min({b}, {b})|(not {n})
np.less({n}, {n})|hasattr({n}, 'dtype')
"""
OTHERS = """
[{f}, {i}, {b}]|({f}, {i})|divmod({f}, {i})|{{'a': {f}, 'b': {i}}}|np.array([{f}, {i}])|z or {f}
np.array([{i}, {b}])|({f} if {b} else None)|({f} if z is None else z)|({b} and 'yes' or 'no')
x * {i}|F * {f}|F * {i}|I * {f}|I * {i}|I // {i}|I % {i}|I / {i}|x ** {i}|x // {f}|x > {f}
I == {i}|I + u8|I.astype(np.int8) * {i}|np.int8(100) + np.int8({i})|u8 - {i}|i8 * {i}|i8 / {i}
i8 + f4|f4 * {i}|f4 * {f}|f4 // 1|np.where(x > 0, {i}, {b})|np.where(x > 0, F, {i})
np.where(x > 0, I, {f})|(x > 0) * 2|np.clip(I, 0, {i})|np.clip(F, 0, {f})|np.maximum(I, {i})
(x > 0) & {b}|(x > 0) | (I > {i})|str({i})|np.abs(x * 300).astype(np.uint8)|c * {f}|c * {i}
sorted([{f}, {i}])|[j * {f} for j in range(n)]|np.uint8({i}) + np.int8({i})|-u8|~u8|u8 * f4
u8 // {i}|2 ** i8|i6 / 2|divmod(i6, 3)|flag * x|k & flag|np.zeros_like(I) + {f}
np.ones_like(F) * {f}|np.full_like(I, {f})|np.full(2, {b})|np.concatenate([I, F])
"""
TABLES = {"i": INTEGERS, "f": FLOATS, "b": TRUTHS, "o": OTHERS}
HOLE = re.compile(r"\{([ifbn])\}")


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(f"numbers {seed}")

    def source(self) -> str:
        """The text of a module with `whole`, and `f`, its value alone."""
        lines = START.splitlines()
        for _ in range(self.rng.choice([1, 2, 3])):
            lines += self.statement()
        lines.append("return t + x[0] * a, [p, q, r, z]")
        return "\n".join(
            [
                "import functools, math, operator",
                "import numpy as np",
                f"def whole({PARAMETERS}):",
                *indented(lines),
                f"def f({PARAMETERS}):",
                f"    return whole({PARAMETERS})[0]",
                "",
            ]
        )

    def statement(self) -> list[str]:
        """An assignment, in a branch, a loop or a `try` perhaps."""
        set_one, way = indented(self.assignment()), self.rng.random()
        if way < 0.2:
            return [f"if {self.expression('b', 1)}:", *set_one]
        if way < 0.35:
            return [f"for i in range({self.rng.choice('nk3')}):", *set_one]
        if way < 0.45:
            caught = self.rng.choice(["TypeError", "ArithmeticError", "ValueError"])
            return ["try:", *set_one, f"except {caught}:", "    q = 0.5"]
        return self.assignment() if way < 0.9 else [f"t = t + float({self.expression('f', 1)})"]

    def assignment(self) -> list[str]:
        """A name bound to an expression of any kind."""
        name, kind = self.rng.choice("pqrz"), self.rng.choice("iiffbo")
        sign = self.rng.choice(["+", "-", "*", "//", "%", "/"]) if self.rng.random() < 0.15 else ""
        return [f"{name} {sign}= {self.expression(kind, 2)}"]

    def expression(self, kind: str, depth: int) -> str:
        """An expression of a kind."""
        if kind == "n":
            kind = self.rng.choice("if")
        if kind != "o" and (depth == 0 or self.rng.random() < 0.3):
            return self.rng.choice(LEAVES[kind].split())
        choices = [each for line in TABLES[kind].split("\n") if line for each in _split(line)]
        made = HOLE.sub(lambda hole: self.expression(hole[1], depth - 1), self.rng.choice(choices))
        return made.replace("{{", "{").replace("}}", "}")


def _split(line: str) -> list[str]:
    """The expressions of a line: `|` stands between them without spaces."""
    return re.split(r"(?<! )\|(?! )", line)


def indented(lines: Sequence[str]) -> list[str]:
    """Lines of a block."""
    return [f"    {line}" for line in lines]


def arguments(seed: int) -> list[tuple[Any, ...]]:
    """Those of four calls."""
    made = []
    for call, m in enumerate((4, 4, 4, 5)):
        rng = np.random.default_rng([seed, call])
        a, b = map(float, rng.uniform(-1, 1, 2))
        k, n = int(rng.integers(0, 4)), int(rng.integers(0, 5))
        made.append((rng.uniform(-1, 1, m), rng.uniform(-1, 1, m), a, b, k, n, rng.random() < 0.5))
    return made


def check(seed: int) -> None:
    """Compare the program of a seed with Python; raises `Fault`, or what refuses it."""
    source = Writer(seed).source()
    f = load(source)
    whole = f.__globals__["whole"]
    calls = arguments(seed)
    try:
        conforms(whole, calls)
        gradient = srcad.value_and_grad(whole, (0, 1, 2, 3), has_aux=True, cache=False)
        for args in calls:
            _check_gradient(outcome(whole, copied(args)), outcome(gradient, copied(args)), args)
    except Fault as fault:
        raise Fault(f"seed {seed}: {fault}\n{source}") from None


def _check_gradient(wanted: Any, made: Any, args: Sequence[Any]) -> None:
    """Compare what the gradient gives beside the value, and raises."""
    if isinstance(wanted, Exception):
        # A float that grows too large raises OverflowError only where something reads it.
        if not (is_raised(made, wanted) or isinstance(wanted, OverflowError)):
            raise Fault(f"what the gradient raises: {made!r} is not {wanted!r}")
        return
    if isinstance(made, Exception):
        raise Fault(f"the gradient: {made!r} is not {wanted!r}")
    (value, beside), _ = made
    if not (close(value, wanted[0]) or not np.isfinite(wanted[0])):
        raise Fault(f"the value: {value!r} is not {wanted[0]!r}")
    assert_same(beside, wanted[1], "what is beside the value")
