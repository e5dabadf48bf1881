"""Plug-ins that cannot be used, or that fail on records."""
