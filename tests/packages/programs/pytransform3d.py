"""Rotations and transformations."""

import numpy as np
from pytransform3d import rotations as pr
from pytransform3d import transformations as pt

a = np.array([0.6, 0.0, 0.8, 0.7])
c = np.array([0.3, -0.5, 0.4])
e = np.array([0.2, 0.4, -0.3])
q = np.array([0.8, 0.2, -0.4, 0.4])
p = np.array([0.5, -0.1, 0.7, 0.5])
s = np.array([0.3, -0.5, 0.4, 0.2, 0.1, -0.6])
t = 0.4

pr.norm_vector(c)
pr.angle_between_vectors(c, e)
pr.perpendicular_to_vectors(c, e)
pr.vector_projection(c, e)
pr.quaternion_from_axis_angle(a)
pr.quaternion_from_compact_axis_angle(c)
pr.quaternion_from_matrix(pr.matrix_from_quaternion(q))
pr.quaternion_wxyz_from_xyzw(q)
pr.axis_angle_from_quaternion(q)
pr.axis_angle_from_compact_axis_angle(c)
pr.axis_angle_from_matrix(pr.matrix_from_quaternion(q))
pr.axis_angle_from_two_directions(c, e)
pr.compact_axis_angle_from_quaternion(q)
pr.matrix_from_quaternion(q)
pr.matrix_from_compact_axis_angle(c)
pr.matrix_from_axis_angle(a)
pr.matrix_from_two_vectors(c, e)
pr.matrix_from_euler(e, 0, 1, 2, True)
pr.active_matrix_from_angle(1, t)
pr.concatenate_quaternions(q, p)
pr.q_prod_vector(q, c)
pr.q_conj(q)
pr.quaternion_slerp(q / pr.norm_vector(q)[0] * pr.norm_vector(q)[0], p, t)
pr.quaternion_dist(q, p)
pr.cross_product_matrix(c)
pr.rotor_from_two_directions(c, e)
pr.mrp_from_quaternion(q)
pr.left_jacobian_SO3(c)
pt.transform_from(pr.matrix_from_compact_axis_angle(c), e)
pt.transform_from_exponential_coordinates(s)
pt.exponential_coordinates_from_transform(pt.transform_from_exponential_coordinates(s))
pt.adjoint_from_transform(pt.transform_from_exponential_coordinates(s))
pt.dual_quaternion_from_transform(pt.transform_from_exponential_coordinates(s))
pt.screw_parameters_from_screw_axis(s / np.linalg.norm(s[:3]))[2]
