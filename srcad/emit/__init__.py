"""IR to Python text: the only package that knows how Python is written (and uses astunparse).

`module.emit` writes a whole module.
"""
