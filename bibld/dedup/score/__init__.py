"""Scorers: adapters that score candidate pairs between 0 and 1, and explain each score."""
