"""The numbers inside loops: their types, their precision, and what is computed of them."""
