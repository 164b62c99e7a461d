"""Memory that grows while compiled code runs; the functions are copied, as those of `helpers` are.

What is held is a list, so that a longer array may take the place of one in it.
"""

from __future__ import annotations

import numpy as np


def held(tape: np.ndarray) -> list[np.ndarray]:
    """What holds an array that a longer one may take the place of."""
    return [tape]


def lengthened(tapes: list[np.ndarray]) -> int:
    """How long the array is that takes the place of the one held, and starts with it. What is not
    written takes no memory yet.
    """
    tape = tapes[0]
    longer = np.empty((4 * tape.shape[0], *tape.shape[1:]), tape.dtype)
    longer[: tape.shape[0]] = tape
    tapes[0] = longer
    return len(longer)


def latest(tapes: list[np.ndarray]) -> np.ndarray:
    """The array that is held."""
    return tapes[0]


def reserved(tapes: list[np.ndarray], n: int) -> np.ndarray:
    """The vector that is held, made longer where it has no room for `n` entries."""
    tape = tapes[0]
    if len(tape) < n:
        longer = np.empty(max(n, 2 * len(tape)), tape.dtype)
        longer[: len(tape)] = tape
        tapes[0] = longer
    return tapes[0]


def held_with_spare(x: np.ndarray) -> list[np.ndarray]:
    """What holds a vector and one that takes turns with it."""
    return [x, x[:0]]


def opened(vectors: list[np.ndarray], n: int) -> np.ndarray:
    """The vector that is in turn, with room for `n` entries."""
    if len(vectors[0]) < n:
        vectors[0] = np.empty(n, vectors[0].dtype)
    return vectors[0]


def spare(vectors: list[np.ndarray], n: int) -> np.ndarray:
    """The vector that is not in turn, with room for `n` entries."""
    if len(vectors[1]) < n:
        vectors[1] = np.empty(max(n, len(vectors[0])), vectors[0].dtype)
    return vectors[1]


def exchange(vectors: list[np.ndarray]) -> None:
    """It is the other vector's turn."""
    held = vectors[0]
    vectors[0] = vectors[1]
    vectors[1] = held


def given(vectors: list[np.ndarray], x: np.ndarray) -> None:
    """A vector takes the place of the one that is not in turn."""
    vectors[1] = x


def part(x: np.ndarray, start: int, n: int) -> np.ndarray:
    """So many entries of a vector."""
    return x[start : start + n]


def shaped(x: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The entries of a vector as an array."""
    return x.reshape(shape)


__all__ = [
    "exchange",
    "given",
    "held",
    "held_with_spare",
    "latest",
    "lengthened",
    "opened",
    "part",
    "reserved",
    "shaped",
    "spare",
]
