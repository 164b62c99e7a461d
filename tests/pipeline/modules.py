"""Saved modules, loaded from their files."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any


def loaded(path: Path) -> ModuleType:
    """The module in a file."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def saved(gradient: Any, path: Path, *args: Any, **options: Any) -> Any:
    """The public function of the module that is written."""
    gradient.save(path, *args, **options)
    module = loaded(path)
    (name,) = module.__all__
    return getattr(module, name)
