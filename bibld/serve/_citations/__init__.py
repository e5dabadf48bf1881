"""Publications as references: in the words of a style of citation, and as files for reference managers.

``reference_of`` takes from a description what a reference needs; everything else writes that. All functions are pure.

>>> from bibld.model.mods import Mods, TitleInfo
>>> STYLES["gost"](reference_of(Mods(title_info=(TitleInfo("Война и мир"),)), "https://example.org/1"))
'Война и мир.'
"""

from __future__ import annotations

from bibld.serve._citations.files import apa, bibtex, chicago, coins, csl_item, csl_json, gost, ris
from bibld.serve._citations.reference import Person, Reference, find_person, is_same_person, person_of, reference_of

STYLES = {"gost": gost, "apa": apa, "chicago": chicago}
"""The styles of citation by name: each writes a reference as one line of text."""

FILES = {"bib": bibtex, "ris": ris, "csl.json": csl_json}
"""The files by suffix: each writes some references as the text of one file."""

__all__ = [
    "FILES",
    "STYLES",
    "Person",
    "Reference",
    "apa",
    "bibtex",
    "chicago",
    "coins",
    "csl_item",
    "csl_json",
    "find_person",
    "gost",
    "is_same_person",
    "person_of",
    "reference_of",
    "ris",
]
