from srcad.rules import RULES
from srcad.rules.document import rules_table
from srcad.rules.table import name_of


def test_every_function_has_a_line():
    table = rules_table()
    for fn in RULES:
        name = name_of(fn)
        assert f"`{name}`" in table or name.startswith("srcad.runtime"), name


def test_lines_tell_inputs_options_and_conventions():
    table = rules_table()
    assert "| `np.sum` | linear | `a` | `axis=None, dtype=None, keepdims=False` | |" in table
    assert "| `np.maximum` | elementwise | `a, b` | | ties share evenly |" in table
    assert "| `operator.or_` `\\|` | nondiff | | | |" in table


def test_tables_are_well_formed():
    for line in rules_table().splitlines():
        if line.startswith("|"):
            assert line.replace("\\|", "").count("|") == 6, line


def test_the_page_is_the_same_each_time():
    assert rules_table() == rules_table()
