"""Leader, 008, 041, 047, 336, 655: typeOfResource, genre, targetAudience, language."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.fixed import (
    coded_audience,
    coded_genres,
    fixed,
    genre_authority,
    type_of_resource,
)
from bibld.crosswalk._marc21_loc.fields import StylesheetView
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.model.marc import DataField
from bibld.model.mods import Genre, Language, LanguageTerm

KIND_AND_LANGUAGE = RuleBook()

KIND_AND_LANGUAGE.record("typeOfResource, with collection and manuscript", tLDR="")(type_of_resource)
KIND_AND_LANGUAGE.record("genre[marcgt] from coded data", t007="", t008="")(coded_genres)
KIND_AND_LANGUAGE.record("targetAudience[marctarget] from coded data", t008="")(coded_audience)

_OBJECT_PART = {
    "a": None, "b": "summary", "d": "sung or spoken text", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation",
}  # fmt: skip


@KIND_AND_LANGUAGE.field("047", "abcdef2", "genre[musical composition], authority marcmuscomp or $2")
def form_of_composition(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Form of musical composition."""
    source = field.first("2") if field.indicator2 == "7" else None
    authority = source if source is not None else "marcmuscomp" if field.indicator2 == " " else "marcgt"
    made = Genre(value=join(field, "abcdef", "-"), type="musical composition", authority=authority)
    yield view.mark(made, field)


@KIND_AND_LANGUAGE.field("336", "a2", "genre with the authority of $2")
def content_type(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Content type."""
    yield view.mark(Genre(value=join(field, "a", "-"), authority=field.first("2")), field)


@KIND_AND_LANGUAGE.field("655", "abvxyz2", "genre, authority from $2 or the second indicator")
def genre_or_form(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Index term of genre or form; subdivisions follow after a hyphen."""
    made = Genre(value=join(field, "abvxyz", "-"), authority=genre_authority(field, view))
    yield view.mark(made, field)


@KIND_AND_LANGUAGE.record("language, with objectPart", t008="", t041="abdefgh2")
def languages(view: StylesheetView) -> Iterator[Language]:
    """008/35-37, then the codes of 041 in groups of three; of each subfield only what 008 does not say."""
    coded = fixed(view, 35, 38)
    known = coded.translate(_FILLS).strip()
    if known:
        yield _language(coded, "iso639-2b", None)
    for field in view.regular("041"):
        is_whole = "rfc3066" in field.values("2")
        for subfield in field.subfields:
            if subfield.code not in _OBJECT_PART:
                continue
            part = _OBJECT_PART[subfield.code]
            if not is_whole:
                is_kept = part is not None and view.settings.part_languages_kept
                yield from (
                    _language(code, "iso639-2b", part) for code in _cut(subfield.value, "" if is_kept else known)
                )
            elif subfield.value not in (known, "rfc3066", ""):
                part = "summary or subtitle" if subfield.code == "b" else part
                yield _language(subfield.value, "rfc3066", part)


_FILLS = str.maketrans("", "", "|#")


def _cut(text: str, known: str) -> Iterator[str]:
    for start in range(0, len(text), 3):
        code = text[start : start + 3]
        if code not in known:
            yield code
        known += code


def _language(code: str, authority: str, part: str | None) -> Language:
    return Language(language_term=(LanguageTerm(value=code, type="code", authority=authority),), object_part=part)
