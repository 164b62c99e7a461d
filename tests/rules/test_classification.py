"""Every public name of NumPy, `math`, `operator` and the builtins has a status."""

import builtins

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.frontend.public import read_names
from srcad.rules import RULES, document
from srcad.rules.core import names
from srcad.rules.core.names import Entry, public_names, stated, status_of

RULES.load_all()
NAMES = sorted(public_names())


def unclassified():
    return [name for name in NAMES if status_of(name, read_names()) is None]


def outdated():
    """Names of the table that have a rule or are read by now."""
    table = names.stated()
    known = [name for name in table if name in public_names()]
    return [name for name in known if status_of(name, read_names()) != table[name].status]


def test_every_public_name_has_a_status():
    assert unclassified() == []


def test_a_name_that_numpy_grows_is_found(monkeypatch):
    table = {name: entry for name, entry in stated().items() if name != "np.load"}
    monkeypatch.setattr(names, "stated", lambda: table)
    assert unclassified() == ["np.load"]


def test_no_name_of_the_table_has_a_rule():
    assert outdated() == []


def test_a_name_of_the_table_that_gets_a_rule_is_found(monkeypatch):
    table = {**stated(), "np.sum": Entry("refused")}
    monkeypatch.setattr(names, "stated", lambda: table)
    assert "np.sum" in outdated()


# Names that stand in the table, and that older versions lack.
NEWER = {"ndarray.__buffer__"}  # of Python 3.12


def test_the_table_names_what_there_is():
    """Of this NumPy: a name that is gone goes."""
    assert [name for name in stated() if name not in public_names() and name not in NEWER] == []


def test_a_name_in_no_table_is_listed_as_refused(monkeypatch):
    table = {name: entry for name, entry in stated().items() if name != "np.load"}
    for module in (names, document):
        monkeypatch.setattr(module, "stated", lambda: table)
    (line,) = [line for line in document.all_lines(read_names()) if line.name == "np.load"]
    assert (line.kind, line.note) == ("refused", "no rule is stated for it")


def test_no_rule_is_missing():
    assert {entry.status for entry in stated().values()} == {"refused", "class"}


def test_every_refusal_has_a_reason_and_a_way_out():
    for name, entry in stated().items():
        assert entry.reason, name
        assert entry.fix or entry.status != "refused", name


CALLED = [
    name
    for name, entry in stated().items()
    if entry.status == "refused" and not name.startswith(("ndarray.", "ufunc."))
]


@pytest.mark.parametrize("name", CALLED)
def test_calling_what_is_refused_tells_the_reason(name):
    fn = public_names()[name]

    def program(x):
        fn(x)
        return np.sum(x)

    with pytest.raises(SrcadError) as caught:
        srcad.grad(program)(np.ones(3))
    assert caught.value.code == "E204"
    assert caught.value.notes == (stated()[name].reason,)
    assert caught.value.fix == stated()[name].fix
    assert f"`{name}`" in caught.value.title


@pytest.mark.parametrize(
    "name",
    [n for n, e in stated().items() if e.status == "refused" and n.startswith("ndarray.")],
)
def test_reading_what_is_refused_of_an_array_tells_the_reason(name):
    member = name.partition(".")[2]

    def program(x):
        getattr(x, member)
        return np.sum(x)

    with pytest.raises(SrcadError) as caught:
        srcad.grad(program)(np.ones(3))
    assert caught.value.code == "E204"
    assert caught.value.notes == (stated()[name].reason,)


def test_the_modules_are_those_of_the_issue():
    assert {np, np.linalg, np.fft, builtins} <= set(names.MODULES.values())
    assert set(names.CLASSES.values()) == {np.ndarray, np.ufunc}
