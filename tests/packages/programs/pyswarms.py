"""Test functions of swarm optimisation."""

import numpy as np
from pyswarms.utils.functions import single_obj as fx

x = np.array([[0.3, -0.7], [1.1, 0.4], [-0.6, 0.9]])
y = np.array([[0.3, -0.7, 0.2], [1.1, 0.4, -0.3]])

fx.ackley(x)
fx.beale(x)
fx.booth(x)
fx.crossintray(x)
fx.easom(x)
fx.eggholder(x)
fx.goldstein(x)
fx.himmelblau(x)
fx.holdertable(x)
fx.levi(x)
fx.matyas(x)
fx.rastrigin(y)
fx.rosenbrock(y)
fx.schaffer2(x)
fx.sphere(y)
fx.threehump(x)
