"""Geodesy."""

import numpy as np
import pymap3d as pm
from pymap3d import lox, vincenty

lat = 42.0
lon = -82.0
h = 200.0
x = 660e3
y = -4700e3
z = 4247e3
az = 33.0
el = 70.0
r = 1e3
lats = np.array([40.0, 45.0])

pm.aer2ecef(az, el, r, lat, lon, h)
pm.aer2geodetic(az, el, r, lat, lon, h)
pm.ecef2enu(x, y, z, lat, lon, h)
pm.ecef2enuv(x, y, z, lat, lon)
pm.ecef2geodetic(x, y, z)
pm.enu2ecef(1.0, 2.0, 3.0, lat, lon, h)
pm.enu2uvw(1.0, 2.0, 3.0, lat, lon)
pm.geodetic2ecef(lat, lon, h)
pm.geodetic2ecef(lats, lats, lats)
pm.uvw2enu(1.0, 2.0, 3.0, lat, lon)
pm.aer2enu(az, el, r)
pm.enu2aer(x, y, z)
pm.geodetic2enu(42.01, -82.02, 1000.0, lat, lon, h)
pm.aer2ned(az, el, r)
pm.ned2aer(x, y, z)
pm.geodetic2spherical(lat, lon, h)
pm.spherical2geodetic(lat, lon, 6371e3)
pm.parallel(lat)
pm.meridian(lat)
pm.geodetic2isometric(lat)
pm.geodetic2rectifying(lat)
pm.geodetic2conformal(lat)
pm.geodetic2authalic(lat)
pm.geodetic2parametric(lat)
vincenty.vdist(lat, lon, 43.0, -80.0)[0]
vincenty.vreckon(lat, lon, 3000.0, az)[0]
lox.loxodrome_inverse(lat, lon, 43.0, -80.0)[0]
