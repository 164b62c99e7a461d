"""Expressions: names, operators, subscripts, methods of arrays and containers."""
