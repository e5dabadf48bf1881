"""Which of two forms is in the script of the publication, and which is a romanisation (or the reverse)."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.model.mods import Language
from bibld.text.languages import usual_script
from bibld.text.scripts import LATIN, has_latin, has_non_latin


class PublicationScript:
    """The script of a publication, known from its languages.

    ``is_sure``: all of its languages are written in Latin, or none is.
    """

    __slots__ = ("_is_latin", "is_known", "is_sure")

    def __init__(self, languages: Iterable[Language]) -> None:
        are_latin = [
            usual_script(term.value) == LATIN
            for language in languages
            if language.object_part is None
            for term in language.language_term
            if term.type == "code"
        ]
        self.is_known = bool(are_latin)
        self._is_latin = all(are_latin)
        self.is_sure = self.is_known and any(are_latin) == self._is_latin

    def is_original(self, words: str) -> bool | None:
        """Whether words are in the script of the publication; None if that is not known or they have no letters."""
        if not self.is_known:
            return None
        if has_non_latin(words):
            return not self._is_latin
        return self._is_latin if has_latin(words) else None
