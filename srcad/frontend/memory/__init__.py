"""The memory of arrays while lowering: handles, contents, views, aliases, what is written back."""
