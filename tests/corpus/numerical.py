"""The numerical programs of the benchmarks, tiny: loops over rows and entries, writes in place.

The loss is the one that is measured: half the sum of the squares of every output.
"""

from corpus.program import Theme

from benchmarks.numerical import factorisations, fitting, products, reductions, stencils
from benchmarks.numerical.programs import PROGRAMS, half_squares

program = Theme("numerical")


def tiny(name):
    """The arguments: makers would draw one at a time."""
    return PROGRAMS[name].arguments("T")


@program(*tiny("jacobi_1d"))
def jacobi_1d(a, b, steps):
    return half_squares(stencils.jacobi_1d(a, b, steps))


@program(*tiny("jacobi_2d"))
def jacobi_2d(a, b, steps):
    return half_squares(stencils.jacobi_2d(a, b, steps))


# As coarse in time as in space: a difference of so small a step as is measured would be rough.
@program(*tiny("cavity_flow")[:5], 0.5, 1.3, 0.9, 2, 3)
def cavity_flow(u, v, p, rho, nu, dt, dx, dy, steps, sweeps):
    return half_squares(stencils.cavity_flow(u, v, p, rho, nu, dt, dx, dy, steps, sweeps))


@program(*tiny("horizontal_diffusion"))
def horizontal_diffusion(field, coeff):
    return half_squares(stencils.horizontal_diffusion(field, coeff))


@program(*tiny("lu"))
def lu(a):
    return half_squares(factorisations.lu(a))


@program(*tiny("cholesky"))
def cholesky(a):
    return half_squares(factorisations.cholesky(a))


@program(*tiny("triangular_solve"))
def triangular_solve(lower, b):
    return half_squares(factorisations.triangular_solve(lower, b))


@program(*tiny("syrk"))
def syrk(alpha, beta, c, a):
    return half_squares(products.syrk(alpha, beta, c, a))


@program(*tiny("covariance"))
def covariance(data):
    return half_squares(products.covariance(data))


@program(*tiny("two_products"))
def two_products(alpha, beta, a, b, c, d):
    return half_squares(products.two_products(alpha, beta, a, b, c, d))


@program(*tiny("gemver"))
def gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z):
    return half_squares(products.gemver(alpha, beta, a, u1, v1, u2, v2, w, x, y, z))


@program(*tiny("sparse_product"))
def sparse_product(start, column, value, x):
    return half_squares(products.sparse_product(start, column, value, x))


@program(*tiny("trace_of_tanh"))
def trace_of_tanh(a):
    return half_squares(reductions.trace_of_tanh(a))


@program(*tiny("softmax"))
def softmax(x):
    return half_squares(reductions.softmax(x))


@program(*tiny("log_sum_exp"))
def log_sum_exp(x):
    return half_squares(reductions.log_sum_exp(x))


@program(*tiny("convolution"))
def convolution(images, weights, bias):
    return half_squares(reductions.convolution(images, weights, bias))


@program(*tiny("mixture"))
def mixture(alphas, means, factors, x, gamma, m):
    return half_squares(fitting.mixture(alphas, means, factors, x, gamma, m))


@program(*tiny("mixture_by_loops"))
def mixture_by_loops(alphas, means, factors, x, gamma, m):
    return half_squares(fitting.mixture_by_loops(alphas, means, factors, x, gamma, m))


@program(*tiny("least_squares"))
def least_squares(a, x, b):
    return half_squares(fitting.least_squares(a, x, b))


@program(*tiny("k_means"))
def k_means(points, centres):
    return half_squares(fitting.k_means(points, centres))
