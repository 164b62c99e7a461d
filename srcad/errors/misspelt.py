"""What a misspelt name may stand for."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> tuple[str, ...]:
    """The note of an error: the known name that is nearest, if one is near: of the same letters
    before all others.
    """
    import difflib  # of errors alone

    names = sorted(known)
    cutoff = 0.75 if len(name) > 3 else 0.6  # of three letters one may differ
    same = [each for each in names if sorted(each) == sorted(name)]
    near = difflib.get_close_matches(name, same or names, 1, cutoff=cutoff)
    return (f"did you mean `{prefix}{near[0]}`?",) if near else ()
