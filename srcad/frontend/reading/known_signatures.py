"""`inspect.signature(f)` of a function that is known: its parameters, and calls bound to them.

known = inspect.signature(scaled)       a record: what it gives is known while compiling
bound = known.bind(x, b=2.0)            a record with the arguments by name
bound.apply_defaults()                  read from the source of `inspect`
"""

from __future__ import annotations

import inspect
from typing import Any

from srcad.errors import error
from srcad.frontend.abstract.containers.containers import DictObj, RecordObj
from srcad.frontend.abstract.objects import Abstract, Closed, Ref


def record_of_signature(known: inspect.Signature) -> RecordObj:
    """A signature, which never changes: its parameters by name."""
    parameters = {name: Ref(each, "") for name, each in known.parameters.items()}
    record = RecordObj(inspect.Signature, {"parameters": DictObj(parameters)})
    for bind in (known.bind, known.bind_partial):
        record.fields[bind.__name__] = _binding(record, bind)
    return record


def _binding(record: RecordObj, bind: Any) -> Closed:
    def bound(frame: Any, /, *args: Abstract, **kwargs: Abstract) -> RecordObj:
        try:
            found = bind(*args, **kwargs)
        except TypeError as reason:
            raise error("E131", None, what=f"`{bind.__name__}` ({reason})") from None
        arguments = {
            name: DictObj(dict(x)) if _is_rest(found.signature, name) else x
            for name, x in found.arguments.items()
        }
        fields = {"arguments": DictObj(arguments), "_signature": record, "signature": record}
        return RecordObj(inspect.BoundArguments, fields)

    return Closed(bound, bind.__name__)


def _is_rest(signature: inspect.Signature, name: str) -> bool:
    """Whether a parameter is `**kwargs`."""
    return signature.parameters[name].kind is inspect.Parameter.VAR_KEYWORD


__all__ = ["record_of_signature"]
