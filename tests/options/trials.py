"""One call for each documented parameter of each function of NumPy that has a rule.

    np.sum      dtype       np.sum(x, dtype=np.float32)
    np.sum      where       np.sum(x, where=mask)

The other arguments are those of the first case of the rule that takes the parameter. What a
parameter may be is in `VALUES`, by its name, for a function by both; a parameter without a value is
a fault of the table.
"""

from __future__ import annotations

import inspect
import linecache
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rules.calls import OURS, cases_of

from srcad.rules import Rule
from srcad.rules.core.declaration.cases import draw_call
from srcad.rules.core.table import name_of

# Of every ufunc; those of reductions are arguments of their methods.
_OF_UFUNCS = ("out", "where", "casting", "order", "dtype", "subok")


@dataclass(frozen=True)
class Trial:
    """One parameter with one value: `call` is `fn` of `args` with it, as it is written."""

    fn: Any
    option: str
    text: str
    args: tuple[Any, ...]
    call: Any

    @property
    def name(self) -> str:
        """The function."""
        return name_of(self.fn)


def functions() -> dict[Any, Rule]:
    """The functions of NumPy that have a rule."""
    found = {rule.fn: rule for rule in OURS if name_of(rule.fn).startswith("np.")}
    return {fn: rule for fn, rule in found.items() if not isinstance(fn, type)}


def parameters(fn: Any) -> list[str]:
    """The parameters of a function that may be left out."""
    if isinstance(fn, np.ufunc):
        return [name for name in _OF_UFUNCS if fn.signature is None or name != "where"]
    found = inspect.signature(fn).parameters.values()
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        p.name
        for p in found
        if p.kind not in kinds and (p.default is not p.empty or p.kind is p.KEYWORD_ONLY)
    ]


def trials(fn: Any, rule: Rule, option: str) -> list[Trial]:
    """The trials of one parameter: of each kind of value one that NumPy takes."""
    wanted = VALUES.get(f"{name_of(fn)}.{option}", VALUES.get(option, ()))
    found = (next(_of_value(fn, rule, option, value), None) for value in wanted)
    return [trial for trial in found if trial is not None]


def _of_value(fn: Any, rule: Rule, option: str, value: Any) -> Iterator[Trial]:
    for case in cases_of(rule):
        args, kwargs, _ = draw_call(rule, case, np.random.default_rng(7))
        args, kwargs = _freed(fn, option, args, kwargs)
        try:
            with warnings.catch_warnings():  # the values are tried, some on purpose out of range
                warnings.simplefilter("ignore")
                beside, value_ = (
                    (value.more, value.value) if isinstance(value, With) else ({}, value)
                )
                given = value_(fn, args, kwargs) if isinstance(value_, Depends) else value_
                more = {option: given, **beside}
                if option == "where" and _needs(fn) in ("out", "initial"):
                    more[_needs(fn)] = Fresh.like(fn, args, kwargs) if _needs(fn) == "out" else 0.5
                trial = _written(fn, option, args, {**kwargs, **more})
                trial.call(*(np.copy(x) if isinstance(x, np.ndarray) else x for x in trial.args))
        except Exception:
            continue
        yield trial


def _needs(fn: Any) -> str:
    """What NumPy asks for beside `where=`, without which entries are arbitrary, or missing."""
    if isinstance(fn, np.ufunc):
        return "out"
    return "initial" if name_of(fn).rpartition(".")[2] in _EXTREMES else ""


_EXTREMES = ("max", "min", "amax", "amin", "nanmax", "nanmin")


def _freed(
    fn: Any, option: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments without the parameter."""
    kwargs = {name: x for name, x in kwargs.items() if name != option}
    if not isinstance(fn, np.ufunc):
        names = list(inspect.signature(fn).parameters)
        if option in names[: len(args)]:
            args = args[: names.index(option)]
    return args, kwargs


def _written(fn: Any, option: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Trial:
    """The call as a function of its arrays and floats, the rest written out in its text."""
    held: dict[str, Any] = {"np": np, "fn": fn}
    varied = [x for x in args if is_varied(x)]
    names = iter([f"x{k}" for k in range(len(varied))])
    parts = [next(names) if is_varied(x) else _text(x, held) for x in args]
    if option == "overwrite_input":  # not the caller's own array
        parts[0] = f"np.array({parts[0]})"
    parts += [f"{name}={_text(x, held)}" for name, x in kwargs.items()]
    heads = ", ".join(f"x{k}" for k in range(len(varied)))
    source = f"def call({heads}):\n    return fn({', '.join(parts)})\n"
    file = f"<option {len(linecache.cache)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    exec(compile(source, file, "exec"), held)
    return Trial(fn, option, _text(kwargs[option], held), tuple(varied), held["call"])


def is_varied(x: Any) -> bool:
    """Whether an argument is one of the call's."""
    return isinstance(x, np.ndarray) or type(x) is float or isinstance(x, np.inexact)


def _text(x: Any, held: dict[str, Any]) -> str:
    """A value as it is written in the call."""
    if isinstance(x, Fresh):
        return x.text
    if isinstance(x, float) and not np.isfinite(x):
        return f"np.{x}"
    if isinstance(x, bool | int | float | str | None):
        return repr(x)
    if isinstance(x, type):
        return f"np.{x.__name__}" if x.__module__ == "numpy" else x.__name__
    if isinstance(x, tuple | list) and all(not isinstance(y, np.ndarray) for y in x):
        inside = "".join(f"{_text(y, held)}, " for y in x)
        return f"({inside})" if isinstance(x, tuple) else f"[{inside}]"
    name = f"c{len(held)}"
    held[name] = x
    return name


@dataclass(frozen=True)
class Fresh:
    """An array that the call makes."""

    text: str

    @staticmethod
    def like(fn: Any, args: Any, kwargs: Any) -> Fresh:
        """One for each result, as `out=` takes them."""
        y = fn(*args, **kwargs)
        texts = [
            f"np.zeros({np.shape(a)}, np.dtype({np.asarray(a).dtype.name!r}))"
            for a in (y if isinstance(y, tuple) else (y,))
        ]
        return Fresh(f"({', '.join(texts)})" if len(texts) > 1 else texts[0])


@dataclass(frozen=True)
class Depends:
    """A value that is made for the call."""

    make: Callable[..., Any]

    def __call__(self, fn: Any, args: Any, kwargs: Any) -> Any:
        return self.make(fn, args, kwargs)


@dataclass(frozen=True)
class With:
    """A value that NumPy takes beside others only."""

    value: Any
    more: dict[str, Any]


_out = Depends(Fresh.like)


@Depends
def _mask(fn: Any, args: Any, kwargs: Any) -> Any:
    x = np.broadcast_arrays(*(a for a in args if isinstance(a, np.ndarray | float)))[0]
    if x.ndim == 0:
        raise ValueError("a number")
    return np.arange(x.size).reshape(x.shape) % 3 != 1


@Depends
def _like(fn: Any, args: Any, kwargs: Any) -> Any:
    return np.ones(3)


@Depends
def _weights(fn: Any, args: Any, kwargs: Any) -> Any:
    return np.linspace(0.5, 1.5, np.shape(args[0])[0])


@Depends
def _same_shape(fn: Any, args: Any, kwargs: Any) -> Any:
    return np.linspace(0.5, 1.5, np.size(args[0])).reshape(np.shape(args[0]))


@Depends
def _mean(fn: Any, args: Any, kwargs: Any) -> Any:
    return np.mean(args[0], keepdims=True)


# What has no value of its own.
WITHOUT = {
    "np.where.x": "given by its place, together with `y`",
    "np.where.y": "given by its place, together with `x`",
    "np.frexp.dtype": "NumPy has no dtype to choose",
    "np.einsum.out": "NumPy takes it for results with axes",
    **{
        f"np.{name}.order": "of record arrays"
        for name in ("sort", "argsort", "partition", "argpartition")
    },
}

# What a parameter may be; each is tried.
VALUES: dict[str, tuple[Any, ...]] = {
    "holidays": (["2024-01-01"],), "roll": ("forward",), "weekmask": ("1111110",),
    "np.clip.a_min": (With(-0.5, {"a_max": 0.5}),),
    **{
        f"np.{name}.weights": (With(_same_shape, {"method": "inverted_cdf"}),)
        for name in ("quantile", "nanquantile", "percentile", "nanpercentile")
    },
    "M": (5,), "N": (4,), "UPLO": ("U",), "a_max": (0.5,), "a_min": (-0.5,), "append": (0.5,),
    "assume_unique": (True,), "atol": (0.1,), "aweights": (_weights,),
    "axes": (((0,), (1,)), (1, 0), (-1,)), "axis": (0, -1), "axis1": (0,), "axis2": (1,),
    "axisa": (0,), "axisb": (0,), "axisc": (0,), "base": (2.0,), "bias": (True,), "bins": (4,),
    "bitorder": ("little",), "busdaycal": (np.busdaycalendar("1111100"),),
    "casting": ("same_kind", "unsafe"), "compute_uv": (False,),
    "copy": (True, False), "correction": (1, 0.5), "count": (3,), "cov": (True,), "d": (0.5,),
    "ddof": (1, 0.5), "decimals": (1,), "default": (0.5,), "deg": (True,), "density": (True,),
    "device": ("cpu",), "discont": (4.0,),
    "dtype": (np.float32, float, complex, "f8", int, bool, np.uint8), "dx": (0.5,),
    "edge_order": (2,), "endpoint": (False,), "equal_nan": (True,), "full": (True,),
    "full_matrices": (False,),
    "fweights": (Depends(lambda fn, a, k: np.arange(1, np.shape(a[0])[-1] + 1)),),
    "hermitian": (True,), "imag": (0.5,), "include_initial": (True,), "increasing": (True,),
    "ind": (1,), "indexing": ("ij",), "initial": (0.5,), "invert": (True,), "k": (1, -1),
    "keepdims": (True,), "kind": ("stable", "heapsort", "introselect", "sort"), "left": (0.5,),
    "like": (_like,), "m": (3,), "max": (0.5,), "mean": (_mean,), "method": ("lower", "midpoint"),
    "min": (-0.5,), "minlength": (9,),
    "mode": ("wrap", "clip", "same", "valid", "reflect", "raise", "complete", "r"), "n": (3, 6, 2),
    "nan": (0.5,), "ndim": (2,), "ndmax": (1,), "ndmin": (3,), "neginf": (-9.0,),
    "norm": ("ortho", "forward"), "num": (7,), "offset": (1, -1), "optimize": (True, "greedy"),
    "ord": (1, 2, np.inf), "order": ("C", "F", "A", "K"), "out": (_out,),
    "overwrite_input": (True,), "p": (1,), "period": (3.0,), "posinf": (9.0,), "prepend": (0.5,),
    "range": ((-1.0, 1.0), ((-1.0, 1.0), (-1.0, 1.0))), "rcond": (1e-3,), "real": (0.5,),
    "requirements": ("C", "F"), "retstep": (True,), "return_counts": (True,),
    "return_index": (True,), "return_indices": (True,), "return_inverse": (True,),
    "returned": (True,), "right": (True, 0.5), "rowvar": (False,), "rtol": (0.1,),
    "s": ((3, 4), (3,)), "shape": ((2, 3), (12,)), "side": ("right",), "sorted": (False,),
    "sorter": (Depends(lambda fn, a, k: np.argsort(a[0])),), "sparse": (True,), "stable": (True,),
    "start": (1,), "step": (2,), "stop": (9,), "subok": (True, False), "tensor": (False,),
    "to_begin": (0.5,), "to_end": (0.5,), "tol": (1e-3,), "trim": ("f", "b"), "upper": (True,),
    "value": (0.5, 0.0), "w": (_weights,), "weights": (_same_shape, _weights), "where": (_mask,),
    "writeable": (False, True), "x": (_same_shape, 0.5), "y": (_same_shape, 0.5),
}  # fmt: skip
