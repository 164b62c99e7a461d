"""Which tests matter for a change."""

from pathlib import Path

from affected import ALWAYS, BY_TABLE, ROOT, affected


def test_a_module_has_the_tests_of_its_name_and_those_that_import_it():
    found = set(affected([Path("srcad/native/loops/fusion.py")]))
    assert "tests/native/test_fusion.py" in found
    assert all("fusion" in (ROOT / test).read_text() for test in found)


def test_rules_and_passes_have_the_tests_of_their_tables():
    found = set(affected([Path("srcad/rules/linalg/spectra.py"), Path("srcad/ir/types.py")]))
    assert "tests/rules/test_all_rules.py" in found
    assert "tests/optimize/test_optimize.py" not in found


def test_a_changed_test_is_run():
    assert list(affected([Path("tests/test_layers.py")])) == ["tests/test_layers.py"]


def test_a_test_that_was_deleted_is_not():
    assert list(affected([Path("tests/test_of_nothing.py"), Path("README.md")])) == []


def test_those_that_always_run_exist():
    tests = [*ALWAYS, *(test for tests in BY_TABLE.values() for test in tests)]
    assert all((ROOT / test).exists() for test in tests)
