"""The patterns of `match`, which have a small grammar of their own.

MatchOr([MatchValue(1), MatchAs(MatchClass(Point), "p")])  ->  case 1 | (Point() as p)
"""
# ruff: noqa: N802  (astunparse finds the method of a node by the name of its class)

import ast
from collections.abc import Iterable

from srcad.emit.printing.layout import LinePrinter
from srcad.emit.printing.precedence import BIT_OR


class PatternPrinter(LinePrinter):
    """Writes patterns."""

    def _MatchValue(self, t: ast.MatchValue) -> None:
        self.operand(t.value, BIT_OR)

    def _MatchSingleton(self, t: ast.MatchSingleton) -> None:
        self.write(repr(t.value))

    def _MatchSequence(self, t: ast.MatchSequence) -> None:
        self.write("[")
        self.commas(t.patterns)
        self.write("]")

    def _MatchStar(self, t: ast.MatchStar) -> None:
        self.write(f"*{t.name or '_'}")

    def _MatchMapping(self, t: ast.MatchMapping) -> None:
        texts = _keyed(map(self.text_of, t.keys), ": ", map(self.text_of, t.patterns))
        rest = [f"**{t.rest}"] if t.rest else []
        self.write(f"{{{', '.join(texts + rest)}}}")

    def _MatchClass(self, t: ast.MatchClass) -> None:
        texts = [self.text_of(pattern) for pattern in t.patterns]
        texts += _keyed(t.kwd_attrs, "=", map(self.text_of, t.kwd_patterns))
        self.write(f"{self.text_of(t.cls)}({', '.join(texts)})")

    def _MatchAs(self, t: ast.MatchAs) -> None:
        if t.pattern:
            self._closed(t.pattern)
            self.write(" as ")
        self.write(t.name or "_")

    def _MatchOr(self, t: ast.MatchOr) -> None:
        for index, pattern in enumerate(t.patterns):
            self.write(" | " if index else "")
            self._closed(pattern, alternatives=False)

    def _closed(self, pattern: ast.pattern, alternatives: bool = True) -> None:
        """Write `pattern`, in parentheses if it is `p as x`, or alternatives where none may be."""
        is_named = isinstance(pattern, ast.MatchAs) and pattern.pattern is not None
        if is_named or (isinstance(pattern, ast.MatchOr) and not alternatives):
            self.write(f"({self.text_of(pattern)})")
        else:
            self.dispatch(pattern)


def _keyed(keys: Iterable[str], joint: str, patterns: Iterable[str]) -> list[str]:
    return [f"{key}{joint}{pattern}" for key, pattern in zip(keys, patterns, strict=True)]
