"""Print `srcad/native/functions/coefficients.py`: minimax polynomials by Remez's exchange.

    python benchmarks/minimax_coefficients.py | ruff format - > coefficients.py

(needs mpmath). Each table approximates g(u) on [low, high] by a polynomial p that minimises the
maximum of |weight(u) (p(u) - g(u))|, where weight makes of it the relative error of the function
that the polynomial is used in. The error reached stands beside each table as a power of two.
"""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp

mp.mp.dps = 60
Real = Callable[[mp.mpf], mp.mpf]
ROUNDS = 12
HEADER = '''"""Minimax coefficients, lowest power first.

Printed by `benchmarks/minimax_coefficients.py`.

Each table has one tuple for float64 and one for float32. The comment above it says what they are
polynomials of, and the greatest relative errors that they leave in the function, before rounding.
"""
'''


def solve(g: Real, weight: Real, nodes: list[mp.mpf]) -> tuple[list[mp.mpf], mp.mpf]:
    """The polynomial whose weighted error is +E, -E, +E ... on the nodes, and E."""
    size = len(nodes)
    matrix, values = mp.matrix(size, size), mp.matrix(size, 1)
    for row, u in enumerate(nodes):
        for power in range(size - 1):
            matrix[row, power] = u**power
        matrix[row, size - 1] = (-1) ** row / weight(u)
        values[row] = g(u)
    solution = mp.lu_solve(matrix, values)
    return list(solution[: size - 1]), abs(solution[size - 1])


def extrema(error: list[mp.mpf], grid: list[mp.mpf], count: int) -> list[mp.mpf]:
    """The greatest point of each stretch of one sign, `count` of them."""
    best: list[int] = []
    for k, e in enumerate(error):
        if best and e * error[best[-1]] > 0:
            if abs(e) > abs(error[best[-1]]):
                best[-1] = k
        else:
            best.append(k)
    while len(best) > count:
        best.pop(0 if abs(error[best[0]]) < abs(error[best[-1]]) else -1)
    return [grid[k] for k in best]


def remez(g: Real, weight: Real, low: float, high: float, terms: int) -> tuple[list[mp.mpf], float]:
    """Coefficients of the minimax polynomial with `terms` terms, and its greatest error."""
    count, samples = terms + 1, 60 * (terms + 1)

    def chebyshev(k: int, n: int) -> mp.mpf:
        return (high + low) / mp.mpf(2) - (high - low) / mp.mpf(2) * mp.cos(mp.pi * (k + 0.5) / n)

    nodes = [chebyshev(k, count) for k in range(count)]
    grid = [chebyshev(k, samples) for k in range(samples)]
    values, weights = [g(u) for u in grid], [weight(u) for u in grid]
    for _ in range(ROUNDS):
        coefficients, level = solve(g, weight, nodes)
        error = [
            w * (mp.polyval(coefficients[::-1], u) - v)
            for u, v, w in zip(grid, values, weights, strict=True)
        ]
        worst = max(abs(e) for e in error)
        found = extrema(error, grid, count)
        if len(found) < count or worst < level * mp.mpf("1.001"):
            break
        nodes = found
    return coefficients, float(worst)


def atanh_tail(z: mp.mpf) -> mp.mpf:
    """(2 atanh(s) - 2 s) / s^3 for z = s^2."""
    s = mp.sqrt(z)
    return (2 * mp.atanh(s) - 2 * s) / s**3


def log_weight(z: mp.mpf) -> mp.mpf:
    """What turns an error of the tail into a relative error of 2 atanh(s)."""
    return z * mp.sqrt(z) / (2 * mp.atanh(mp.sqrt(z)))


def scaled_erfc(u: mp.mpf) -> mp.mpf:
    """erfc(x) exp(x^2) for u = (x - 2) / (x + 2)."""
    x = 2 * (1 + u) / (1 - u)
    return mp.erfc(x) * mp.exp(x * x)


def wide_erfc(u: mp.mpf) -> mp.mpf:
    """erfc(x) exp(x^2) (1 + 2 x), which is near 1, for u = (x - 4) / (x + 4)."""
    x = 4 * (1 + u) / (1 - u)
    return mp.erfc(x) * mp.exp(x * x) * (1 + 2 * x)


LN2 = mp.log(2)
HALF = float(LN2 / 2) * 1.0001
THIRD = float((mp.sqrt(2) - 1) ** 2) * 1.001  # s^2 for s = (sqrt 2 - 1) / (sqrt 2 + 1)
S2 = float((3 - 2 * mp.sqrt(2)) ** 2) * 1.001
QUARTER = float((mp.pi / 4) ** 2) * 1.001

# name, text, g, weight, low, high, terms for float64, terms for float32
TABLES = [
    (
        "EXP", "e^r = 1 + r + r^2 p(r), |r| <= log(2)/2",
        lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / abs(mp.expm1(r)), -HALF, HALF * 1.002,
        10, 5,
    ),
    (
        "LOG", "log((1+s)/(1-s)) = 2 s + s z p(z), z = s^2, s <= 3 - sqrt(8)",
        atanh_tail, log_weight, 0.0, S2, 7, 3,
    ),
    (
        "LOG_SHORT", "log((1+s)/(1-s)) = 2 s + s z p(z), for powers in float32",
        atanh_tail, log_weight, 0.0, S2, 4, 0,
    ),
    (
        "EXP_SHORT", "e^r = 1 + r + r^2 p(r), for powers in float32",
        lambda r: (mp.expm1(r) - r) / r**2, lambda r: r**2 / mp.exp(r), -HALF, HALF * 1.002, 5, 0,
    ),
    (
        "LOG_TAIL", "the same with two exact terms: 2 s + s z (2/3 + z p(z))",
        lambda z: (atanh_tail(z) - mp.mpf(2) / 3) / z, lambda z: z * log_weight(z), 0.0, S2, 7, 0,
    ),
    (
        "SIN", "sin(r) = r + r z p(z), z = r^2, |r| <= pi/4",
        lambda z: (mp.sin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.sin(mp.sqrt(z)), 0.0, QUARTER, 6, 3,
    ),
    (
        "COS", "cos(r) = 1 - z/2 + z^2 p(z), z = r^2, |r| <= pi/4",
        lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2,
        lambda z: z**2 / mp.cos(mp.sqrt(z)), 0.0, QUARTER, 6, 3,
    ),
    (
        "SINH", "sinh(x) = x + x z p(z), z = x^2, |x| <= 1",
        lambda z: (mp.sinh(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.sinh(mp.sqrt(z)), 0.0, 1.0, 7, 4,
    ),
    (
        "ARCTAN", "arctan(t) = t + t z p(z), z = t^2, |t| <= sqrt(2) - 1",
        lambda z: (mp.atan(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.atan(mp.sqrt(z)), 0.0, THIRD, 11, 5,
    ),
    (
        "ARCSIN", "arcsin(s) = s + s z p(z), z = s^2, s <= 1/2",
        lambda z: (mp.asin(mp.sqrt(z)) - mp.sqrt(z)) / mp.sqrt(z) ** 3,
        lambda z: mp.sqrt(z) ** 3 / mp.asin(mp.sqrt(z)), 0.0, 0.25, 12, 5,
    ),
    (
        "ERF", "erf(x) = x + x p(z), z = x^2, |x| <= 1",
        lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1,
        lambda z: mp.sqrt(z) / mp.erf(mp.sqrt(z)), 0.0, 1.0, 12, 7,
    ),
    (
        "ERFC", "erfc(x) = e^(-x^2) p(u), u = (x-2)/(x+2), 1 <= x <= 6",
        scaled_erfc, lambda u: 1 / scaled_erfc(u), -1 / 3, 0.5, 16, 8,
    ),
    (
        "ERFC_WIDE", "erfc(x) = e^(-x^2) p(u)/(1+2x), u = (x-4)/(x+4), 1/2 <= x <= 28",
        wide_erfc, lambda u: 1 / wide_erfc(u), -7 / 9, 0.75, 21, 12,
    ),
    (
        "CBRT", "cbrt(m) = p(m), 0.35 <= m <= 2.83",
        mp.cbrt, lambda m: 1 / mp.cbrt(m), 0.353, 2.829, 6, 8,
    ),
]  # fmt: skip

# value, bits of the parts for float64, for float32
PARTS = {
    "LN2": (LN2, (42,), (15,)),
    "LOG10_2": (mp.log10(2), (42,), (13,)),
    "LOG2_E": (1 / LN2, (53,), (24,)),
    "LOG10_E": (1 / mp.log(10), (53,), (24,)),
    "TWO_THIRDS": (mp.mpf(2) / 3, (53,), (24,)),
    "QUARTER_TURN": (mp.pi / 2, (33, 33, 33), (12, 12, 12)),
    "HALF_PI": (mp.pi / 2, (53,), (24,)),
}


def print_table(name: str, text: str, tables: dict[int, tuple[list[mp.mpf], float]]) -> None:
    """A dict of tuples of Python floats by the width of the float, with its comment."""
    errors = ", ".join(f"2^{float(mp.log(error, 2)):.1f}" for _, error in tables.values())
    print(f"\n# {text}; {errors}")
    print(f"{name} = {{")
    for width, (coefficients, _) in tables.items():
        print(f"    {width}: (")
        for c in coefficients:
            print(f"        {float(c)!r},")
        print("    ),")
    print("}")


def split(value: mp.mpf, bits: tuple[int, ...]) -> list[float]:
    """The value as a sum of floats: each has that many bits, the last takes the rest."""
    parts = []
    for count in bits:
        scale = mp.mpf(2) ** (count - 1 - mp.floor(mp.log(abs(value), 2)))
        part = mp.floor(value * scale) / scale
        parts.append(float(part))
        value -= part
    return [*parts, float(value)]


def main() -> None:
    """Print the module."""
    print(HEADER)
    print("# Parts of constants: all but the last have so few bits that n times a part is exact.")
    for name, (value, double, single) in PARTS.items():
        print(f"{name} = {{")
        for width, bits in ((64, double), (32, single)):
            print(f"    {width}: ({', '.join(map(repr, split(value, bits)))}),")
        print("}")
    for name, text, g, weight, low, high, double, single in TABLES:
        widths = {64: double, 32: single} if single else {64: double}
        print_table(name, text, {w: remez(g, weight, low, high, n) for w, n in widths.items()})


if __name__ == "__main__":
    main()
