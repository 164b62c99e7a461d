"""Errors: their text, their table, and each example of the table run through srcad."""

import ast
import linecache
import pickle
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from srcad import errors
from srcad.errors import Location
from srcad.errors.explain import explain, limits, page
from srcad.errors.table import MARK

ROOT = Path(errors.__file__).parent.parent
KINDS = {row.code: row for row in errors.all_kinds()}


@pytest.fixture
def model(tmp_path, monkeypatch):
    """A file `model.py` in the working directory; returns its full path."""
    text = (
        "def step(x):\n"
        "    try:\n"
        "        return sqrt(x) * é + sqrt(x)\n"
        "    except ValueError:\n"
        "\treturn (x +\n"
        "            1)\n"
    )
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    linecache.checkcache()
    return str(path)


# Text -------------------------------------------------------------------------------------------


def test_message_as_designed(model):
    found = errors.error(
        "E103",
        Location(model, 2, 4, 6, 14, "step"),
        fix="move the `try` outside `step`",
        called_from=[Location("main.py", 31, function="simulate")],
    )
    assert str(found) == (
        "model.py:2:5: error[E103]: a `try` block cannot be differentiated\n"
        "    2 |     try:\n"
        "      |     ^^^\n"
        "fix: move the `try` outside `step`    "
        "(called from simulate, main.py:31; srcad explain E103)"
    )


def test_the_users_own_line_stands_above_that_of_a_package(model, tmp_path):
    package = tmp_path / "site-packages" / "fits"
    package.mkdir(parents=True)
    inside = package / "models.py"
    inside.write_text("def fit(x):\n    return [v for v in x]\n")
    found = errors.error(
        "E301",
        Location(str(inside), 2, 11, 2, 24, "fit"),
        what="argument `x` of type int",
        called_from=[
            Location(str(inside), 9, function="fit_all"),
            Location(model, 3, 15, 3, 22, "step"),
        ],
    )
    lines = str(found).splitlines()
    assert lines[0].startswith("model.py:3:16: error[E301]: ")
    assert lines[1:3] == Location(model, 3, 15, 3, 22).excerpt().splitlines()
    assert lines[3] == f"in fit, {inside}:2"
    assert lines[4].startswith("    2 |     return [v for v in x]")
    assert "called from fit_all, fits/models.py:9, from step, model.py:3" in str(found)
    assert found.location.file == str(inside)


def test_columns_count_characters(model):
    at = Location(model, 3, 29, 3, 36)  # the second sqrt(x), behind a two-byte letter
    assert str(at) == "model.py:3:29"
    assert at.excerpt().splitlines()[1] == "      | " + " " * 28 + "^^^^^^^"


def test_carets_of_an_expression_over_lines_end_with_the_first(model):
    assert Location(model, 5, 8, 6, 14).excerpt() == "    5 | \treturn (x +\n      | \t       ^^^^"


def test_without_source_there_is_no_excerpt():
    text = str(errors.error("E301", Location("<string>", 3, 2)))
    assert text.startswith("<string>:3:3: error[E301]: argument `x` of type int is not a float")
    assert "|" not in text


def test_long_fix_and_notes_stand_on_their_own_lines():
    text = str(errors.error("E201", what="`np.foo`", notes=["called with\n(3,)"]))
    first, note, more, fix, *_, trail = text.splitlines()
    assert first == "error[E201]: `np.foo` has no derivative rule"
    assert (note, more) == ("note: called with", "    (3,)")
    assert fix.startswith("fix: give it one")
    assert "    rules.rule(np.foo, jvp=jvp, vjp=vjp)" in text
    assert trail == "(srcad explain E201)"


def test_what_may_hold_braces():
    assert "{'{what}': x}" in str(errors.error("E100", what="{'{what}': x}"))


def test_file_outside_the_working_directory_keeps_its_path(model, monkeypatch, tmp_path):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert Location(model, 1).short_file == model


def test_place_and_callers_can_be_added_later_but_not_changed(model):
    found = errors.error("E401", what="(3,) and (2,)")
    here, there = Location(model, 1), Location(model, 2)
    assert found.located(here, [there]) is found
    found.located(there, [here])
    assert (found.location, found.called_from) == (here, (there,))
    assert str(found).startswith("model.py:1:1: error[E401]: shapes (3,) and (2,) cannot")


def test_pickled_errors_keep_everything(model):
    found = errors.error("E405", what="5", notes=["a"]).located(Location(model, 1))
    again = pickle.loads(pickle.dumps(found))
    assert (type(again), str(again)) == (type(found), str(found))


def test_location_of_a_node():
    node = ast.parse("x = (1 +\n  y)").body[0].value
    assert Location.of(node, "a.py", "f") == Location("a.py", 1, 5, 2, 3, "f")


@pytest.mark.parametrize(
    ("code", "builtin"),
    [
        ("E124", NameError),
        ("E131", TypeError),
        ("E301", TypeError),
        ("E302", TypeError),
        ("E303", ValueError),
        ("E401", ValueError),
        ("E405", IndexError),
    ],
)
def test_errors_are_also_what_numpy_programmers_catch(code, builtin):
    with pytest.raises(builtin):
        raise errors.error(code)


def test_import_reads_no_table():
    lazy = "import sys, srcad.errors; print([m for m in ('tomllib',) if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", lazy], capture_output=True, text=True, check=True, cwd=ROOT.parent
    )
    assert done.stdout.strip() == "[]"


# Table ------------------------------------------------------------------------------------------


def test_unknown_codes():
    for code in ("E199", "E700", "x", ""):
        with pytest.raises(KeyError):
            errors.kind(code)


@pytest.mark.parametrize("row", KINDS.values(), ids=KINDS.keys())
def test_row_is_complete(row):
    assert re.fullmatch(r"E[1-79]\d\d", row.code)
    assert row.title
    assert row.fix
    assert row.why
    assert "{what}" not in row.title or row.what
    assert "{" not in row.heading.replace(row.what, "")
    assert row.heading[0].islower() or not row.heading[0].isalpha()
    assert not row.heading.endswith(".")
    assert issubclass(row.cls, errors.SrcadError)
    assert f"{row.code}: {row.heading}" in explain(row)
    if row.example:
        compile(row.example, row.code, "exec")
        assert row.example.count(MARK) <= 1


def raised_codes():
    """Codes that srcad raises, each with where."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and re.fullmatch(r"E\d{3}", str(node.value)):
                found.setdefault(node.value, f"{path.relative_to(ROOT)}:{node.lineno}")
    return found


def test_every_code_that_is_raised_is_in_the_table():
    assert {code: at for code, at in raised_codes().items() if code not in KINDS} == {}


def test_every_kind_of_the_table_is_raised():
    assert sorted(KINDS.keys() - raised_codes().keys()) == []


def test_page_has_every_kind_and_is_the_one_in_docs():
    assert re.findall(r"^## (E\d+): ", page(), re.MULTILINE) == list(KINDS)
    written = ROOT.parent / "docs" / "errors.md"
    assert written.read_text(encoding="utf-8") == page(), "run python docs/generate.py"


def test_limits_are_every_kind_that_is_one_and_no_mistake():
    cell = r"(?:[^|]|\\\|)+"
    row = rf"^\| \[(E\d+)\]\(errors\.md#[^)]+\): {cell} \| {cell} \| {cell} \|$"
    found = re.findall(row, limits(), re.MULTILINE)
    assert found == [code for code, kind in KINDS.items() if kind.limit]
    assert {"E100", "E111", "E133", "E201", "E309"} <= set(found)
    assert {"E102", "E124", "E131", "E135", "E302", "E315", "E401"}.isdisjoint(found)
    written = ROOT.parent / "docs" / "limits.md"
    assert limits() in written.read_text(encoding="utf-8"), "run python docs/generate.py"


# Examples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [code for code, row in KINDS.items() if row.example])
def test_example_raises_its_error_at_its_line(code, tmp_path):
    row = KINDS[code]
    path = tmp_path / "example.py"
    path.write_text(row.example, encoding="utf-8")
    with pytest.raises(errors.SrcadError) as caught:
        runpy.run_path(str(path))
    found = caught.value
    assert found.code == code, str(found)
    assert type(found) is row.cls
    assert found.fix
    assert "fix: " in str(found)
    if row.line is not None:
        assert found.location is not None
        assert (found.location.file, found.location.line) == (str(path), row.line)
        assert "^" in str(found)
