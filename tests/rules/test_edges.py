"""Rules at their edges: a slice always, all with `-m campaign`."""

import itertools

import numpy as np
import pytest
from rules.calls import OURS, cases_of
from rules.campaigns import campaign
from rules.edges import Edge, _smooth, edges, edges_of, fault_of

import srcad
from srcad.rules.core.table import name_of

STEP = 397
# Where results for no entries, for one, or at 0 are others than the rest tells.
ONCE_WRONG = """
np.cumulative_sum at ((5,), include_initial=True), none, axis 0
np.cumulative_prod at ((3, 4), axis=0), as it is, axis 2
np.nanpercentile at (make, (3,), axis=1), none, axis 0
np.corrcoef at ((2, 5), (3, 5)), none, axis 0
np.cov at ((5, 2), (5, 1), rowvar=False), none inside, axis 0
np.poly at ((3,)), none, axis 0
np.polymul at ((4,), (1,)), none, axis 0
np.array_split at ((3, 5), (2,), axis=-1), list, axis 0
scipy.special.berp at (()), zero, axis 0
scipy.special.beip at (()), zero, axis 0
scipy.special.kelvin at (()), zero, axis 0
scipy.special.poch at ((3,), float64), zero, axis 0
scipy.special.it2j0y0 at ((3, 4)), zero, axis 0
scipy.special.it2i0k0 at ((3, 4)), zero, axis 0
scipy.special.it2struve0 at ((3, 4)), zero, axis 0
np.unstack at ((3, 4), axis=1), none, axis 4
np.trim_zeros at (made, 'f'), none, axis 0
scipy.stats.multivariate_normal.logpdf at ((4, 3), (3,), made), one, axis 0
scipy.stats.multivariate_normal.pdf at ((2, 4, 3), (3,), cov=made), one first, axis 0
scipy.stats.pareto.logpdf at ((3, 4), ()), truths, axis 0
scipy.linalg.cho_factor at (make), as it is, axis 0
scipy.linalg.lu at (made), one first, axis 0
np.power at ((3, 4), 2), truths, axis 0
np.einsum at ('ij,jk->', (2, 3), (1, 4)), truths, axis 0, beside 0
np.einsum at ('ij,jk->', (2, 3), (1, 4)), bytes, axis 0, beside 0
np.arctan2 at ((3, 4), (3, 4)), bytes, axis 0, beside 0
np.arctan2 at ((), (3,)), truths, axis 0, beside 0
np.power at ((3, 4), (3, 4)), bytes, axis 0, beside 0
np.float_power at ((3, 4), (3, 4)), small ints, axis 0, beside 1
np.gradient at ((6,), made), bytes, axis 0, beside 0
np.gradient at ((6,), made), bytes, axis 0, beside 1
np.interp at ((6,), made, (5,)), bytes, axis 0, beside 2
scipy.special.boxcox at ((3, 4), (3, 4)), small ints, axis 0, beside 1
scipy.special.huber at ((3, 4), (3, 4)), bytes, axis 0, beside 0
scipy.special.rel_entr at ((3, 4), (3, 4)), bytes, axis 0, beside 0
scipy.stats.pareto.pdf at ((3, 4), ()), bytes, axis 0, beside 1
scipy.stats.lognorm.pdf at ((3, 4), ()), bytes, axis 0, beside 1
scipy.stats.skewnorm.logpdf at ((3, 4), ()), complex, axis 0, beside 1
scipy.stats.zmap at ((4,), (5,)), complex, axis 0, beside 0
"""


def _edge(text: str) -> Edge:
    """The edge that is shown so."""
    name = text.partition(" at ")[0]
    rule = next((rule for rule in OURS if name_of(rule.fn) == name), None)
    if rule is None:
        pytest.skip(f"there is no `{name}` here")
    found = (edge for case in cases_of(rule) for edge in edges_of(rule, case))
    return next(edge for edge in found if str(edge) == text)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", ONCE_WRONG.strip().splitlines())
def test_once_wrong(text):
    assert fault_of(_edge(text))[0] is None


def test_infinite_slopes_are_not_smooth():
    """The cube root is as steep on both sides of 0, and steeper over shorter steps."""
    h = 1e-5
    points = [np.cbrt(np.array([k * h])) for k in (-2, -1, 0, 1, 2)]
    assert _smooth(h, *points) is None
    assert _smooth(h, *(np.sin(np.array([k * h])) for k in (-2, -1, 0, 1, 2))) is not None


def test_covariance_with_more_degrees_of_freedom_than_samples():
    def f(x):
        return np.sum(np.cov(x, ddof=6))

    x = np.random.default_rng(0).normal(size=(2, 4))
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning):
        assert srcad.value_and_grad(f)(x)[0] == f(x) == np.inf


def test_small_ints_and_truths_as_options():
    x = np.array([[0.7, 0.3, 0.9, 1.4], [0.2, 2.0, 0.1, 0.6]])
    weights = np.array([42, 126, 72, 234])

    def cov(x, w):
        return np.sum(np.cov(x, aweights=w))

    def counts(x, k):
        return np.sum(np.bincount(k, weights=x[0]) ** 2)

    wanted = srcad.grad(cov)(x, weights)
    np.testing.assert_allclose(srcad.grad(cov)(x, weights.astype(np.uint8)), wanted)
    truths = np.array([True, False, True, True])
    wanted = srcad.grad(counts)(x, truths.astype(int))
    np.testing.assert_array_equal(srcad.grad(counts)(x, truths), wanted)


@pytest.mark.filterwarnings("ignore")
def test_programs_are_specialised_to_empty_arrays():
    """One function, called with and without entries, in either order."""

    def f(x):
        return np.nanquantile(x, [0.2, 0.9], axis=0)

    compiled = srcad.compile(f)
    for rows in (3, 0, 2):
        x = np.arange(2.0 * rows).reshape(rows, 2)
        with np.errstate(all="ignore"):
            assert compiled(x).shape == f(x).shape
            assert srcad.jvp(f, (x,), (x,))[1].shape == f(x).shape


def test_whether_a_computed_array_is_empty_is_not_known():
    def f(x):
        return np.nanquantile(x[x > 0], [0.2, 0.9])

    with pytest.raises(srcad.SrcadError, match="E123"):
        srcad.jvp(f, (np.ones(3),), (np.ones(3),))


@pytest.mark.parametrize("q", [0, 0.13, 0.5, 0.77, 0.95])
def test_quantiles_are_those_of_numpy_to_the_bit(q):
    def f(x):
        return np.quantile(x, q)

    for x in (*np.random.default_rng(0).normal(size=(9, 7)), np.array([-0.0, 0.0])):
        made = srcad.value_and_grad(f)(x)[0]
        assert made == f(x)
        assert np.signbit(made) == np.signbit(f(x))


def test_quantiles_at_a_truth_value_are_refused():
    """NumPy computes these in the dtype of the truth value, not in that of the array."""

    def f(x):
        return np.percentile(x, True)

    with pytest.raises(srcad.SrcadError, match="E203"):
        srcad.grad(f)(np.ones(3, np.float32))


def test_a_slice_of_the_edges():
    counts, faults = campaign(itertools.islice(edges(), 5, None, STEP), fault_of)
    assert not faults, "\n".join(faults)
    assert counts["alike"] > counts.total() / 4


@pytest.mark.campaign
@pytest.mark.parametrize("first", range(40))
def test_all_edges(first):
    _, faults = campaign(itertools.islice(edges(), first, None, 40), fault_of)
    assert not faults, "\n".join(faults)
