"""Serve: a release in, HTTP out."""
