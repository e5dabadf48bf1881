"""Which of two forms is in the script of the publication, and which is a romanisation (or the reverse)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bibld.model.mods import Language

_NOT_LATIN = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u2c80-\ua6ff\ua8e0-\ud7ff\uf900-\ufdff\ufe70-\ufefe]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")

_CYRILLIC = """
abk ava bak bel bul chm chu chv che kaz kbd kir kom krc mac mkd mon oss rus sah scc srp tat tgk udm ukr
ab av ba be bg ce cu cv kk ky kv mk mn os ru sr tt tg uk
"""
_OTHERS = """
amh ara arc arm asm ben bod bur chi dzo ell fas geo gre grc guj heb hin hye jpn kan kas kat khm kor lao mal mar mya nep
ori pan per pus san sin snd syr tam tel tha tib tir uig urd yid zho
am ar as bn bo dz el fa gu he hi hy ja ka kn ko km ks lo ml mr my ne or pa ps sa sd si ta te th ti ug ur yi zh
"""
_WITHOUT_LATIN = frozenset((_CYRILLIC + _OTHERS).split())
"""Languages that are mostly written in another script than the Latin one."""


class Script:
    """The script of a publication, as its languages tell it.

    ``is_sure``: all of them are written in it.
    """

    __slots__ = ("_is_latin", "is_known", "is_sure")

    def __init__(self, languages: Iterable[str]) -> None:
        without = [language in _WITHOUT_LATIN for language in languages]
        self.is_known = bool(without)
        self._is_latin = not any(without)
        self.is_sure = self.is_known and all(without) != self._is_latin

    @classmethod
    def of(cls, languages: Iterable[Language]) -> Script:
        """The script of what is in these languages, by their codes; those of its parts do not count."""
        return cls(
            term.value
            for language in languages
            if language.object_part is None
            for term in language.language_term
            if term.type == "code"
        )

    def is_original(self, words: str) -> bool | None:
        """Whether words are in the script of the publication; None where that is not known or they have no letters."""
        if not self.is_known:
            return None
        if _NOT_LATIN.search(words):
            return not self._is_latin
        return self._is_latin if _LATIN.search(words) else None
