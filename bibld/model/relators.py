"""The MARC code list for relators (https://www.loc.gov/marc/relators/): codes, and the words for them.

They are in ``relators.csv``, which a librarian can correct: the code, its term in lower case, and other forms that
cataloguers write under older rules and in other languages, without points.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from functools import lru_cache
from importlib import resources

_TEXT = resources.files("bibld.model").joinpath("relators.csv").read_text(encoding="utf-8")
_TABLE = list(csv.DictReader(_TEXT.splitlines()))

TERM_OF_RELATOR: dict[str, str] = {row["code"]: row["term"] for row in _TABLE}
"""The term of each code, in lower case."""

_WORD = re.compile(r"[^\W_]+")
_BETWEEN_ROLES = re.compile(r"[,;/&+]|\b(?:and|und|et|e|y|и)\b", re.IGNORECASE)


def _normal(term: str) -> str:
    text = unicodedata.normalize("NFC", term).casefold().replace("ё", "е")
    return " ".join(_WORD.findall(text))


_RELATOR_OF_TERM: dict[str, str] = {
    _normal(form): row["code"] for row in _TABLE for form in row["other_forms"].split(",") if form
}
_RELATOR_OF_TERM |= {_normal(term): code for code, term in TERM_OF_RELATOR.items()}


def relator_of(term: str) -> str | None:
    """Return the code of a relator term in any case, with or without brackets and points; None if it is unknown.

    >>> relator_of("Illustrator."), relator_of("отв.ред."), relator_of("Hrsg."), relator_of("придворный поэт")
    ('ill', 'edt', 'edt', None)
    """
    return _RELATOR_OF_TERM.get(_normal(term))


@lru_cache(maxsize=4096)
def relators_of(term: str) -> tuple[str, ...]:
    """Return the codes of the roles that a text names, also if they are joined; empty if one of them is unknown.

    >>> relators_of("ed. and tr."), relators_of("author, editor")
    (('edt', 'trl'), ('aut', 'edt'))
    >>> relators_of("editor and friend")
    ()
    """
    code = relator_of(term)
    if code is not None:
        return (code,)
    codes = [relator_of(part) for part in _BETWEEN_ROLES.split(term) if _normal(part)]
    return tuple(dict.fromkeys(code for code in codes if code is not None)) if all(codes) else ()
