"""From a Python function to the intermediate program: source, resolved names, lowering.

Only this package knows `gast`.
"""
