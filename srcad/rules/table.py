"""The table of rules and what stands in it.

    RULES[np.tanh]  ->  Rule(fn=np.tanh, kind="elementwise", jvp=..., vjps={0: ...}, type_of=...,
    ...)

The constructors of `srcad.rules.registry` fill it; `srcad.rules.library` has all of srcad's own
rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from srcad.errors import error
from srcad.rules.facts import TypeFunction

Kind = Literal["elementwise", "linear", "general", "zero", "nondiff"]
Body = Callable[..., Any]
Arguments = tuple[tuple[Any, ...], dict[str, Any]]


class Case:
    """One call at which the registry-driven test evaluates a rule: `Case((3, 4), (4,), axis=0)`.

    A positional argument that has a vjp is given as
      - a shape, `(3, 4)`: a random array with entries from the rule's domain; `()` is a 0-d array;
      - the type `float` or `np.float64`: a random Python number, NumPy scalar;
      - a list of shapes: an input that is a list of arrays (`np.concatenate`);
      - a function of a `numpy.random.Generator` that makes the array;
      - anything else (2, 0.5, None): that constant, which is not varied.
    Other positional arguments and all options are constants; `Case.made(fn)` among them is made by
    `fn(rng)`: `Case(Case.made(lambda rng: rng.random((3, 4)) < 0.5), (3, 4), (4,))`.
    """

    __slots__ = ("args", "kwargs")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
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
    `domain` and `cases` tell the registry-driven test where to evaluate; `note` states a convention
    (`abs'(0) = 0`).
    """

    fn: Callable[..., Any]
    kind: Kind
    signature: inspect.Signature | None
    jvp: Body | None
    vjps: Mapping[int, Body]
    type_of: TypeFunction
    partials: tuple[Body, ...] = ()
    domain: tuple[float, float] = (-2.0, 2.0)
    cases: Sequence[Case] = ()
    note: str = ""
    normalize: Callable[..., Arguments] | None = None

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Arguments:
        """Canonical arguments: inputs positional, options by name and only where given.

        Raises `MissingRule` (E203) for an argument that the rule does not cover, such as `where=`.
        """
        try:
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


RULES: dict[Any, Rule] = {}


def name_of(fn: object) -> str:
    """The function as people write it: `np.linalg.inv`, `math.sin`, `operator.add`."""
    name = getattr(fn, "__name__", None) or repr(fn)
    module = getattr(fn, "__module__", None) or ("numpy" if hasattr(fn, "nin") else "")
    module = {"_operator": "operator", "builtins": "", "__main__": ""}.get(module, module)
    if module == "numpy" or module.startswith("numpy."):
        module = "np" + module[len("numpy") :]
    return f"{module}.{name}" if module else name
