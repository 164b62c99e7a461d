"""The stages: what happens to a function between its source and the emitted text.

lower      Python source -> IR, specialised to the signature           srcad.frontend
derive     IR -> IR of the derivative asked for                        srcad.transform
optimize   IR -> IR, the same values with less work                    srcad.optimize
native     IR -> IR with loops to be compiled, for that backend alone  srcad.native
emit       IR -> Python text                                           srcad.emit

`srcad.pipeline.passes` has the passes of each stage, in their order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from srcad.emit.module import Emitted
from srcad.errors import SrcadError, error
from srcad.errors.telling import most_telling
from srcad.frontend.abstract.session import AS_CALL, CARRIED, NOT_CARRIED
from srcad.frontend.abstract.signals import NeedStatic
from srcad.frontend.lower import Lowered, lower
from srcad.interrupts import is_of_others, raise_users_own
from srcad.ir import Function, verify
from srcad.ir.effects import acts
from srcad.ir.guards import Guard
from srcad.ir.interface import slots
from srcad.ir.passes import run
from srcad.ir.switches import VERIFIES
from srcad.ir.verifier import Level
from srcad.pipeline.artifact import Artifact
from srcad.pipeline.calls.undone import generator_paths
from srcad.pipeline.collection import rare_collections
from srcad.pipeline.defects import why_failed
from srcad.pipeline.lowered_programs import find_lowered, keep_lowered
from srcad.pipeline.natively import Outlined, depends_on_objects, outlined
from srcad.pipeline.passes import (
    CHECK,
    CHECKPOINT,
    CONTRACT,
    FACTOR,
    PREPARE,
    RECOMPUTE,
    bufferize,
    expand,
    simplify,
    simplify_again,
)
from srcad.pipeline.reports.describe import docstring, input_classes
from srcad.pipeline.request import Request
from srcad.pipeline.targets import NUMPY
from srcad.rules.core import library
from srcad.rules.core.declaration.probing import trials_of_program
from srcad.transform import kinds

# The registry is filled by importing the rules.
_ = library

Watch = Callable[[str, Any], None]

# Refusals of what an int may decide: which of several results it is (`if n < 3: return x`), and
# which of the arguments of a function vary (`items[k] = x`).
_BY_OPTION = frozenset({"E123", "E202", "E203", "E302"})


def compile_request(
    request: Request, args: Sequence[Any], statics: frozenset[str], watch: Watch | None = None
) -> tuple[Artifact, frozenset[str]]:
    """Run all stages for arguments like `args`.

    Args:
        statics: paths of int inputs to specialise to; grows when the program needs more.
        watch: called with each stage's name and result, for explanations and tests.

    Returns:
        The artifact, and the paths that had to be static.
    """
    artifact, statics, _ = compile_and_emit(request, args, statics, watch)
    return artifact, statics


@rare_collections()
@trials_of_program()
def compile_and_emit(
    request: Request, args: Sequence[Any], statics: frozenset[str], watch: Watch | None = None
) -> tuple[Artifact, frozenset[str], Emitted]:
    """What `compile_request` returns, and the text with all places of its lines."""
    seen = watch or (lambda stage, result: None)
    lowered, statics = lower_with_statics(request, args, statics)
    request.target.check_inputs(input_classes(lowered))
    seen("lower", lowered.function)
    primal = lowered.function
    if request.over:
        from srcad.pipeline.contributions import of_part

        primal = of_part(lowered, request.over, request.has_aux)
    primal = prepared(request, primal)
    try:
        program = check(derive_request(request, primal), "derive")
    except SrcadError as refusal:
        ints = {guard.path for guard in lowered.guards if _is_of_int(guard)} - statics
        if refusal.code not in _BY_OPTION or not ints:
            raise
        return compile_and_emit(request, args, statics | ints, watch)
    seen("derive", program)
    program = run(CHECK, program, debug_nans=request.debug_nans)
    program = optimized(request, program)
    seen("optimize", program)
    native = Outlined(program, (), ())
    if request.target.compiles:
        native = _outlined(program, request, len(generator_paths(lowered.guards)))
    if native.compiled:
        seen("native", native.program)
    doc = docstring(request, lowered.function)
    emitted = request.target.emit(native.program, doc)
    if native.compiled and depends_on_objects(emitted.text, set(emitted.globals)):
        native = Outlined(program, (), ("its loops read objects that cannot be written as text",))
        emitted = request.target.emit(program, doc)
    seen("emit", emitted.text)
    return (
        Artifact(
            emitted.text,
            emitted.entry,
            lowered.captures,
            lowered.guards,
            lowered.kept,
            emitted.globals,
            emitted.line_map,
            native.compiled,
            native.left,
            program.interface is not None and bool(program.interface.writes),
            emitted.border,
            acts(program),
            lowered.assumed,
        ),
        statics,
        emitted,
    )


def _is_of_int(guard: Guard) -> bool:
    """Whether a guard is that of a Python int to which the program is not specialised."""
    return guard.kind == "leaf" and guard.expected is int


def plain_program(fn: Callable[..., Any], args: list[Any]) -> Function:
    """The program of a function itself, by NumPy, with writes in place."""
    made: dict[str, Any] = {}
    request = Request("primal", fn, backend=NUMPY.name)
    compile_request(request, args, frozenset(), made.__setitem__)
    program: Function = made["optimize"]
    return program


def _outlined(program: Function, request: Request, generators: int) -> Outlined:
    """The program with functions to be compiled; NumPy's, where a pass of that stage fails."""
    try:
        return outlined(program, request.target, plain_program, generators)
    except (SrcadError, RecursionError, MemoryError):
        raise
    except Exception as problem:
        raise_users_own(problem)
        if VERIFIES or is_of_others(problem):
            raise
        return Outlined(program, (), (why_failed(problem),))


def optimized(request: Request, program: Function) -> Function:
    """The program with less to do; compiled, it computes again what it would have to save."""
    compiles = _is_for_compilation(request)
    smaller = partial(simplify, fast_math=request.fast_math)
    program = smaller(run(FACTOR, program, compiles=compiles, simplify=smaller))
    if (sparing := run(CHECKPOINT, program)) is not program:
        program = simplify(sparing, repeats=True)
    if compiles:
        exact = _primal_results(request, program)
        program = run(RECOMPUTE, program, is_gradient=exact is not None, exact=exact)
    elif request.target is NUMPY:
        program = run(CONTRACT, program)
    return bufferize(program)


def _primal_results(request: Request, program: Function) -> list[int] | None:
    """Which results of a gradient's program are the value and what is handed through; None of
    another program.
    """
    if request.kind not in kinds.GRADIENTS:
        return None
    assert program.interface is not None
    result: Any = program.interface.result
    if request.kind == "value_and_grad":
        return slots(result[0])
    return slots(result[1]) if request.has_aux else []


def lower_with_statics(
    request: Request, args: Sequence[Any], statics: frozenset[str]
) -> tuple[Lowered, frozenset[str]]:
    """Lower, asking for more constants until the program needs no more.

    One that was lowered for another derivative serves again (`srcad.pipeline.lowered_programs`).
    """
    if request.over:
        lengths = [f"{path}.shape[0]" for path in request.over]
        request = replace(request, general=frozenset(lengths))
        statics |= {f"{lengths[0]} == {other}" for other in lengths[1:]}
    if request.kind in ("compile", "vmap") or request.general:
        return _lower_with_statics(request, args, statics)
    known = find_lowered(request.primal, args, statics)
    if known is not None:
        return known
    lowered, found = _lower_with_statics(request, args, statics)
    keep_lowered(request.primal, statics, found, lowered)
    return lowered, found


def _lower_with_statics(
    request: Request, args: Sequence[Any], statics: frozenset[str]
) -> tuple[Lowered, frozenset[str]]:
    is_whole = request.kind == "compile"
    derive: Any = _Inside(request) if is_whole else kinds
    first = tried = statics
    changing: list[object] = []
    refusals: list[SrcadError] = []
    while True:
        try:
            lowered = lower(
                request.primal, args, statics=statics, derive=derive, simplify=simplify_again,
                writes=is_whole, keeps_calls=is_whole and not _is_for_compilation(request),
                axes=request.axes, general=request.general, has_aux=request.has_aux,
                changing=changing,
            )  # fmt: skip
        except NeedStatic as needed:
            if needed.paths <= statics:
                raise error("E901", None, what="a constant was asked for twice") from needed
            if CARRIED in needed.paths:  # instead of what was asked for until now
                tried, statics = statics, first
            elif NOT_CARRIED in needed.paths:
                statics = tried | {CARRIED}
            elif all(path.startswith(AS_CALL) for path in needed.paths):
                statics = first | {path for path in statics if path.startswith(AS_CALL)}
                refusals = [x for x in refusals if x.location and not x.location.is_installed]
            statics |= needed.paths
            if needed.refusal is not None:
                refusals.append(needed.refusal)
            continue
        except SrcadError as refusal:
            told = most_telling([*refusals, refusal])
            raise told from told.__cause__
        check(lowered.function, "lower")
        facts = _equal_extents(lowered.guards) if is_whole and derive.is_used else frozenset()
        if facts <= statics:
            return lowered, statics
        # What is derived inside was derived without them; they are known from the beginning now.
        statics |= facts


class _Inside:
    """The transforms for what a compiled function derives inside: as good as derived alone."""

    def __init__(self, request: Request) -> None:
        self.request = replace(request, kind="grad")
        self.is_used = False

    def prepared(self, fn: Function) -> Function:
        self.is_used = True
        return prepared(self.request, fn)

    def derivative(self, fn: Function, *args: Any, **options: Any) -> Function:
        return kinds.derivative(self.prepared(expand(fn)), *args, **options)

    def pushforward(self, fn: Function, *, has_aux: bool = False) -> Function:
        return kinds.pushforward(expand(fn), has_aux=has_aux)

    def vectorized(self, fn: Function, *args: Any, **options: Any) -> Function:
        return kinds.vectorized(expand(fn), *args, **options)

    def pullback(self, fn: Function, *, has_aux: bool = False) -> Function:
        return kinds.pullback(self.prepared(expand(fn)), has_aux=has_aux)


def _equal_extents(guards: Sequence[Guard]) -> frozenset[str]:
    """The extents of inputs that a program takes as equal, that of the input read first ahead."""
    order = {guard.path: k for k, guard in enumerate(guards) if guard.kind == "leaf"}
    facts = set()
    for guard in guards:
        sides = guard.path.split(" == ")
        arrays = [side.rpartition(".shape[")[0] for side in sides]
        if guard.expected is True and len(sides) == 2 and all(a in order for a in arrays):
            facts.add(" == ".join(sorted(sides, key=lambda s: order[s.rpartition(".shape[")[0]])))
    return frozenset(facts)


def prepared(request: Request, fn: Function) -> Function:
    """The program as it is derived: in other forms for NumPy and for compiled code."""
    return run(
        PREPARE, fn, derives=request.kind != "compile", compiles=_is_for_compilation(request),
        simplify=simplify_again,
    )  # fmt: skip


def _is_for_compilation(request: Request) -> bool:
    """Whether a program is to be compiled, and can be."""
    return request.target.compiles and request.target.is_available


def derive_request(
    request: Request, fn: Function, border: Callable[[], None] | None = None
) -> Function:
    """The program of the derivative that `request` asks for.

    Args:
        border: called between the sweeps of a gradient, as a mark.
    """
    return kinds.derivative(
        fn,
        request.kind,
        request.argnums,
        has_aux=request.has_aux,
        single=request.single,
        holomorphic=request.holomorphic,
        border=border,
    )


def check(fn: Function, stage: str) -> Function:
    """Verify the program after a stage, when checks are on."""
    return verify(fn, stage, Level.VALUES) if VERIFIES else fn
