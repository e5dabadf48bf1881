"""SPARQL as text: its tokens, the prefixes that it uses without declaring them, and where it is wrong.

Nothing here evaluates a query, and nothing here is recursive: every function takes linear time for any text.
"""
