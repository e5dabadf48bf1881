"""Harvest: a configured source in, files on disk out."""
