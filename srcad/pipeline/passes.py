"""The order of all passes, for both backends.

    source -> lower -> EXPAND -> PREPARE -> derive -> CHECK
           -> FACTOR -> SIMPLIFY -> CHECKPOINT -> RECOMPUTE -> BUFFERIZE -> emit
                    to be compiled: OUTLINE between the last two,
                        which runs SCALARIZE, BOUNDARY on each function
                    as C: WHOLE in its place

`srcad.pipeline.stages` goes through them; `srcad.ir.passes` runs one stage and has the switches to
look at the program between two passes or to leave one out. A pass that is named here is verified in
every test, runs bit for bit on random programs if it is one of arrays, and is counted by
`benchmarks/pass_counts.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from srcad.deferred import Deferred
from srcad.ir import Function
from srcad.ir.calls import called, copy_program
from srcad.ir.passes import Pass, Stage, check_names, run
from srcad.ir.verifier import Level
from srcad.optimize.memory.augmented_stores import augment_stores
from srcad.optimize.memory.bufferize import store_in_place
from srcad.optimize.memory.closure_copies import copy_for_closures
from srcad.optimize.memory.commit import commit
from srcad.optimize.memory.copy_escaping_views import copy_escaping_views
from srcad.optimize.memory.held_items import hold_items
from srcad.optimize.memory.new_results import mark_new, unmark_new
from srcad.optimize.memory.read_before_write import read_before_write
from srcad.optimize.memory.result_ownership import own_results
from srcad.optimize.memory.sparse_results import sparsify_results
from srcad.optimize.memory.sparse_updates import sparsify_updates
from srcad.optimize.prepare.final_iteration import peel_final_iteration
from srcad.optimize.prepare.loop_rolling import roll_loops
from srcad.optimize.prepare.mark_elimination import eliminate_marks
from srcad.optimize.prepare.pool_before_relu import pool_before_relu
from srcad.optimize.simplify.accumulate_to_store import eliminate_zero_fills
from srcad.optimize.simplify.algebra import apply_laws
from srcad.optimize.simplify.broadcast_sinking import sink_broadcasts
from srcad.optimize.simplify.constant_folding import fold_constants
from srcad.optimize.simplify.copy_propagation import propagate_copies
from srcad.optimize.simplify.cse import cse
from srcad.optimize.simplify.dce import dce
from srcad.optimize.simplify.detach_backwards import detach_backwards
from srcad.optimize.simplify.expand_composed import expand_composed
from srcad.optimize.simplify.loop_invariants import hoist_invariants
from srcad.optimize.simplify.partial_sinking import sink_partial
from srcad.optimize.simplify.shape_sources import choose_shape_sources
from srcad.optimize.simplify.store_combining import combine_stores
from srcad.optimize.simplify.undefined_checks import check_undefined
from srcad.optimize.tape.tape_elimination import eliminate_tapes
from srcad.transform.checkpointing.schedule import checkpoint_loops
from srcad.transform.code_sinking import sink_raising
from srcad.transform.shift_invariance import stop_shift_gradients

# Of programs to be compiled; read when one is.
fuse_conv_pool = Deferred("srcad.optimize.prepare.conv_pool_fusion:fuse_conv_pool")
has_products_in_loops = Deferred("srcad.optimize.prepare.loops_to_matmul:has_products_in_loops")
loops_to_matmul = Deferred("srcad.optimize.prepare.loops_to_matmul:loops_to_matmul")
factor_matmuls = Deferred("srcad.optimize.prepare.matmul_factoring:factor_matmuls")
has_products = Deferred("srcad.optimize.prepare.matmul_factoring:has_products")
sink_matmuls = Deferred("srcad.optimize.prepare.matmul_sinking:sink_matmuls")
close_induction_variables = Deferred(
    "srcad.optimize.simplify.induction_variables:close_induction_variables"
)
divide_by_reciprocals = Deferred(
    "srcad.optimize.simplify.reciprocal_division:divide_by_reciprocals"
)
sums_to_einsum = Deferred("srcad.optimize.simplify.sums_to_einsum:sums_to_einsum")
recompute_by_min_cut = Deferred("srcad.optimize.tape.tape_min_cut:recompute_by_min_cut")
scalarize_arguments = Deferred("srcad.native.boundary.argument_scalarization:scalarize_arguments")
allocate_in_caller = Deferred("srcad.native.boundary.caller_allocation:allocate_in_caller")
outline = Deferred("srcad.native.boundary.outlining:outline")
raise_before_commit = Deferred("srcad.native.boundary.raise_before_commit:raise_before_commit")
align_loops = Deferred("srcad.native.loops.alignment:align_loops")
eliminate_bounds_checks = Deferred("srcad.native.loops.bounds_checks:eliminate_bounds_checks")
eliminate_negative_indices = Deferred("srcad.native.loops.bounds_checks:eliminate_negative_indices")
speculate_attempts = Deferred("srcad.native.loops.attempt_speculation:speculate_attempts")
contract_arrays = Deferred("srcad.native.loops.contraction:contract_arrays")
convert_branches = Deferred("srcad.native.loops.if_conversion:convert_branches")
fuse_loops = Deferred("srcad.native.loops.fusion:fuse_loops")
schedule_loads = Deferred("srcad.native.loops.load_scheduling:schedule_loads")
forward_stores = Deferred("srcad.native.loops.store_forwarding:forward_stores")
guard_zeros = Deferred("srcad.native.loops.zero_guarding:guard_zeros")
scalarize = Deferred("srcad.native.scalarize.driver:scalarize")
compile_kernels = Deferred("srcad.native.scalarize.handlers.kernels:compile_kernels")
keep_product_buffers = Deferred("srcad.native.scalarize.handlers.kernels:keep_product_buffers")
expand_library_calls = Deferred("srcad.native.scalarize.library_expansion:expand_library_calls")
tag_weak_scalars = Deferred("srcad.native.scalarize.scalars.weak_scalar_tags:tag_weak_scalars")
write_tapes_in_place = Deferred("srcad.native.tape.in_place_rewrite:write_tapes_in_place")
rematerialize_loops = Deferred("srcad.native.tape.rematerialization:rematerialize_loops")
mark_alias_scopes = Deferred("srcad.native.threads.alias_scopes:mark_alias_scopes")
share_among_threads = Deferred("srcad.native.threads.team_calls:share_among_threads")
check_finite = Deferred("srcad.transform.finite_checks:check_finite")  # of `srcad.debug_nans`


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


# What a compiled function derives inside, where calls of composed functions are kept.
EXPAND = Stage(
    "expand",
    Level.VALUES,
    (Pass("composed-expansion", expand_composed, required=True),),
)

# Ahead of the derivative: forms of which it is smaller. `derives`: not for `compile`, which has
# prepared what it derives inside; `compiles`: the program is to be compiled.
PREPARE = Stage(
    "prepare",
    Level.VALUES,
    (
        Pass("new-results", mark_new, required=True),
        Pass("partial-sinking", sink_partial, required=True),
        Pass("undefined-checks", check_undefined, only="derives", required=True),
        Pass("mark-elimination", eliminate_marks),
        Pass("loop-rolling", roll_loops, only="derives"),
        Pass("final-iteration", peel_final_iteration, only="derives"),
        Pass("pool-before-relu", pool_before_relu, only="derives"),
        Pass("shift-invariance", stop_shift_gradients, only="derives"),
        Pass(
            "loops-to-matmul", _on_simplified(loops_to_matmul, has_products_in_loops),
            takes=("simplify",), only="compiles",
        ),
        Pass("conv-pool-fusion", fuse_conv_pool, only="compiles"),
        Pass("induction-variables", close_induction_variables, only="compiles"),
    ),
)  # fmt: skip

# `srcad.debug_nans`: ahead of all that changes what operations are given.
CHECK = Stage(
    "check",
    Level.VALUES,
    (Pass("finite-checks", check_finite, only="debug_nans", required=True),),
    visits_callees=True,
)

FACTOR = Stage(
    "factor",
    Level.VALUES,
    (
        Pass(
            "matmul-factoring", _on_simplified(factor_matmuls, has_products),
            takes=("simplify",), only="compiles",
        ),
    ),
)  # fmt: skip

SIMPLIFY = Stage(
    "simplify",
    Level.VALUES,
    (
        Pass("partial-sinking", sink_partial, required=True),
        Pass("backward-detaching", detach_backwards, takes=("again",), required=True),
        Pass("code-sinking", sink_raising, required=True),
        Pass("constant-folding", fold_constants),
        Pass("broadcast-sinking", sink_broadcasts),
        Pass("algebra", apply_laws, takes=("fast_math", "again", "repeats")),
        Pass("cse", cse),
        Pass("copy-propagation", propagate_copies),
        Pass("store-combining", combine_stores),
        Pass("tape-elimination", eliminate_tapes),
        Pass("shape-sources", choose_shape_sources),
        Pass("dce", dce),
        Pass("licm", hoist_invariants),
    ),
    rounds=8,
    visits_callees=True,
)

# What `srcad.checkpoint` says of loops, once no more is derived from them.
CHECKPOINT = Stage(
    "checkpoint",
    Level.VALUES,
    (Pass("loop-checkpointing", checkpoint_loops, required=True),),
    visits_callees=True,
)

# Compiled, arithmetic costs less than memory.
RECOMPUTE = Stage(
    "recompute",
    Level.VALUES,
    (
        Pass("tape-min-cut", recompute_by_min_cut),
        Pass("reciprocal-division", divide_by_reciprocals, takes=("exact",), only="is_gradient"),
        Pass("matmul-sinking", sink_matmuls),
    ),
)

# Run by NumPy, each operation is a walk through memory.
CONTRACT = Stage(
    "contract",
    Level.VALUES,
    (Pass("sums-to-einsum", sums_to_einsum),),
    visits_callees=True,
)

# What a callee returns may be shared, and is not written; that of a checkpoint is copied.
BUFFERIZE = Stage(
    "bufferize",
    Level.STORES,
    (
        Pass("held-items", hold_items, callees="none", required=True),
        Pass("new-results", unmark_new, required=True),
        Pass("closure-copies", copy_for_closures, required=True),
        Pass("zero-fill-elimination", eliminate_zero_fills),
        Pass("augmented-stores", augment_stores),
        Pass("dce", dce),
        Pass("read-before-write", read_before_write),
        Pass("copy-escaping-views", copy_escaping_views, required=True),
        Pass("result-ownership", own_results, callees="recomputed", required=True),
        Pass("sparse-results", sparsify_results, callees="none"),
        Pass("sparse-updates", sparsify_updates),
        Pass("commit", commit, required=True),
        Pass("in-place-stores", store_in_place),
        Pass("dce", dce),
        Pass("undefined-checks", check_undefined, required=True),
    ),
    visits_callees=True,
)

# Compiled programs: runs of statements become functions, shared out among threads.
OUTLINE = Stage(
    "outline",
    Level.STORES,
    (
        Pass("outlining", outline, takes=("stages", "left", "read"), required=True),
        Pass("commit-checks", raise_before_commit, required=True),
        Pass("spmd", share_among_threads),
        Pass("alias-scopes", mark_alias_scopes, required=True),
        Pass("if-conversion", convert_branches),
        Pass("compiled-kernels", compile_kernels, takes=("kernels",), only="has_compiler"),
        Pass("product-buffers", keep_product_buffers, takes=("kernels", "has_compiler")),
    ),
)

# Each outlined function: calls and array operations become loops over entries.
SCALARIZE = Stage(
    "scalarize",
    Level.STORES,
    (
        Pass("attempt-speculation", speculate_attempts),
        Pass("library-expansion", expand_library_calls, takes=("read",)),
        Pass("weak-scalar-tags", tag_weak_scalars, takes=("tags",), required=True),
        Pass("scalarization", scalarize, required=True),
        Pass("negative-index-elimination", eliminate_negative_indices, required=True),
        Pass("loop-alignment", align_loops),
        Pass("loop-fusion", fuse_loops),
        Pass("store-forwarding", forward_stores),
        Pass("zero-guarding", guard_zeros),
        Pass("array-contraction", contract_arrays),
    ),
)

# ... and what its caller does for it.
BOUNDARY = Stage(
    "boundary",
    Level.STORES,
    (
        Pass("loop-rematerialization", rematerialize_loops, takes=("caller",)),
        Pass("tape-in-place", write_tapes_in_place, takes=("caller",)),
        Pass("caller-allocation", allocate_in_caller, takes=("caller",)),
        Pass("load-scheduling", schedule_loads),
        Pass("bounds-check-elimination", eliminate_bounds_checks),
        Pass("argument-scalarization", scalarize_arguments, takes=("caller",)),
    ),
)

# What is written for a compiler of C: the whole program becomes loops. What serves vector units
# makes them longer to read; that compiler has its own ways.
_LEFT_OUT = ("attempt-speculation", "library-expansion", "loop-alignment", "zero-guarding")
WHOLE = Stage(
    "whole",
    SCALARIZE.level,
    (
        Pass("library-expansion", partial(expand_library_calls, everywhere=True), takes=("read",)),
        *(each for each in SCALARIZE.passes if each.name not in _LEFT_OUT),
        Pass("bounds-check-elimination", eliminate_bounds_checks),
    ),
)

_ARRAYS = (EXPAND, PREPARE, CHECK, FACTOR, SIMPLIFY, CHECKPOINT, RECOMPUTE, CONTRACT, BUFFERIZE)
STAGES = (*_ARRAYS, OUTLINE, SCALARIZE, BOUNDARY)  # `WHOLE` has no passes of its own
check_names(STAGES)


def expand(fn: Function) -> Function:
    """The program after `EXPAND`, to be differentiated."""
    return run(EXPAND, fn)


def simplify(
    fn: Function, *, fast_math: bool = False, again: bool = False, repeats: bool = False
) -> Function:
    """The program after `SIMPLIFY`, without writes in place; `fn` stays as it is, with its names.

    Args:
        fast_math: use laws of real arithmetic that rounding, infinities and NaN do not obey.
        again: it is to be differentiated: nothing is lost that matters to its derivatives alone.
        repeats: it runs steps again, which must give the same bits though fewer of their values are
            read.
    """
    return run(SIMPLIFY, copy_program(fn), fast_math=fast_math, again=again, repeats=repeats)


def bufferize(fn: Function) -> Function:
    """The program after `BUFFERIZE`: for emission, not for further transformation."""
    return run(BUFFERIZE, copy_program(fn) if called(fn) else fn)


def optimize(fn: Function, *, fast_math: bool = False) -> Function:
    """The program after `SIMPLIFY` and `BUFFERIZE`; `fn` stays as it is."""
    return bufferize(simplify(fn, fast_math=fast_math))


simplify_again: Callable[[Function], Function] = partial(simplify, again=True)

__all__ = ["STAGES", "WHOLE", "bufferize", "expand", "optimize", "simplify", "simplify_again"]
