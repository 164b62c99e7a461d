"""The families of cases: what srcad gives must be what Python gives, or a refusal.

A case is a small function with the kinds of what it is given; the runner calls it in Python and as
`srcad.compile(f)` gives it (three times: the first values of its kinds, the second ones, the first
again), and takes the value of `srcad.value_and_grad(f)` where that exists. `outcome.py` says what
is compared, and what is a fault.

To add a family, write a module with a generator, and name it below::

    def cases():
        for a in KINDS.values():  # or ARRAYS, NUMBERS, CORE
            yield Case("np.sum(a, axis=-1)", {"a": a})  # an argument
            yield Case("np.sum(a)", captured={"a": a})  # a global
            yield Case("b = list(a)\nb.append(1.0)\nreturn b", {"a": a})  # several lines

Cases are made in one order, always: their numbers are their names. What is missing from the zoo is
added to `kinds.py`: a kind has two makers of values, which are new in each call, because a function
may change what it is given. A new kind is no `core` unless it must meet all others.

    python -m conformance.campaign FAMILY          # from tests/: all of it
    python -m conformance.campaign FAMILY::97      # one in 97
    python -m conformance.campaign FAMILY:1234     # one, with its source

A fault is mended as a class; a program of a user's that showed it goes into `tests/corpus`, the
smallest case into a test of the module that is mended.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from conformance import (
    aliases,
    attributes,
    builtin_functions,
    exceptions,
    functions,
    lists,
    made,
    operators,
    positions,
    selections,
    sizes,
    subscripts,
)
from conformance.case import Case
from conformance.runner import numbered

FAMILIES: dict[str, Callable[[], Iterable[Case]]] = {
    "operators": operators.cases,
    "functions": functions.cases,
    "attributes": attributes.cases,
    "builtins": builtin_functions.cases,
    "subscripts": subscripts.cases,
    "aliases": aliases.cases,
    "exceptions": exceptions.cases,
    "sizes": sizes.cases,
    "positions": positions.cases,
    "lists": lists.cases,
    "selections": selections.cases,
    "made": made.cases,
}


def all_cases(families: Iterable[str] = ()) -> Iterator[tuple[str, Case]]:
    """The cases of the families named, or of all, with their names."""
    for name in families or FAMILIES:
        yield from numbered(name, FAMILIES[name]())


def count(name: str) -> int:
    """The number of cases of a family."""
    return sum(1 for _ in FAMILIES[name]())


def one(name: str) -> Case:
    """The case of a name, `operators:17`."""
    family, _, number = name.partition(":")
    return next(islice(iter(FAMILIES[family]()), int(number), None))
