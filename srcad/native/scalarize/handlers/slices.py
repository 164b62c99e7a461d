"""Slices: where they start and end, and how many entries they have.

    x[1:-1]                          1 to n - 1, which are n - 2: refused where n < 2
    x[i : i + 3], i up to n - 1      i to clipped(i + 3, n)
    x[:k + 1], x[j:k]                0 to clipped(k + 1, n), ...
    x[k:-k]                          k to n - k

NumPy moves ends into the array. To do so takes away what is known of them as sums, so it is done
where an end lies outside in some iteration of a loop as far as that can be told, or where nothing
is lost; elsewhere a slice that reaches over an end is left to NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from srcad.ir.affine import Affine
from srcad.native.helpers import clipped, count_iterations
from srcad.native.scalarize.loop_builder import Code, Unsuited


def sliced(
    code: Code, part: slice, n: Affine, whole: Callable[[Any], Affine]
) -> tuple[Affine, int, Affine]:
    """Start, step and length of a slice of `n` entries.

    Args:
        whole: the form of an integer.
    """
    step = 1 if part.step is None else part.step
    if not isinstance(step, int) or step == 0:
        raise Unsuited("a slice with a step that is not known")
    if step < 0:
        return _backwards(code, part, step, n)
    given = [whole(end) for end in (part.start, part.stop) if end is not None]
    # Ends that are known before all loops: one, or both that are arguments as they stand.
    is_free = code.outermost(*given, n) == 0 and (len(given) == 1 or any(map(_is_plain, given)))
    start = Affine() if part.start is None else _end(code, given[0], n, is_free)
    stop = n if part.stop is None else _end(code, given[-1], n, is_free)
    code.check_natural(start)
    code.check_natural(n - stop)
    if step != 1:
        return start, step, _count(code, start, stop, n, step)
    if code.is_natural(stop - start):
        return start, 1, stop - start
    if any(value in code.limits for end in (start, stop) for value, _ in end.terms):
        return start, 1, _count(code, start, stop, n, 1)
    code.check_natural(stop - start)
    return start, 1, stop - start


def _backwards(code: Code, part: slice, step: int, n: Affine) -> tuple[Affine, int, Affine]:
    """A slice from a later place to an earlier one; ends are numbers, if there are any."""
    if part.start is None and part.stop is None and step == -1:
        return n - 1, -1, n
    if any(end is not None and type(end) is not int for end in (part.start, part.stop)):
        raise Unsuited("a slice backwards between places that are not known")
    first, last = n - 1, Affine(-1)
    if part.start is not None:
        first = n + part.start if part.start < 0 else Affine(part.start)
    if part.stop is not None:
        last = n + part.stop if part.stop < 0 else Affine(part.stop)
    code.check_natural(first)
    code.check_natural(n - 1 - first)
    code.check_natural(first - last)
    if step == -1:
        return first, step, first - last
    return first, step, code.derived(count_iterations, (first, last, Affine(step)), n)


def _count(code: Code, start: Affine, stop: Affine, n: Affine, step: int) -> Affine:
    length = (stop - start).number
    if length is not None:
        return Affine(max(0, -(-length // step)))
    return code.derived(count_iterations, (start, stop, Affine(step)), n)


def _end(code: Code, at: Affine, n: Affine, is_free: bool) -> Affine:
    """An end of a slice, counted from the start.

    Args:
        is_free: whether nothing is lost if it is moved.
    """
    at, n = code.settled(at), code.settled(n)
    if _looks_negative(at):
        if at.number is None:
            code.check_natural(-at - 1)
        return n + at
    over = at - n
    if at.number is not None or over.number is not None:
        return at
    if code.is_natural(at) and code.is_natural(-over):
        return at
    low, high = code.extremes(at), code.extremes(over)
    is_outside = (low is not None and _looks_negative(low[0])) or (
        high is not None and _looks_positive(high[1])
    )
    is_given = any(value not in code.naturals for value, _ in at.terms)
    if is_outside or (is_free and is_given):
        return code.derived(clipped, (at, n), n, "end")
    return at


def _is_plain(number: Affine) -> bool:
    return number.const == 0 and [k for _, k in number.terms] == [1]


def _looks_negative(number: Affine) -> bool:
    """Whether a number is negative, if what it is computed of is not."""
    return number.const <= 0 and number != Affine() and all(k < 0 for _, k in number.terms)


def _looks_positive(number: Affine) -> bool:
    """Whether a number is positive, if what it is computed of is more than 1; of blocks (`64 * i`),
    if that is large.
    """
    factors = [k for _, k in number.terms]
    is_block = sum(factors) > 1
    return all(k > 0 for k in factors) and (is_block or number.const + 2 * sum(factors) > 0)
