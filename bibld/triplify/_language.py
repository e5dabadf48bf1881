"""Language tags (BCP 47) of literals, from the language of the record and the script of the text."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from bibld.model.mods import Element, Mods
from bibld.text.languages import language_tag, usual_script
from bibld.text.scripts import CYRILLIC, LATIN, script_of

_SCRIPT_CODE = re.compile(r"[A-Z][a-z]{3}")
_RUSSIAN = re.compile("(?:[а-яёіѣѳѵ]|[^\u0400-\u052f])*")


class Languages(msgspec.Struct, frozen=True):
    """The languages of one resource, as tags, in their order."""

    tags: tuple[str, ...]

    @classmethod
    def of(cls, mods: Mods, object_part: str | None = None) -> Languages:
        """The languages of the resource itself, or those of one kind of its parts: of a summary, or (``translation``)
        of what it was translated from."""
        codes = (
            term.value
            for language in mods.language
            if language.object_part == object_part
            for term in language.language_term
            if term.type == "code"
        )
        return cls(tuple(dict.fromkeys(tag for tag in map(language_tag, codes) if tag is not None)))

    @property
    def is_slavic(self) -> bool:
        """Whether Latin text that is transcribed from the resource is a romanisation: all languages are Cyrillic."""
        return bool(self.tags) and all(usual_script(tag) == CYRILLIC for tag in self.tags)

    def of_own(self, text: str, element: Element) -> str | None:
        """The tag of a text in the language of the resource, such as its title.

        A text in the script of one of the languages is in that language; a text that the record pairs with one in
        another script (``@script`` and ``@altRepGroup``) is a romanisation, and so is any Latin text where no language
        uses that script.
        """
        stated = self.stated(element)
        if stated is not None:
            return _with_script(stated, script_of(text))
        script = script_of(text)
        if script is None:
            return self.tags[0] if len(self.tags) == 1 and not any(map(str.isalpha, text)) else None
        if script == LATIN and element.script == LATIN and element.alt_rep_group:
            romanised = self._first(lambda own: own != LATIN)
            if romanised is not None:
                return f"{romanised}-Latn"
        native = self._first(lambda own: own == script)
        if native is not None:
            return native
        return _with_script(self.tags[0], script) if self.tags and script == LATIN else _unknown(script)

    def of_other(self, text: str, element: Element) -> str | None:
        """The tag of a text that need not be in the language of the resource, such as a name or a subject.

        Known only where the element says it, or where the text is in the script, other than Latin, of one of the
        languages, or is marked as the romanisation of one.
        """
        stated = self.stated(element)
        if stated is not None:
            return _with_script(stated, script_of(text))
        script = script_of(text)
        if script == LATIN:
            romanised = self._first(lambda own: own != LATIN) if element.script == LATIN else None
            return f"{romanised}-Latn" if romanised and element.alt_rep_group else None
        native = self._first(lambda own: own == script) if script else None
        return native or (_unknown(script) if script else None)

    def of_related(self, text: str, *elements: Element) -> str | None:
        """The tag of a title of another resource, such as a series: its language is not that of this one.

        Known where one of the elements states it, or pairs the text as a romanisation with one in another script, or
        where the letters are Cyrillic: those of the language of this resource that is written so, else of Russian.
        """
        for element in elements:
            stated = self.stated(element)
            if stated is not None:
                return _with_script(stated, script_of(text))
        script = script_of(text)
        if script == CYRILLIC:
            cyrillic = self._first(lambda own: own == script)
            return cyrillic or ("ru" if _RUSSIAN.fullmatch(text.lower()) else _unknown(script))
        tags = (self.of_other(text, element) for element in elements)
        return next((tag for tag in tags if tag is not None), None)

    def _first(self, fits: Callable[[str], bool]) -> str | None:
        for tag in self.tags:
            if fits(usual_script(tag)):
                return tag
        return None

    @staticmethod
    def stated(element: Element) -> str | None:
        """The language that the element itself states."""
        for attribute in (element.xml_lang, element.lang):
            tag = language_tag(attribute) if attribute else None
            if tag is not None:
                return tag
        return None


def _with_script(tag: str, script: str | None) -> str:
    primary = tag.partition("-")[0]
    own = usual_script(primary)
    if "-" in tag or script is None or script == own or not _SCRIPT_CODE.fullmatch(script):
        return tag
    return f"{tag}-{script}"


def _unknown(script: str) -> str | None:
    return f"und-{script}" if _SCRIPT_CODE.fullmatch(script) and script != LATIN else None
