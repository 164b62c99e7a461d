"""The listing of rules."""

import numpy as np

from srcad.cli.rules import describe, find_rules, near_names, page
from srcad.rules import RULES


def test_find_rules_by_part_of_the_name():
    names = [name for name, _ in find_rules("arct")]
    assert names == sorted(names)
    assert "np.arctan2" in names
    assert all("arct" in name for name in names)
    assert len(find_rules()) == len(RULES)


def test_near_names():
    assert "np.tanh" in near_names("np.tahn")
    assert near_names("qqqqqq") == []


def test_what_can_be_varied_is_named():
    assert describe(RULES[np.arctan2])[0] == "a, b"
    assert describe(RULES[np.floor])[0] == ""


def test_page_lists_every_rule_once():
    text = page()
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == len(RULES)
    assert all(line.count("|") == 5 for line in rows)
    assert "\n## np\n" in text
