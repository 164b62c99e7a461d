"""Adapter for Numba's and llvmlite's internals: no other file imports or names them.

Numba changes them between minor versions, so `srcad.pipeline.machine` takes no newer version than
this was tested with. Public names (`njit`, `types`, `config`, `numba.extending`) are imported from
Numba where they are used.

Modules that stand alone copy definitions from here, and its imports as they stand here
(`srcad.emit.bundle`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from llvmlite import binding, ir
from numba import __version__ as version
from numba.core import caching, cgutils, dispatcher
from numba.core.imputils import impl_ret_borrowed, impl_ret_untracked, lower_builtin
from numba.core.runtime import rtsys
from numba.core.serialize import dumps
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.core.typing.templates import signature as typed

from srcad.interrupts import raise_users_own, suppress_others

# Code under construction -------------------------------------------------------------------------


def pointee(pointer: Any) -> Any:
    """The type of what a typed pointer points to."""
    return pointer.pointee


def member_at(context: Any, kind: Any, name: str) -> Any:
    """The position of a member in the structure that an array is."""
    return context.data_model_manager[kind].get_field_position(name)


def populate_array(*args: Any) -> None:
    """Set the members of an array's structure."""
    # Only where something is compiled: to import it takes longer than all of these modules.
    from numba.np.arrayobj import populate_array as populate

    populate(*args)


# Calls: Numba's calling convention ---------------------------------------------------------------


class Signature(NamedTuple):
    """The types of a function's result and of its arguments."""

    result: Any
    args: Any


def signature_of(context: Any) -> Signature:
    """The signature of the function under construction."""
    return Signature(context.fndesc.restype, context.fndesc.argtypes)


def function_type(context: Any, result: Any, kinds: Any) -> Any:
    """The type of a compiled function: of the places of its result and of its exception, and of its
    arguments as numbers.
    """
    return context.call_conv.get_function_type(result, kinds)


def as_numbers(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """Arguments as a compiled function takes them: an array is several."""
    return list(context.get_arg_packer(kinds).as_arguments(builder, values))


def count_of_numbers(context: Any, kind: Any) -> int:
    """How many numbers an argument is."""
    return len(context.get_arg_packer([kind]).argument_types)


def status_of(context: Any, builder: Any, code: Any, problem: Any) -> Any:
    """What a call's return code and exception mean; `is_error` tells whether it raised."""
    return context.call_conv._get_return_status(builder, code, problem)


def raise_again(context: Any, builder: Any, status: Any) -> None:
    """Raise what a call has raised."""
    context.call_conv.return_status_propagate(builder, status)


def raise_new(context: Any, builder: Any, kind: type[Exception], message: str) -> None:
    """Raise an exception."""
    context.call_conv.return_user_exc(builder, kind, (message,))


def release(context: Any, builder: Any, kind: Any, result: Any) -> None:
    """Let go of what a call has returned."""
    value = context.get_returned_value(builder, kind, result)
    context.nrt.decref(builder, kind, value)


def entry_of(compiled: Any) -> int:
    """The address of the machine code of a function with one signature."""
    (found,) = compiled.overloads.values()
    return int(found.library.get_pointer_to_function(found.fndesc.llvm_func_name))


# Machine code on disk ----------------------------------------------------------------------------


class Files(Protocol):
    """Where the machine code of one function is kept."""

    def load(self, key: Any) -> Any:
        """What was kept; None if nothing was."""

    def save(self, key: Any, code: Any) -> None:
        """Keep it."""


# What Numba calls, and what `CodeCache` overrides.
_OF_CACHES = ("load_overload", "_load_overload", "save_overload", "_index_key")


class CodeCache(caching.FunctionCache):  # type: ignore[misc]  # without types
    """Numba's cache of one function, in other files than Numba's.

    open_files: called with Numba's folder for the function, its name there, the state of its source
        file.
    """

    def __init__(self, py_func: Any, open_files: Callable[[str, str, Any], Files]) -> None:
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self.files = open_files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for a signature; None if nothing was."""
        code = self.files.load(self._index_key(sig, target_context.codegen()))
        if code is None:
            target_context.refresh()
            return None
        with suppress_others(Exception):
            rtsys.initialize(target_context)
            return self._impl.rebuild(target_context, code)
        target_context.refresh()
        try:
            return self._impl.rebuild(target_context, code)
        except Exception as problem:  # the function is compiled again and replaces the file
            raise_users_own(problem)
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what was compiled."""
        if self._impl.check_cachable(data):
            self.files.save(self._index_key(sig, data.codegen), self._impl.reduce(data))


def use_cache(cache_of: Callable[[Any], CodeCache | None]) -> bool:
    """Give functions that are decorated from now on the cache that `cache_of` returns, Numba's own
    where it returns none. Nothing is kept for one where it raises an OSError or RuntimeError.

    Returns: whether this version of Numba asks such a cache.
    """
    numbas = caching.FunctionCache
    if not all(hasattr(numbas, name) for name in _OF_CACHES):
        return False

    def chosen(py_func: Any) -> Any:
        try:
            own = cache_of(py_func)
        except (OSError, RuntimeError) as problem:  # there is no folder, or no source
            raise_users_own(problem)
            return caching.NullCache()
        return numbas(py_func) if own is None else own

    dispatcher.FunctionCache = chosen
    return True


__all__ = [
    "AbstractTemplate",
    "CodeCache",
    "Files",
    "as_numbers",
    "binding",
    "cgutils",
    "count_of_numbers",
    "dumps",
    "entry_of",
    "function_type",
    "impl_ret_borrowed",
    "impl_ret_untracked",
    "infer_global",
    "ir",
    "lower_builtin",
    "member_at",
    "pointee",
    "populate_array",
    "raise_again",
    "raise_new",
    "release",
    "signature_of",
    "status_of",
    "typed",
    "use_cache",
    "version",
]
