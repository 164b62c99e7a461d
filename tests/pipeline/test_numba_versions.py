"""A Numba that srcad was not tested with is not used, unless the user says so."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.pipeline import machine
from srcad.pipeline.targets import NATIVE

X = np.ones(3)


def loss(x):
    return np.sum(x * x)


@pytest.fixture
def installed(monkeypatch):
    """Sets which version of Numba is there."""
    monkeypatch.delenv("SRCAD_NATIVE", raising=False)
    return lambda version: monkeypatch.setattr(machine, "numba_version", lambda: version)


def test_the_bound_of_the_package_is_the_newest_version_tested():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    (wanted,) = (
        each
        for each in tomllib.loads(text)["project"]["optional-dependencies"]["fast"]
        if each.startswith("numba")
    )
    major, minor = machine.TESTED
    assert wanted.endswith(f",<{major}.{minor + 1}")


def test_the_version_is_that_of_the_installed_package():
    numba = pytest.importorskip("numba")
    assert machine.numba_version() == numba.__version__


@pytest.mark.parametrize("version", ["0.61.2", "0.68.1", "0.68.0rc1"])
def test_versions_that_were_tested_are_used(installed, version):
    installed(version)
    assert NATIVE.is_available


@pytest.mark.parametrize("version", ["0.69.0", "0.69.0dev0+12.g1", "1.0.0", ""])
def test_newer_versions_are_not(installed, version):
    installed(version)
    told = srcad.grad(loss).explain(X)
    assert told.runs == "numpy"
    assert told.why.startswith(f"srcad was tested with Numba up to 0.68, and this is {version}")
    assert 'pip install "numba<0.69" scipy, or set SRCAD_NATIVE=1' in told.why
    with pytest.raises(SrcadError, match="E314") as refused:
        srcad.grad(loss, backend="native")
    assert told.why.partition(": ")[0] in str(refused.value)
    assert 'pip install "numba<0.69"' in str(refused.value)


def test_unless_they_are_asked_for(installed, monkeypatch):
    installed("0.70.0")
    monkeypatch.setenv("SRCAD_NATIVE", "1")
    assert NATIVE.is_available


def test_a_backend_that_is_not_there_is_refused(installed):
    installed(None)
    with pytest.raises(SrcadError, match="Numba is not installed") as refused:
        srcad.grad(loss, backend="native")
    assert 'fix: pip install "numba<0.69" scipy; or backend="auto"' in str(refused.value)
