"""Subjects as partners of each other (12.8), beside the scripted ones that gates rest on."""
