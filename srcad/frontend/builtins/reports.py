"""Reports: warnings, logs and clocks, kept as `print` is: once, where the primal is computed, in
order.

warnings.warn(f"big {x}", stacklevel=2)     warnings.warn(str.format("big {}", x))
logger.info("step %d", k)                   log("model", 20, "step %d", k)
t = time.perf_counter()                     t = perf_counter(), an effect: it is asked once
"""

from __future__ import annotations

import logging
import time
import warnings
from collections.abc import Callable
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.frame import Frame
from srcad.frontend.abstract.objects import Abstract, Raised, Ref, describe
from srcad.frontend.builtins.builtin_calls import BUILTINS
from srcad.frontend.expressions.texts import shown
from srcad.ir.nodes import Op, Value
from srcad.ir.types import NumberType
from srcad.runtime.reports import log


def _warn(
    frame: Frame, message: Abstract, category: Abstract = None, stacklevel: Abstract = 1,
    source: Abstract = None,
) -> None:  # fmt: skip
    """`warnings.warn`, at the line of the program that stands for the user's."""
    if isinstance(message, Raised):
        if len(message.args) != 1:
            raise error("E120", None, what=f"`warn` of {describe(message)}")
        message, category = message.args[0], Ref(message.cls, "")
    given = () if category is None else (category,)
    frame.session.effect(warnings.warn, shown(frame, message), *given)


def _logs(level: int) -> Callable[..., None]:
    def handler(
        frame: Frame, logger: Abstract, msg: Abstract, *args: Abstract, stacklevel: Abstract = 1
    ) -> None:
        obj = logger.obj if isinstance(logger, Ref) else None
        if not isinstance(obj, logging.Logger) or logging.getLogger(obj.name) is not obj:
            raise error("E120", None, what=f"a log by {describe(logger)}")
        frame.session.inputs.guard(f"{logger.path}.name", "equals", obj.name)
        frame.session.effect(log, obj.name, level, *(shown(frame, x) for x in (msg, *args)))

    return handler


def _logs_at_root(fn: Any) -> Callable[..., None]:
    def handler(frame: Frame, msg: Abstract, *args: Abstract, stacklevel: Abstract = 1) -> None:
        frame.session.effect(fn, *(shown(frame, x) for x in (msg, *args)))

    return handler


def _clock(fn: Any) -> Callable[..., Value]:
    kind = type(fn())

    def handler(frame: Frame) -> Value:
        now = Value("", NumberType(kind))
        frame.session.add(Op(fn, (), {}, (now,), frame.session.builder.loc, effect=True))
        return now

    return handler


_LEVELS = ("debug", "info", "warning", "error", "critical")
_CLOCKS = (
    *(time.time, time.perf_counter, time.monotonic, time.process_time),
    *(time.time_ns, time.perf_counter_ns, time.monotonic_ns, time.process_time_ns),
)

REPORTS: dict[Any, Callable[..., Abstract]] = {
    warnings.warn: _warn,
    **{getattr(logging.Logger, name): _logs(getattr(logging, name.upper())) for name in _LEVELS},
    **{fn: _logs_at_root(fn) for fn in (getattr(logging, name) for name in _LEVELS)},
    **{fn: _clock(fn) for fn in _CLOCKS},
}
BUILTINS.update(REPORTS)
