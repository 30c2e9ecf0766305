"""What the program read before a restructuring, from inputs kept here, and the comparison with what it reads now."""
