"""Programs that hold on to objects of other modules are kept on disk, by the names of these."""

import enum
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

import srcad
from srcad.ir.guards import Guard
from srcad.pipeline import stages
from srcad.pipeline.disk import store
from srcad.pipeline.disk.named import path_by_name
from srcad.pipeline.disk.surroundings import Opaque

X = np.linspace(-1.0, 2.0, 20)


class Colour(enum.Enum):
    RED = 1


def local():
    return lambda x: x


def kept(f):
    """The request, and the program of a gradient, as written and as read again."""
    request = srcad.grad(f).__srcad_request__
    artifact, _ = stages.compile_request(request, (X,), frozenset())
    entry = store.entry_of(artifact, request.primal)
    assert entry is not None
    found = store.artifact_of(entry, request, (X,))
    assert found is not None
    assert found.text == artifact.text
    assert len(found.guards) == len(artifact.guards)
    return request, artifact, entry


@pytest.mark.parametrize("obj", [np.sum, Colour, Colour.RED, sys, kept, sys.modules])
def test_what_has_a_name_is_found_by_it(obj):
    assert eval(path_by_name(obj), {"M": sys.modules}) is obj


@pytest.mark.parametrize("obj", [local(), types.ModuleType("sys"), np.ones(3), Colour.RED.value])
def test_what_has_none_has_no_path(obj):
    with pytest.raises(Opaque):
        path_by_name(obj)


def smoothed(x):
    from scipy import signal

    return np.sum(signal.savgol_filter(x, 5, 2) ** 2)


def correlated(x):
    from scipy import stats

    return stats.pearsonr(x, x**2)[0]


@pytest.mark.parametrize("f", [smoothed, correlated])
def test_what_is_read_of_scipy_is_kept(f):
    pytest.importorskip("scipy")
    _, artifact, _ = kept(f)
    assert artifact.kept


def test_a_setting_of_scipy_is_looked_at(monkeypatch):
    pytest.importorskip("scipy")
    request, artifact, entry = kept(smoothed)
    end = "['SCIPY_ARRAY_API']"
    (path,) = {g.path.removesuffix(end) for g in artifact.assumed if g.path.endswith(end)}
    monkeypatch.setitem(eval(path, {"K": artifact.kept}), "SCIPY_ARRAY_API", "1")
    assert store.artifact_of(entry, request, (X,)) is None


def of_module(x):
    import module_of_users

    return np.sum(module_of_users.wave(x))


def test_a_module_imported_by_a_function(monkeypatch, tmp_path):
    text = "import numpy as np\ndef wave(x):\n    return np.sin({}x)\n"
    (tmp_path / "module_of_users.py").write_text(text.format(""))
    monkeypatch.syspath_prepend(tmp_path)
    request, _, entry = kept(of_module)
    monkeypatch.delitem(sys.modules, "module_of_users")
    assert store.artifact_of(entry, request, (X,)) is None  # it has not been imported
    (tmp_path / "module_of_users.py").write_text(text.format("2 * "))
    of_module(X)
    assert store.artifact_of(entry, request, (X,)) is None  # it is another one
    monkeypatch.delitem(sys.modules, "module_of_users")


def test_what_is_found_must_be_alike():
    request, _, entry = kept(lambda x: np.sum(x))
    entry.meta["kept"] = ["M['numpy'].cumsum"]
    entry.meta["guards"] = store.describe_guards([Guard("K[0]", "is", np.sum)])
    assert store.artifact_of(entry, request, (X,)) is None
    entry.meta["kept"] = ["M['numpy'].sum"]
    assert store.artifact_of(entry, request, (X,)).kept == (np.sum,)


RATE, NAMES = 1.0, {"one", "two"}


def assigns(x):
    global RATE
    RATE = 2.0
    return np.sum(x * RATE)


def test_a_function_of_a_copy_of_the_module_is_another():
    request, _, entry = kept(assigns)
    copied = types.FunctionType(assigns.__code__, dict(vars(sys.modules[__name__])))
    assert store.artifact_of(entry, replace(request, primal=copied), (X,)) is None


def in_a_set(x):
    return np.sum(x) if "one" in NAMES else x[0]


def test_sets_are_told_by_what_is_in_them(monkeypatch):
    request, _, entry = kept(in_a_set)
    monkeypatch.setitem(globals(), "NAMES", {"two", "one"})
    assert store.artifact_of(entry, request, (X,)) is not None
    monkeypatch.setitem(globals(), "NAMES", {"two"})
    assert store.artifact_of(entry, request, (X,)) is None


class Known:
    pass


RATES = {Known: 2.0, float: 3.0}


def of_a_dict(x):
    return np.sum(x) * (2.0 if RATES is RATES else 1.0) * RATES[Known]


def test_dicts_are_told_by_what_is_in_them(monkeypatch):
    from srcad.pipeline.disk.objects import describe

    assert describe({"a": 1}) == describe({"a": 1}) != describe({"a": 2})
    assert describe([1, [2]]) == describe([1, [2]]) != describe([1, [3]])
    around = {}
    around["me"] = around
    assert describe(around)[1][1] == ["again", 0]
    with pytest.raises(Opaque):
        describe({"a": np.ones(3)})
    request, _, entry = kept(of_a_dict)
    monkeypatch.setitem(globals(), "RATES", {Known: 2.0, float: 3.0})
    assert store.artifact_of(entry, request, (X,)) is not None
