"""Functions of numbers that derivatives need and `math` lacks."""

from __future__ import annotations

import math

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def polygamma(n: int, x: float) -> float:
    """The n-th derivative of the logarithmic derivative of the gamma function (n = 0: digamma)."""
    x = float(x)
    sign = -1 if n % 2 == 0 else 1
    total = 0.0
    while x < 15 + n:
        total += sign * math.factorial(n) / x ** (n + 1)
        x += 1
    lead = -math.log(x) if n == 0 else math.factorial(n - 1) / x**n
    series = lead + math.factorial(n) / (2 * x ** (n + 1))
    for k, b in enumerate(_BERNOULLI, 1):
        series += b * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
    return total + sign * series
