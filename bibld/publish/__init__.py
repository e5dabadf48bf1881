"""Publish: store and catalog in, a release out."""
