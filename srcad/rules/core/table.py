"""The table of rules and what stands in it.

    RULES[np.tanh]  ->  Rule(fn=np.tanh, kind="elementwise", jvp=..., vjps={0: ...}, type_of=...,
    ...)

The constructors of `registry` beside this fill it; `library` has all of srcad's own
rules of NumPy and of Python. It is read when a function without a rule is looked up, and so are
those of SciPy (`srcad.rules.scipy`) once SciPy is in use; iterating over the table shows what has
been read, so ask for `RULES.load_all()` first where every rule is meant.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from types import ModuleType
from typing import Any, Literal

import numpy as np

from srcad.errors import SrcadError, error
from srcad.forks import waited_for
from srcad.ir.guards import name_in_module
from srcad.rules import scipy
from srcad.rules.core.arguments import Arguments, named, positions, takes_inputs_alone
from srcad.rules.core.facts import TypeFunction
from srcad.rules.core.sequences import OnlyItem, only_cotangent, only_tangent

Kind = Literal["elementwise", "linear", "general", "composed", "zero", "nondiff"]
Body = Callable[..., Any]


class Case:
    """One call at which the registry-driven test evaluates a rule: `Case((3, 4), (4,), axis=0)`.

    A positional argument that has a vjp is given as
      - a shape, `(3, 4)`: a random array with entries from the rule's domain; `()` is a 0-d array;
      - the type `float`, `complex` or `np.float64`: a random Python number, NumPy scalar;
      - a list of shapes: an input that is a list of arrays (`np.concatenate`);
      - a function of a `numpy.random.Generator` that makes the array;
      - anything else (2, 0.5, None): that constant, which is not varied.
    Other positional arguments and all options are constants; `Case.made(fn)` among them is made by
    `fn(rng)`: `Case(Case.made(lambda rng: rng.random((3, 4)) < 0.5), (3, 4), (4,))`.
    """

    __slots__ = ("args", "kwargs")

    def __init__(self, /, *args: Any, **kwargs: Any) -> None:
        self.args = args
        self.kwargs = kwargs

    def __repr__(self) -> str:
        parts = [*map(_brief, self.args), *(f"{k}={_brief(v)}" for k, v in self.kwargs.items())]
        return f"({', '.join(parts)})"

    @dataclass(frozen=True, slots=True)
    class made:  # noqa: N801 - reads as a word of the case
        """A constant argument that a function of the random generator makes."""

        make: Callable[[Any], Any]

        def __repr__(self) -> str:
            return "made"


def _brief(value: object) -> str:
    if callable(value):
        return getattr(value, "__name__", "made").replace("<lambda>", "made")
    return repr(value)


@dataclass(frozen=True, slots=True)
class Rule:
    """What is known of one function.

    `signature` is that of the inputs in canonical form (None: taken as written). `jvp(ts, y, *xs,
    **kw)` gives the tangent; `vjps[i](g, y, *xs, **kw)` the cotangent of the i-th positional input.
    `joint(g, y, *xs, **kw)`, where a rule has it, gives the cotangents of all inputs at once.
    `body` is what a composed function is made of; `batched` is the function for all samples of
    `srcad.vmap`. `domain` and `cases` tell the registry-driven test where to evaluate; `note`
    states a convention (`abs'(0) = 0`).
    """

    fn: Callable[..., Any]
    kind: Kind
    signature: inspect.Signature | None
    jvp: Body | None
    vjps: Mapping[int, Body]
    type_of: TypeFunction
    partials: tuple[Body | None, ...] = ()
    domain: tuple[float, float] = (-2.0, 2.0)
    cases: Sequence[Case] = ()
    note: str = ""
    normalize: Callable[..., Arguments] | None = None
    body: Body | None = None
    joint: Body | None = None
    batched: Body | None = None
    inputs: int | None = field(init=False, compare=False)  # how many, where it takes no option

    def __post_init__(self) -> None:
        plain = self.normalize is None and takes_inputs_alone(self.signature)
        count = len(self.signature.parameters) if plain and self.signature is not None else None
        object.__setattr__(self, "inputs", count)

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Canonical arguments: inputs positional, options by name and only where given.

        Raises `MissingRule` (E203) for an argument that the rule does not cover, such as `where=`.
        """
        if not kwargs and len(args) == self.inputs:
            return args, kwargs
        if kwargs.get("out", ...) is None:  # as if it were left out
            kwargs = {key: value for key, value in kwargs.items() if key != "out"}
        try:
            takes = self.signature
            if self.normalize is not None:
                takes = inspect.signature(self.normalize)
            args, kwargs = named(self.fn, takes, args, kwargs)
            if self.normalize is not None:
                args, kwargs = self.normalize(*args, **kwargs)
            if self.signature is None:
                return args, kwargs
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as reason:
            raise error("E203", None, what=f"`{name_of(self.fn)}`", notes=(str(reason),)) from None
        positional: list[Any] = []
        options: dict[str, Any] = {}
        for name, value in bound.arguments.items():
            parameter = self.signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                options.update(value)
            elif parameter.default is parameter.empty:
                positional.append(value)
            elif value is not parameter.default:
                options[name] = value
        return tuple(positional), options

    def of_only_item(self) -> Rule:
        """The rule of `OnlyItem(fn)`."""
        return dataclasses.replace(
            self,
            fn=OnlyItem(self.fn),
            jvp=None if self.jvp is None else only_tangent(self.jvp),
            vjps={at: only_cotangent(vjp) for at, vjp in self.vjps.items()},
            joint=None if self.joint is None else only_cotangent(self.joint),
            type_of=OnlyItem(self.type_of),
            batched=None,
            cases=(),
        )


# The modules of `srcad.rules` that state the rules of a package.
_MODULES = {"numpy": ("core.library",), **scipy.MODULES}


class Table(dict[Any, Rule]):
    """Rules by function; those of a package are read at the first miss while it is in use."""

    def __init__(self) -> None:
        super().__init__()
        self._unread = dict(_MODULES)
        self._lock = waited_for()
        self._is_reading = False

    def __contains__(self, fn: object) -> bool:
        try:
            if dict.__contains__(self, fn):
                return True
        except TypeError:  # it has no hash: a function of `ctypes`, a frozen object with an array
            return False
        if isinstance(fn, OnlyItem):
            return fn.fn in self
        self.load()
        return super().__contains__(fn)

    def __missing__(self, fn: object) -> Rule:
        if isinstance(fn, OnlyItem):
            return self[fn.fn].of_only_item()
        self.load()
        if super().__contains__(fn):
            return super().__getitem__(fn)
        raise KeyError(fn)

    def get(self, fn: object, default: Any = None) -> Any:
        """As of any dict."""
        try:
            found = dict.get(self, fn)
        except TypeError:  # it has no hash
            return default
        if found is not None:  # at once, as nearly always
            return found
        if fn not in self:
            return default
        return self[fn]

    def holds(self, fn: object) -> bool:
        """Whether a rule has been stated, reading no further ones."""
        return super().__contains__(fn)

    def load_all(self) -> None:
        """Read every rule that comes with srcad, of SciPy as far as it is installed."""
        for package in _MODULES:
            try:
                importlib.import_module(package)
            except ImportError:
                continue
        self.load()

    def load(self) -> None:
        """Read the rules of those packages that are in use by now."""
        if not any(map(is_imported, self._unread)):
            return
        with self._lock:  # a look-up in another thread waits until its rule may be there
            if self._is_reading:
                return
            self._is_reading = True
            try:
                for package in [p for p in self._unread if is_imported(p)]:
                    for module in self._unread[package]:
                        importlib.import_module(f"srcad.rules.{module}")
                    # Replaced, not changed: other threads iterate over it without the lock.
                    self._unread = {p: m for p, m in self._unread.items() if p != package}
            finally:
                self._is_reading = False


def is_imported(package: str) -> bool:
    """Whether a package is there to be used: imported, and not only begun."""
    spec = getattr(sys.modules.get(package), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


RULES = Table()

# What finds the compositions that no table lists: `srcad.rules.pointwise.ufunc_methods`.
FORMS: list[Callable[[Any, Any], Rule | None]] = []


def rule_for(fn: Any, options: Any) -> Rule | None:
    """The rule of a function that is called with these options."""
    for form in FORMS:
        found = form(fn, options)
        if found is not None:
            return found
    stated: Rule | None = RULES.get(fn)
    return stated


def name_of(fn: object) -> str:
    """The function as people write it: `np.linalg.inv`, `math.sin`, `scipy.special.expit`."""
    owner = getattr(fn, "__self__", None)
    if isinstance(owner, np.ufunc):
        return f"{name_of(owner)}.{getattr(fn, '__name__', '')}"
    if owner is not None and not isinstance(owner, ModuleType | type):
        found = name_in_module(owner)
        if found is not None:
            parent, _, own = found.rpartition(".")
            public = parent if own.startswith("_") else found  # `random._inst.gauss`
            return f"{public}.{getattr(fn, '__name__', '')}"
    name = getattr(fn, "__name__", None) or repr(fn)
    if " object at 0x" in name:  # a thing that is called: a spline of SciPy's
        return name_of(type(fn))
    module = _module_of(fn, name)
    if module == "numpy" or module.startswith("numpy."):
        module = "np" + module[len("numpy") :]
    return f"{module}.{name}" if module else name


def no_rule(fn: Any) -> SrcadError:
    """The error for a function without a rule, with one to be filled in, which is Python's text."""
    name = name_of(fn).removeprefix("function ")
    if type(fn).__name__ == "fortran":
        name = _holder_of(fn, name)
    is_text = all(part.isidentifier() and not iskeyword(part) for part in name.split("."))
    stated = name if is_text else "f"
    return error("E201", None, what=f"`{name}`", inputs=", ".join(_inputs_of(fn)), name=stated)


def _inputs_of(fn: Any) -> list[str]:
    """The parameters of a function without a default, as bodies of its rule are to take them, with
    names that these do not have; `x` where it does not tell.
    """
    names = [p.name for p in positions(fn) if p.default is p.empty]
    if type(fn).__name__ == "fortran":  # x,info = solve(a,b,[overwrite_b])
        told = re.match(r"[^(\n]*\(([^)\[]*)", fn.__doc__ or "")
        names = re.findall(r"\w+", told[1]) if told else []
    taken = {"g", "ts", "y"}
    for k in range(len(names)):
        while names[k] in taken or iskeyword(names[k]):
            names[k] += "_"
        taken.add(names[k])
    return names or ["x"]


def _holder_of(fn: Any, name: str) -> str:
    """The name of a function of Fortran's in the module that people import it from."""
    modules = [(key, m) for key, m in sys.modules.items() if isinstance(m, ModuleType)]
    homes = [key for key, m in modules if vars(m).get(name) is fn and "._" not in f".{key}"]
    return f"{min(homes, key=len)}.{name}" if homes else name


def _module_of(fn: object, name: str) -> str:
    """The module that people import a function from; empty for what needs no import."""
    home: str | None = getattr(fn, "__module__", None)
    if home is None:
        return _module_of_ufunc(fn, name) if isinstance(fn, np.ufunc) else ""
    public = home.partition("._")[0]
    if public != home and getattr(sys.modules.get(public), name, None) is fn:
        return public
    return {"_operator": "operator", "builtins": "", "__main__": ""}.get(home, home)


def _module_of_ufunc(fn: np.ufunc, name: str) -> str:
    """Ufuncs do not say where they are from."""
    of_scipy = getattr(sys.modules.get("scipy.special"), name, None) is fn
    return "scipy.special" if of_scipy else "numpy"
