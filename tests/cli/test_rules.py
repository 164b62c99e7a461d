"""The listing of rules."""

from srcad.cli.rules import find_rules, near_names, page


def test_find_rules_by_part_of_the_name():
    names = [line.name for line in find_rules("arct")]
    assert names == sorted(names)
    assert "np.arctan2" in names
    assert all("arct" in name for name in names)


def test_near_names():
    assert "np.tanh" in near_names("np.tahn")
    assert near_names("qqqqqq") == []


def test_what_is_refused_is_listed_with_its_reason():
    (line,) = [line for line in find_rules("np.load") if line.name == "np.load"]
    assert (line.kind, line.note) == ("refused", "it reads or writes files")


def test_the_page_lists_every_line_once():
    rows = [text for text in page().splitlines() if text.startswith("| `")]
    assert len(rows) == len(set(rows)) == len(find_rules())
