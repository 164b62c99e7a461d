"""Python source as lines of HTML, with classes for its tokens.

return 2 * x  # twice    ->    <span class="k">return</span> <span class="n">2</span> * x ...

Every character of the source is in the result, escaped, whatever the tokenizer makes of it.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from html import escape

# (first column, column after, class)
_Span = tuple[int, int, str]
_OPENS_NAME = ("def", "class")


def highlight(text: str) -> list[str]:
    """Each line of `text` as HTML: `k` keyword, `f` defined name, `n` number, `s` string, `c`
    comment.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    spans: defaultdict[int, list[_Span]] = defaultdict(list)
    for row, span in _spans(text, lines):
        spans[row].append(span)
    return [_rendered(line, spans[row]) for row, line in enumerate(lines)]


def _rendered(line: str, spans: list[_Span]) -> str:
    parts, at = [], 0
    for start, end, kind in spans:
        if start < at:
            continue
        parts += [escape(line[at:start]), f'<span class="{kind}">{escape(line[start:end])}</span>']
        at = end
    return "".join([*parts, escape(line[at:])])


def _spans(text: str, lines: list[str]) -> Iterator[tuple[int, _Span]]:
    """The stretches with a class, each within one line, counted from 0."""
    before = ""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = _kind(token, before)
            before = token.string
            if not kind:
                continue
            (first, start), (last, end) = token.start, token.end
            for row in range(first, min(last, len(lines)) + 1):
                begin = start if row == first else 0
                yield row - 1, (begin, end if row == last else len(lines[row - 1]), kind)
    except (tokenize.TokenError, SyntaxError):  # a part of a statement: the rest stays plain
        return


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    match token.type:
        case tokenize.NAME:
            if before in _OPENS_NAME:
                return "f"
            return "k" if keyword.iskeyword(token.string) else ""
        case tokenize.NUMBER:
            return "n"
        case tokenize.STRING:
            return "s"
        case tokenize.COMMENT:
            return "c"
    # The parts of f-strings are tokens of their own since Python 3.12.
    return "s" if tokenize.tok_name[token.type].startswith("FSTRING") else ""


__all__ = ["highlight"]
