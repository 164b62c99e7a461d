"""Abstract values: what names and containers stand for while a function is lowered."""
