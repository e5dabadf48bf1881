"""Decisions about pairs: scores, exceptions, and edges with their reasons."""
