"""Scorers: candidate pairs in, scores between 0 and 1 out."""
