"""Blocking keys: made of features, refined where too many records share one, and kept sorted in runs."""
