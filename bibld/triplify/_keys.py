"""The keys of entities that no authority file identifies: pure functions of what they are called."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from functools import lru_cache

from bibld.text.folding import fold
from bibld.text.romanisation import romanise
from bibld.text.scripts import has_cyrillic

_OTHERS = re.compile(r"[^a-z0-9]+")
_NOT_IN_DATES = re.compile(r"[^0-9-]+")
_READABLE = 60
_KEYS_REMEMBERED = 4096


@lru_cache(maxsize=_KEYS_REMEMBERED)
def entity_key(text: str, *more: str, is_slavic: bool = False) -> str:
    """The key of what is known by a text: a readable part, and ten hex digits of the hash of all that counts.

    Texts that ``literals.folded`` makes equal have the same key. Cyrillic texts, and Latin ones that are known to stand
    for Slavic words (``is_slavic``), are compared as ``literals.romanised`` has them, so that both scripts meet. Other
    Latin texts are not, since romanisation would take Mayer for Maier.
    """
    form = romanise(text) if is_slavic or has_cyrillic(text) else fold(text)
    counting = "|".join((form or unicodedata.normalize("NFKC", text), *more))
    digest = hashlib.blake2b(counting.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    readable = _OTHERS.sub("-", form).strip("-")[:_READABLE].rstrip("-")
    return f"{readable}-{digest}" if readable else digest


def name_key(heading: str, dates: str, kind: str) -> str:
    """The key of an agent: its heading, the figures of its dates, and the type of the name.

    Where there are dates, headings of both scripts meet: two people called nearly the same are then told apart by them.
    """
    counting = figures(dates)
    return entity_key(f"{heading} {counting}" if counting else heading, kind, is_slavic=bool(counting))


def figures(dates: str) -> str:
    """What counts of the dates of a name: years, and the hyphen between them."""
    return _NOT_IN_DATES.sub("", dates.replace("–", "-").replace("—", "-")).strip("-")
