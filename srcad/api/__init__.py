"""The public transformations: argument handling only, the work is the pipeline's."""
