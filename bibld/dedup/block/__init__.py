"""Blockers: feature columns in, keys out; two records with a key in common are a candidate pair."""
