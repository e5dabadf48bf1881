"""Which of two forms is in the script of the publication, and which is a romanisation (or the reverse)."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.model.mods import Language
from bibld.text.languages import usual_script
from bibld.text.scripts import LATIN, has_latin, has_non_latin


class Script:
    """The script of a publication, as its languages tell it.

    ``is_sure``: all of them are written in it.
    """

    __slots__ = ("_is_latin", "is_known", "is_sure")

    def __init__(self, languages: Iterable[str]) -> None:
        without = [usual_script(language) != LATIN for language in languages]
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
        if has_non_latin(words):
            return not self._is_latin
        return self._is_latin if has_latin(words) else None
