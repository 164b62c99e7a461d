"""Rotations by angles, axes and quaternions."""

import numpy as np
from transforms3d import affines, axangles, euler, quaternions, reflections, zooms

a = 0.3
b = -0.5
c = 0.9
v = np.array([0.3, 1.2, -0.4])
q = np.array([0.8, 0.2, -0.4, 0.4])
p = np.array([0.5, -0.1, 0.7, 0.5])
T = np.array([[1.0, 0.2, -0.1], [0.1, 1.1, 0.3], [0.2, -0.3, 0.9]])

euler.euler2mat(a, b, c)
euler.euler2mat(a, b, c, "rzxz")
euler.mat2euler(T)
euler.euler2quat(a, b, c)
euler.quat2euler(q)
euler.euler2axangle(a, b, c)[1]
euler.axangle2euler(v, a)
quaternions.fillpositive(0.5 * v / np.sqrt(np.sum(v * v)))
quaternions.quat2mat(q)
quaternions.mat2quat(T)
quaternions.qmult(q, p)
quaternions.qconjugate(q)
quaternions.qnorm(q)
quaternions.qinverse(q)
quaternions.qexp(q)
quaternions.qlog(q)
quaternions.qpow(q, a)
quaternions.rotate_vector(v, q)
quaternions.axangle2quat(v, a)
quaternions.quat2axangle(q)[1]
axangles.axangle2mat(v, a)
axangles.axangle2aff(v, a, v)
affines.compose(v, T, v)
affines.decompose44(affines.compose(v, T, v))[2]
reflections.rfnorm2aff(v)
zooms.zfdir2mat(a, v)
