"""Dimensionless numbers, friction and drag."""

from fluids import core, drag, fittings, friction

re = 1e5
rough = 1e-4
v = 1.3
d = 0.2
rho = 900.0
mu = 1e-3

core.C2F(v)
core.Archimedes(d, rho, 2600.0, mu)
core.Bond(rho, 1.2, 0.07, d)
core.Dean(re, d, 1.5)
core.Reynolds(v, d, rho, mu)
core.Weber(v, d, rho, 0.07)
core.gravity(55.0, d)
friction.Blasius(re)
friction.Brkic_2011_1(re, rough)
friction.Churchill_1977(re, rough)
friction.Clamond(re, rough)
friction.Colebrook(re, rough)
friction.Haaland(re, rough)
friction.friction_factor(re, rough)
friction.one_phase_dP(2.0, rho, mu, d, L=10.0)
drag.Barati(re)
drag.Clift(re)
drag.Stokes(v)
drag.drag_sphere(re)
drag.v_terminal(70e-6, 2600.0, rho, mu)
fittings.bend_rounded(d, 30.0, 0.0163, Re=re)
fittings.contraction_sharp(d, 0.1)
fittings.entrance_rounded(d, 0.02)
