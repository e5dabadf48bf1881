"""The synthetic catalogue: how its words, names, works and libraries are made. ``synthetic.py`` is the way in."""
