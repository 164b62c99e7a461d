"""`tqdm.tqdm(xs)` and `rich.progress.track(xs)`, read in place: what they show is kept as `print`.

for x in tqdm(xs): body        bar = begin(tqdm, len(xs), {})
                               for x in xs: advance(bar); body
                               advance(bar)
"""

from __future__ import annotations

from typing import Any


def begin(made_by: Any, total: Any, options: Any) -> Any:
    """The iterator of a bar over so many items, of the package's own."""


def advance(bar: Any) -> None:
    """Its next step."""


def tell(bar: Any, method: Any, *told: Any) -> None:
    """Call one of its methods."""


class Bar:
    """What is iterated over, and shows how far that is."""

    noun = "a progress bar"

    def __init__(self, made_by: Any, items: Any, total: Any, options: Any) -> None:
        if total is None and hasattr(items, "__len__"):
            total = len(items)
        self._items = items
        self._bar = begin(made_by, total, options)

    def __len__(self) -> Any:
        return len(self._items)

    def __iter__(self) -> Any:
        for item in self._items:
            advance(self._bar)
            yield item
        advance(self._bar)


class Tqdm(Bar):
    """A bar of tqdm, with methods that set the text beside it."""

    def set_description(self, desc: Any = None, refresh: Any = True) -> None:
        """What stands before it."""
        tell(self._bar, "set_description", desc, refresh)

    def set_postfix(self, ordered_dict: Any = None, refresh: Any = True, **kwargs: Any) -> None:
        """What stands behind it: names and values."""
        given = {} if ordered_dict is None else ordered_dict
        tell(self._bar, "set_postfix", {**given, **kwargs}, refresh)

    def set_postfix_str(self, s: Any = "", refresh: Any = True) -> None:
        """What stands behind it: a text."""
        tell(self._bar, "set_postfix_str", s, refresh)


def tqdm(made_by: Any, iterable: Any, desc: Any = None, total: Any = None, **options: Any) -> Any:
    """`tqdm.tqdm`."""
    return Tqdm(made_by, iterable, total, {"desc": desc, **options})


def trange(made_by: Any, *bounds: Any, **options: Any) -> Any:
    """`tqdm.trange`."""
    return tqdm(made_by, range(*bounds), **options)


def track(
    made_by: Any, sequence: Any, description: Any = "Working...", total: Any = None, **options: Any
) -> Any:
    """`rich.progress.track`."""
    return Bar(made_by, sequence, total, {"description": description, **options})
