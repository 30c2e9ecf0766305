"""Tasks with a structural bottleneck (12.9): only a change of the structure around the subject solves them."""
