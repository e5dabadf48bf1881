"""Languages of a publication, and the language tags of the texts in its description."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from bibld.model.mods import Element, Language, LanguageTerm, Mods
from bibld.text.languages import code_of_language_name, language_tag, usual_script
from bibld.text.scripts import CYRILLIC, LATIN, script_of

ORIGINAL = "translation"
"""``language/@objectPart`` of the language that the text was translated from, in the practice of MODS."""

PARTS_OF_TEXT = frozenset((None, "sung or spoken text"))
"""``language/@objectPart`` of the languages of the text itself."""

_RUSSIAN = re.compile("(?:[а-яёіѣѳѵ]|[^\u0400-\u052f])*")
_SCRIPT_CODE = re.compile(r"[A-Z][a-z]{3}")
ROMANISED = "und-Latn"
"""The tag of a text in Latin letters that transcribes another script, if its language is not known."""


class Languages(msgspec.Struct, frozen=True):
    """The languages of one resource, as tags, in the order of the record, and those of its cataloguing."""

    tags: tuple[str, ...]
    cataloguing: tuple[str, ...] = ()

    @classmethod
    def from_mods(cls, mods: Mods) -> Languages:
        """Return the languages of the text of the resource."""
        own = (language for language in mods.language if language.object_part in PARTS_OF_TEXT)
        cataloguing = (language for info in mods.record_info for language in info.language_of_cataloging)
        return cls(_tags(own), _tags(cataloguing))

    @classmethod
    def originals_from_mods(cls, mods: Mods) -> Languages:
        """Return the languages that the text was translated from."""
        return cls(_tags(language for language in mods.language if language.object_part == ORIGINAL))

    @property
    def is_slavic(self) -> bool:
        """Whether Latin text transcribed from the resource is a romanisation, since all its languages use Cyrillic."""
        return bool(self.tags) and all(usual_script(tag) == CYRILLIC for tag in self.tags)

    def tag_own(self, text: str, element: Element) -> str | None:
        """Return the tag of a text that is transcribed from the resource, such as its title.

        The language that the element states is taken first. Otherwise a text is in the only language of the resource
        that is written in its script. Latin text is a romanisation if the record pairs it with another script
        (``@script`` and ``@altRepGroup``), or if no language of the resource uses Latin letters and the agency may
        romanise, since it does not itself catalogue in that script. Where the agency may romanise one language of the
        resource, Latin text may be in it or in another one.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        if script is None:
            return self.tags[0] if len(self.tags) == 1 and not any(map(str.isalpha, text)) else None
        if script == LATIN and _is_romanised(element):
            return _romanised(self.tags)
        native = _written_in(script, self.tags)
        may_be_romanised = not self.cataloguing or any(usual_script(tag) == LATIN for tag in self.cataloguing)
        if script != LATIN or len(native) == len(self.tags) or not may_be_romanised:
            return native[0] if len(native) == 1 else None
        return _romanised(self.tags) if not native else None

    def tag_other(self, text: str, element: Element) -> str | None:
        """Return the tag of a text that has no language of the resource, such as a name of an agent or place.

        It is known only if the element states it; that it is romanised, if the record pairs it with another script.
        """
        script = script_of(text)
        stated = _stated_tag(element)
        if stated is not None:
            return _with_script(stated, script)
        return ROMANISED if script == LATIN and _is_romanised(element) else None

    def tag_catalogued(self, text: str, element: Element) -> str | None:
        """Return the tag of a text in the words of the cataloguing agency, such as a subject heading without a scheme.

        Text in another script than Latin is in the only language of cataloguing that is written in it; Cyrillic text
        is so only if its letters are those of Russian for Russian, and not only those for another language, since
        agencies of other languages have Russian headings, too. Latin text may be in the language of the agency or in
        that of the resource.
        """
        script = script_of(text)
        if script is None or script == LATIN or _stated_tag(element) is not None:
            return self.tag_other(text, element)
        native = _written_in(script, self.cataloguing)
        is_certain = script != CYRILLIC or (native == ["ru"]) == (_RUSSIAN.fullmatch(text.lower()) is not None)
        return native[0] if len(native) == 1 and is_certain else None

    def tag_related(self, text: str, *elements: Element) -> str | None:
        """Return the tag of a title of another resource, such as a series, which may be in another language.

        It is known if one of the elements states it or marks the text as a romanisation, and for text in another
        script than Latin if one language of this resource is written in it.
        """
        script = script_of(text)
        for element in elements:
            stated = _stated_tag(element)
            if stated is not None:
                return _with_script(stated, script)
        if script == LATIN:
            return _romanised(self.tags) if any(map(_is_romanised, elements)) else None
        native = _written_in(script, self.tags) if script is not None else []
        return native[0] if len(native) == 1 else None


def codes_of(language: Language) -> Iterator[LanguageTerm]:
    """Yield the codes that a language has, or else those of its names."""
    codes = [one for one in language.language_term if one.type == "code"]
    yield from codes
    if not codes:
        for one in language.language_term:
            code = code_of_language_name(one.value)
            if code is not None:
                yield LanguageTerm(code, type="code", authority="iso639-2b")


def _tags(languages: Iterable[Language]) -> tuple[str, ...]:
    tags = (language_tag(code.value) for language in languages for code in codes_of(language))
    return tuple(dict.fromkeys(tag for tag in tags if tag is not None))


def _stated_tag(element: Element) -> str | None:
    for attribute in (element.xml_lang, element.lang):
        if attribute and (tag := language_tag(attribute)) is not None:
            return tag
    return None


def _is_romanised(element: Element) -> bool:
    return element.script == LATIN and bool(element.alt_rep_group)


def _written_in(script: str, tags: Iterable[str]) -> list[str]:
    return [tag for tag in tags if usual_script(tag) == script]


def _romanised(tags: Iterable[str]) -> str:
    """Return the tag of a romanised text: of the only language in another script than Latin, if there is one."""
    others = [tag for tag in tags if usual_script(tag) != LATIN]
    return f"{others[0]}-Latn" if len(others) == 1 else ROMANISED


def _with_script(tag: str, script: str | None) -> str:
    if "-" in tag or script is None or script == usual_script(tag) or not _SCRIPT_CODE.fullmatch(script):
        return tag
    return f"{tag}-{script}"
