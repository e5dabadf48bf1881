"""Recognise values that a record has in any form, so that they are not added again."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator

from bibld.enrich._editing import Addition
from bibld.enrich._fields import SUBDIVISIONS, Fields
from bibld.model.identifiers import isbn, isbn13
from bibld.model.marc import DataField, MarcRecord
from bibld.text.dates import years
from bibld.text.folding import fold
from bibld.text.languages import code_of_language_name, language_codes

_IRI = re.compile("https?://(.+?)/?", re.IGNORECASE)
_NOT_IN_MARK = re.compile(r"[\s'’/]+")
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
        self._known: dict[str, set[Hashable]] = {}
        self._headings: dict[str, list[frozenset[int]]] | None = None

    def contains(self, addition: Addition) -> bool:
        """Whether the record states the value of an addition that is a field; if not, it does from now on."""
        element = addition.source.element
        field = DataField(addition.tag, addition.indicators[0], addition.indicators[1], addition.subfields)
        if element == "subjects":
            return self._contains_heading(field)
        if element == "language":
            return any(self._languages())
        if element not in self._known:
            self._known[element] = {key for one in self._record.fields() for key in self._keys(element, one)}
        keys = set(self._keys(element, field))
        known = self._known[element]
        is_known = not keys.isdisjoint(known) if element != "classification" else any(map(self._has_mark, keys))
        known |= keys
        return is_known

    def _keys(self, element: str, field: DataField) -> Iterator[Hashable]:
        """Yield what identifies the values of a field for an element; nothing if the field is of another one."""
        if element == "classification":
            yield from self._class_marks(field)
        elif element == "isbn":
            numbers = map(isbn, (one.value for one in field.subfields)) if field.tag == self._fields.isbn_tag else ()
            yield from (isbn13(number.value) for number in numbers if number is not None and number.is_valid)
        elif element in ("identifiers", "covers", "full_text"):
            found = (_IRI.fullmatch(one.value.strip()) for one in field.subfields)
            yield from (address[1] for address in found if address is not None)

    # -- class marks ---------------------------------------------------------------------------------------------------

    def _class_marks(self, field: DataField) -> Iterator[tuple[str, str]]:
        """Yield scheme (empty: not stated) and mark; the shelf number that follows a call number belongs to it."""
        scheme = self._fields.class_tags.get(field.tag)
        if scheme is None:
            return
        scheme = scheme or field.first("2") or ""
        scheme = _ONE_SCHEME.get(scheme, scheme)
        marks = [" ".join(field.values("a", "b"))] if scheme in ("lcc", "nlm") else field.values("a")
        for mark in (*marks, *field.values("a")):
            bare = _NOT_IN_MARK.sub("", mark) if scheme == "ddc" else "".join(mark.split())
            bare = bare.strip(_POINTS).casefold()
            yield scheme, bare.replace(".", "") if scheme in ("lcc", "nlm") else bare

    def _has_mark(self, key: Hashable) -> bool:
        known = self._known["classification"]
        return key in known or (isinstance(key, tuple) and ("", key[1]) in known)

    # -- headings ------------------------------------------------------------------------------------------------------

    def _contains_heading(self, field: DataField) -> bool:
        if self._headings is None:
            self._headings = {}
            for one in self._record.fields():
                if one.tag[0] == "6" and one.tag not in self._fields.class_tags:
                    self._note_heading(one)
        dates = frozenset(years(" ".join(field.values(*_DATE_CODES))))
        for key in self._heading_keys(field):
            for others in self._headings.get(key, ()):
                if not dates or not others or dates & others:
                    return True
        self._note_heading(field)
        return False

    def _note_heading(self, field: DataField) -> None:
        assert self._headings is not None
        dates = frozenset(years(" ".join(field.values(*_DATE_CODES))))
        for key in self._heading_keys(field):
            self._headings.setdefault(key, []).append(dates)

    def _heading_keys(self, field: DataField) -> set[str]:
        """Return the texts that a heading can have as one string, folded."""
        texts = [" ".join(one.value for one in field.subfields if one.code.isalpha() and one.code != "e")]
        subdivisions = field.values(*SUBDIVISIONS)
        if field.tag in self._fields.name_tags:
            texts += [" ".join((form, *subdivisions)) for form in self._fields.name_forms(field)]
        if field.tag in _UNCONTROLLED and field.tag not in self._fields.name_tags:
            texts += (term for text in field.values("a") for term in _TERMS_END.split(text))
        return set(filter(None, map(fold, texts)))

    # -- languages -----------------------------------------------------------------------------------------------------

    def _languages(self) -> Iterable[str]:
        """Yield the codes of the languages that a record states: as codes, or as words."""
        texts = [(self._record.control("008") or "")[_LANGUAGE_IN_008]]
        texts += (one.value for field in self._record.fields(self._fields.language[0]) for one in field.subfields)
        for text in texts:
            yield from language_codes(text)
        for field in self._record.fields(*_NOTES_ON_LANGUAGE):
            words = " ".join(one.value for one in field.subfields).split()
            yield from filter(None, map(code_of_language_name, words))
