"""IR to Python text: the only package that knows how Python is written (and uses astunparse)."""

from srcad.emit.module import Emitted, emit
from srcad.emit.printing.unparse import unparse

__all__ = ["Emitted", "emit", "unparse"]
