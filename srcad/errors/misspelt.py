"""What a misspelt name may stand for."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str], prefix: str = "") -> tuple[str, ...]:
    """The note of an error: the known name that is nearest, if one is near."""
    import difflib  # of errors alone

    cutoff = 0.75 if len(name) > 3 else 0.6  # of three letters one may differ
    near = difflib.get_close_matches(name, sorted(known), 1, cutoff=cutoff)
    return (f"did you mean `{prefix}{near[0]}`?",) if near else ()
