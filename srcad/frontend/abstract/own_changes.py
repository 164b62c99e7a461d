"""Changes of an object of the caller's, and of what it holds: by its path.

def log(self, x):                 restore_below(.., "A[1]")     "A[1].n", "A[1].lines"
    self.n += 1
    self.lines.append(x)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from srcad.frontend.abstract.containers.containers import Container, RecordObj
from srcad.frontend.abstract.containers.contents import contents, set_contents
from srcad.frontend.abstract.objects import UNBOUND, Abstract, Instance
from srcad.frontend.abstract.session import Session
from srcad.frontend.abstract.state import State, same
from srcad.frontend.kinds import path_of_attribute
from srcad.ir.guards import is_below


def restore_below(session: Session, before: State, path: str) -> dict[str, tuple[str, Any]]:
    """Bring back what an object held `before`, and all below it.

    Returns the paths of what had changed, each with the path of the object that holds it, and that.
    """
    changed: dict[str, tuple[str, Any]] = {}
    for obj, was in {**before.lifted, **before.heap}.items():
        if isinstance(obj, Container) and is_below(obj.path, path):
            for at in _changes(obj, was):
                changed[at] = obj.path, session.inputs.found_at(obj.path)
            set_contents(obj, was)
    for array, at in session.inputs.paths.items():
        content = before.arrays.get(array, array)
        if is_below(at, path) and session.memory.contents.get(array, array) is not content:
            changed[at] = at, session.inputs.found_at(at)
            session.memory.contents[array] = content
    return changed


def is_changed_below(session: Session, path: str) -> bool:
    """Whether the program has changed an object of the caller's, or what is below it."""
    own = [obj for obj in session.inputs.lifted if is_below(obj.path, path)]
    if any(True for obj in own for _ in _changes(obj, _lifted(session, obj))):
        return True
    held = session.memory.contents
    return any(
        held.get(array, array) is not array
        for array, at in session.inputs.paths.items()
        if is_below(at, path)
    )


def _lifted(session: Session, obj: Container) -> dict[Any, Abstract]:
    """What a container held when the program was called; of an instance, what the program sets."""
    if isinstance(obj, Instance):
        paths = {name: path_of_attribute(obj.obj, obj.path, name) for name in obj.fields}
        return {name: session.inputs.known(path) for name, path in paths.items()}
    return session.inputs.lifted[obj]


def _changes(obj: Container, was: dict[Any, Abstract]) -> Iterator[str]:
    now = contents(obj)
    if not isinstance(obj, RecordObj | Instance):
        if list(now) != list(was) or not all(same(now[key], was[key]) for key in now):
            yield obj.path
        return
    for name in {**was, **now}:
        if not same(now.get(name, UNBOUND), was.get(name, UNBOUND)):
            yield f"{obj.path}.{name}"


__all__ = ["is_changed_below", "restore_below"]
