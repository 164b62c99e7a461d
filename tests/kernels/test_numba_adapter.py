"""One file knows Numba's and llvmlite's internals."""

import ast
from pathlib import Path

import srcad

HOME = Path(srcad.__file__).parent
ADAPTER = HOME / "kernels" / "numba_adapter.py"
PUBLIC = {"numba", "numba.extending"}
INTERNAL = {
    *("call_conv", "data_model_manager", "fndesc", "get_arg_packer", "get_returned_value", "nrt"),
    *("_get_return_status", "_impl", "_cache_path", "_index_key", "overloads", "pointee"),
}


def internals(tree):
    """What a module imports or names of Numba's or llvmlite's that is not public."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in INTERNAL:
            yield f".{node.attr}"
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules = [node.module]
        for module in modules:
            if module.split(".")[0] in ("numba", "llvmlite") and module not in PUBLIC:
                yield module


def test_what_is_internal_is_seen():
    text = "from llvmlite import ir\nimport numba.core.cgutils\nfrom numba import njit\nc.call_conv"
    assert set(internals(ast.parse(text))) == {"llvmlite", "numba.core.cgutils", ".call_conv"}
    assert set(internals(ast.parse(ADAPTER.read_text()))) >= {"llvmlite", "numba.core"} | {
        f".{name}" for name in INTERNAL
    }


def test_internals_are_in_the_adapter_alone():
    paths = [path for path in HOME.rglob("*.py") if path != ADAPTER]
    found = {
        str(path.relative_to(HOME)): [*internals(ast.parse(path.read_text()))] for path in paths
    }
    assert {path: names for path, names in found.items() if names} == {}
