"""Membership functions and fuzzy arithmetic."""

import numpy as np
import skfuzzy as fuzz

x = np.array([-1.3, -0.2, 0.4, 1.7])
m = np.array([0.2, 0.9, 0.6, 0.1])
n = np.array([0.4, 0.3, 0.8, 0.5])
r = np.array([[0.2, 0.9, 0.6], [0.4, 0.3, 0.8]])
s = np.array([[0.5, 0.1], [0.7, 0.35], [0.25, 0.95]])
a = 0.3
b = 0.8

fuzz.cartadd(m, n)
fuzz.cartprod(m, n)
fuzz.contrast(m, a)
fuzz.fuzzy_not(m)
fuzz.fuzzy_similarity(m, n)
fuzz.inner_product(m, n)
fuzz.interp_membership(x, m, a)
fuzz.maxmin_composition(r, s)
fuzz.maxprod_composition(r, s)
fuzz.outer_product(m, n)
fuzz.relation_min(m, n)
fuzz.relation_product(m, n)
fuzz.sigmoid(m, a)
fuzz.dsigmf(x, a, 2.0, b, 3.0)
fuzz.gaussmf(x, a, b)
fuzz.gauss2mf(x, a, b, 0.9, b)
fuzz.gbellmf(x, a, b, 0.3)
fuzz.psigmf(x, a, 2.0, b, 3.0)
fuzz.sigmf(x, a, b)
fuzz.smf(x, -1.0, 2.1)
fuzz.trapmf(x, [-2.0, -1.0, a, 2.0])
fuzz.trimf(x, [-2.0, a, 2.0])
fuzz.zmf(x, -1.0, 2.1)
fuzz.centroid(x, m)
fuzz.defuzz(x, m, "centroid")
fuzz.addval((a, b), (0.2, 0.5))
