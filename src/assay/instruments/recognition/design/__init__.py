"""How a run is laid out: what is collected, which texts stand in which lineup, and the words of every question."""
