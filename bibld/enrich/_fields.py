"""Fields of MARC 21 and the UNIMARC family: common code, and a table of the differences (:class:`Fields`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import msgspec

from bibld.enrich._slices import NewField
from bibld.model.identifiers import isbn
from bibld.model.marc import DataField, Subfield
from bibld.model.mods import Classification, Identifier, Language, Name, Subject, Url
from bibld.text.folding import tidy

SUBDIVISIONS = "jvxyz"
"""The codes of the subdivisions of headings, in MARC 21 or UNIMARC."""


class Fields(msgspec.Struct, frozen=True):
    """The fields of a family of formats: how values are written and headings are read.

    ``isbn_tag``, ``language``, ``abstract`` and ``contents`` are tags, the last three with indicators. ``name_tags``
    and ``concept_tags`` are those of headings that can get numbers (``number_code``), ``link_tags`` those of headings
    that can get links (``link_code``), ``class_tags`` those of class marks with their schemes (empty: ``$2`` has it).

    ``publication`` returns the fields with the IRIs of publication and work (empty: none); ``subject``,
    ``classification`` and ``address`` (of a cover, or of the resource) return the field of a value, None if it has
    none. ``name_forms`` returns the forms that the name of a heading may have, ``concept_form`` scheme and text of a
    subject heading. ``number_subfields`` returns the subfields of numbers: IRIs by authority file, one that names its
    organisation (empty: none), and whether the heading is one of a thesaurus without a number; ``link_subfields`` those
    of links, IRIs by authority file.
    """

    isbn_tag: str
    language: tuple[str, str]
    abstract: tuple[str, str]
    contents: tuple[str, str]
    name_tags: tuple[str, ...]
    concept_tags: tuple[str, ...]
    link_tags: tuple[str, ...]
    class_tags: Mapping[str, str]
    number_code: str
    link_code: str
    publication: Callable[[str, str], Iterator[NewField]]
    subject: Callable[[Subject], NewField | None]
    classification: Callable[[Classification], NewField | None]
    address: Callable[[Url, bool], NewField]
    name_forms: Callable[[DataField], list[str]]
    concept_form: Callable[[DataField], tuple[str, str]]
    number_subfields: Callable[[dict[str, str], str, bool], tuple[Subfield, ...]]
    link_subfields: Callable[[dict[str, str]], tuple[Subfield, ...]]

    def standard_number(self, identifier: Identifier) -> NewField | None:
        """Return the field of a valid ISBN; None for any other number."""
        found = isbn(identifier.value) if identifier.type == "isbn" and identifier.invalid != "yes" else None
        if found is None or not found.is_valid:
            return None
        return NewField(self.isbn_tag, "  ", (Subfield("a", found.value),))

    def language_field(self, value: Language) -> NewField | None:
        """Return the field of a language of the resource, by its code; None for a language of a part."""
        terms = value.language_term if not value.object_part else ()
        code = next((term.value for term in terms if term.type == "code" and term.authority == "iso639-2b"), "")
        return NewField(*self.language, (Subfield("a", code),)) if code else None


def main_part(name: Name) -> str:
    """Return the heading of a name without dates and terms of address; family and given name with a comma between."""
    family, given = (_parts(name, kind) for kind in ("family", "given"))
    return tidy(", ".join(filter(None, (" ".join(family), " ".join(given)))) or " ".join(_parts(name, None)))


def dates_of_name(name: Name) -> str:
    """Return the dates of a name as stated; empty if there are none."""
    return tidy(" ".join(_parts(name, "date")))


def terms_of_name(name: Name) -> list[str]:
    """Return titles, numerals and other words of address of a name."""
    return list(map(tidy, _parts(name, "termsOfAddress")))


def _parts(name: Name, kind: str | None) -> list[str]:
    return [part.value for part in name.name_part if part.type == kind and part.value.strip()]
