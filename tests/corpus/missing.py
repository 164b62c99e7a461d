"""Missing data: NaN among the measurements, left out in the ways in which people do it.

What the missing entries would give is computed, is NaN, and is not selected: it has no part in the
gradient.
"""

import numpy as np
from corpus.program import Theme, array, positive

program = Theme("missing")

rng = np.random.default_rng(3)
SEEN = rng.uniform(0.5, 2.0, (4, 3))
SEEN[1, 2] = SEEN[3, 0] = np.nan
KNOWN = ~np.isnan(SEEN)
SERIES = rng.uniform(0.5, 2.0, 6)
SERIES[[1, 4]] = np.nan

factors = array(4, 2), array(3, 2)


# Matrices -----------------------------------------------------------------------------------------


@program(*factors)
def residuals_chosen(u, v):
    r = SEEN - u @ v.T
    return np.sum(np.where(KNOWN, r, 0.0) ** 2)


@program(*factors)
def residuals_by_mask(u, v):
    r = SEEN * (u @ v.T)
    return np.sum(r[KNOWN] ** 2)


@program(*factors)
def sums_without_nan(u, v):
    r = SEEN - u @ v.T
    return np.nansum(r**2) + np.sum(np.nan_to_num(r * SEEN) ** 2)


@program(*factors)
def moments_without_nan(u, v):
    r = SEEN * (u @ v.T)
    return np.nanmean(r**2) + np.nanstd(r) + np.nanvar(r, axis=0).sum()


@program(*factors, smooth=False)
def extremes_without_nan(u, v):
    r = SEEN * (u @ v.T)
    return np.nanmax(r) - np.nanmin(r) + np.nanmedian(r)


@program(*factors)
def zeroed(u, v):
    r = SEEN * (u @ v.T)
    r[~KNOWN] = 0
    return np.sum(r * r)


@program(*factors)
def two_loops(u, v):
    s = 0.0
    for i in range(4):
        for j in range(3):
            if np.isnan(SEEN[i, j]):
                continue
            s += (SEEN[i, j] - u[i] @ v[j]) ** 2
    return s


@program(*factors)
def generated(u, v):
    r = SEEN * (u @ v.T)
    return sum(e**2 for row in r for e in row if not np.isnan(e))


@program(*factors)
def weighted(u, v):
    r = (SEEN - u @ v.T) ** 2
    w = np.where(np.isnan(r), 0.0, 1.0)
    return np.sum(w * np.where(w > 0, r, 0)) / np.sum(w)


@program(*factors)
def where_of_reductions(u, v):
    r = SEEN * (u @ v.T)
    return np.sum(r, where=KNOWN) + np.sum(r.mean(axis=1, where=KNOWN) ** 2)


@program(*factors, smooth=False)
def bounded_by_the_other(u, v):
    r = SEEN * (u @ v.T)
    return np.sum(np.fmax(r, -0.1)) + np.sum(np.fmin(r, 0.2) ** 2)


@program(*factors)
def places(u, v):
    r = SEEN * (u @ v.T)
    i, j = np.nonzero(KNOWN)
    return np.sum(r[i, j] ** 2)


@program(*factors)
def row_by_row(u, v):
    r = SEEN * (u @ v.T)
    rows = [r[k][KNOWN[k]] for k in range(4)]
    return sum([np.sum(row**2) for row in rows])


@program(*factors)
def compressed(u, v):
    r = SEEN * (u @ v.T)
    picked = np.compress(KNOWN.ravel(), r.ravel())
    return np.sum(picked**2) + np.sum(np.extract(KNOWN, r))


@program(*factors)
def imputed(u, v):
    z = np.where(np.isnan(SEEN), u @ v.T, SEEN)
    return np.sum((z - z.mean(axis=0)) ** 2)


@program(*factors)
def written_by_mask(u, v):
    out = np.zeros((4, 3))
    out[KNOWN] = ((u @ v.T) * SEEN)[KNOWN]
    return np.sum(out**2)


@program(*factors)
def copied_over(u, v):
    z = (u @ v.T) * SEEN
    np.copyto(z, 0.0, where=~KNOWN)
    return np.sum(z**2)


@program(*factors)
def divided_where_known(u, v):
    p = u @ v.T
    z = np.divide(p, SEEN, out=np.zeros_like(p), where=KNOWN)
    return np.sum(z**2)


# Series -------------------------------------------------------------------------------------------


@program(positive(6))
def running_without_nan(x):
    z = x * SERIES
    return np.nancumsum(z)[-1] + np.nanprod(z)


@program(positive(6), smooth=False)
def least_of_sorted(x):
    z = x * SERIES
    return np.sum(np.sort(z)[:4] ** 2) + z[np.nanargmax(z)] ** 2


@program(positive(6))
def spread_of_finite(x):
    z = x * SERIES
    z = z[np.isfinite(z)]
    return np.std(z)


@program(positive(6))
def steps_between_known(x):
    before, s = None, 0.0
    for z in x * SERIES:
        if np.isnan(z):
            continue
        if before is not None:
            s += (z - before) ** 2
        before = z
    return s


@program(positive(6))
def carried_forward(x):
    last, s = 1.0, 0.0
    for z in x * SERIES:
        last = z if z == z else last
        s += last**2
    return s


@program(positive(6))
def read_by_index(x):
    z = x * SERIES
    k, s = 0, 0.0
    while k < len(z):
        if not np.isnan(z[k]):
            s += z[k] * x[k]
        k += 1
    return s


@program(positive(6), smooth=False)
def quantiles_without_nan(x):
    z = x * SERIES
    return np.nanpercentile(z, 50) + np.nanquantile(z, 0.3)


@program(positive(6))
def several_arrays_read(x):
    z = x * SERIES
    t = z * x
    s = 0.0
    for k in range(6):
        if np.isnan(t[k]):
            continue
        s += t[k] + z[k] * t[k]
    return s


@program(positive(6))
def small_arrays(x):
    s = 0.0
    for k in range(6):
        z = x[k] * SERIES[k]
        pair = np.array([z, z * z])
        if np.isnan(pair).any():
            continue
        s += pair @ pair
    return s


@program(positive(6), smooth=False)
def greatest_so_far(x):
    best = -np.inf
    for v, w in zip(x, SERIES):
        best = np.fmax(best, v * w)
    return best


@program(positive(6))
def at_nothing_by_zero(x):
    t = np.arange(6.0)
    speed = x / t
    return np.sum(speed[1:] ** 2)
