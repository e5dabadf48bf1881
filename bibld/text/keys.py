"""The keys of what is known by a text alone: parts of IRIs, the same for all its spellings."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from bibld.text.folding import fold
from bibld.text.numerals import roman_number
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_NOT_IN_READABLE_KEY = re.compile(r"[^a-z0-9]+")
_ROMAN_NUMERAL = re.compile(r"\b(?:[IVXLC]{2,}|[IVX](?!\.))\b(?![\u0300-\u036f\ufe20-\ufe2f])")
_HASH = re.compile(r"(?:^|-)[0-9a-f]{10}$")
_LONGEST_READABLE_KEY = 60
_KEYS_REMEMBERED = 16_384


@lru_cache(maxsize=_KEYS_REMEMBERED)
def entity_key(text: str, *more: str, is_slavic: bool = False) -> str:
    """Return the key of an entity that is known by a text: a readable part, and ten hexadecimal digits of a hash.

    Texts with the same folded form (:func:`bibld.text.folding.fold`) have the same key. Cyrillic texts, and Latin ones
    that are known to transcribe Slavic words (``is_slavic``), are romanised first, so that forms in both scripts have
    the same key. Other Latin texts are not, since romanisation would take Mayer for Maier. ``more`` distinguishes
    further. Roman numerals are read before, since romanisation would take XII for XIII.
    """
    form = romanise(_ROMAN_NUMERAL.sub(_arabic, text)) if is_slavic or has_cyrillic(text) else fold(text)
    hashed = "|".join((form or unicodedata.normalize("NFKC", text), *more))
    digest = hashlib.blake2b(hashed.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    readable = _NOT_IN_READABLE_KEY.sub("-", form).strip("-")[:_LONGEST_READABLE_KEY].rstrip("-")
    return f"{readable}-{digest}" if readable else digest


def _arabic(numeral: re.Match[str]) -> str:
    number = roman_number(numeral[0])
    return numeral[0] if number is None else str(number)


def beginning_of_keys(key: str) -> str:
    """Return what the keys of texts begin with that begin with the text of a key; empty if that is not known."""
    return _HASH.sub("", key) if _HASH.search(key) else ""
