"""Whether a record that its leader calls printed or manuscript music (leader 06 c, d) describes music."""

from __future__ import annotations

import re

from bibld.crosswalk._unimarc.view import UnimarcView

MUSIC = "cd"
"""Leader 06."""

_FIELDS_OF_MUSIC = ("013", "036", "071", "125", "126", "128", "145", "146", "208", "230")
_TEXTS = (
    ("200", "abefgi"), ("203", "a"), ("205", "a"), ("215", "ace"), ("225", "ae"), ("300", "a"), ("327", "a"),
    ("330", "a"), ("606", "ax"), ("608", "a"), ("610", "a"),
)  # fmt: skip
_WORD_OF_MUSIC = re.compile(
    r"\bнот(?:ы|н|\b)|музык|партитур|клавир|\bпес[ен]|романс|\bхор|фортепиан|\bф-?п\b|скрип|баян|гитар|аккордеон|оркестр|голос"
    r"|струнн|сюит|сонат|симфон|\bопер(?:а|н)|балет|соло\b|джаз|җыр|көй|music|\bscor|partition|piano|song|choral|noten|chant"
    r"|chanson|opera|sonat|symphon|violin|orchest",
    re.IGNORECASE,
)


def is_music(view: UnimarcView) -> bool:
    """Return whether a field of music, or a word in title, extent, notes or subjects, agrees with the leader."""
    if view.is_nested or view.has(*_FIELDS_OF_MUSIC):
        return True
    stated = (value for tag, codes in _TEXTS for code in codes for value in view.texts(tag, code))
    return any(map(_WORD_OF_MUSIC.search, stated))
