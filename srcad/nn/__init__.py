"""Neural networks in plain NumPy: data sets now, layers and optimisers beside them.

Nothing is imported here, so that `import srcad` does not pay for it: `from srcad.nn import data`.
"""
