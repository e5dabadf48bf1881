"""Languages: field 101, and what is written in place of a code of ISO 639-2/B."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import LANGUAGE, ORIGINAL_LANGUAGE
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model.mods import Language, LanguageTerm
from bibld.text.languages import code_of_language_name

BOOK = RuleBook()

_CODE = re.compile(r"[a-z]{3}")


def language_code(text: str) -> str | None:
    """Return the code of ISO 639-2/B for a code or word; None where there is none."""
    folded = text.strip(" .|#").casefold()
    known = LANGUAGE.get(folded) or code_of_language_name(folded)
    if known is not None:
        return known
    return folded if _CODE.fullmatch(folded) else None


def language_codes(text: str) -> list[str]:
    """Return the codes in a text, also those written without anything between them (``rusger``)."""
    code = language_code(text)
    if code is not None:
        return [code]
    pieces = re.split(r"[\s,;/+]+", text.strip(" .|#").casefold())
    if len(pieces) == 1 and len(text.strip()) % 3 == 0:
        joined = text.strip().casefold()
        pieces = [joined[start : start + 3] for start in range(0, len(joined), 3)]
    codes = [language_code(piece) for piece in pieces]
    return [code for code in codes if code is not None] if all(codes) else []


@BOOK.record("language/languageTerm[@authority=iso639-2b], with objectPart for $b–$e and $h–$j", t101="abcdefghij")
def languages(view: UnimarcView) -> Elements:
    """Field 101; languages of the title page ($f) and of the title proper ($g) are added to those of the text."""
    text_languages: list[str] = []
    for text in view.texts("101", "a"):
        yield from _languages(text, None, text_languages, view)
    for code, part in ORIGINAL_LANGUAGE.items():
        part_languages: list[str] = []
        for text in view.texts("101", code):
            yield from _languages(text, part, part_languages, view)
    for code in "fg":
        for text in view.texts("101", code):
            yield from _languages(text, None, text_languages, view)


def _languages(text: str, part: str | None, known: list[str], view: UnimarcView) -> Iterator[Language]:
    """Yield the languages in a text that are not in ``known``, and add them to it."""
    codes = language_codes(text)
    if not codes and text.strip(" |#"):
        view.warn(f"101 {text!r} is not a language code; written as text")
        yield Language(language_term=(LanguageTerm(value=text.strip(), type="text"),), object_part=part)
    for code in codes:
        if code not in known:
            known.append(code)
            term = LanguageTerm(value=code, type="code", authority="iso639-2b")
            yield Language(language_term=(term,), object_part=part)
