"""Test problems, distances and indicators of multi-objective optimisation."""

import numpy as np
from pymoo.indicators.gd import GD
from pymoo.indicators.igd import IGD
from pymoo.problems import get_problem
from pymoo.util import misc, normalization

x = np.array([[0.3, 0.7], [0.1, 0.4], [0.6, 0.9]])
y = np.array([[0.2, 0.5], [0.8, 0.1]])
z = np.array([0.3, 0.7, 0.2, 0.4, 0.6])

get_problem("ackley", n_var=2).evaluate(x)
get_problem("rastrigin", n_var=2).evaluate(x)
get_problem("rosenbrock", n_var=2).evaluate(x)
get_problem("sphere", n_var=2).evaluate(x)
get_problem("zdt1", n_var=5).evaluate(z)
get_problem("dtlz2", n_var=5, n_obj=2).evaluate(z)
get_problem("bnh").evaluate(x, return_values_of=["F"])
misc.func_euclidean_distance(x[:2], y)
misc.func_manhatten_distance(x[:2], y)
misc.func_tchebychev_distance(x[:2], y)
misc.cdist(x, y)
misc.vectorized_cdist(x, y)
misc.parameter_less(x, np.array([[0.5], [-0.5], [0.2]]))
misc.repair(x, np.array([0.2, 0.2]), np.array([0.65, 0.8]))
misc.at_least_2d_array(z)
misc.replace_nan_by(x, 0.0)
normalization.normalize(x, np.zeros(2), np.ones(2) * 2)
normalization.denormalize(x, np.zeros(2), np.ones(2) * 2)
GD(y)(x)
IGD(y)(x)
