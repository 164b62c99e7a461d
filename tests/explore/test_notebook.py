"""What notebooks show: highlighted, escaped, closed."""

from html.parser import HTMLParser

import numpy as np

import srcad

X = np.linspace(0.1, 0.9, 4)


def loss(x, kind="</style><script>"):
    y = np.exp(x)
    return np.sum(y * y)


class Text(HTMLParser):
    """The text of a fragment; every element of it is closed."""

    def __init__(self, html):
        super().__init__()
        self.open, self.tags, self.text = [], set(), ""
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += data


def test_both_sources():
    gradient = srcad.grad(loss)
    before = Text(gradient._repr_html_())
    assert "def loss(x, kind=" in before.text
    assert "nothing is compiled yet" in before.text
    gradient(X)
    shown = Text(gradient._repr_html_())
    assert "script" not in shown.tags
    assert "</style><script>" in shown.text
    assert gradient.source(X).rstrip("\n") in shown.text
    assert "def loss(x, kind=" in shown.text
    assert '<span class="k">return</span>' in gradient._repr_html_()
    assert "def <lambda>" not in Text(srcad.grad(np.sin)._repr_html_()).text


def test_of_a_jacobian_the_mode_that_ran():
    jacobian = srcad.jacobian(lambda x: x * x)
    jacobian(X)
    assert jacobian.source() in Text(jacobian._repr_html_()).text + "\n"


def test_explanations():
    found = srcad.grad(loss, backend="numpy").explain(X)
    shown = Text(found._repr_html_())
    assert "grad of loss" in shown.text
    assert 'of backend="numpy"' in shown.text


def test_saved_values():
    found = srcad.grad(loss).saved(X)
    shown = Text(found._repr_html_())
    assert "total 32 bytes" in shown.text
    assert "y = np.exp(x)" in shown.text
    assert {"table", "td"} <= shown.tags
    assert "nothing is saved" in Text(srcad.grad(lambda x: 2 * x).saved(1.0)._repr_html_()).text
