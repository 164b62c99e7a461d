"""What a stand-alone file is made of: programs for given arguments, as modules and as C."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from srcad.errors import error
from srcad.pipeline.calls.checking import checking
from srcad.pipeline.standalone.general import for_more, general_paths
from srcad.pipeline.standalone.module import provenance
from srcad.pipeline.targets import targets_of

if TYPE_CHECKING:
    from srcad.api.arguments.options import Backend
    from srcad.pipeline.artifact import Artifact
    from srcad.pipeline.specialisation import Specialisation
    from srcad.pipeline.specialize import Specializer

# A program, its arguments, and what need not be as in them.
Program = tuple["Artifact", Sequence[Any], frozenset[str]]
# What compiles for some arguments, its arguments, how many of them are the primal's.
Chosen = tuple["Specializer", Sequence[Any], int]


def artifact_of(found: Specialisation) -> Artifact:
    """The program as it is saved.

    Raises:
        CacheError: E503, it is one for a device.
    """
    if found.backend and not (target := targets_of(found.backend)[0]).is_saved:
        fix = "give arguments with NumPy's arrays, for which NumPy's program is saved"
        raise error("E503", None, what=f"a program for {target.title}", fix=fix)
    # What has taken over NumPy's program meanwhile is another's in the next process.
    return found.takeover.numpy.artifact if found.takeover else found.artifact


def program_for(artifact: Artifact, filled: Sequence[Any], chosen: Chosen) -> Program:
    """A program with its arguments, and what need not be as in them: where one for more samples
    serves a batch of one, that one.
    """
    specializer, bound, n_primal = chosen
    more = for_more(artifact, specializer.request, bound[:n_primal])
    if more is not None:
        return more[0], filled, more[1]
    return artifact, filled, general_paths(artifact, specializer.request, bound[:n_primal])


def check_is_one_call(signatures: Sequence[Any], is_given: bool) -> None:
    """Refuse to write C for several signatures, or without the arguments of a call."""
    if signatures or not is_given:
        what = "a program without example arguments"
        what = "a file for several signatures" if signatures else what
        fix = "give the arguments of one call after the path; save each program to its own file"
        raise error("E506", None, what=what, fix=fix)


def save_as_c(
    path: Path,
    call: tuple[Sequence[Any], dict[str, Any]],
    chosen: Chosen,
    on: Callable[[Backend], Callable[..., Any]],
    overwrite: bool,
) -> None:
    """Write the program for the arguments of a call as C.

    Args:
        on: the derivative on another backend: NumPy's results are what the file's test expects.
    """
    from srcad.pipeline.standalone.c_module import save_c

    specializer, bound, n_primal = chosen
    request, examples = specializer.request, []
    if len(bound) > n_primal or request.kind != "jvp":  # which is given arguments alone here
        args, kwargs = call
        with checking(False):
            found = on("numpy")(*deepcopy(tuple(args)), **deepcopy(kwargs))
        examples.append((bound, found))
    save_c(path, request, bound[:n_primal], examples, provenance(request), overwrite)


__all__ = ["Program", "artifact_of", "check_is_one_call", "program_for", "save_as_c"]
