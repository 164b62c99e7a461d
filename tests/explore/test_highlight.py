"""Highlighting: all of the text is there, escaped, whatever it is."""

import html
import re

import pytest

from srcad.explore.highlight import highlight

CASES = [
    "def f(x):\n    return 2 * x  # twice\n",
    'y = f"{x!r:>{n}} {{}} \\\n  " + """a\nb"""\n',
    "(lambda x: x['<b>'] & 1",  # a part of a statement
    "if x:\n        y\n    z\n",  # no Python
    '\'ä\' + "\\"" # é\n\n\tx\n',
    "",
    "x = 1_000e-3j if not None else ...",
]


@pytest.mark.parametrize("text", CASES)
def test_the_text_is_kept(text):
    lines = highlight(text)
    plain = [html.unescape(re.sub(r"<[^>]*>", "", line)) for line in lines]
    assert plain == text.splitlines()


def test_tokens_have_classes():
    (line,) = highlight("def f(): return 'a<b', 3  # no")
    assert line == (
        '<span class="k">def</span> <span class="f">f</span>(): <span class="k">return</span> '
        '<span class="s">&#x27;a&lt;b&#x27;</span>, <span class="n">3</span>  '
        '<span class="c"># no</span>'
    )


def test_a_string_of_several_lines_is_closed_in_each():
    assert highlight('x = """a\n\nb"""') == [
        'x = <span class="s">&quot;&quot;&quot;a</span>',
        '<span class="s"></span>',
        '<span class="s">b&quot;&quot;&quot;</span>',
    ]
