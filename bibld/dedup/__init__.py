"""Dedup: features in, scored edges and clusters out."""
