"""NumPy's functions that have rules, with their options, of each kind of array or what stands for
one: lists, numbers, nothing.

`UNARY` gives the calls of functions of one array, `PAIRS` of two; `CALLS` those whose arguments
mean different things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from conformance.case import Case
from conformance.kinds import KINDS, Kind


def kinds(names: str) -> list[Kind]:
    """The kinds of these names."""
    return [KINDS[name] for name in names.split()]


# What functions take as an array.
LIKE = kinds(
    "array array_zeros array_0d array_one array_empty array_2d array_1x2 array_2x0 array_1x1 "
    "array_3d array_fortran array_strided array_reversed array_big_endian array_bool array_int8 "
    "array_int64 array_uint8 array_float16 array_float32 array_complex64 array_complex128 "
    "array_bool_2d array_int_0d array_int_2d array_int_empty array_str int int_negative bool float "
    "float_nan complex np_float64 np_float32 np_int64 np_bool_ np_complex128 list list_int "
    "list_bool list_one list_empty list_nested list_ragged list_arrays list_str tuple tuple_int "
    "tuple_empty tuple_nested tuple_arrays range none str dict"
)
# Fewer, for calls with many options and for pairs.
FEW = kinds(
    "array array_0d array_one array_empty array_2d array_2x0 array_3d array_fortran array_bool "
    "array_int64 array_uint8 array_float32 array_complex128 int bool float np_float64 np_float32 "
    "list list_int list_empty list_nested tuple_arrays"
)
LEAST = kinds("array array_2d array_int_2d array_float32 array_empty array_bool float list_nested")

AXES = ("axis=0", "axis=-1", "axis=1", "axis=None", "axis=2", "axis=-3")
MANY_AXES = (*AXES, "axis=(0, 1)", "axis=(-1,)", "axis=()", "axis=(1, 0)", "axis=(0, 0)")
KEPT = ("keepdims=True", "axis=0, keepdims=True", "axis=(0, 1), keepdims=True")
TYPED = ("dtype='f4'", "dtype=int", "axis=0, dtype=complex")
REDUCED = (*MANY_AXES, *KEPT)
NAN_FREE = ("mean", "std", "var", "sum", "prod", "max", "min")

# The options of functions of one array, each by itself; "" is none.
UNARY: dict[str, Sequence[str]] = {
    "sum": (*REDUCED, *TYPED, "initial=2.0", "axis=0, initial=1"),
    "prod": (*REDUCED, *TYPED, "initial=2.0"),
    "mean": (*REDUCED, *TYPED),
    "std": (*REDUCED, "ddof=1", "axis=0, ddof=2", "dtype='f4'"),
    "var": (*REDUCED, "ddof=1", "axis=0, ddof=2", "correction=1", "dtype='f4'"),
    "max": (*REDUCED, "initial=2.0", "axis=0, initial=-1"),
    "min": (*REDUCED, "initial=2.0"),
    "amax": ("axis=0",),
    "amin": ("axis=0",),
    "ptp": REDUCED,
    "any": REDUCED,
    "all": REDUCED,
    "count_nonzero": REDUCED,
    "argmax": (*AXES, "axis=0, keepdims=True"),
    "argmin": (*AXES, "axis=0, keepdims=True"),
    "median": REDUCED,
    "average": (*MANY_AXES, "axis=0, keepdims=True", "returned=True"),
    "nansum": REDUCED, "nanprod": REDUCED, "nanmean": REDUCED, "nanmax": REDUCED,
    "nanmin": REDUCED, "nanstd": REDUCED, "nanvar": REDUCED, "nanmedian": REDUCED,
    "nanargmax": AXES, "nanargmin": AXES,
    "cumsum": (*AXES, *TYPED), "cumprod": (*AXES, *TYPED), "nancumsum": AXES, "nancumprod": AXES,
    "cumulative_sum": (*AXES, "axis=0, include_initial=True", "include_initial=True"),
    "cumulative_prod": (*AXES, "axis=0, include_initial=True"),
    "sort": AXES, "argsort": (*AXES, "kind='stable'"), "sort_complex": (),
    "flip": MANY_AXES, "fliplr": (), "flipud": (),
    "squeeze": MANY_AXES,
    "ravel": ("order='F'", "order='C'", "order='A'", "order='K'"),
    "transpose": ("axes=(1, 0)", "axes=(0,)", "axes=()", "axes=(-1, 0)", "axes=(2, 0, 1)"),
    "matrix_transpose": (),
    "atleast_1d": (), "atleast_2d": (), "atleast_3d": (),
    "rot90": ("k=2", "k=-1", "k=0", "axes=(1, 0)", "k=1, axes=(0, 2)"),
    "diag": ("k=1", "k=-1", "k=5"),
    "diagonal": ("offset=1", "offset=-1", "axis1=1, axis2=0", "axis1=0, axis2=2", "offset=9"),
    "diagflat": ("k=1", "k=-1"),
    "trace": ("offset=1", "offset=-1", "axis1=1, axis2=0", "axis1=0, axis2=2"),
    "tril": ("k=1", "k=-1", "k=-9"), "triu": ("k=1", "k=-1", "k=9"),
    "diff": ("n=0", "n=2", "n=3", "axis=0", "axis=1", "prepend=0.0", "append=1.0, axis=0"),
    "ediff1d": ("to_end=1.0", "to_begin=[0.5, 1.0]"),
    "gradient": ("0.5", "axis=0", "axis=-1", "edge_order=2", "axis=(0, 1)"),
    "unwrap": ("period=2.0", "axis=0", "discont=1.0"),
    "trapezoid": ("dx=0.5", "axis=0", "axis=1"),
    "unique": (
        "return_index=True", "return_counts=True", "return_inverse=True",
        "return_index=True, return_inverse=True, return_counts=True",
    ),
    "nonzero": (), "flatnonzero": (), "argwhere": (),
    "shape": (), "size": ("0", "axis=-1"), "ndim": (),
    "copy": ("order='F'", "order='C'"),
    "array": ("dtype='f4'", "copy=False", "copy=None", "ndmin=2", "order='F'", "dtype=bool"),
    "asarray": ("dtype='f4'", "dtype=float", "order='F'", "copy=True", "dtype=int"),
    "asanyarray": ("dtype='f4'",), "ascontiguousarray": ("dtype='f4'",),
    "asfortranarray": ("dtype='f4'",), "asarray_chkfinite": (), "require": ("dtype='f4'",),
    "zeros_like": ("dtype='f4'", "shape=(2, 2)", "order='F'", "shape=()"),
    "ones_like": ("dtype=int", "shape=(3,)"),
    "real": (), "imag": (), "angle": ("deg=True",), "real_if_close": (), "iscomplex": (),
    "isreal": (), "isneginf": (), "isposinf": (), "fix": (), "sinc": (), "i0": (),
    "nan_to_num": ("nan=1.0", "copy=False", "posinf=5.0"),
    "round": ("1", "decimals=-1", "decimals=2"), "around": ("1",),
    "trim_zeros": ("'f'", "'b'"), "unstack": ("axis=0", "axis=-1", "axis=1"),
    "meshgrid": ("indexing='ij'", "sparse=True", "copy=False"),
    "broadcast_arrays": (), "ix_": (), "block": (), "vstack": (), "hstack": (), "dstack": (),
    "column_stack": (), "concatenate": ("axis=0", "axis=None", "axis=-1", "axis=1"),
    "stack": ("axis=1", "axis=-1"), "lexsort": ("axis=0",),
    "cov": ("rowvar=False", "bias=True", "ddof=0"), "corrcoef": ("rowvar=False",),
    "histogram": ("2", "bins=3", "bins=[0.0, 1.0, 2.0]", "density=True", "range=(0.0, 3.0)"),
    "bincount": ("minlength=4",),
    "tril_indices_from": ("1",), "triu_indices_from": ("-1",), "diag_indices_from": (),
    "poly": (), "vander": ("2", "increasing=True"), "polyder": ("2",), "polyint": ("2", "k=1.0"),
    "packbits": ("axis=0",), "indices": (), "zeros": ("dtype=int", "order='F'"),
    "ones": ("dtype='f4'",), "eye": ("3", "k=1", "M=2"), "identity": (), "tri": ("3", "k=1"),
    "arange": ("3", "dtype=float"), "hanning": (), "bartlett": (),
    "linalg.norm": (*MANY_AXES, *KEPT, "ord=1", "ord=np.inf", "ord='fro'", "ord=0", "ord='nuc'"),
    "linalg.vector_norm": (*MANY_AXES, *KEPT, "ord=1", "ord=np.inf", "ord=3"),
    "linalg.matrix_norm": ("ord=1", "ord='nuc'", "keepdims=True"),
    "linalg.det": (), "linalg.slogdet": (), "linalg.inv": (), "linalg.eigh": ("'U'",),
    "linalg.eigvalsh": (), "linalg.qr": ("mode='r'", "mode='complete'"), "linalg.cholesky": (),
    "linalg.svd": ("full_matrices=False", "compute_uv=False"), "linalg.svdvals": (),
    "linalg.pinv": (), "linalg.cond": ("1",), "linalg.matrix_rank": (),
    "linalg.matrix_power": ("0", "2", "-1"), "linalg.trace": ("offset=1",),
    "linalg.diagonal": ("offset=1",), "linalg.matrix_transpose": (),
    "fft.fft": ("n=3", "axis=0", "norm='ortho'"), "fft.rfft": ("n=5",), "fft.ifft": ("n=1",),
    "fft.irfft": (), "fft.fft2": (), "fft.fftn": ("axes=(0,)",),
    "fft.fftshift": ("axes=0", "axes=-1"), "fft.ifftshift": (),
}  # fmt: skip
UFUNCS = (
    "negative positive invert bitwise_count spacing exp exp2 expm1 log log2 log10 log1p square "
    "sqrt cbrt reciprocal sin cos tan arcsin arccos arctan degrees rad2deg radians sinh cosh tanh "
    "arcsinh arccosh arctanh absolute fabs sign signbit isnan isinf isfinite logical_not floor "
    "ceil rint trunc frexp modf conjugate"
).split()
BINARY = (
    "add subtract multiply divide remainder floor_divide power divmod less less_equal greater "
    "equal not_equal bitwise_and bitwise_xor left_shift gcd matmul maximum minimum fmax fmin "
    "logaddexp float_power hypot arctan2 copysign heaviside logical_and logical_or fmod ldexp "
    "nextafter vecdot matvec vecmat"
).split()
# Functions of two arrays, and of a list of them.
OF_TWO = (
    "dot vdot inner outer kron tensordot cross convolve correlate append broadcast_arrays "
    "meshgrid atleast_1d searchsorted digitize isin union1d intersect1d setdiff1d setxor1d "
    "array_equal array_equiv allclose isclose polyval polyadd polymul full_like linalg.solve "
    "cov trapezoid linalg.cross linalg.outer ix_ bincount repeat take compress extract delete "
    "quantile copysign gradient"
).split()
OF_LISTS = "concatenate stack hstack vstack column_stack block array".split()
# Calls with two arrays.
PAIRS = (
    *(f"np.{name}(a, b)" for name in OF_TWO),
    *(f"np.{name}([a, b])" for name in OF_LISTS),
    "np.tensordot(a, b, axes=1)", "np.tensordot(a, b, axes=0)", "np.convolve(a, b, 'same')",
    "np.correlate(a, b, 'full')", "np.concatenate((a, b), axis=-1)",
    "np.concatenate((a, b), axis=None)", "np.stack((a, b), axis=-1)", "np.dstack((a, b))",
    "np.append(a, b, axis=0)", "np.where(a, a, b)", "np.where(a, b, 0.0)", "np.where(b, 1, a)",
    "np.clip(a, b, 2.0)", "np.clip(a, None, b)", "np.clip(a, 0, 2)",
    "np.meshgrid(a, b, indexing='ij')", "np.interp(a, b, b)", "np.searchsorted(a, b, side='right')",
    "np.array([[a], [b]])", "np.array((a, b), dtype='f4')", "np.average(a, weights=b)",
    "np.average(a, axis=0, weights=b)", "np.full(2, b)", "np.linalg.lstsq(a, b, None)",
    "np.einsum('i,i->i', a, b)", "np.einsum('ij,j', a, b)", "np.linalg.multi_dot([a, a, b])",
    "np.select([a > 1, a < 0], [a, b], 0.5)", "np.take(a, b, axis=0)", "np.compress(a, b, axis=0)",
    "np.insert(a, 0, b)", "np.take_along_axis(a, b, axis=0)", "np.percentile(a, b, axis=0)",
    "np.linspace(a, b, 3)", "np.linspace(a, b, num=1)", "np.logspace(a, b, 3)",
    "np.geomspace(a, b, 4)", "np.polyfit(a, b, 1)", "np.broadcast_shapes(np.shape(a), np.shape(b))",
    "np.choose([0, 1], [a, b])", "np.lexsort((a, b))", "a @ b", "np.split(a, 1) + [b]",
    "np.vander(a, 2) * b", "np.histogram2d(a, b, 2)",
)  # fmt: skip
# Calls of one array whose other arguments are no options.
CALLS = (
    *(f"np.reshape(a, {s})" for s in ("-1", "(2, -1)", "(1, -1)", "()", "(-1, 1)", "[1, 2]", "0")),
    "np.reshape(a, (2, 1), order='F')", "np.reshape(a, -1, order='F')", "np.reshape(a, (1, 1, -1))",
    "np.reshape(a, np.shape(a)[::-1])", "np.reshape(a, (2, 2), copy=True)",
    *(f"np.broadcast_to(a, {s})" for s in ("(2,)", "(3, 2)", "(2, 2, 2)", "()", "(1, 2)", "2")),
    "np.swapaxes(a, 0, 1)", "np.swapaxes(a, -1, 0)", "np.moveaxis(a, 0, -1)",
    "np.moveaxis(a, (0, 1), (1, 0))", "np.rollaxis(a, 1)", "np.expand_dims(a, 0)",
    "np.expand_dims(a, (0, -1))", "np.expand_dims(a, -1)", "np.expand_dims(a, 5)",
    *(f"np.roll(a, {s})" for s in ("1", "-1", "0", "1, axis=0", "(1, 2), axis=(0, 1)", "5, -1")),
    *(f"np.repeat(a, {s})" for s in ("2", "0", "[1, 2]", "2, axis=0", "1, axis=-1", "-1")),
    *(f"np.tile(a, {s})" for s in ("2", "(2, 1)", "0", "(1, 2, 2)", "()", "[2]")),
    *(f"np.pad(a, {s})" for s in ("1", "(0, 1)", "((1, 0),)", "0", "1, mode='edge'")),
    "np.pad(a, 1, mode='reflect')", "np.pad(a, 1, mode='wrap')", "np.pad(a, (1, 2), 'symmetric')",
    "np.pad(a, 1, constant_values=2.0)", "np.pad(a, ((1, 0), (0, 2)))", "np.pad(a, -1)",
    *(f"np.{f}(a, {n})" for f in ("split", "array_split") for n in ("1", "2", "[1]", "[]", "3")),
    "np.split(a, 1, axis=-1)", "np.split(a, 2, axis=1)", "np.split(a, [0])", "np.split(a, [5, 1])",
    "np.split(a, (1,), axis=-1)", "np.split(a, 0)", "np.array_split(a, 2, axis=1)",
    *(f"np.{f}(a, {n})" for f in ("hsplit", "vsplit", "dsplit") for n in ("1", "2", "[1]", "[]")),
    *(f"np.take(a, {i})" for i in ("0", "-1", "[0, 1]", "[]", "[[0], [1]]", "[True, False]", "9")),
    "np.take(a, [0, 0], axis=-1)", "np.take(a, 1, axis=0)", "np.take(a, (1, 0))",
    "np.take(a, [5], mode='clip')", "np.take(a, [-7, 7], mode='wrap')", "np.take(a, 0, axis=1)",
    "np.compress([True, False], a)", "np.compress([1, 0], a, axis=0)", "np.extract([0, 1], a)",
    "np.insert(a, 1, 2.5)", "np.insert(a, [0, 1], [1, 2])", "np.insert(a, 0, 1, axis=0)",
    "np.delete(a, 0)", "np.delete(a, [0, 1])", "np.delete(a, -1, axis=0)", "np.delete(a, [])",
    "np.delete(a, slice(0, 1))", "np.resize(a, (3, 2))", "np.resize(a, 0)", "np.resize(a, 5)",
    *(f"np.quantile(a, {q})" for q in ("0.5", "0", "1", "[0.0, 0.5, 1.0]", "[]", "1.5", "0.3")),
    "np.quantile(a, 0.25, axis=0)", "np.quantile(a, 0.5, axis=-1, keepdims=True)",
    "np.quantile(a, [0.1, 0.9], axis=0)", "np.percentile(a, 50)", "np.percentile(a, [0, 100])",
    "np.quantile(a, 0.4, method='lower')", "np.nanquantile(a, 0.5)", "np.nanpercentile(a, 25)",
    "np.partition(a, 0)", "np.partition(a, 1, axis=0)", "np.argpartition(a, 0)",
    "np.searchsorted(a, 1.0)", "np.digitize(a, [0.0, 1.0])", "np.interp(a, [0.0, 1.0], [2, 3])",
    "np.interp(1.5, a, a)", "np.interp(a, [0.0, 1.0, 2.0], [1.0, 3.0, 5.0], left=-1, right=9.0)",
    "np.full(a, 1.0)", "np.full_like(a, 2)", "np.full_like(a, 2.5, dtype=int)", "np.unwrap(a)",
    "np.einsum('i->', a)", "np.einsum('ij->ji', a)", "np.einsum('ii', a)", "np.einsum('...', a)",
    "np.einsum('ij,jk->ik', a, a)", "np.einsum('i,i', a, a)", "np.einsum('i,j->ij', a, a)",
    "np.unravel_index(a, (2, 3))", "np.unravel_index(a, 6)", "np.ravel_multi_index((a, a), (4, 4))",
    "np.clip(a, 0, 1)", "np.clip(a, 0.5, None)", "np.clip(a, min=1.0)", "np.clip(a, 2.0, 1.0)",
    "np.maximum(a, 1)", "np.minimum(a, 1.5)", "np.add(a, 1)", "np.power(a, 2)", "np.power(a, -1)",
    "np.power(2, a)", "np.power(a, 0.5)", "np.divide(1, a)", "np.floor_divide(a, 0)",
    "np.remainder(a, 2)", "np.maximum(a, np.nan)", "np.true_divide(a, 2)", "np.float_power(a, 2)",
    "np.maximum.reduce(a)", "np.add.reduce(a)", "np.add.reduce(a, axis=0)", "np.add.outer(a, a)",
    "np.multiply.reduce(a, axis=None)", "np.add.accumulate(a)", "np.logaddexp.reduce(a)",
    "np.add.reduceat(a, [0, 1])", "np.minimum.reduce(a, initial=1.0)", "np.logical_and.reduce(a)",
    "np.select([a > 1], [a])", "np.select([a > 1, a > 2], [a, 2.0], -1)", "np.choose(a, [1, 2, 3])",
    "np.where(a > 1)", "np.where(a)", "np.where(a, 1, 0)", "np.where(a > 1, a, 0)",
    "np.where([True, False], a, 1.5)", "np.where(True, a, 0)", "np.where(np.isnan(a), 0, a)",
    "np.astype(a, 'f4')", "np.astype(a, int)", "np.astype(a, float, copy=False)",
    "np.float64(a)", "np.float32(a)", "np.int64(a)", "np.bool(a)", "np.complex128(a)",
    "np.linspace(0, a, 3)", "np.linspace(a, 1, 3, endpoint=False)", "np.linspace(0, 1, a)",
    "np.linspace(a, 2 * a, 2, axis=-1)", "np.linspace(a, 1, 0)", "np.arange(0, a)",
    "np.arange(a, 5, 2)", "np.concatenate([[0.0], a])", "np.concatenate([a, [1]])",
    "np.concatenate([a, a, a], axis=0)", "np.concatenate((a,))", "np.concatenate([])",
    "np.stack([a])", "np.stack([a, a], axis=1)", "np.hstack([a])", "np.hstack([0, a])",
    "np.vstack([a, a])", "np.dstack([a])", "np.column_stack((a, a))", "np.block([[a, a], [a, a]])",
    "np.block(a)", "np.array([a])", "np.array([a, a])", "np.array([[a, 1]])", "np.array((a, 2.0))",
    "np.array([a, a], dtype=int)", "np.asarray([a, a])", "np.append(a, 1)", "np.append([0.0], a)",
    "np.ix_(a, [0, 1])", "np.meshgrid(a, [1, 2])", "np.meshgrid(a, a, a)", "np.mean([a, a])",
    "np.sum([a, 1.0])", "np.max([a, a], axis=0)", "np.sum((a, a), axis=-1)", "np.std([a, a])",
    "np.dot(a, [1.0, 2.0])", "np.dot([1, 2], a)", "np.outer([1, 2], a)", "np.matmul(a, [1, 2])",
    "np.kron(a, [1, 2])", "np.inner(a, 2)", "np.cross(a, [1.0, 2.0, 3.0])", "np.vdot(a, a)",
    "np.convolve(a, [1, 2])", "np.correlate(a, [1.0], 'same')",
    "np.tensordot(a, a, axes=([0], [0]))",
    "np.tensordot(a, a, axes=2)", "np.linalg.solve(a, [1.0, 2.0])", "np.linalg.inv(a) @ a",
    "np.mean(a[a > 9])", "np.std(a[a > 9])", "np.var(a[a > 9])", "np.median(a[a > 9])",
    "np.average(a[a > 9])", "np.max(a[a > 9])", "np.min(a[a > 9])", "np.sum(a[a > 9])",
    "np.prod(a[a > 9])", "np.quantile(a[a > 9], 0.5)", "np.argmax(a[a > 9])", "np.ptp(a[a > 9])",
    "np.cov(a[a > 9])", "np.linalg.norm(a[a > 9])", "np.mean(a) / np.size(a)",
    "np.sum(a) / len(a)", "np.any(a > 1)", "np.all(a == a)", "np.sum(a > 1)", "np.mean(a > 1)",
    "np.argmax(a > 1)", "np.cumsum(a > 1)", "np.diff(a > 1)", "np.sort(a > 1)", "np.dot(a > 1, a)",
    "np.average(a, weights=[1.0, 2.0])", "np.average(a, weights=[0.0, 0.0])",
    "np.average(a, axis=0, weights=[1, 3])", "np.bincount(a, weights=[0.5, 1.5])",
    "np.trapezoid(a, [0.0, 1.0])", "np.gradient(a, [0.0, 1.0])", "np.polyval(a, 2.0)",
    "np.polyval([1.0, 2.0], a)", "np.isclose(a, 1.0)", "np.allclose(a, a)", "np.array_equal(a, a)",
    "np.isin(a, [1.0, 2.0])", "np.in1d(a, [1])", "np.histogram_bin_edges(a, 3)",
    "np.apply_along_axis(np.sum, 0, a)", "np.unstack(a)[0]", "np.split(a, 1)[0]", "np.diag(a) + 0",
    "np.shape(a)[0]", "np.ndim(a) + 0.5", "np.size(a) / 2",
    "np.fft.fftfreq(3, a)", "np.tri(2, 3, a)", "np.eye(2, k=a)", "np.rot90(a, a)", "np.roll(a, a)",
    "np.float64(np.sum(a))", "float(np.sum(a))", "int(np.max(a))", "bool(np.any(a))",
    "isinstance(np.split(a, 1), list)", "isinstance(np.meshgrid(a), tuple)",
    "type(np.sum(a)).__name__", "isinstance(np.mean(a), float)", "np.sum(a) is np.sum(a)",
    "np.asarray(a) is a", "np.ravel(a) is a", "np.atleast_1d(a) is a", "np.sum(a, 0, None, None)",
)  # fmt: skip


def cases() -> Iterator[Case]:
    """All cases, in an order that stays."""
    for name, options in UNARY.items():
        for a in LIKE:
            yield Case(f"np.{name}(a)", {"a": a})
        for option, a in product(options, LIKE):
            yield Case(f"np.{name}(a, {option})", {"a": a})
    for name, a in product(UFUNCS, LIKE):
        yield Case(f"np.{name}(a)", {"a": a})
    for text, a in product(CALLS, LIKE):
        yield Case(text, {"a": a})
    for name, a, b in product(BINARY, FEW, FEW):
        yield Case(f"np.{name}(a, b)", {"a": a, "b": b})
    for text, a, b in product(PAIRS, FEW, FEW):
        yield Case(text, {"a": a, "b": b})
    yield from _constants()
    yield from _written()


def _written() -> Iterator[Case]:
    """The result written, which changes the argument where it shares its memory."""
    texts = [f"np.{name}(a)" for name in UNARY]
    texts += [f"np.{name}(a, {option})" for name, options in UNARY.items() for option in options]
    for text, a in product((*texts, *CALLS), LEAST[:5]):
        yield Case(f"r = {text}\nr[...] = 0\nreturn r", {"a": a})
        yield Case(f"r = {text}\nr[0][...] = 0\nreturn r", {"a": a})


def _constants() -> Iterator[Case]:
    """The array a global, or written in the function."""
    for text, a in product((*CALLS, *(f"np.{name}(a)" for name in UNARY)), LEAST):
        yield Case(text, captured={"a": a})
        if a.literal is not None:
            yield Case(f"a = {a.literal}\nreturn {text}")
            yield Case(f"a = {a.literal}\nreturn {text}, b", {"b": KINDS["array"]})
