"""The parameters of functions that are differentiated inside, and arguments bound to them.

f(x, *, k=2)             called as f(1.0)        {"x": (1.0, POSITIONAL_OR_KEYWORD)}
"""

from __future__ import annotations

import inspect
from types import FunctionType

from srcad.errors import error
from srcad.frontend.abstract.abstract_arguments import Bindings
from srcad.frontend.abstract.closures import Bound, FunctionObj
from srcad.frontend.abstract.containers.containers import DictObj, RecordObj
from srcad.frontend.abstract.objects import Abstract, Closed, Partial, Ref
from srcad.frontend.dispatch import Args, Kwargs
from srcad.frontend.reading.signature import signature_of


def parameters_of(f: Abstract) -> list[inspect.Parameter]:
    """The parameters of an abstract function."""
    match f:
        case FunctionObj():
            return _parameters_of_node(f)
        case Closed(parameters=parameters) if parameters is not None:
            return list(parameters)
        case Bound():
            return parameters_of(f.fn)[1:]
        case Partial():
            rest = parameters_of(f.fn)[len(f.args) :]
            return [p for p in rest if p.name not in f.kwargs]
        case Ref():
            return list(signature_of(f.obj).parameters.values())
        case RecordObj():
            method = inspect.getattr_static(f.cls, "__call__", None)
            if isinstance(method, FunctionType):
                return list(signature_of(method).parameters.values())[1:]
    raise error("E313", None, what="what is differentiated")


def _parameters_of_node(f: FunctionObj) -> list[inspect.Parameter]:
    spec, kinds = f.node.args, inspect.Parameter
    names = [a.id for a in (*spec.posonlyargs, *spec.args)]
    defaults = dict(zip(names[len(names) - len(f.defaults) :], f.defaults, strict=True))
    only = {a.id for a in spec.posonlyargs}
    found = [
        kinds(
            name,
            kinds.POSITIONAL_ONLY if name in only else kinds.POSITIONAL_OR_KEYWORD,
            default=defaults.get(name, kinds.empty),
        )
        for name in names
    ]
    if spec.vararg is not None:
        found.append(kinds(spec.vararg.id, kinds.VAR_POSITIONAL))
    for a in spec.kwonlyargs:
        default = f.kw_defaults.get(a.id, kinds.empty)
        found.append(kinds(a.id, kinds.KEYWORD_ONLY, default=default))
    if spec.kwarg is not None:
        found.append(kinds(spec.kwarg.id, kinds.VAR_KEYWORD))
    return found


def bind_arguments(primal: Abstract, args: Args, kwargs: Kwargs) -> Bindings:
    """Argument and kind by parameter name, in the order of the primal's signature."""
    signature = inspect.Signature(parameters_of(primal))
    try:
        found = signature.bind_partial(*args, **kwargs)
    except TypeError as reason:
        raise error("E131", None, what=f"the function differentiated here ({reason})") from None
    return {
        name: (DictObj(x) if type(x) is dict else x, signature.parameters[name].kind)
        for name, x in found.arguments.items()
    }


def name_of(primal: Abstract) -> str:
    """The name of an abstract function."""
    name = getattr(primal, "name", None) or getattr(getattr(primal, "obj", None), "__name__", None)
    return name or "f"


def as_passed(primal: Abstract, bound: Bindings) -> tuple[Args, Kwargs]:
    """Bound arguments as a call passes them: by position as far as none is left out."""
    kinds = inspect.Parameter
    positional: list[Abstract] = []
    rest: Kwargs = {}
    left_out = False
    for parameter in parameters_of(primal):
        if parameter.name not in bound:
            left_out = True
            continue
        x, kind = bound[parameter.name]
        if kind is kinds.VAR_POSITIONAL:
            positional.extend(x)
        elif kind is kinds.VAR_KEYWORD:
            rest.update(x.items)
        elif kind is kinds.KEYWORD_ONLY or left_out:
            rest[parameter.name] = x
        else:
            positional.append(x)
    return tuple(positional), rest


__all__ = ["as_passed", "bind_arguments", "name_of", "parameters_of"]
