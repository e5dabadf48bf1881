"""MODS to MARC 21: the writers of each element."""
