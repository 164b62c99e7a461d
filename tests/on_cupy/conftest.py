"""CuPy's stand-in, for each test that asks for it. What needs a GPU says so itself."""

import pytest
from on_cupy.stand_in import install


@pytest.fixture
def cp(tmp_path, monkeypatch):
    """The stand-in, as `import cupy` finds it."""
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    return install(monkeypatch)
