"""The hierarchy of errors: one class for each hundred of codes.

The subclasses that are also `TypeError`, `ValueError` or `NameError` are for mistakes for which
Python and NumPy programmers expect those.
"""

# ruff: noqa: N818 - the public names say what happened, without an `Error` that adds nothing
from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from srcad.errors.location import Location
from srcad.errors.render import render


class SrcadError(Exception):
    """A refusal with its code, its place in the user's source and the way out.

    `called_from` lists the calls that led to the place, innermost first; the `function` of each
    is the caller.
    """

    def __init__(
        self,
        code: str,
        title: str,
        location: Location | None = None,
        fix: str = "",
        notes: Iterable[str] = (),
        called_from: Iterable[Location] = (),
    ) -> None:
        super().__init__(code, title, location, fix, tuple(notes), tuple(called_from))
        self.code = code
        self.title = title
        self.location = location
        self.fix = fix
        self.notes = tuple(notes)
        self.called_from = tuple(called_from)

    def __reduce__(self) -> tuple[object, ...]:
        # Not from `args`: place and calls may have been added since.
        facts = (self.code, self.title, self.location, self.fix, self.notes, self.called_from)
        return (type(self), facts)

    def __str__(self) -> str:
        return render(self.code, self.title, self.location, self.fix, self.notes, self.called_from)

    def located(self, location: Location | None, called_from: Iterable[Location] = ()) -> Self:
        """Add place and callers where they are not known yet; returns the error itself.

        A rule or a shape fact knows no place: its caller does, and adds it. What has no source, as
        a ufunc, has no place in a file.
        """
        if self.location is None and location is not None and location.file:
            self.location = location
        self.called_from = self.called_from or tuple(called_from)
        return self


class UnsupportedSyntax(SrcadError):
    """E1xx: the source is missing, or says something that cannot be differentiated."""


class MissingRule(SrcadError):
    """E2xx: a function on an active path has no derivative rule."""


class NotDifferentiable(SrcadError):
    """E3xx: the question has no answer: an integer argument, a loss that is not a scalar."""


class ShapeError(SrcadError, ValueError):
    """E4xx: the shapes of an operation's arguments do not fit."""


class CacheError(SrcadError):
    """E5xx: generated code cannot be kept on disk, or saved."""


class RuleError(SrcadError):
    """E6xx: a derivative rule is faulty."""


class NotFinite(SrcadError, FloatingPointError):
    """E7xx: an operation made NaN or infinity, inside `srcad.debug_nans`."""


class InternalError(SrcadError):
    """E9xx: srcad itself is at fault."""


class UndefinedName(UnsupportedSyntax, NameError):
    """A name that is not defined where it is used."""


class CallMismatch(UnsupportedSyntax, TypeError):
    """A call that does not fit the signature of what it calls."""


class ArgumentTypeError(NotDifferentiable, TypeError):
    """An argument, a result or an option of the wrong type."""


class ArgumentValueError(NotDifferentiable, ValueError):
    """An argument or an option of the right type and a wrong value."""


class FileExists(CacheError, FileExistsError):
    """A file that would be overwritten."""

    # `OSError` makes its own text of what it is given.
    __str__ = SrcadError.__str__


class IndexShapeError(ShapeError, IndexError):
    """An index outside its array."""
