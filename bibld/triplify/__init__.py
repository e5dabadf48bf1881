"""Triplify: merged descriptions in, quads out."""
