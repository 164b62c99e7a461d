import operator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import srcad
from srcad.errors import MissingRule, ShapeError
from srcad.ir import ArrayType, Dim, NumberType, ObjectType, TupleType, Value
from srcad.rules import RULES
from srcad.rules.arrays.index_facts import sliced_extent
from srcad.rules.arrays.joining import sum_extents
from srcad.rules.core import facts
from srcad.rules.core.declaration.probing import elementwise_type, probe
from srcad.rules.core.facts import (
    as_type,
    broadcast_extents,
    broadcast_shapes,
    normalize_axes,
    reduced_shape,
    shape_from,
    size_of_shape,
    type_of_constant,
    ufunc_type,
)
from srcad.rules.core.infer import infer
from srcad.rules.core.staged import Builder

F64, F32 = np.dtype(float), np.dtype(np.float32)
N, K, MAYBE = Dim("n", never_one=True), Dim("k", never_one=True), Dim("m")

extents = st.lists(st.sampled_from([1, 2, 3]), max_size=4)


@given(extents, extents)
def test_broadcasting_is_numpys(a, b):
    try:
        want = np.broadcast_shapes(tuple(a), tuple(b))
    except ValueError:
        with pytest.raises(ShapeError):
            broadcast_shapes(tuple(a), tuple(b))
    else:
        assert broadcast_shapes(tuple(a), tuple(b)) == want


@pytest.mark.parametrize(
    ("a", "b", "want"),
    [(N, N, N), (N, 1, N), (1, N, N), (N, 5, 5), (5, MAYBE, 5), (N, MAYBE, N), (MAYBE, K, K)],
)
def test_symbolic_extents_broadcast(a, b, want):
    assert broadcast_extents(a, b) == want


def test_two_unsure_extents_give_a_third():
    both = broadcast_extents(MAYBE, Dim("p"))
    assert isinstance(both, Dim)
    assert both not in (MAYBE, Dim("p"))


DTYPES = [np.bool_, np.int32, np.int64, np.float32, np.float64, np.complex64]
VALUES = [np.ones(3, d) for d in DTYPES] + [np.float32(1), 2, 2.0, True, 1j]


@pytest.mark.parametrize("ufunc", [np.add, np.true_divide, np.power, np.arctan2, np.less])
def test_dtypes_of_ufuncs_are_numpys(ufunc):
    for a in VALUES:
        for b in VALUES:
            try:
                want = ufunc(a, b)
            except TypeError:
                continue
            t = ufunc_type(ufunc)(as_type(a), as_type(b))
            assert (t.dtype, t.shape) == (want.dtype, want.shape)
            assert t.scalar == isinstance(want, np.generic)


@pytest.mark.parametrize(
    "op",
    [
        *(operator.add, operator.mul, operator.truediv, operator.floordiv, operator.mod),
        *(operator.pow, operator.lt, operator.eq, operator.and_, operator.xor, operator.lshift),
    ],
)
def test_kinds_of_numbers_are_pythons(op):
    for a in (True, 3, 2.5):
        for b in (True, 2, 0.5):
            try:
                want = op(a, b)
            except TypeError:
                continue
            t = RULES[op].type_of(NumberType(type(a)), NumberType(type(b)))
            assert t.kind is type(want)


def test_tuples_concatenate_and_compare():
    pair = TupleType((NumberType(int), NumberType(int)))
    assert len(RULES[operator.add].type_of(pair, (1,)).items) == 3
    assert RULES[operator.eq].type_of(pair, (1, 2)) == NumberType(bool)


def test_an_extent_less_a_constant_stays_an_extent():
    t = RULES[operator.sub].type_of(NumberType(int, N), 2)
    assert t.extent == N.shortened(2)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (-1, 0), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reduced_shapes_are_numpys(axis, keepdims):
    want = np.sum(np.ones((2, 3, 4)), axis=axis, keepdims=keepdims).shape
    assert reduced_shape((2, 3, 4), axis, keepdims) == want


def test_an_axis_out_of_range_is_refused():
    with pytest.raises(ShapeError, match="E403"):
        normalize_axes(2, 2)


def test_constants():
    assert type_of_constant(np.ones((2, 3))) == ArrayType(F64, (2, 3))
    assert type_of_constant(np.float32(1)) == ArrayType(F32, (), scalar=True)
    assert type_of_constant(3) == NumberType(int, 3)
    assert type_of_constant("a") == ObjectType("str")
    assert as_type([1.0, 2.0]) == ArrayType(F64, (2,))
    assert shape_from((2, NumberType(int, N))) == (2, N)


def test_probing_finds_rank_and_dtype():
    t = probe(np.outer, (ArrayType(F32, (N,)), ArrayType(F32, (K,))), {})
    assert t.dtype == F32
    assert len(t.shape) == 2


def test_probing_an_elementwise_function_keeps_extents():
    t = elementwise_type(lambda x, y: x * y + 1)(ArrayType(F32, (N, 1)), ArrayType(F32, (7,)))
    assert t == ArrayType(F32, (N, 7))


def test_options_of_ufuncs_are_refused():
    with pytest.raises(MissingRule, match="E203"):
        infer(np.floor, (np.ones(3),), {"out": np.ones(3)})


def test_unknown_extents_differ():
    assert facts.unknown_extent() != facts.unknown_extent()


# ---- names of extents


COMPOSED = {
    "end to end": (2, lambda x, y: np.concatenate([x, y])),
    "three": (2, lambda x, y: np.concatenate([x, y, x])),
    "product": (2, lambda x, y: np.reshape(np.outer(x, y), (-1,))),
    "product with 2": (1, lambda x: np.reshape(np.stack([x, x]), (-1,))),
    "shorter": (1, lambda x: x[1:]),
    "cut": (1, lambda x: x[:-2]),
    "longer": (1, lambda x: np.pad(x, 1)),
    "every second": (1, lambda x: x[::2]),
    "backwards": (1, lambda x: x[-2::-1]),
    "piece": (1, lambda x: np.array_split(x, 2)[1]),
    "bins": (1, lambda x: np.abs(np.fft.rfft(x))),
    "points": (1, lambda x: np.fft.irfft(x)),
    "diagonal": (2, lambda x, y: np.diagonal(np.outer(x, y))),
    "least": (2, lambda x, y: np.linalg.svd(np.outer(x, y), compute_uv=False)),
    "all": (2, lambda x, y: np.convolve(x, y)),
}


@pytest.mark.parametrize("seed", range(200))
def test_extents_of_one_name_have_one_size(seed):
    """Of arrays made of arrays, whatever the sizes of the first ones."""
    rng = np.random.default_rng(seed)
    environments = [dict(zip("nmk", rng.integers(4, 9, 3), strict=True)) for _ in range(3)]
    builder = Builder()
    known = [
        (
            builder.wrap(Value(name, ArrayType(np.dtype(float), (Dim(name, never_one=True),)))),
            [np.ones(sizes[name]) for sizes in environments],
        )
        for name in "nmk"
    ]
    for _ in range(60):
        count, fn = COMPOSED[str(rng.choice(list(COMPOSED)))]
        picked = [known[int(rng.integers(len(known)))] for _ in range(count)]
        arrays = [fn(*(real[k] for _, real in picked)) for k in range(len(environments))]
        if all(4 <= len(a) < 400 for a in arrays):
            known.append((fn(*(staged for staged, _ in picked)), [np.ones(len(a)) for a in arrays]))
    sizes = {}
    for staged, arrays in known:
        (extent,) = staged.type.shape
        found = tuple(map(len, arrays))
        assert sizes.setdefault(extent, found) == found, extent


N_, M_, K_ = (Dim(name) for name in "nmk")
EVERY_SECOND = slice(None, None, 2)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (sum_extents([N_, size_of_shape([M_, K_])]), size_of_shape([sum_extents([N_, M_]), K_])),
        (
            size_of_shape([2, sliced_extent(N_, EVERY_SECOND)]),
            sliced_extent(size_of_shape([2, N_]), EVERY_SECOND),
        ),
        (size_of_shape([N_.shortened(1), M_]), size_of_shape([N_, M_]).shortened(1)),
        (
            sum_extents([N_, broadcast_extents(M_, K_)]),
            broadcast_extents(sum_extents([N_, M_]), K_),
        ),
    ],
)
def test_extents_of_two_sizes_have_two_names(one, other):
    assert str(one) != str(other)


AXIS = 0


@pytest.mark.parametrize("fn", [np.sum, np.prod, np.max, np.nansum, np.nanmean, np.nanstd, np.ptp])
def test_an_axis_of_a_number(fn):
    for f in (
        lambda w, x: w * fn(x * x, axis=AXIS),
        lambda w, x: w * fn(x * x, axis=-1),
        lambda w, x: w * fn(x * x, axis=None),
    ):
        assert srcad.value_and_grad(f)(2.0, 3.0) == (f(2.0, 3.0), fn(9.0))
        assert srcad.grad(f, 1)(2.0, 3.0) == pytest.approx((f(2.0, 4.0) - f(2.0, 2.0)) / 2)
    for transform in (srcad.compile, srcad.grad):
        with pytest.raises(srcad.SrcadError, match="E403"):
            transform(lambda w: w * fn(w, axis=1))(2.0)


@pytest.mark.parametrize("dtype", [float, np.float32, int, np.int8, bool])
def test_the_whole_part_has_the_dtype_that_numpy_gives(dtype):
    def f(a):
        return np.fix(a), np.fix(a).dtype.name, np.fix(a[0])

    a = np.array([1, 0], dtype)
    found, name, first = srcad.compile(f)(a)
    assert name == found.dtype.name == np.fix(a).dtype.name
    assert type(first) is type(np.fix(a[0]))
