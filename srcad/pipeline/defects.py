"""Why a program could not be compiled: a defect of the compiler, or what the machine lacks.

TypeError in a pass, TypingError of Numba's       internal: the compiler failed with TypeError: ...
OSError, no memory, no process                    it cannot be compiled: OSError: ...

Both leave the program to NumPy. Only the first is a mistake of srcad's: it is called "internal"
wherever it is told, so that tests can count it; what compiled code has no form for is no exception.
"""

from __future__ import annotations

from srcad.interrupts import is_of_others

INTERNAL = "internal"
_OF_THE_MACHINE: tuple[type[Exception], ...] = (OSError, MemoryError, ImportError, RecursionError)
_NAMES = tuple(each.__name__ for each in (*_OF_THE_MACHINE, *OSError.__subclasses__()))


def why_failed(problem: Exception) -> str:
    """What to tell of an exception that came out of compiling."""
    text = f"{type(problem).__name__}: {problem}"
    if isinstance(problem, _OF_THE_MACHINE) or is_of_others(problem):
        return f"it cannot be compiled: {text}"
    return f"{INTERNAL}: the compiler failed with {text}"


def why_failed_aside(line: str) -> str:
    """What to tell of the last line of a process that compiled."""
    name, is_error, _ = line.partition(":")
    is_defect = is_error and name.endswith("Error") and name not in _NAMES
    return f"{INTERNAL}: " * bool(is_defect) + f"Numba cannot compile it: {line}"
