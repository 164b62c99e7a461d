/* Value and gradient of three of the programs, as one writes an adjoint by hand in C.
 *
 * Arrays are contiguous and in double precision. The gradients are written to the last arrays;
 * the loss is half the sum of the squares of all outputs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double THIRD = 0.33333;

/* to[1:-1] = THIRD * (from[:-2] + from[1:-1] + from[2:]) */
static void average(long n, const double *restrict from, double *restrict to)
{
    for (long i = 1; i < n - 1; i++)
        to[i] = THIRD * (from[i - 1] + from[i] + from[i + 1]);
}

/* The adjoint of `average`. What `to_bar` had inside has gone over to `from_bar`: the caller takes it
 * for 0. What `from_bar` has inside counts if `add`; else it is overwritten. */
static inline void average_adjoint(long n, double *restrict from_bar, double *restrict to_bar, int add)
{
    from_bar[0] += THIRD * to_bar[1];
    from_bar[n - 1] += THIRD * to_bar[n - 2];
    const double first = to_bar[0], last = to_bar[n - 1];
    to_bar[0] = to_bar[n - 1] = 0;
    for (long i = 1; i < n - 1; i++)
        from_bar[i] = (add ? from_bar[i] : 0) + THIRD * (to_bar[i - 1] + to_bar[i] + to_bar[i + 1]);
    to_bar[0] = first, to_bar[n - 1] = last;
}

static double half_squares(long n, const double *x)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (long i = 0; i < n; i++)
        sum += x[i] * x[i];
    return 0.5 * sum;
}

/* The sweeps are linear: nothing is saved, and the outputs are the first cotangents. */
double jacobi_1d(long n, long steps, const double *a, const double *b, double *a_bar, double *b_bar)
{
    memcpy(a_bar, a, n * sizeof(double));
    memcpy(b_bar, b, n * sizeof(double));
    for (long t = 0; t < steps; t++) {
        average(n, a_bar, b_bar);
        average(n, b_bar, a_bar);
    }
    const double value = half_squares(n, a_bar) + half_squares(n, b_bar);
    for (long t = 0; t < steps; t++) {
        if (t == 0)
            average_adjoint(n, b_bar, a_bar, 1);
        else
            average_adjoint(n, b_bar, a_bar, 0);
        average_adjoint(n, a_bar, b_bar, 0);
    }
    if (steps)
        memset(b_bar + 1, 0, (n - 2) * sizeof(double));
    return value;
}

/* Every entry that is read has its last value by then: the factors are all that is saved. */
double lu(long n, const double *a, double *a_bar)
{
    double *f = malloc(n * n * sizeof(double));
    memcpy(f, a, n * n * sizeof(double));
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            const long m = i < j ? i : j;
            double s = 0;
#pragma omp simd reduction(+ : s)
            for (long k = 0; k < m; k++)
                s += f[i * n + k] * f[k * n + j];
            f[i * n + j] -= s;
            if (j < i)
                f[i * n + j] /= f[j * n + j];
        }
    const double value = half_squares(n * n, f);
    memcpy(a_bar, f, n * n * sizeof(double));
    for (long i = n - 1; i >= 0; i--)
        for (long j = n - 1; j >= 0; j--) {
            const long m = i < j ? i : j;
            if (j < i) {
                a_bar[i * n + j] /= f[j * n + j];
                a_bar[j * n + j] -= a_bar[i * n + j] * f[i * n + j];
            }
            const double g = a_bar[i * n + j];
            for (long k = 0; k < m; k++) {
                a_bar[i * n + k] -= g * f[k * n + j];
                a_bar[k * n + j] -= g * f[i * n + k];
            }
        }
    free(f);
    return value;
}

/* The output is its own cotangent; its sum is that of the trace. */
double trace_of_tanh(long n, const double *a, double *a_bar)
{
    double trace = 0, squares = 0, trace_bar = 0;
    for (long i = 0; i < n; i++)
        trace += tanh(a[i * n + i]);
#pragma omp simd reduction(+ : squares, trace_bar)
    for (long i = 0; i < n * n; i++) {
        const double out = a[i] + trace;
        a_bar[i] = out;
        squares += out * out;
        trace_bar += out;
    }
    for (long i = 0; i < n; i++) {
        const double y = tanh(a[i * n + i]);
        a_bar[i * n + i] += trace_bar * (1 - y * y);
    }
    return 0.5 * squares;
}
