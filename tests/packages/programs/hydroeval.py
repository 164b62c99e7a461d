"""Scores of hydrological models."""

import numpy as np
from hydroeval import evaluator, kge, kgenp, kgeprime, mare, nse, pbias, rmse

s = np.array([1.3, 0.4, 2.2, 0.9, 1.7])
e = np.array([1.1, 0.7, 1.9, 1.2, 1.4])

nse(s, e)
kge(s, e)
kgeprime(s, e)
kgenp(s, e)
rmse(s, e)
mare(s, e)
pbias(s, e)
evaluator(nse, s, e)
evaluator(kge, s, e)
evaluator(rmse, s, e, transform="log")
