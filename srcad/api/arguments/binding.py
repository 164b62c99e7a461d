"""A call's arguments in the order of the primal's signature, as Python itself binds them."""

from __future__ import annotations

import inspect
import keyword
import operator
from collections.abc import Callable, Sequence
from typing import Any

from srcad.errors import error
from srcad.ir.marks import checkpointed


class Binder:
    """Puts a call's arguments into the order of the primal's signature, defaults filled in.

    Generated from the signature, so that Python itself binds and reports mistakes. `n_simple` is
    the number of positional arguments that need no binding, `n_positional` that of the parameters
    by position. A function that is edited in place has other parameters: `changed` is called where
    they are of other kinds or numbers.
    """

    def __init__(
        self, primal: Callable[..., Any], changed: Callable[[], None] | None = None
    ) -> None:
        self.primal = primal
        self._changed = changed
        self._bind: Callable[..., tuple[Any, ...]] | None = None
        self._state: tuple[Any, ...] = ()
        self._use(signature_parameters(primal))

    def _use(self, parameters: list[inspect.Parameter]) -> None:
        self._code = getattr(self.primal, "__code__", None)
        self.parameters = parameters
        keyword = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)
        self.n_positional = sum(p.kind not in keyword for p in parameters)
        simple = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.n_simple = len(parameters) if all(p.kind in simple for p in parameters) else -1

    @property
    def is_outdated(self) -> bool:
        """Whether the function was edited in place since its parameters were read."""
        return getattr(self.primal, "__code__", None) is not self._code

    def __call__(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        """One value for each parameter; raises `ArgumentTypeError` (E315) where they do not fit."""
        state = _state_of(self.primal)
        if (
            self._bind is None
            or len(state) != len(self._state)
            or any(map(operator.is_not, state, self._state))
        ):
            parameters, before = signature_parameters(self.primal), self.parameters
            self._bind = _binding_function(self.primal, parameters)
            self._use(parameters)
            self._state = state
            if self._changed is not None and _kinds(parameters) != _kinds(before):
                self._changed()
        try:
            return self._bind(*args, **kwargs)
        except TypeError as reason:
            name = getattr(self.primal, "__name__", "f")
            raise error("E315", None, what=f"`{name}`", notes=(str(reason),)) from None


def _kinds(parameters: Sequence[inspect.Parameter]) -> list[Any]:
    return [p.kind for p in parameters]


def _state_of(primal: Callable[..., Any]) -> tuple[Any, ...]:
    """The code and the default values in use, which a program may change."""
    keyword = getattr(primal, "__kwdefaults__", None) or {}
    defaults = getattr(primal, "__defaults__", None) or ()
    return (getattr(primal, "__code__", None), *defaults, *keyword, *keyword.values())


def signature_parameters(primal: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters of the primal; for a NumPy function or builtin, those that its rule covers."""
    wrapped = checkpointed(primal)
    if wrapped is not None:
        return signature_parameters(wrapped)
    if inspect.isfunction(primal) or (inspect.ismethod(primal) and not _is_of_scipy(primal)):
        return list(inspect.signature(primal).parameters.values())
    from srcad.frontend.reading.signature import signature_of

    return list(signature_of(primal).parameters.values())


def _is_of_scipy(method: Any) -> bool:
    """Whether it is a method of SciPy's, such as `scipy.stats.beta.pdf`, which may have a rule."""
    return str(method.__func__.__module__).startswith("scipy.")


def _binding_function(primal: Any, parameters: list[inspect.Parameter]) -> Callable[..., Any]:
    """`def f(x, y=<default>, *, k): return x, y, k`"""
    name = getattr(primal, "__name__", "f")
    name = name if name.isidentifier() and not keyword.iskeyword(name) else "f"
    namespace: dict[str, Any] = {}
    plain = [p.replace(annotation=p.empty) for p in parameters]
    for i, p in enumerate(plain):
        if p.default is not p.empty:
            namespace[f"_default_{i}"] = p.default
            plain[i] = p.replace(default=_Text(f"_default_{i}"))
    names = "".join(f"{p.name}, " for p in parameters)
    text = f"def {name}{inspect.Signature(plain)}: return ({names})"
    exec(compile(text, "<srcad binding>", "exec"), namespace)
    bound: Callable[..., Any] = namespace[name]
    return bound


class _Text:
    """Prints as a bare name inside a signature."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


__all__ = ["Binder", "signature_parameters"]
