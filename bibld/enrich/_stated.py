"""Recognise values that a record has in any form, so that they are not added again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from bibld.enrich._editing import Addition
from bibld.enrich._fields import SUBDIVISIONS, Fields
from bibld.model.identifiers import isbn, isbn13
from bibld.model.marc import DataField, MarcRecord
from bibld.text.dates import years
from bibld.text.folding import fold_or_tidy
from bibld.text.languages import code_of_language_name, language_codes

_IRI = re.compile("https?://(.+?)/?", re.IGNORECASE)
_NOT_IN_DDC, _BLANKS = re.compile(r"[\s'’/]+"), re.compile(r"\s+")
_POINTS = ".,;:"
_DATE_CODES = "df"
_UNCONTROLLED = ("653", "610")
_TERMS_END = re.compile(r"\s*;\s*")
_NOTES_ON_LANGUAGE = ("546", "302")
_LANGUAGE_IN_008 = slice(35, 38)
_ONE_SCHEME = {"bbk": "rubbk", "lbc": "rubbk"}


class StatedValues:
    """The values that a record has, and the additions so far.

    Not compared are punctuation, case, how a heading is divided into subfields and fields, its thesaurus and its
    authority number; dates of a person that only one side has; blanks in a class mark, and the edition of its tables;
    hyphens of an ISBN, which may have 10 or 13 digits; the scheme of an address and a slash at its end.
    """

    def __init__(self, record: MarcRecord, fields: Fields) -> None:
        self._record = record
        self._fields = fields
        self._known: dict[str, dict[str, list[frozenset[str]]]] = {}

    def contains(self, addition: Addition) -> bool:
        """Whether the record states the value of an addition that is a field; if not, it does from now on."""
        element = addition.source.element
        if element == "language":
            return any(self._languages())
        if element not in self._known:
            self._known[element] = defaultdict(list)
            for own in self._record.fields():
                self._note(element, own)
        known = self._known[element]
        field = DataField(addition.tag, addition.indicators[0], addition.indicators[1], addition.subfields)
        keys = list(self._keys(element, field))
        is_known = any(not one or not other or one & other for key, one in keys for other in known.get(key, ()))
        self._note(element, field)
        return is_known

    def _note(self, element: str, field: DataField) -> None:
        for key, distinction in self._keys(element, field):
            self._known[element][key].append(distinction)

    def _keys(self, element: str, field: DataField) -> Iterator[tuple[str, frozenset[str]]]:
        """Yield what identifies the values of a field for an element; nothing if the field is of another one.

        Values with equal texts are different if both have something in the set, and nothing in common.
        """
        if element == "classification" and field.tag in self._fields.class_tags:
            scheme = self._fields.class_tags[field.tag] or field.first("2") or ""
            scheme = _ONE_SCHEME.get(scheme, scheme)
            yield from ((mark, frozenset(filter(None, [scheme]))) for mark in _class_marks(scheme, field))
        elif element == "subjects" and field.tag[0] == "6" and field.tag not in self._fields.class_tags:
            dates = frozenset(map(str, years(" ".join(field.values(*_DATE_CODES)))))
            yield from ((text, dates) for text in self._heading_texts(field))
        elif element == "isbn" and field.tag == self._fields.isbn_tag:
            numbers = (isbn(one.value) for one in field.subfields)
            yield from ((isbn13(one.value), frozenset()) for one in numbers if one is not None and one.is_valid)
        elif element in ("identifiers", "covers", "full_text"):
            found = (_IRI.fullmatch(one.value.strip()) for one in field.subfields)
            yield from ((address[1], frozenset()) for address in found if address is not None)

    def _heading_texts(self, field: DataField) -> set[str]:
        """Return the texts that a heading can have as one string, folded."""
        texts = [" ".join(one.value for one in field.subfields if one.code.isalpha() and one.code != "e")]
        if field.tag in self._fields.name_tags:
            texts += [" ".join((form, *field.values(*SUBDIVISIONS))) for form in self._fields.name_forms(field)]
        elif field.tag in _UNCONTROLLED:
            texts += (term for text in field.values("a") for term in _TERMS_END.split(text))
        return set(filter(None, map(fold_or_tidy, texts)))

    def _languages(self) -> Iterator[str]:
        """Yield the codes of the languages that a record states: as codes, or as words."""
        texts = [(self._record.control("008") or "")[_LANGUAGE_IN_008]]
        texts += (one.value for field in self._record.fields(self._fields.language[0]) for one in field.subfields)
        for text in texts:
            yield from language_codes(text)
        for field in self._record.fields(*_NOTES_ON_LANGUAGE):
            words = " ".join(one.value for one in field.subfields).split()
            yield from filter(None, map(code_of_language_name, words))


def _class_marks(scheme: str, field: DataField) -> Iterator[str]:
    """Yield the class marks of a field; a call number with and without the shelf number that follows it."""
    is_call_number = scheme in ("lcc", "nlm")
    for mark in (*([" ".join(field.values("a", "b"))] if is_call_number else ()), *field.values("a")):
        bare = (_NOT_IN_DDC if scheme == "ddc" else _BLANKS).sub("", mark).strip(_POINTS).casefold()
        yield bare.replace(".", "") if is_call_number else bare
