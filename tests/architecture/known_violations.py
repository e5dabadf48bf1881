"""What breaks the laws of imports today. Delete an entry when it is repaired; never add one.

Nothing is left; a law that is added may begin with entries here.
"""

from __future__ import annotations

# (importing module, private module of another package)
PRIVATE_MODULES: set[tuple[str, str]] = set()

# A package, and the groups of modules or packages directly inside it that import each other.
CYCLES: dict[str, list[set[str]]] = {}

# Modules that import others by a computed name and should not.
DYNAMIC_IMPORTS: set[str] = set()

# Folders and files with words that have a plainer one; `python tests/architecture/test_language.py PATH` lists them.
LANGUAGE: set[str] = set()
