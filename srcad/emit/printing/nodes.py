"""What is printed and has no node in Python's `ast`: comments, empty lines, `key: value`."""

import ast
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple


class Comment(ast.stmt):
    """A comment on its own line, or on several; `text` is without the `#`."""

    # The constructor, copying and `ast.dump` of Python's nodes work from these.
    _fields = ("text",)
    _field_types: ClassVar[dict[str, Any]] = {"text": str}
    __match_args__ = ("text",)

    if TYPE_CHECKING:
        text: str

        def __init__(self, text: str) -> None: ...


class Blank(ast.stmt):
    """An empty line."""


class Pair(NamedTuple):
    """An item of a dict display, `key: value`, or `**value` where `key` is None."""

    key: ast.expr | None
    value: ast.expr
