"""Draws of random numbers that can be undone: what a generator was is put back.

    undoing(program)(x, rng)      raises: rng is as before, so that NumPy's program draws the same
    tried(program)(x, rng)        rng is as before in any case

A compiled program may leave a call to NumPy's program after it has drawn, and `"auto"` runs both to
compare them. Other threads cannot draw from the generator meanwhile: its lock is held.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.ir.guards import Guard
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.finishing import is_behind, is_of_file

Program = Callable[..., Any]
Find = Callable[[Sequence[Any], Sequence[Any]], tuple[np.random.Generator, ...]]


def generator_paths(guards: Sequence[Guard]) -> list[str]:
    """Where a program's generators come from."""
    return [g.path for g in guards if g.kind == "type" and g.expected is np.random.Generator]


def undoing(artifact: Artifact, program: Program) -> Program:
    """The program, without its draws if it raises."""
    return _wrapped(artifact, program, always=False)


def tried(artifact: Artifact, program: Program) -> Program:
    """The program, without its draws."""
    return _wrapped(artifact, program, always=True)


def _wrapped(artifact: Artifact, program: Program, always: bool) -> Program:
    paths = generator_paths(artifact.guards)
    if not paths:
        return program
    filename = getattr(getattr(program, "__code__", None), "co_filename", "")
    find, n_captures = _finder(paths, artifact.captures), len(artifact.captures)

    def call(*args: Any) -> Any:
        n = len(args) - n_captures
        sources = {id(g.bit_generator): g.bit_generator for g in find(args, args[n:])}
        # All threads take the locks in one order.
        return locked([sources[key] for key in sorted(sources)], [], args)

    def locked(left: list[Any], sources: list[Any], args: Sequence[Any]) -> Any:
        if not left:
            return run(sources, args)
        with left[0].lock:  # no `contextmanager`: a signal might keep it from ending
            return locked(left[1:], [*sources, left[0]], args)

    def run(sources: list[Any], args: Sequence[Any]) -> Any:
        states = [(source, source.state) for source in sources]
        done = False
        try:
            result = program(*args)
            done = True
            return result
        except BaseException as problem:
            # It has returned, or has begun to write: then the caller of this finishes the writes.
            done = not is_of_file(problem, filename) or is_behind(problem, artifact, filename)
            raise
        finally:
            if always or not done:
                for source, state in states:
                    source.state = state

    return call


def _finder(paths: Sequence[str], captures: Sequence[str]) -> Find:
    """The function that finds the generators among arguments `A` and captured values `C`."""
    at = {path: f"C[{k}]" for k, path in enumerate(captures)}
    items = ", ".join(at.get(path, path) for path in paths)
    found: Find = eval(f"lambda A, C: ({items},)")
    return found
