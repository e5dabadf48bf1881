"""Scorers: candidate pairs in, scores out."""
