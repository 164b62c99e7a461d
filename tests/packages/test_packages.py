"""Public functions of published packages stay right where they were right: `-m packages`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from packages.outcomes import expected, outcome
from packages.registry import PACKAGES, programs, texts, version

EXPECTED = expected()
CASES = [(package, text) for package in PACKAGES for text in EXPECTED[package]["programs"]]


@pytest.mark.packages
@pytest.mark.parametrize(("package", "text"), CASES)
def test_programs(package: str, text: str) -> None:
    pinned, found = EXPECTED[package]["version"], version(package)
    if found != pinned:
        pytest.skip(f"{package} {pinned} is not installed" + f" but {found}" * bool(found))
    now = outcome(programs(package)[text])
    assert now.kind in ("right", "refused"), now
    if now.kind == "refused":
        assert EXPECTED[package]["programs"][text] != "right", now


@pytest.mark.parametrize("package", PACKAGES)
def test_outcomes_are_kept(package: str) -> None:
    # Of each program of the registry and no other, and none is a fault.
    kept = EXPECTED[package]["programs"]
    assert sorted(kept) == sorted(texts(package))
    assert {each.split(":")[0] for each in kept.values()} <= {"right", "refused"}


def test_the_extra_pins_what_was_measured() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    pins = project["project"]["optional-dependencies"]["packages"]
    measured = {package.replace("_", "-"): EXPECTED[package]["version"] for package in PACKAGES}
    assert sorted(pins) == sorted(f"{name}=={number}" for name, number in measured.items())
