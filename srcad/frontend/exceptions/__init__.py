"""`try`, `with`, and the messages of what is raised."""
