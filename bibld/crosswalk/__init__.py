"""Crosswalk: records of one flavour in, MODS out."""
