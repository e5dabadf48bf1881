"""Blockers: feature columns in, keys that bring candidate pairs together out."""
