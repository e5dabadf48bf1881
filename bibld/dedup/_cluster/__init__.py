"""Clusters out of decisions, under constraints."""
