"""Signals that leave lowering, caught where they can be answered; none of them is an error of the
user's.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from srcad.errors import Location, SrcadError


class Signal(Exception):  # noqa: N818 -- none of them is an error
    """What passes through the places that turn exceptions into errors."""


class NeedStatic(Signal):
    """The program needs these int inputs while compiling: specialise to their values and lower
    again. `refusal`: what this way of lowering does not do, if that is why.
    """

    def __init__(self, paths: frozenset[str], refusal: SrcadError | None = None) -> None:
        super().__init__(paths)
        self.paths = paths
        self.refusal = refusal


class Unroll(Signal):
    """The loop with this token must be unrolled: its body needs the index, or what it carries, as
    a constant.
    """

    def __init__(self, token: object) -> None:
        super().__init__(token)
        self.token = token


class Grows(Signal):
    """The loop with this token appends to this list: lower it again, as what its iterations add;
    `inside`: a loop inside of it appends as well.
    """

    def __init__(self, token: object, obj: Any, inside: bool) -> None:
        super().__init__(token, obj, inside)
        self.token = token
        self.obj = obj
        self.inside = inside


class Carries(Signal):
    """The loop with this token changes the length of this list: lower it again, as one that carries
    the arrays of its items; `several`: what it may hold, before an iteration and after it. Without
    a list: as one that does so with all to which it appends.
    """

    def __init__(
        self,
        token: object,
        obj: Any,
        several: tuple[dict[Any, Any], ...],
        is_other: bool = False,
    ) -> None:
        super().__init__(token, obj, several)
        self.token = token
        self.obj = obj
        self.several = several
        self.is_other = is_other


class Raising(Signal):
    """The statement being lowered calls a function that always raises."""


class Pending(Raising):
    """The statement being lowered calls a function of which it is not known yet what it returns."""


class Unmet(Raising):
    """The statement being lowered reads what the iteration before will have bound, as far as is
    known.

    A loop's body is lowered again and again; a path that needs what is not known yet waits.
    """


class Recurs(Signal):
    """Calls of this kind repeat themselves: lower again, with a function of its own for them."""

    def __init__(self, key: Hashable) -> None:
        super().__init__(key)
        self.key = key


class Assigns(Signal):
    """The program assigns this global: lower again, and read what it holds at the start."""

    def __init__(self, module: str, name: str) -> None:
        super().__init__(module, name)
        self.key = (module, name)


class ChangesCaptured(Signal):
    """The program changes this captured dict: lower again, and know what it holds at each point."""

    def __init__(self, obj: object) -> None:
        super().__init__(obj)
        self.obj = obj


class Asks(Signal):
    """The program asks objects of a dataclass for an attribute that is no field, and one of the
    caller's holds it: lower again, and read it as one. With a path: it asks the object there for
    all that it holds.
    """

    def __init__(self, key: tuple[type | str, str]) -> None:
        super().__init__(key)
        self.key = key


class TooDeep(Signal, RecursionError):  # noqa: N818 -- a signal, as those above
    """What stands here is nested more deeply than the stack of this thread allows."""

    def __init__(self, location: Location) -> None:
        super().__init__(str(location))
        self.location = location
