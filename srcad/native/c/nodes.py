"""Statements of C, as far as the printer needs to know them: what they assign and mention.

Assign("t", "x[i] + 1.0")                                     t = x[i] + 1.0;
Nest("for (int64_t i = 0; i < n; i++)", [Line("y[i] = t;")])  for (...) { y[i] = t; }
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

_COMMENT = re.compile(r"//[^\n]*")
_LEAVES = "goto done;"
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = text;`; with a type in front where the variable begins there."""

    target: str
    text: str
    type: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Any other statement."""

    text: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A line of the user's."""

    text: str


@dataclass(frozen=True, slots=True)
class Nest:
    """`head { body }`, and `else { orelse }`. `is_loop`: the body runs again and again."""

    head: str
    body: tuple[Node, ...]
    orelse: tuple[Node, ...] = ()
    is_loop: bool = False


Node = Assign | Line | Comment | Nest


def words(text: str) -> set[str]:
    """The identifiers in a text, without its comments."""
    return set(_WORD.findall(_COMMENT.sub("", text)))


def mentioned(node: Node) -> set[str]:
    """The identifiers that a statement mentions, those inside included."""
    match node:
        case Assign():
            return words(node.text) | {node.target}
        case Line():
            return words(node.text)
        case Nest():
            inner = (mentioned(each) for each in (*node.body, *node.orelse))
            return words(node.head).union(*inner)
        case Comment():
            return set()


def assigned(nodes: Sequence[Node]) -> Iterator[str]:
    """The variables that statements assign to, those inside included; each time."""
    for node in nodes:
        if isinstance(node, Assign):
            yield node.target
        elif isinstance(node, Nest):
            yield from assigned(node.body)
            yield from assigned(node.orelse)


@dataclass(slots=True)
class _Placing:
    types: dict[str, str]
    zeros: dict[str, str] = field(
        default_factory=lambda: {"double": "0.0", "float": "0.0f", "bool": "false"}
    )

    def block(self, nodes: Sequence[Node], names: set[str]) -> tuple[Node, ...]:
        """The statements, which declare these names."""
        made = list(nodes)
        found = [mentioned(node) & names for node in made]
        starts: dict[int, list[str]] = {}
        inner: dict[tuple[int, int], set[str]] = {}
        for name in sorted(set().union(*found)):
            at = [k for k, each in enumerate(found) if name in each]
            node = made[at[0]]
            side = self.side(node, name) if len(at) == 1 else None
            if side is not None:
                inner.setdefault((at[0], side), set()).add(name)
            elif isinstance(node, Assign) and _begins(node, name):
                made[at[0]] = Assign(name, node.text, self.types[name])
            else:
                starts.setdefault(at[0], []).append(name)
        for k, node in enumerate(made):
            if isinstance(node, Nest):
                body = self.block(node.body, inner.get((k, 0), set()))
                orelse = self.block(node.orelse, inner.get((k, 1), set()))
                made[k] = Nest(node.head, body, orelse, node.is_loop)
        for k in sorted(starts, reverse=True):
            made[k:k] = [self.empty(name) for name in starts[k]]
        return tuple(made)

    def empty(self, name: str) -> Assign:
        kind = self.types[name]
        return Assign(name, self.zeros.get(kind, "0"), kind)

    def side(self, node: Node, name: str) -> int | None:
        """Which block of a statement alone needs a variable, from its beginning on; None for
        neither.
        """
        if not isinstance(node, Nest) or name in words(node.head):
            return None
        sides = [k for k, block in enumerate((node.body, node.orelse)) if name in _all(block)]
        if len(sides) != 1:
            return None
        if not node.is_loop:
            return sides[0]
        first = next(each for each in node.body if name in mentioned(each))
        if isinstance(first, Nest) and first.is_loop:
            return 0 if self.side(first, name) is not None else None
        return 0 if isinstance(first, Assign) and _begins(first, name) else None


def _begins(node: Assign, name: str) -> bool:
    """Whether an assignment gives a variable its first value."""
    return node.target == name and name not in words(node.text)


def _all(nodes: Sequence[Node]) -> set[str]:
    return set().union(*map(mentioned, nodes))


def declared(nodes: Sequence[Node], types: dict[str, str]) -> tuple[Node, ...]:
    """The statements with each variable declared in the innermost block that has all its uses, by
    its first assignment where that comes first.

    Args:
        types: of the variables.
    """
    return _Placing(types).block(nodes, set(types))


def checked_once(nodes: Sequence[Node]) -> list[Node]:
    """The statements without checks that came before and whose variables are as they were."""
    made: list[Node] = []
    known: set[str] = set()
    for node in nodes:
        if _is_check(node):
            assert isinstance(node, Nest)
            if node.head in known:
                continue
            known.add(node.head)
        else:
            changed = _perhaps_changed([node])
            known = {head for head in known if changed.isdisjoint(words(head))}
        made.append(node)
    return made


def without_unread(nodes: Sequence[Node], names: Collection[str]) -> list[Node]:
    """The statements without assignments to those variables that nothing reads."""
    read = _texts_words(nodes)
    unread = {name for name in names if name not in read}

    def kept(nodes: Sequence[Node]) -> list[Node]:
        made: list[Node] = []
        for node in nodes:
            if isinstance(node, Assign) and node.target in unread:
                continue
            if isinstance(node, Nest):
                node = Nest(
                    node.head, tuple(kept(node.body)), tuple(kept(node.orelse)), node.is_loop
                )
            made.append(node)
        return made

    return kept(nodes)


def _texts_words(nodes: Sequence[Node]) -> set[str]:
    """The identifiers that statements read."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Assign | Line):
            found |= words(node.text)
        elif isinstance(node, Nest):
            found |= words(node.head) | _texts_words(node.body) | _texts_words(node.orelse)
    return found


def _is_check(node: Node) -> bool:
    """Whether a statement does nothing but leave the function if something holds."""
    if not isinstance(node, Nest) or node.is_loop or node.orelse or not node.head:
        return False
    return len(node.body) == 1 and isinstance(node.body[0], Line) and _LEAVES in node.body[0].text


def _perhaps_changed(nodes: Sequence[Node]) -> set[str]:
    """The variables that statements assign to, and all that other lines mention."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, Assign):
            found.add(node.target)
        elif isinstance(node, Line):
            found |= words(node.text)
        elif isinstance(node, Nest):
            found |= words(node.head) if node.is_loop else set()
            found |= _perhaps_changed(node.body) | _perhaps_changed(node.orelse)
    return found


def in_comment(text: str) -> str:
    """A text that ends no comment, goes on in no next line, and hides nothing."""
    plain = "".join(c for c in text if unicodedata.category(c) not in ("Cc", "Cf"))
    for found, instead in (("*/", "* /"), ("/*", "/ *"), ("??/", "? ?/")):
        plain = plain.replace(found, instead)
    return plain.rstrip("\\ ")


def printed(nodes: Sequence[Node], depth: int = 1) -> Iterator[str]:
    """The lines of statements."""
    pad = "    " * depth
    for k, node in enumerate(nodes):
        match node:
            case Assign():
                begin = f"{node.type} " if node.type else ""
                yield f"{pad}{begin}{node.target} = {node.text};"
            case Line():
                yield from (f"{pad}{line}" if line else "" for line in node.text.splitlines())
            case Comment():
                if k and isinstance(nodes[k - 1], Nest):
                    yield ""
                yield f"{pad}// {in_comment(node.text)}"
            case Nest():
                yield f"{pad}{node.head} {{" if node.head else f"{pad}{{"
                yield from printed(node.body, depth + 1)
                if node.orelse:
                    yield f"{pad}}} else {{"
                    yield from printed(node.orelse, depth + 1)
                yield f"{pad}}}"


__all__ = [
    "Assign",
    "Comment",
    "Line",
    "Nest",
    "Node",
    "assigned",
    "checked_once",
    "declared",
    "in_comment",
    "mentioned",
    "printed",
    "without_unread",
    "words",
]
