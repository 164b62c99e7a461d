"""Functions of C that programs call: what Python and NumPy do where C does another thing.

-7 // 2, -7 % 3        -4, 2         C rounds towards zero
np.maximum(nan, 1)     nan           `fmax` gives 1
x[-1]                  x[n - 1]

Those for double have a twin for float, whose name ends in `f`. Only what is called is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_TEXTS = """
static inline double srcad_maximum(double a, double b)
{
    return a >= b || isnan(a) ? a : b;
}

static inline double srcad_minimum(double a, double b)
{
    return a <= b || isnan(a) ? a : b;
}

static inline double srcad_sign(double x)
{
    return isnan(x) ? x : (double)((x > 0) - (x < 0));
}

static inline double srcad_logaddexp(double a, double b)
{
    if (a == b) {
        return a + log(2.0);
    }
    return a > b ? a + log1p(exp(b - a)) : b > a ? b + log1p(exp(a - b)) : a - b;
}

static inline double srcad_remainder(double a, double b)
{
    if (b == 0 || isinf(a) || isnan(a) || isnan(b)) {
        return NAN;
    }
    double rest = fmod(a, b);
    if (rest == 0) {
        return copysign(0.0, b);
    }
    return (b < 0) != (rest < 0) ? rest + b : rest;
}

static inline double srcad_quotient(double a, double b)
{
    if (b == 0) {
        return fabs(a) > 0 ? copysign(INFINITY, a) * copysign(1.0, b) : NAN;
    }
    if (isinf(a) || isnan(a) || isnan(b)) {
        return NAN;
    }
    double rest = fmod(a, b);
    double ratio = (a - rest) / b;
    if (rest != 0 && (b < 0) != (rest < 0)) {
        ratio -= 1;
    }
    if (ratio == 0) {
        return copysign(0.0, a) * copysign(1.0, b);
    }
    double whole = floor(ratio);
    return ratio - whole > 0.5 ? whole + 1 : whole;
}

static inline int64_t srcad_floor_divide(int64_t a, int64_t b)
{
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static inline int64_t srcad_modulo(int64_t a, int64_t b)
{
    if (b == 0 || b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

static inline int64_t srcad_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t srcad_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t srcad_abs(int64_t a)
{
    return a < 0 ? (int64_t)(0 - (uint64_t)a) : a;
}

static inline int64_t srcad_sign_of_int(int64_t a)
{
    return (a > 0) - (a < 0);
}

static inline int64_t srcad_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t srcad_subtract(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static inline int64_t srcad_multiply(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

static inline bool srcad_power_fits(int64_t a, int64_t n)
{
    int64_t result = 1;
    int64_t size = a < 0 ? -a : a;
    if (size <= 1) {
        return true;
    }
    for (int64_t k = 0; k < n; k++) {
        if (result > INT64_MAX / size) {
            return false;
        }
        result *= size;
    }
    return true;
}

static inline int64_t srcad_power(int64_t a, int64_t n)
{
    int64_t result = 1;
    if (a == 0 || a == 1 || a == -1) {
        return n == 0 ? 1 : a == -1 && n % 2 == 0 ? 1 : a;
    }
    for (int64_t k = 0; k < n; k++) {
        result *= a;
    }
    return result;
}

static inline int64_t srcad_counted(int64_t at, int64_t n)
{
    return at < 0 ? at + n : at;
}

static inline int64_t srcad_clipped(int64_t at, int64_t n)
{
    at = at < 0 ? at + n : at;
    return at < 0 ? 0 : at > n ? n : at;
}

static inline int64_t srcad_count_iterations(int64_t start, int64_t stop, int64_t step)
{
    int64_t count = srcad_floor_divide(stop - start + step - (step > 0 ? 1 : -1), step);
    return count > 0 ? count : 0;
}

static inline int64_t srcad_rolled(int64_t shift, int64_t n)
{
    return n > 0 ? srcad_modulo(shift, n) : 0;
}

static inline int64_t srcad_at_edge(int64_t at, int64_t n)
{
    return at < 0 ? 0 : at > n - 1 ? n - 1 : at;
}

static inline int64_t srcad_reflected(int64_t at, int64_t n)
{
    int64_t back = n - 1 - (at < 0 ? -at : at);
    return n - 1 - (back < 0 ? -back : back);
}

static inline int64_t srcad_mirrored(int64_t at, int64_t n)
{
    at = at >= 0 ? at : -1 - at;
    return at < n ? at : 2 * n - 1 - at;
}

static inline int64_t srcad_largest_at(const double *x, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (x[i] > x[best] || (isnan(x[i]) && !isnan(x[best]))) {
            best = i;
        }
    }
    return best;
}

static inline int64_t srcad_smallest_at(const double *x, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (x[i] < x[best] || (isnan(x[i]) && !isnan(x[best]))) {
            best = i;
        }
    }
    return best;
}

static void *srcad_room(int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / size) {
        return NULL;
    }
    return calloc(count > 0 ? (size_t)count : 1, size);
}

static void *srcad_longer(void *old, int64_t count, size_t size)
{
    if (count < 0 || (uint64_t)count > (uint64_t)PTRDIFF_MAX / size) {
        return NULL;
    }
    return realloc(old, count > 0 ? (size_t)count * size : size);
}

static bool srcad_solve(double *a, int64_t n, double *b, int64_t count)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++) {
            if (fabs(a[k * n + i]) > fabs(a[k * n + pivot])) {
                pivot = i;
            }
        }
        if (a[k * n + pivot] == 0) {
            return false;
        }
        for (int64_t j = 0; j < n && pivot != k; j++) {
            double entry = a[j * n + k];
            a[j * n + k] = a[j * n + pivot];
            a[j * n + pivot] = entry;
        }
        for (int64_t r = 0; r < count && pivot != k; r++) {
            double entry = b[r * n + k];
            b[r * n + k] = b[r * n + pivot];
            b[r * n + pivot] = entry;
        }
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[k * n + i] / a[k * n + k];
            for (int64_t j = k + 1; j < n; j++) {
                a[j * n + i] -= factor * a[j * n + k];
            }
            for (int64_t r = 0; r < count; r++) {
                b[r * n + i] -= factor * b[r * n + k];
            }
        }
    }
    for (int64_t r = 0; r < count; r++) {
        for (int64_t i = n - 1; i >= 0; i--) {
            double entry = b[r * n + i];
            for (int64_t j = i + 1; j < n; j++) {
                entry -= a[j * n + i] * b[r * n + j];
            }
            b[r * n + i] = entry / a[i * n + i];
        }
    }
    return true;
}

static bool srcad_cholesky(double *a, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = j; i < n; i++) {
            double entry = a[j * n + i];
            for (int64_t k = 0; k < j; k++) {
                entry -= a[k * n + i] * a[k * n + j];
            }
            if (i == j && !(entry > 0)) {
                return false;
            }
            a[j * n + i] = i == j ? sqrt(entry) : entry / a[j * n + j];
        }
    }
    return true;
}

static void srcad_matmul(double *out, int64_t rows, int64_t columns, int64_t inner,
                         const double *x, int64_t x_row, int64_t x_column,
                         const double *y, int64_t y_row, int64_t y_column)
{
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < columns; j++) {
            out[i * columns + j] = 0;
        }
        for (int64_t k = 0; k < inner; k++) {
            double factor = x[i * x_row + k * x_column];
            for (int64_t j = 0; j < columns; j++) {
                out[i * columns + j] += factor * y[k * y_row + j * y_column];
            }
        }
    }
}
"""
_NAME = re.compile(r"\bsrcad_\w+")
_FUNCTIONS = [text.strip("\n") for text in re.split(r"\n(?=static )", _TEXTS) if text.strip()]
_DOUBLE = {"exp", "log", "log1p", "fmod", "copysign", "fabs", "floor", "sqrt"}


def _name_of(text: str) -> str:
    found = _NAME.search(text)
    assert found is not None
    return found[0]


def _single(text: str) -> str:
    """The twin for float."""
    text = re.sub(r"\bdouble\b", "float", text)
    text = re.sub(r"\b(\d+\.\d+)\b", r"\1f", text)
    text = re.sub(rf"\b({'|'.join(_DOUBLE)})\(", r"\1f(", text)
    return text.replace(_name_of(text), f"{_name_of(text)}f")


_KNOWN = {_name_of(text): text for text in _FUNCTIONS}
_KNOWN |= {f"{name}f": _single(text) for name, text in _KNOWN.items() if "double" in text}


def helpers_for(texts: Iterable[str]) -> list[str]:
    """The functions that texts call, and those that these call, in their order."""
    wanted: set[str] = set()
    waiting = list(texts)
    while waiting:
        for name in set(_NAME.findall(waiting.pop())) & _KNOWN.keys() - wanted:
            wanted.add(name)
            waiting.append(_KNOWN[name])
    return [text for name, text in _KNOWN.items() if name in wanted]


__all__ = ["helpers_for"]
