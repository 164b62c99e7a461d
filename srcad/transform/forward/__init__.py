"""Forward mode: tangents of results from tangents of inputs."""
