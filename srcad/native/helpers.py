"""Functions that compiled code calls; like it, compiled. Their source is copied into the module."""

from __future__ import annotations

import numpy as np


def check_range(lowest: int, least: int, greatest: int, n: int) -> None:
    """Refuse positions from `least` to `greatest`, if there are any, outside `lowest` to `n`."""
    if least <= greatest and (least < lowest or greatest >= n):
        raise IndexError("a position is out of bounds")


def counted(at: int, n: int) -> int:
    """A position, from the end of `n` entries if it is negative."""
    return at + n if at < 0 else at


def check_natural(least: int, greatest: int) -> None:
    """Refuse numbers from `least` to `greatest`, if there are any, that are negative."""
    if least <= greatest and least < 0:
        raise IndexError("a slice reaches over an end")


def clipped(at: int, n: int) -> int:
    """Where NumPy moves the end of a slice of `n` entries to."""
    if at < 0:
        at += n
    return min(max(at, 0), n)


def check_equal(n: int, m: int) -> None:
    """Refuse extents that differ."""
    if n != m:
        raise ValueError("extents differ")


def count_iterations(start: int, stop: int, step: int) -> int:
    """How many numbers are in a range."""
    return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)


def natural(n: int) -> int:
    """A number that is known not to be negative."""
    return n


def kept(iteration: int, rows: int) -> int:
    """The row of a tape that an iteration has: the last one, where there are fewer rows than
    iterations.
    """
    return min(iteration, rows - 1)


def largest_at(x: np.ndarray, n: int) -> int:
    """Where the largest of the first `n` entries is, or the first that is no number."""
    best = 0
    for i in range(1, n):
        if x[i] > x[best] or (np.isnan(x[i]) and not np.isnan(x[best])):
            best = i
    return best


def smallest_at(x: np.ndarray, n: int) -> int:
    """Where the smallest of the first `n` entries is, or the first that is no number."""
    best = 0
    for i in range(1, n):
        if x[i] < x[best] or (np.isnan(x[i]) and not np.isnan(x[best])):
            best = i
    return best


def count_rolled(shift: int, n: int) -> int:
    """How many of `n` entries a roll moves to the front."""
    return shift % n if n > 0 else 0


def at_edge(at: int, n: int) -> int:
    """Which of `n` entries pads another place by the nearest."""
    return min(max(at, 0), n - 1)


def wrapped(at: int, n: int) -> int:
    """Which of `n` entries pads another place by what is at the other end."""
    return at % n


def reflected(at: int, n: int) -> int:
    """Which of `n` entries pads another place by its image in the outermost entry."""
    return n - 1 - abs(n - 1 - abs(at))


def mirrored(at: int, n: int) -> int:
    """Which of `n` entries pads another place by its image behind the outermost entry."""
    at = at if at >= 0 else -1 - at
    return at if at < n else 2 * n - 1 - at


def check_iterations(n: int) -> None:
    """Refuse a loop without iterations: its results are what they started as, numbers of
    Python's.
    """
    if n <= 0:
        raise ValueError("a loop has no iterations")


def check_size(n: int) -> None:
    """Refuse integers that grow out of what products of two have room for."""
    if n > 2147483648 or n < -2147483648:
        raise OverflowError("an integer that grows")


def check_within(n: int, most: int) -> None:
    """Refuse integers that sums with other ones have no room for."""
    if n > most or n < -most:
        raise OverflowError("an integer that grows")


def bounded(n: int) -> int:
    """An integer that may be one of Python's: refused where products of two have no room."""
    if n >= 2147483648 or n <= -2147483648:
        raise OverflowError("an integer that grows")
    return n


def shifted_left(n: int, k: int) -> int:
    """`n << k` of Python's integers: refused where products of two have no room for it."""
    if k < 0 or (n != 0 and k > 31):
        raise OverflowError("an integer that grows")
    shifted = n << min(k, 31)
    if n > 2147483648 or n < -2147483648 or shifted > 2147483648 or shifted < -2147483648:
        raise OverflowError("an integer that grows")
    return shifted


def shifted_right(n: int, k: int) -> int:
    """`n >> k` of Python's integers, which raises for a negative count."""
    if k < 0 or k > 62:
        raise ValueError("a shift count out of bounds")
    return n >> k


def within(n: int, low: int, high: int) -> int:
    """An integer of Python's that meets NumPy's of few bits: refused where these have no room."""
    if n < low or n > high:
        raise OverflowError("an integer out of bounds")
    return n


def refuse() -> None:
    """Leave it to NumPy, which raises what the program raises."""
    raise ValueError("an exception of the program's own")


def nonzero(c: float) -> float:
    """A divisor of a number that may be one of Python's."""
    if c == 0.0:
        raise ZeroDivisionError("division by zero")
    return c


def divide(a: float, b: float) -> float:
    """`a / b` of Python's numbers, which refuse to divide by zero."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


def divide_whole(a: float, b: float) -> float:
    """`a // b`, refused where `b` is zero, as `a / b` is."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a // b


def divide_rest(a: float, b: float) -> float:
    """`a % b`, refused where `b` is zero."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a % b


def finite_power(x: float, y: float) -> float:
    """`x ** y`, refused where it is not finite: Python raises there, or it is complex."""
    result = np.power(x, y)
    if not np.isfinite(result):
        raise OverflowError("a power that is not finite")
    return float(result)


def finite_product(result: float, x: float) -> float:
    """A small power of `x`, refused where it is not finite though `x` is: Python raises there."""
    if np.isinf(result) and not np.isinf(x):
        raise OverflowError("a power that is not finite")
    return result


def finite(x: complex) -> complex:
    """A number of Python's, refused where it is not finite: Python raises there."""
    if not np.isfinite(x):
        raise OverflowError("a number that is not finite")
    return x


def check_inverse(inverse: float, c: float) -> float:
    """`inverse`, that of `c`: refused where it is infinite and `c` is not zero."""
    if np.isinf(inverse) and c != 0:
        raise OverflowError("a divisor has no inverse")
    return inverse


__all__ = [
    "at_edge",
    "bounded",
    "check_equal",
    "check_inverse",
    "check_iterations",
    "check_natural",
    "check_range",
    "check_size",
    "check_within",
    "clipped",
    "count_iterations",
    "count_rolled",
    "counted",
    "divide",
    "divide_rest",
    "divide_whole",
    "finite",
    "finite_power",
    "finite_product",
    "kept",
    "largest_at",
    "mirrored",
    "natural",
    "nonzero",
    "reflected",
    "refuse",
    "shifted_left",
    "shifted_right",
    "smallest_at",
    "within",
    "wrapped",
]
