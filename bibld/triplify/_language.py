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
    """The languages of one resource, as tags, in the order of the record."""

    tags: tuple[str, ...]

    @classmethod
    def from_mods(cls, mods: Mods, object_part: str | None = None) -> Languages:
        """Return the languages of the resource, or those of one kind of its parts.

        Kinds are a summary, or the text that it was translated from (``translation``).
        """
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
        """Whether Latin text transcribed from the resource is a romanisation, since all its languages use Cyrillic."""
        return bool(self.tags) and all(usual_script(tag) == CYRILLIC for tag in self.tags)

    def tag_own(self, text: str, element: Element) -> str | None:
        """Return the tag of a text in the language of the resource, such as its title.

        The language that the element states is taken first. Otherwise a text in the script of one of the languages is
        in that language. A text that the record pairs with one in another script (``@script`` and ``@altRepGroup``) is
        a romanisation, and so is Latin text if no language uses that script.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        if script is None:
            return self.tags[0] if len(self.tags) == 1 and not any(map(str.isalpha, text)) else None
        if script == LATIN and element.script == LATIN and element.alt_rep_group:
            romanised = self._first(lambda own: own != LATIN)
            if romanised is not None:
                return f"{romanised}-Latn"
        native = self._first(lambda own: own == script)
        if native is not None:
            return native
        return _with_script(self.tags[0], script) if self.tags and script == LATIN else _undetermined(script)

    def tag_other(self, text: str, element: Element) -> str | None:
        """Return the tag of a text that need not be in the language of the resource, such as a name or a subject.

        It is known only if the element states it, if the text is in the non-Latin script of one of the languages, or if
        it is marked as a romanisation.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        if script is None:
            return None
        if script == LATIN:
            romanised = self._first(lambda own: own != LATIN) if element.script == LATIN else None
            return f"{romanised}-Latn" if romanised and element.alt_rep_group else None
        return self._first(lambda own: own == script) or _undetermined(script)

    def tag_related(self, text: str, *elements: Element) -> str | None:
        """Return the tag of a title of another resource, such as a series, which may be in another language.

        It is known if one of the elements states it or marks the text as a romanisation. Cyrillic text is in the first
        language of this resource that uses Cyrillic, else Russian if it has Russian letters only.
        """
        script = script_of(text)
        for element in elements:
            stated = _stated_tag(element)
            if stated is not None:
                return _with_script(stated, script)
        if script == CYRILLIC:
            cyrillic = self._first(lambda own: own == script)
            return cyrillic or ("ru" if _RUSSIAN.fullmatch(text.lower()) else _undetermined(script))
        tags = (self.tag_other(text, element) for element in elements)
        return next((tag for tag in tags if tag is not None), None)

    def _first(self, accepts: Callable[[str], bool]) -> str | None:
        return next((tag for tag in self.tags if accepts(usual_script(tag))), None)


def _stated_tag(element: Element) -> str | None:
    tags = (language_tag(attribute) for attribute in (element.xml_lang, element.lang) if attribute)
    return next((tag for tag in tags if tag is not None), None)


def _with_script(tag: str, script: str | None) -> str:
    if "-" in tag or script is None or script == usual_script(tag) or not _SCRIPT_CODE.fullmatch(script):
        return tag
    return f"{tag}-{script}"


def _undetermined(script: str) -> str | None:
    return f"und-{script}" if _SCRIPT_CODE.fullmatch(script) and script != LATIN else None
