"""Transformations, triangles and geometry of meshes."""

import numpy as np
from trimesh import bounds, geometry, inertia, points, triangles, util
from trimesh import transformations as tf
from trimesh.path import arc

T = np.array([[1.0, 0.2, -0.1, 0.4], [0.1, 1.1, 0.3, -0.2], [0.2, -0.3, 0.9, 0.5], [0, 0, 0, 1]])
v = np.array([0.3, 1.2, -0.4])
w = np.array([-0.6, 0.5, 0.9])
q = np.array([0.8, 0.2, -0.4, 0.4])
p = np.array([0.5, -0.1, 0.7, 0.5])
t = 0.4
u = 0.7
xs = np.array([[0.1, 0.3, 0.2], [1.2, 0.5, -0.3], [0.4, 1.1, 0.6], [0.3, -0.8, 1.5]])
ys = np.array([[0.2, 0.1, 0.4], [1.0, 0.7, -0.1], [0.1, 1.2, 0.9], [0.6, -0.5, 1.1]])
tri = np.array([[[0.1, 0.3, 0.2], [1.2, 0.5, -0.3], [0.4, 1.1, 0.6]],
                [[0.3, -0.8, 1.5], [1.2, 0.5, -0.3], [0.4, 1.1, 0.6]]])  # fmt: skip
bary = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])

tf.diagonal_dot(xs, ys)
tf.translation_matrix(v)
tf.reflection_matrix(v, w)
tf.rotation_matrix(t, v)
tf.rotation_matrix(t, v, w)
tf.scale_matrix(t, v)
tf.scale_matrix(t, v, w)
tf.projection_matrix(v, w)
tf.clip_matrix(0.1, t, 0.2, u, 0.3, 2.0)
tf.shear_matrix(t, np.array([0.0, 1.0, 0.0]), v, np.array([1.0, 0.0, 0.0]))
tf.compose_matrix(v, w, v, w)
tf.orthogonalization_matrix(np.array([10.0, 11.0, 12.0]) * t, np.array([80.0, 85.0, 95.0]))
tf.superimposition_matrix(xs.T, ys.T)
tf.euler_matrix(t, u, 0.2)
tf.euler_matrix(t, u, 0.2, "rzyx")
tf.euler_from_matrix(T * t)
tf.euler_from_quaternion(q)
tf.quaternion_from_euler(t, u, 0.2)
tf.quaternion_about_axis(t, v)
tf.quaternion_matrix(q)
tf.quaternion_multiply(q, p)
tf.quaternion_conjugate(q)
tf.quaternion_inverse(q)
tf.quaternion_real(q)
tf.quaternion_imag(q)
tf.quaternion_slerp(q, p, t)
tf.vector_norm(v)
tf.vector_norm(xs, axis=1)
tf.unit_vector(v)
tf.unit_vector(xs, axis=1)
tf.vector_product(v, w)
tf.angle_between_vectors(v, w)
tf.inverse_matrix(T * t)
tf.concatenate_matrices(T * t, T * u)
tf.transform_around(T * t, v)
tf.planar_matrix(v[:2], t)
tf.spherical_matrix(t, u)
tf.transform_points(xs, T)
tf.scale_and_translate(t, v)
geometry.plane_transform(v, w)
geometry.align_vectors(v, w)
geometry.vector_angle(np.array([[[0.1, 0.2, 0.9], [0.5, 0.1, 0.3]]]) * v)
triangles.cross(tri)
triangles.area(tri)
triangles.normals(tri)[0]
triangles.angles(tri)
triangles.mass_properties(tri).volume
triangles.extents(tri)
triangles.barycentric_to_points(tri, bary)
triangles.points_to_barycentric(tri, xs[:2])
points.point_plane_distance(xs, v, w)
points.plane_fit(xs)[0]
points.project_to_plane(xs, w, v)
points.major_axis(xs)
util.unitize(xs)
util.euclidean(v, w)
util.vector_hemisphere(xs)
util.vector_to_spherical(xs)
util.spherical_to_vector(xs[:, :2])
util.row_norm(xs)
util.stack_3D(xs[:, :2])
util.generate_basis(v)
bounds.to_extents(np.array([v - 2.0, w + 2.0]))[1]
bounds.corners(np.array([v - 2.0, w + 2.0]))
inertia.cylinder_inertia(t, u, 1.3)
inertia.sphere_inertia(t, u)
inertia.points_inertia(xs)
inertia.transform_inertia(T * u, np.diag(v))
inertia.principal_axis(np.diag(v))[0]
arc.arc_center(xs[:3]).radius
arc.to_threepoint(v[:2], t, np.array([0.1, 1.2]))
