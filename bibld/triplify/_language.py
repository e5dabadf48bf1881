"""Language tags (BCP 47) of literals, from the language of the record and the script of the text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

import msgspec

from bibld.model.mods import Element, Mods
from bibld.triplify._codes import NO_LANGUAGES, SCRIPT_OF_LANGUAGE, SCRIPTS, SHORT_LANGUAGES

_SHORT_OR_LONG = re.compile(r"[a-z]{2,3}")
_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?")
_SCRIPT_CODE = re.compile(r"[A-Z][a-z]{3}")
_RUSSIAN = re.compile("(?:[а-яёіѣѳѵ]|[^\u0400-\u052f])*")
_LATIN = "Latn"
_NO_LETTER = ""
_TEXTS_REMEMBERED = 4096


def to_tag(code: str) -> str | None:
    """The tag of a language given as a code of ISO 639 or as a tag; None for what names no language."""
    text = code.strip()
    lower = text.lower()
    if _SHORT_OR_LONG.fullmatch(lower):
        return None if lower in NO_LANGUAGES else SHORT_LANGUAGES.get(lower, lower)
    return text if _TAG.fullmatch(text) else None


@lru_cache(maxsize=_TEXTS_REMEMBERED)
def script_of(text: str) -> str | None:
    """The script of a text's letters where they all have the same, else None; ``CJK`` for any of East Asia."""
    scripts = set(map(_script_of_character, set(text))) - {_NO_LETTER}
    return scripts.pop() if len(scripts) == 1 else None


@cache
def _script_of_character(character: str) -> str | None:
    if not character.isalpha() or unicodedata.category(character) == "Lm":
        return _NO_LETTER
    unicode_name = unicodedata.name(character, "")
    return next((script for prefix, script in SCRIPTS if unicode_name.startswith(prefix)), None)


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
        return cls(tuple(dict.fromkeys(tag for tag in map(to_tag, codes) if tag is not None)))

    @property
    def is_slavic(self) -> bool:
        """Whether Latin text that is transcribed from the resource is a romanisation: all languages are Cyrillic."""
        return bool(self.tags) and all(SCRIPT_OF_LANGUAGE.get(tag) == "Cyrl" for tag in self.tags)

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
        if script == _LATIN and element.script == _LATIN and element.alt_rep_group:
            romanised = self._first(lambda own: own != _LATIN)
            if romanised is not None:
                return f"{romanised}-Latn"
        native = self._first(lambda own: own == script)
        if native is not None:
            return native
        return _with_script(self.tags[0], script) if self.tags and script == _LATIN else _unknown(script)

    def of_other(self, text: str, element: Element) -> str | None:
        """The tag of a text that need not be in the language of the resource, such as a name or a subject.

        Known only where the element says it, or where the text is in the script, other than Latin, of one of the
        languages, or is marked as the romanisation of one.
        """
        stated = self.stated(element)
        if stated is not None:
            return _with_script(stated, script_of(text))
        script = script_of(text)
        if script == _LATIN:
            romanised = self._first(lambda own: own != _LATIN) if element.script == _LATIN else None
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
        if script == "Cyrl":
            cyrillic = self._first(lambda own: own == script)
            return cyrillic or ("ru" if _RUSSIAN.fullmatch(text.lower()) else _unknown(script))
        tags = (self.of_other(text, element) for element in elements)
        return next((tag for tag in tags if tag is not None), None)

    def _first(self, fits: Callable[[str], bool]) -> str | None:
        for tag in self.tags:
            if fits(SCRIPT_OF_LANGUAGE.get(tag, _LATIN)):
                return tag
        return None

    @staticmethod
    def stated(element: Element) -> str | None:
        """The language that the element itself states."""
        for attribute in (element.xml_lang, element.lang):
            tag = to_tag(attribute) if attribute else None
            if tag is not None:
                return tag
        return None


def _with_script(tag: str, script: str | None) -> str:
    primary = tag.partition("-")[0]
    own = SCRIPT_OF_LANGUAGE.get(primary, _LATIN)
    if "-" in tag or script is None or script == own or not _SCRIPT_CODE.fullmatch(script):
        return tag
    return f"{tag}-{script}"


def _unknown(script: str) -> str | None:
    return f"und-{script}" if _SCRIPT_CODE.fullmatch(script) and script != _LATIN else None
