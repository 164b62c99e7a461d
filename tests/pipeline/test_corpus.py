"""Every program of the corpus comes back from disk as it was compiled, and stands alone."""

import ast
import contextlib
import copy
import io

import pytest
from corpus.all import PROGRAMS
from corpus.test_primal import assert_same

from srcad.cache import Entry
from srcad.errors import CacheError, SrcadError
from srcad.frontend.lower import signature_of
from srcad.pipeline import stages
from srcad.pipeline.calls.dispatch import MISS
from srcad.pipeline.disk.fingerprint import program_key
from srcad.pipeline.disk.store import artifact_of, entry_of
from srcad.pipeline.request import Request
from srcad.pipeline.specialize import activate
from srcad.pipeline.standalone.module import standalone_text

# Programs that assign into a module, or of a function that an object of this process holds.
NOT_ALONE = {
    "models-network", "models-one_layer_is_read", "models-object_in_a_dataclass",
    "models-one_object_of_a_dict", "models-state_that_the_call_leaves", "closures-sets_global",
}  # fmt: skip


def compiled(program):
    """The gradient's program, of what has no gradient the function's own."""
    args = program.arguments()[0]
    for kind in ("value_and_grad", "primal"):
        request = Request(kind, program.fn)
        try:
            return request, args, *stages.compile_request(request, args, frozenset())
        except SrcadError:
            continue
    raise AssertionError("nothing to compile")


def outcome(call):
    """What a call returns, or the class of what it raises; and what it prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            return call(), out.getvalue()
        except Exception as problem:
            return type(problem).__name__, out.getvalue()


def call(fn, parameters, args):
    positional, keywords = [], {}
    for p, x in zip(parameters, args, strict=True):
        if p.kind is p.VAR_POSITIONAL:
            positional += x
        elif p.kind is p.VAR_KEYWORD:
            keywords.update(x)
        elif p.kind is p.KEYWORD_ONLY:
            keywords[p.name] = x
        else:
            positional.append(x)
    return fn(*positional, **keywords)


# They run a manager or are guarded by an object of this process.
OF_THIS_PROCESS = (
    "contexts-managers_of_the_user", "generators-vectorized",
)  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_come_back_from_disk_and_stand_alone(program):
    request, args, artifact, statics = compiled(program)
    assert program_key(request, args, statics) is not None
    entry = entry_of(artifact, request.primal)
    if program.name in OF_THIS_PROCESS:
        assert entry is None
        return
    assert entry is not None
    facts = ast.literal_eval(repr(entry.meta))
    assert artifact_of(Entry(entry.text, facts), request, args) == artifact

    if program.name in NOT_ALONE:
        with pytest.raises(CacheError, match="E503"):
            standalone_text(artifact, request, args)
        return
    namespace = {"__name__": "saved"}
    exec(compile(standalone_text(artifact, request, args), "saved.py", "exec"), namespace)
    (name,) = namespace["__all__"]
    parameters = list(signature_of(program.fn).parameters.values())
    used = activate(artifact, request, len(args))
    for given in program.arguments():
        wanted = outcome(lambda: used.dispatch(*copy.deepcopy(given)))
        if wanted[0] is not MISS:
            found = outcome(lambda: call(namespace[name], parameters, copy.deepcopy(given)))
            assert_same(found, wanted)


def test_keys_tell_programs_apart():
    keys = {}
    for program in PROGRAMS:
        key = program_key(Request("grad", program.fn), program.arguments()[0])
        assert keys.setdefault(key, program.name) == program.name
