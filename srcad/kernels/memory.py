"""Buffer reuse: keeps the memory of dropped arrays for new ones.

A training step makes and drops the same arrays over and over. C's allocator gives what lies free
back to the system after each step, and the system clears it page by page for the next one: of a
small network's step that can be the half. It has to be told that the program wants to keep it:

    kernels.keep_memory()        in a program that trains, before the first step

It holds for all of the process, so srcad never does it unasked.
"""

from __future__ import annotations

# mallopt(3), glibc's: free memory at the end of the heap that is kept; an array as large as this
# gets pages of its own, which go back at once. The second's maximum is half a thread's heap.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MMAP_BYTES = 32 << 20


def keep_memory(n_bytes: int = 1 << 30) -> bool:
    """Keep up to `n_bytes` of freed memory in the process, in arrays of less than 32 MiB each.

    Returns:
        Whether the C library can be told so: GNU's can; with others all is as before.

    Raises:
        ValueError: `n_bytes` is negative, or more than C's `int` holds.
    """
    if not 0 <= n_bytes < 1 << 31:
        raise ValueError(f"keep_memory: expected a number from 0 to 2**31 - 1, got {n_bytes}")
    import ctypes  # only here: programs that do not ask need not wait for it

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of the process
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _MMAP_BYTES)) and bool(mallopt(_TRIM_THRESHOLD, n_bytes))


__all__ = ["keep_memory"]
