"""Progress bars of other packages: `srcad.frontend.written.progress` in place of them."""

from __future__ import annotations

from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Ref
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.calls.callees import OTHER, Call
from srcad.frontend.calls.functions import call_python
from srcad.frontend.calls.origins import module_of
from srcad.frontend.expressions.texts import shown
from srcad.frontend.written import progress
from srcad.ir.nodes import Op, Value
from srcad.ir.types import ObjectType
from srcad.runtime import reports

_NAMES: dict[str, dict[str, Any]] = {
    "tqdm": {"tqdm": progress.tqdm, "tqdm_asyncio": progress.tqdm, "trange": progress.trange},
    "rich": {"track": progress.track},
}


def of_progress(c: Call) -> Abstract:
    """A call that gives an iterable with a progress bar."""
    package = module_of(c.fn).partition(".")[0]
    stands = _NAMES.get(package, {}).get(getattr(c.fn, "__name__", ""))
    if stands is None:
        return OTHER
    if not c.args:
        fix = "give it what is iterated over: `tqdm(xs)`"
        raise error("E120", None, what="a progress bar that is moved by hand", fix=fix)
    if c.callee.path:
        c.frame.session.inputs.guard(c.callee.path, "is", c.fn)
    made_by = c.callee
    if stands is progress.trange:
        made_by = Ref(__import__("tqdm").tqdm, "")
    return call_python(c.frame, Ref(stands, ""), (made_by, *c.args), c.kwargs, c.node)


def _begin(frame: Frame, made_by: Abstract, total: Abstract, options: Abstract) -> Value:
    session, bar = frame.session, Value("bar", ObjectType("bar"))
    assert isinstance(options, DictObj)
    known = {k: session.static(x, f"`{k}=` of a progress bar") for k, x in options.items.items()}
    args = (made_by.obj, session.atom(total), tuple(known.items()))
    session.add(Op(reports.bar, args, {}, (bar,), session.builder.loc, effect=True))
    return bar


def _advance(frame: Frame, bar: Abstract) -> None:
    frame.session.effect(reports.advance, bar)


def _tell(frame: Frame, bar: Abstract, method: Abstract, *told: Abstract) -> None:
    given = (frame.session.atom(shown(frame, x)) for x in told)
    frame.session.effect(reports.tell, bar, method, *given)


BUILTINS.update({progress.begin: _begin, progress.advance: _advance, progress.tell: _tell})

__all__ = ["of_progress"]
