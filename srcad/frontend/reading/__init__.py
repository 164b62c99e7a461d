"""Reading a function: its source, its signature, its names, and what it captures."""
