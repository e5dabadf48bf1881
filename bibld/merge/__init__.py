"""Merge: the records of a cluster in, one description with the source of every value out."""
