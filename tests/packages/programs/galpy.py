"""Coordinates and potentials of galaxies."""

import numpy as np
from galpy import df, potential
from galpy.util import coords

a = 0.3
b = 0.7
c = 1.2
R = np.array([0.5, 1.1, 1.7])
z = np.array([0.1, -0.2, 0.3])
x = np.array([1.1, 0.4, -0.3])

coords.radec_to_lb(a, b)
coords.lb_to_radec(a, b)
coords.lbd_to_XYZ(a, b, c)
coords.XYZ_to_lbd(a, b, c)
coords.rectgal_to_sphergal(a, b, c, 0.1, 0.2, 0.3)
coords.sphergal_to_rectgal(a, b, c, 0.1, 0.2, 0.3)
coords.vrpmllpmbb_to_vxvyvz(a, b, c, 0.1, 0.2, 0.3)
coords.vxvyvz_to_vrpmllpmbb(a, b, c, 0.1, 0.2, 0.3)
coords.pmrapmdec_to_pmllpmbb(a, b, 0.1, 0.2)
coords.XYZ_to_galcenrect(R, z, x)
coords.galcenrect_to_XYZ(R, z, x)
coords.rect_to_cyl(R, z, x)
coords.cyl_to_rect(R, z, x)
coords.cyl_to_spher(R, z, x)
coords.spher_to_cyl(R, z, x)
coords.vxvyvz_to_galcenrect(a, b, c)
coords.cyl_to_spher_vec(a, b, c, 0.5, 0.2)
coords.rect_to_cyl_vec(a, b, c, 0.5, 0.2, 0.1)
coords.Rz_to_coshucosv(R, z)
coords.uv_to_Rz(R, x)
potential.MiyamotoNagaiPotential(a=0.5, b=0.1)(c, a)
potential.MiyamotoNagaiPotential(a=0.5, b=0.1).Rforce(c, a)
potential.NFWPotential(a=2.0)(c, a)
potential.LogarithmicHaloPotential(q=0.9).zforce(c, a)
potential.HernquistPotential(a=1.5).dens(c, a)
potential.PlummerPotential(b=0.6).vcirc(c)
potential.IsochronePotential(b=0.6).R2deriv(c, a)
potential.evaluatePotentials(potential.MWPotential2014, c, a)
df.dehnendf(beta=0.0)(a, b, c)
