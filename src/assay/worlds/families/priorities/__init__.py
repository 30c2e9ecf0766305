"""Families of goal prioritisation (G2): several objectives, a constraint that binds, and a declared order."""
