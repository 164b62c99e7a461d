"""Which of the caller's containers one is that stands for several, where it leaves the function.

    z = x if c else y              which_z = 1 if c else 2
    return z                       return A[0] if which_z == 1 else A[1] if which_z == 2 else [...]

The last case is a container made here. Of two of these a program does not tell which one it has:
that may be one of several that leave is found out while compiling.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from srcad.frontend.abstract.containers.containers import CONTAINERS, Container
from srcad.frontend.abstract.objects import Abstract, is_nothing

MADE = 0
WHICH = object()  # the last part of the path of a number


@dataclass(eq=False, slots=True)
class Which:
    """`numbers` of the containers that stand for others, as things are; those `given` by path.

    `pairs`: the join that made one, and what is there on each of its paths. It `is_asked` of a
    function that returns its caller's own, and of what is returned beside a value.
    """

    is_asked: bool = False
    numbers: dict[Container, Abstract] = field(default_factory=dict)
    given: dict[str, int] = field(default_factory=dict)
    pairs: dict[Container, tuple[object, Any, Any]] = field(default_factory=dict)

    def number(self, x: Any, numbers: dict[Container, Abstract]) -> Abstract:
        """The number of a container, of those in a state, or of nothing."""
        if is_nothing(x):
            return x
        if is_given(x):
            return self.given.setdefault(x.path, len(self.given) + 1)
        return numbers.get(x, MADE)

    def options(self, x: Any) -> set[int] | None:
        """The numbers that a container may have, None for any, as of what a loop carries."""
        if x not in self.pairs:
            number = self.number(x, {})
            return {number} if isinstance(number, int) else set()
        join, *sides = self.pairs[x]
        if getattr(join, "code", "") == "E122":
            return None
        found = [self.options(side) for side in sides]
        return None if None in found else set().union(*(each for each in found if each))

    def may_be_one(self, x: Any, y: Any) -> bool:
        """Whether two containers may be one that was made here; two that are swapped stay two."""
        seen: set[tuple[int, int]] = set()

        def may(x: Any, y: Any) -> bool:
            if (id(x), id(y)) in seen or any(is_nothing(each) or is_given(each) for each in (x, y)):
                return False
            seen.add((id(x), id(y)))
            if x is y:
                return True
            first, second = self.pairs.get(x), self.pairs.get(y)
            if first is not None and second is not None and first[0] is second[0]:
                return any(map(may, first[1:], second[1:]))
            if first is not None:
                return any(may(each, y) for each in first[1:])
            return second is not None and any(may(x, each) for each in second[1:])

        return may(x, y)


def joined_number(join: Any, new: Container, sides: tuple[Any, Any], path: Any) -> Abstract:
    """The number of a container that stands for one on each side of a join, at a path of it."""
    which = join.before.codes.which
    which.pairs[new] = (join, *sides)
    ends = [which.number(x, state.which) for x, state in zip(sides, (join.a, join.b), strict=True)]
    known = [end for end in ends if not is_nothing(end)]
    if len(known) == 1 and type(known[0]) is int:
        return known[0]
    joined: Abstract = join.tree(*ends, (*path, WHICH))
    return joined


def is_given(x: Any) -> bool:
    """Whether a container is the caller's, of an argument, or a captured one."""
    return isinstance(x, CONTAINERS) and bool(x.path)


__all__ = ["MADE", "WHICH", "Which", "is_given", "joined_number"]
