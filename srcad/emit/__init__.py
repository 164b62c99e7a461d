"""IR to Python text: the only package that knows how Python is written (and uses astunparse)."""
