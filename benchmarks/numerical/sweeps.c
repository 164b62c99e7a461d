/* The pressure equation of `cavity_flow` alone, and its adjoint as one writes it by hand, in C.
 *
 * Derivatives by the widths of the mesh need the pressure of each sweep, which is either saved (`tape`
 * has room for all) or computed again from that of the start of a step (room for one step).
 * Arrays are n x n; `sums` gets what the four numbers of a sweep need. A gradient takes `b_bar` as zeros; it
 * leaves the cotangent of `p` in `p_bar`, or in `other` after an odd number of sweeps.
 */
#include <string.h>

struct numbers { double x2, y2, c, d; };

/* p = ((q[i][j+1] + q[i][j-1]) * y2 + (q[i+1][j] + q[i-1][j]) * x2) / c - d * b, and the walls */
static void sweep(long n, const double *restrict q, double *restrict p, const double *restrict b,
                  struct numbers w)
{
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) {
            const long k = i * n + j;
            p[k] = ((q[k + 1] + q[k - 1]) * w.y2 + (q[k + n] + q[k - n]) * w.x2) / w.c - w.d * b[k];
        }
    for (long i = 0; i < n; i++)
        p[i * n + n - 1] = p[i * n + n - 2];
    memcpy(p, p + n, n * sizeof(double));
    for (long i = 0; i < n; i++)
        p[i * n] = p[i * n + 1];
    memset(p + (n - 1) * n, 0, n * sizeof(double));
}

/* The adjoint of `sweep`: from `p_bar`, which it changes, to `q_bar`. What the source gets is the same
 * multiple each time: `total` has the sum of the cotangents, `finish` the rest. */
static void sweep_adjoint(long n, const double *restrict q, double *restrict p_bar,
                          double *restrict q_bar, double *restrict total, struct numbers w,
                          double *sums)
{
    const double x = w.x2 / w.c, y = w.y2 / w.c;
    double rows = 0, columns = 0;
    memset(p_bar + (n - 1) * n, 0, n * sizeof(double));
    for (long i = 0; i < n; i++) {
        p_bar[i * n + 1] += p_bar[i * n];
        p_bar[i * n] = 0;
    }
    for (long j = 0; j < n; j++) {
        p_bar[n + j] += p_bar[j];
        p_bar[j] = 0;
    }
    for (long i = 0; i < n; i++) {
        p_bar[i * n + n - 2] += p_bar[i * n + n - 1];
        p_bar[i * n + n - 1] = 0;
    }
    for (long j = 0; j < n; j++) {
        q_bar[j] = x * p_bar[n + j];
        q_bar[(n - 1) * n + j] = x * p_bar[(n - 2) * n + j];
    }
    for (long i = 1; i < n - 1; i++) {
        q_bar[i * n] = y * p_bar[i * n + 1];
        q_bar[i * n + n - 1] = y * p_bar[i * n + n - 2];
#pragma omp simd reduction(+ : rows, columns)
        for (long j = 1; j < n - 1; j++) {
            const long k = i * n + j;
            columns += p_bar[k] * (q[k + 1] + q[k - 1]);
            rows += p_bar[k] * (q[k + n] + q[k - n]);
            total[k] += p_bar[k];
            q_bar[k] = y * (p_bar[k - 1] + p_bar[k + 1]) + x * (p_bar[k - n] + p_bar[k + n]);
        }
    }
    sums[0] += rows, sums[1] += columns;
}

/* The cotangent of the source, and what its factor needs, of the sum of the cotangents. */
static void finish(long n, const double *b, double *b_bar, struct numbers w, double *sums)
{
    double sources = 0;
#pragma omp simd reduction(+ : sources)
    for (long k = 0; k < n * n; k++) {
        sources += b_bar[k] * b[k];
        b_bar[k] *= -w.d;
    }
    sums[2] += sources;
}

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

void function(long n, long steps, long sweeps, double *p, double *other, const double *b,
              struct numbers w)
{
    for (long t = 0; t < steps * sweeps; t++) {
        memcpy(other, p, n * n * sizeof(double));
        sweep(n, other, p, b, w);
    }
}

void gradient_saved(long n, long steps, long sweeps, double *p, double *other, const double *b,
                    struct numbers w, double *tape, double *p_bar, double *b_bar, double *sums)
{
    for (long t = 0; t < steps * sweeps; t++) {
        memcpy(tape + t * n * n, p, n * n * sizeof(double));
        sweep(n, tape + t * n * n, p, b, w);
    }
    memcpy(p_bar, p, n * n * sizeof(double));
    for (long t = steps * sweeps - 1; t >= 0; t--) {
        sweep_adjoint(n, tape + t * n * n, p_bar, other, b_bar, w, sums);
        swap(&p_bar, &other);
    }
    finish(n, b, b_bar, w, sums);
}

void gradient_again(long n, long steps, long sweeps, double *p, double *other, const double *b,
                    struct numbers w, double *tape, double *starts, double *p_bar, double *b_bar,
                    double *sums)
{
    for (long t = 0; t < steps; t++) {
        memcpy(starts + t * n * n, p, n * n * sizeof(double));
        function(n, 1, sweeps, p, other, b, w);
    }
    memcpy(p_bar, p, n * n * sizeof(double));
    for (long t = steps - 1; t >= 0; t--) {
        memcpy(tape, starts + t * n * n, n * n * sizeof(double));
        for (long k = 1; k < sweeps; k++)
            sweep(n, tape + (k - 1) * n * n, tape + k * n * n, b, w);
        for (long k = sweeps - 1; k >= 0; k--) {
            sweep_adjoint(n, tape + k * n * n, p_bar, other, b_bar, w, sums);
            swap(&p_bar, &other);
        }
    }
    finish(n, b, b_bar, w, sums);
}
