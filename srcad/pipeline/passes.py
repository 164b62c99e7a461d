"""The order of all passes, for both backends.

    source -> lower -> PREPARE -> derive -> FACTOR -> SIMPLIFY -> RECOMPUTE -> BUFFERIZE -> emit
                                            to be compiled: OUTLINE between the last two,
                                                which runs SCALARIZE, BOUNDARY on each function

`srcad.pipeline.stages` goes through them; `srcad.ir.passes` runs one stage and has the switches to
look at the program between two passes or to leave one out. A pass that is named here is verified in
every test, runs bit for bit on random programs if it is one of arrays, and is counted by
`benchmarks/pass_counts.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from srcad.ir import Function
from srcad.ir.calls import called, copy_program
from srcad.ir.passes import Pass, Stage, check_names, run
from srcad.ir.verifier import Level
from srcad.native.boundary.argument_scalarization import measured
from srcad.native.boundary.caller_allocation import given
from srcad.native.boundary.outlining import outlined
from srcad.native.boundary.raise_before_commit import checked
from srcad.native.loops.alignment import aligned
from srcad.native.loops.bounds_checks import from_the_end, marked
from srcad.native.loops.contraction import contracted
from srcad.native.loops.fusion import fused
from srcad.native.loops.load_scheduling import read_first
from srcad.native.loops.store_forwarding import forwarded
from srcad.native.loops.zero_guarding import without_unchosen
from srcad.native.scalarize.driver import scalarise
from srcad.native.scalarize.handlers.kernels import compiled_kernels, kept_products
from srcad.native.scalarize.scalars.weak_scalar_tags import flagged
from srcad.native.tape.in_place_rewrite import in_slots
from srcad.native.tape.rematerialization import repeated
from srcad.native.threads.alias_scopes import tell_apart
from srcad.native.threads.team_calls import shared_by_threads
from srcad.optimize.memory.augmented_stores import augment
from srcad.optimize.memory.bufferize import inplace
from srcad.optimize.memory.closure_copies import held
from srcad.optimize.memory.commit import commit
from srcad.optimize.memory.copy_escaping_views import detach
from srcad.optimize.memory.read_before_write import early
from srcad.optimize.memory.result_ownership import fresh
from srcad.optimize.memory.sparse_results import sparse
from srcad.optimize.memory.sparse_updates import touched
from srcad.optimize.prepare.conv_pool_fusion import chains
from srcad.optimize.prepare.final_iteration import last_turn
from srcad.optimize.prepare.loops_to_matmul import gathered, has_products_in_loops
from srcad.optimize.prepare.matmul_factoring import has_products, with_common_factors
from srcad.optimize.prepare.matmul_sinking import summed_products
from srcad.optimize.prepare.pool_before_relu import pooled
from srcad.optimize.simplify.accumulate_to_store import slots
from srcad.optimize.simplify.algebra import apply_laws
from srcad.optimize.simplify.broadcast_sinking import broadcasts
from srcad.optimize.simplify.constant_folding import fold
from srcad.optimize.simplify.copy_propagation import copies
from srcad.optimize.simplify.cse import cse
from srcad.optimize.simplify.dce import dce
from srcad.optimize.simplify.induction_variables import counters
from srcad.optimize.simplify.loop_invariants import hoist
from srcad.optimize.simplify.reciprocal_division import inverses
from srcad.optimize.simplify.shape_sources import witness
from srcad.optimize.simplify.store_combining import stores
from srcad.optimize.simplify.undefined_checks import asked, with_results_asked
from srcad.optimize.tape.tape_elimination import untaped
from srcad.optimize.tape.tape_min_cut import computed_again
from srcad.transform.shift_invariance import hold_shifts


def _on_simplified(
    apply: Callable[[Function], Function], is_worth_it: Callable[[Function], bool]
) -> Callable[..., Function]:
    """A pass that looks at the simplified program; where it finds nothing, the program stays."""

    def attempt(fn: Function, *, simplify: Callable[[Function], Function]) -> Function:
        if not is_worth_it(fn):
            return fn
        smaller = simplify(fn)
        made = apply(smaller)
        return fn if made is smaller else made

    return attempt


# Ahead of the derivative: forms of which it is smaller. `derives`: not for `compile`, which has
# prepared what it derives inside; `compiles`: the program is to be compiled.
PREPARE = Stage(
    "prepare",
    Level.VALUES,
    (
        Pass("definedness-of-results", with_results_asked, only="derives", required=True),
        Pass("final-iteration", last_turn, only="derives"),
        Pass("pool-before-relu", pooled, only="derives"),
        Pass("shift-invariance", hold_shifts, only="derives"),
        Pass(
            "loops-to-matmul", _on_simplified(gathered, has_products_in_loops),
            takes=("simplify",), only="compiles",
        ),
        Pass("conv-pool-fusion", chains, only="compiles"),
        Pass("induction-variables", counters, only="compiles"),
    ),
)  # fmt: skip

FACTOR = Stage(
    "factor",
    Level.VALUES,
    (
        Pass(
            "matmul-factoring", _on_simplified(with_common_factors, has_products),
            takes=("simplify",), only="compiles",
        ),
    ),
)  # fmt: skip

SIMPLIFY = Stage(
    "simplify",
    Level.VALUES,
    (
        Pass("constant-folding", fold),
        Pass("broadcast-sinking", broadcasts),
        Pass("algebra", apply_laws, takes=("fast_math", "again")),
        Pass("cse", cse),
        Pass("copy-propagation", copies),
        Pass("store-combining", stores),
        Pass("tape-elimination", untaped),
        Pass("shape-sources", witness),
        Pass("dce", dce),
        Pass("licm", hoist),
    ),
    rounds=8,
    visits_callees=True,
)

# Compiled, arithmetic costs less than memory.
RECOMPUTE = Stage(
    "recompute",
    Level.VALUES,
    (
        Pass("tape-min-cut", computed_again),
        Pass("reciprocal-division", inverses, takes=("exact",), only="is_gradient"),
        Pass("matmul-sinking", summed_products),
    ),
)

# What a callee returns may be shared, and nobody writes it; that of a checkpoint is copied.
BUFFERIZE = Stage(
    "bufferize",
    Level.STORES,
    (
        Pass("closure-copies", held, required=True),
        Pass("zero-fill-elimination", slots),
        Pass("augmented-stores", augment),
        Pass("dce", dce),
        Pass("read-before-write", early),
        Pass("copy-escaping-views", detach, required=True),
        Pass("result-ownership", fresh, callees="recomputed", required=True),
        Pass("sparse-results", sparse, callees="none"),
        Pass("sparse-updates", touched),
        Pass("commit", commit, required=True),
        Pass("in-place-stores", inplace),
        Pass("dce", dce),
        Pass("undefined-checks", asked, required=True),
    ),
    visits_callees=True,
)

# Compiled programs: runs of statements become functions, shared out among threads.
OUTLINE = Stage(
    "outline",
    Level.STORES,
    (
        Pass("outlining", outlined, takes=("stages", "left"), required=True),
        Pass("commit-checks", checked, required=True),
        Pass("spmd", shared_by_threads),
        Pass("alias-scopes", tell_apart, required=True),
        Pass("compiled-kernels", compiled_kernels, takes=("kernels",), only="has_compiler"),
        Pass("product-buffers", kept_products, takes=("kernels", "has_compiler")),
    ),
)

# Each outlined function: array operations become loops over entries.
SCALARIZE = Stage(
    "scalarize",
    Level.STORES,
    (
        Pass("weak-scalar-tags", flagged, takes=("tags",), required=True),
        Pass("scalarization", scalarise, required=True),
        Pass("negative-index-elimination", from_the_end, required=True),
        Pass("loop-alignment", aligned),
        Pass("loop-fusion", fused),
        Pass("store-forwarding", forwarded),
        Pass("zero-guarding", without_unchosen),
        Pass("array-contraction", contracted),
    ),
)

# ... and what its caller does for it.
BOUNDARY = Stage(
    "boundary",
    Level.STORES,
    (
        Pass("loop-rematerialization", repeated, takes=("caller",)),
        Pass("tape-in-place", in_slots, takes=("caller",)),
        Pass("caller-allocation", given, takes=("caller",)),
        Pass("load-scheduling", read_first),
        Pass("bounds-check-elimination", marked),
        Pass("argument-scalarization", measured, takes=("caller",)),
    ),
)

STAGES = (PREPARE, FACTOR, SIMPLIFY, RECOMPUTE, BUFFERIZE, OUTLINE, SCALARIZE, BOUNDARY)
check_names(STAGES)


def simplify(fn: Function, *, fast_math: bool = False, again: bool = False) -> Function:
    """The program after `SIMPLIFY`, without writes in place; `fn` stays as it is, with its names.

    Args:
        fast_math: use laws of real arithmetic that rounding, infinities and NaN do not obey.
        again: it is to be differentiated: nothing is lost that matters to its derivatives alone.
    """
    return run(SIMPLIFY, copy_program(fn), fast_math=fast_math, again=again)


def bufferize(fn: Function) -> Function:
    """The program after `BUFFERIZE`: for emission, not for further transformation."""
    return run(BUFFERIZE, copy_program(fn) if called(fn) else fn)


def optimize(fn: Function, *, fast_math: bool = False) -> Function:
    """The program after `SIMPLIFY` and `BUFFERIZE`; `fn` stays as it is."""
    return bufferize(simplify(fn, fast_math=fast_math))


simplify_again: Callable[[Function], Function] = partial(simplify, again=True)

__all__ = ["STAGES", "bufferize", "optimize", "simplify", "simplify_again"]
