"""Which lines of the user's are listed, and which of them are one statement."""

import textwrap

import pytest

from srcad.errors import Location
from srcad.explore.sources import Sources

TEXT = '''
class Model:
    def loss(
        self, x,
        y=2,
    ):
        """Text
        of two lines."""
        with open(
            "a") as a, open("b"):
            z = [
                x
            ]
        try:
            z = x
        except (ValueError,
                TypeError):
            z = y
        else:
            pass
        for i in range(
            3
        ):

            # a comment
            @decorator
            def inner(v): return v
        while x: x = inner(x)
        match x:
            case [a,
                  b]:
                z = a
        return z

double = (lambda v:
    v * 2)
'''


@pytest.fixture
def model(tmp_path, monkeypatch):
    (tmp_path / "model_of_sources.py").write_text(TEXT)
    monkeypatch.syspath_prepend(tmp_path)
    import model_of_sources

    yield model_of_sources
    del model_of_sources


def test_statements_and_heads_are_groups(model):
    sources = Sources(model.Model.loss, [])
    (listing,) = sources.listings
    assert listing.name == "loss"
    assert [row.line for row in listing.rows] == list(range(3, 34))
    found: dict[int | None, list[int]] = {}
    for row in listing.rows:
        found.setdefault(row.group, []).append(row.line)
    text = [line.strip() for line in TEXT.split("\n")]
    alone = {text[line - 1] for line in found.pop(None)}
    assert alone == {"else:", "", "# a comment", "@decorator"}
    groups = [tuple(lines) for lines in found.values()]
    for together in [(3, 4, 5), (7, 8), (9, 10), (11, 12, 13), (16, 17), (30, 31)]:
        assert any(set(together) <= set(lines) for lines in groups), together
    for apart in [(9, 11), (14, 15), (16, 18), (21, 27), (29, 30), (28, 29)]:
        assert not any(set(apart) <= set(lines) for lines in groups), apart


def test_a_function_around_another_lists_it_once(model):
    file = model.__file__
    sources = Sources(model.double, [Location(file, 27), Location(file, 15)])
    assert [listing.name for listing in sources.listings] == ["<lambda>", "loss"]
    rows = [row for listing in sources.listings for row in listing.rows]
    assert len({row.line for row in rows}) == len(rows)
    assert sources.groups_of([Location(file, 34), Location(file, 35)]) == (0,)


def test_what_has_no_source_is_left_out():
    sources = Sources(textwrap.dedent, [Location("<gone>", 3)])
    assert [listing.name for listing in sources.listings] == ["dedent"]
    assert sources.group(Location("<gone>", 3)) is None
    assert Sources(len, []).listings == []
