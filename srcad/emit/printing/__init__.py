"""The printer: a standard-library `ast` tree as text."""
