"""Functions that compiled code calls; like it, compiled. Their source is copied into the module."""

from __future__ import annotations


def check_range(lowest: int, least: int, greatest: int, n: int) -> None:
    """Refuse positions from `least` to `greatest`, if there are any, outside `lowest` to `n`."""
    if least <= greatest and (least < lowest or greatest >= n):
        raise IndexError("a position is out of bounds")


def check_equal(n: int, m: int) -> None:
    """Refuse extents that differ."""
    if n != m:
        raise ValueError("extents differ")


def divide(a: float, b: float) -> float:
    """`a / b` of Python's numbers, which refuse to divide by zero."""
    if b == 0:
        raise ZeroDivisionError("division by zero")
    return a / b


__all__ = ["check_equal", "check_range", "divide"]
