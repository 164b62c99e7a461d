"""Rare calls of the C library inside loops that are vectorised all the same.

LLVM's vectoriser refuses a loop with a call of a function it does not know, and computes a function
it does know (`sin`) lane by lane, for each lane. It accepts a function that names *vector variants*
of itself, for 2, 4, 8 ... lanes with a mask of those that want it. Here the variants first look
whether any lane wants the function; mostly none does, and a vector of x costs one such look:

    double srcad_sin(double x) { return sin(x); }           // attribute: variants below
    <8 x double> srcad_sin_8(<8 x double> x, <8 x i1> wanted) {
        if (no lane is wanted) return zeros;
        for each lane: result = sin(x);
    }

Where LLVM knows nothing of this attribute, the loop stays scalar and correct.
"""

from __future__ import annotations

from srcad.kernels.numba_adapter import ir

LANES = (2, 4, 8, 16)
INDEX = ir.IntType(32)


def library_function(module: ir.Module, name: str, kind: ir.Type) -> ir.Function:
    """`srcad_<name>` in this module: calls the C library's function, has masked vector variants."""
    symbol = name if kind == ir.DoubleType() else name + "f"
    known = module.globals.get("srcad_" + symbol)
    if known is not None:
        return known
    shape = ir.FunctionType(kind, [kind])
    inner = module.globals.get(symbol) or ir.Function(module, shape, symbol)
    outer = ir.Function(module, shape, "srcad_" + symbol)
    outer.linkage = "weak_odr"
    for attribute in ("noinline", "nounwind", "readnone"):
        outer.attributes.add(attribute)
    body = ir.IRBuilder(outer.append_basic_block())
    body.ret(body.call(inner, outer.args, attrs=("nounwind", "readnone")))
    for count in LANES:
        add_variant(module, inner, f"{outer.name}_{count}", ir.VectorType(kind, count))
    mappings = ",".join(f"_ZGV_LLVM_M{n}v_{outer.name}({outer.name}_{n})" for n in LANES)
    # llvmlite's set refuses attributes whose names it does not know
    set.add(outer.attributes, f'"vector-function-abi-variant"="{mappings}"')
    return outer


def add_variant(module: ir.Module, inner: ir.Function, name: str, vector: ir.VectorType) -> None:
    """The function for a vector of arguments and a mask."""
    mask = ir.VectorType(ir.IntType(1), vector.count)
    fn = ir.Function(module, ir.FunctionType(vector, [vector, mask]), name)
    fn.linkage = "weak_odr"  # not used before the vectoriser runs, yet to be kept until then
    for attribute in ("noinline", "nounwind", "readnone"):
        fn.attributes.add(attribute)
    x, wanted = fn.args
    entry, none, lane, done = (fn.append_basic_block(n) for n in ("entry", "none", "lane", "done"))
    builder = ir.IRBuilder(entry)
    bits = builder.bitcast(wanted, ir.IntType(vector.count))
    builder.cbranch(builder.icmp_unsigned("==", bits, ir.Constant(bits.type, 0)), none, lane)
    ir.IRBuilder(none).ret(ir.Constant(vector, [0.0] * vector.count))

    builder = ir.IRBuilder(lane)
    index, filled = builder.phi(INDEX), builder.phi(vector)
    y = builder.call(inner, [builder.extract_element(x, index)], attrs=("nounwind", "readnone"))
    more = builder.insert_element(filled, y, index)
    following = builder.add(index, INDEX(1))
    for phi, first, later in ((index, INDEX(0), following), (filled, x, more)):
        phi.add_incoming(first, entry)
        phi.add_incoming(later, lane)
    builder.cbranch(builder.icmp_unsigned("<", following, INDEX(vector.count)), lane, done)
    ir.IRBuilder(done).ret(more)
