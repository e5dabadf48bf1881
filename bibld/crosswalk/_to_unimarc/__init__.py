"""MODS to UNIMARC and RUSMARC: the writers of each element."""
