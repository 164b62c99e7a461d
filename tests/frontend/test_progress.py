"""Progress bars: iterated over once and in order, and shown as often as Python shows them."""

import sys
import types

import pytest

import srcad


class Shown:
    """What stands for the packages, which need not be installed: it records each step."""

    def __init__(self, iterable, desc=None, total=None):
        self.items, self.total, self.log = iterable, total, LOG
        LOG.append(("made", desc, total if total is not None else len(iterable)))

    def __iter__(self):
        for k, item in enumerate(self.items):
            LOG.append(("at", k))
            yield item
        LOG.append("end")

    def __len__(self):
        return len(self.items)

    def set_description(self, desc=None, refresh=True):
        LOG.append(desc)

    def set_postfix(self, ordered_dict=None, refresh=True, **kwargs):
        LOG.append({**(ordered_dict or {}), **kwargs})


LOG = []


class tqdm(Shown):
    pass


def track(sequence, description="Working...", total=None):
    yield from Shown(sequence, description, total)


tqdm.__module__ = "tqdm.std"
track.__module__ = "rich.progress"


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    for name, members in (("tqdm", {"tqdm": tqdm}), ("rich", {})):
        module = types.ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    LOG.clear()


def plain(x):
    s = 0.0
    for i in tqdm(range(3), desc="n"):
        s = s + x * i
    return s


def left(x):
    s = 0.0
    for i in tqdm([1.0, 2.0, 3.0]):
        s = s + x * i
        if i == 2.0:
            break
    return s


def numbered(x):
    s = 0.0
    for i, v in enumerate(track([1.0, 2.0], description="p")):
        s = s + x * v * i
    return s + sum(x * v for v in tqdm([1.0, 2.0])) + len(tqdm([x, x]))


def told(x):
    s = 0.0
    bar = tqdm([1.0, 2.0])
    for v in bar:
        s = s + v * x
        bar.set_description(f"step {v}")
        bar.set_postfix(loss=s, k=1)
    return s


def by_size(x, n=4):
    s = x
    for _ in tqdm(range(n)):
        s = s * x + 1
    return s


@pytest.mark.parametrize("f", [plain, left, numbered, told, by_size], ids=lambda f: f.__name__)
def test_is_shown_as_python_shows_it(f):
    wanted = f(1.5)
    shown = LOG.copy()
    LOG.clear()
    value, slope = srcad.value_and_grad(f)(1.5)
    assert value == wanted
    assert shown == LOG
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6)


def test_a_bar_that_is_moved_by_hand_is_refused():
    def f(x):
        bar = tqdm(total=3)
        return x * len(bar)

    with pytest.raises(srcad.SrcadError, match="moved by hand"):
        srcad.grad(f)(1.0)
