"""The words of catalogues: scripts, languages, numbers, extents, places, names and titles as cataloguers write them.

Every function about them is pure and never raises. Many are called for tens of millions of texts: a character is looked
up once, in a table that ``str.translate`` walks.
"""
