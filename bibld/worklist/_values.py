"""Rules for the texts of subfields and of fixed positions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from operator import itemgetter
from typing import Any

from bibld.model.identifiers import has_ismn_check_digit, isbn, issn
from bibld.text.charsets import is_encoded_twice
from bibld.text.languages import OBSOLETE_CODES
from bibld.text.scripts import to_latin_lookalikes
from bibld.worklist._avram import Codes, PositionDefinition, SubfieldDefinition, names_of_checks, range_of
from bibld.worklist._faults import MAX_VALUE_CHARACTERS, WorkKind

ValueFault = tuple[WorkKind, str, str, str]
"""Kind, what follows the subfield in the location, the value, and what to write instead."""

LocatedFault = tuple[int, WorkKind, str, str, str]
"""The same with the index of its field at the front."""

_CodeLists = Mapping[str, tuple[frozenset[str], frozenset[str]]]

_MAX_REMEMBERED = 5_000

_MAX_SEPARATE = 3
"""Wrong positions of a field that are separate faults; more are one fault."""

_CODE_LENGTH = 3
"""Of codes of languages, which were written one after the other in one subfield earlier."""

# Controls except the marks of non-sorting words (ISO 6630: 88, 89, 98, 9C), private use, not a character.
_BAD = re.compile(
    "[\x00-\x1f\x7f-\x87\x8a-\x97\x99-\x9b\x9d-\x9f\ufeff\ufff9-\ufffd\ue000-\uf8ff\ud800-\udfff\U000f0000-\U0010ffff]"
)
_CONTROLS = re.compile("[\x00-\x1f\x7f\ufeff]+")
_WESTERN_TWICE = re.compile("[\xc2-\xdf][\x80-\x9f]|[ÃÂ][\xa0-\xbf]")
_LENGTHS = re.compile(r"\.\{(\d+)\}(?:\(\.\{(\d+)\}\)\?)?")
_CHARSETS = ("latin-1", "cp1252", "cp1251")


class Notes:
    """What is collected in a record until all its fields were seen.

    Each entry of ``links`` and ``years`` is the index of its field, the subfield, and its text; ``coded`` is the text
    of 100$a of UNIMARC with the index of its field.
    """

    __slots__ = ("_kind", "_text", "coded", "is_new", "links", "years")

    def __init__(self) -> None:
        self.links: list[tuple[int, str, str]] = []
        self.years: list[tuple[int, str, str]] = []
        self.coded: tuple[int, str] | None = None
        self.is_new = False
        self._text = ""
        self._kind = ""

    def add(self, kind: str, text: str) -> None:
        """Note a text; :meth:`locate` completes it."""
        self._kind, self._text, self.is_new = kind, text, True

    def add_link(self, text: str) -> None:
        """Note the number of another record."""
        self.add("link", text)

    def locate(self, index: int, suffix: str) -> None:
        """Add where the last text was found: the index of the field, and the subfield."""
        self.is_new = False
        if self._kind == "link":
            self.links.append((index, suffix, self._text))
        elif self._kind == "year":
            self.years.append((index, suffix, self._text))
        else:
            self.coded = index, self._text


Rule = Callable[[str, Notes], Iterable[ValueFault]]


class FixedRule:
    """The rule of a text whose characters have fixed positions; remembers what it has found for the same codes."""

    def __init__(
        self, length: int, pattern: str | None, checks: list[tuple[str, slice, Any]], free: list[Any], material: str
    ) -> None:
        self._length = length
        self._form = re.compile(pattern, re.DOTALL) if pattern else None
        self._coded = checks
        self._material = f"@{material}" if material else ""
        self._free = free
        self._key: Callable[[str], Any] = itemgetter(*(where for _, where, _ in checks)) if checks else str.__len__
        self._remembered: dict[Any, list[ValueFault]] = {}

    @classmethod
    def from_positions(
        cls,
        positions: Mapping[str, PositionDefinition],
        lists: _CodeLists,
        length: int = 0,
        pattern: str | None = None,
        material: str = "",
    ) -> FixedRule:
        """Return the rule of positions, or of those for a type of ``material``.

        ``length`` is that of the text, by default up to the last position, or as ``pattern`` has it.
        """
        coded, free, last = [], [], length
        for name, one in positions.items():
            where = range_of(name)
            last = max(last, where.stop)
            if one.pattern is not None:
                free.append((name, where, re.compile(one.pattern, re.DOTALL)))
            elif one.codes is not None or one.flags is not None:
                coded.append((name, where, _position_rule(one, lists)))
        return cls(last, pattern, coded, free, material)

    def check(self, text: str) -> list[ValueFault]:
        """Return the faults of a text."""
        key = self._key(text)
        known = self._remembered.get(key)
        if known is None:
            known = self._check_codes(text)
            if len(self._remembered) >= _MAX_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = known
        faults = known
        for name, where, pattern in self._free:
            value = text[where]
            if len(value) == where.stop - where.start and not pattern.fullmatch(value):
                faults = [*faults, (WorkKind.WRONG_FORM, f"/{name}{self._material}", value, "")]
        if len(text) != self._length if self._form is None else not self._form.fullmatch(text):
            kind = WorkKind.WRONG_FORM if self._length == 0 else WorkKind.WRONG_LENGTH
            faults = [*faults, (kind, "", text, self._expected_length())]
        return faults

    def _expected_length(self) -> str:
        if self._form is None:
            return f"{self._length} characters"
        found = _LENGTHS.fullmatch(self._form.pattern)
        if not found:
            return ""
        shorter = int(found[1])
        return f"{shorter} or {shorter + int(found[2])} characters" if found[2] else f"{shorter} characters"

    def _check_codes(self, text: str) -> list[ValueFault]:
        faults: list[ValueFault] = []
        for name, where, rule in self._coded:
            value = text[where]
            if len(value) == where.stop - where.start and (found := rule(value)):
                faults.append((found[0], f"/{name}{self._material}", value, found[1]))
        if len(faults) > _MAX_SEPARATE:
            names = ",".join(sorted(where[1:].partition("@")[0] for _, where, _, _ in faults))
            return [(WorkKind.WRONG_CODE, f"/{names}{self._material}", text, "")]
        return faults


def _position_rule(one: PositionDefinition, lists: _CodeLists) -> Callable[[str], tuple[WorkKind, str] | None]:
    codes = _code_set(one.codes if one.codes is not None else one.flags, lists)
    obsolete = frozenset(one.deprecated_codes) | _code_set(one.codes, lists, 1)
    if one.codes is not None:
        return partial(_check_code, codes, obsolete)
    size = len(next(iter(codes))) if codes else 1

    def check(value: str) -> tuple[WorkKind, str] | None:
        found = [_check_code(codes, obsolete, value[at : at + size]) for at in range(0, len(value), size)]
        wrong = [each for each in found if each]
        if not wrong:
            return None
        repaired = to_latin_lookalikes(value).replace("#", " ")
        is_repaired = all(repaired[at : at + size] in codes for at in range(0, len(repaired), size))
        return min(wrong, key=lambda each: -each[0].harm)[0], repaired if is_repaired else ""

    return check


def _check_code(codes: frozenset[str], obsolete: frozenset[str], value: str) -> tuple[WorkKind, str] | None:
    if value in codes or (value.rstrip() in codes and value.strip()):
        return None
    if value in obsolete:
        return WorkKind.DEPRECATED_CODE, OBSOLETE_CODES.get(value, "") if len(value) == 3 else ""
    latin, filled = to_latin_lookalikes(value), value.replace("#", " ")
    for other in (latin, filled, value.lower(), value.upper(), value.strip(), value.strip(" .,;")):
        if other in codes:
            return WorkKind.WRONG_CODE, other
    return WorkKind.WRONG_CODE, ""


def _code_set(codes: Codes | None, lists: _CodeLists, obsolete: int = 0) -> frozenset[str]:
    if isinstance(codes, str):
        return lists[codes][obsolete]
    return frozenset() if obsolete else frozenset(codes or ())


# -- subfields ---------------------------------------------------------------------------------------------------------


def rules_of_subfield(
    tag: str, code: str, definition: SubfieldDefinition, lists: _CodeLists, names_list: bool, extra: str
) -> list[Rule]:
    """Return the rules for the text of a subfield.

    ``names_list``: the field names another code list in ``$2``, so that the usual one does not hold; ``extra`` is a
    further check of ``$a``.
    """
    rules: list[Rule] = [_CHECK_RULES[name] for name in names_of_checks(definition)]
    if extra and code == "a":
        rules.append(_CHECK_RULES[extra])
    if definition.codes is not None and not names_list:
        codes, obsolete = _code_set(definition.codes, lists), _code_set(definition.codes, lists, 1)
        rules.append(partial(_check_subfield_code, code, codes, obsolete | frozenset(definition.deprecated_codes)))
    if definition.positions:
        rules.append(
            partial(_check_fixed, FixedRule.from_positions(definition.positions, lists, pattern=definition.pattern))
        )
    elif definition.pattern is not None and not names_list:
        rules.append(partial(_check_pattern, re.compile(definition.pattern, re.DOTALL)))
    if tag + code in _YEARS:
        rules.append(_note_year)
    if tag + code == "100a" and definition.positions:
        rules.append(_note_coded)
    return rules


_YEARS = frozenset(("260c", "264c", "533d", "210d", "214d"))
"""Subfields that state when something was published."""


def _check_subfield_code(
    code: str, codes: frozenset[str], obsolete: frozenset[str], text: str, notes: Notes
) -> Iterator[ValueFault]:
    found = None if text in codes else _check_code(codes, obsolete, text)
    if found is None or text.startswith("http"):
        return
    parts = [text[at : at + _CODE_LENGTH] for at in range(0, len(text), _CODE_LENGTH)]
    if len(parts) > 1 and len(text) < MAX_VALUE_CHARACTERS and all(one in codes or one in obsolete for one in parts):
        yield WorkKind.WRONG_CODE, "", text, f"${code}".join(OBSOLETE_CODES.get(one, one) for one in parts)
    else:
        yield found[0], "", text, found[1]


def _check_fixed(rule: FixedRule, text: str, notes: Notes) -> Iterable[ValueFault]:
    return rule.check(text)


def _check_pattern(pattern: re.Pattern[str], text: str, notes: Notes) -> Iterator[ValueFault]:
    if not pattern.fullmatch(text) and not text.startswith("http"):
        latin = to_latin_lookalikes(text).strip()
        yield WorkKind.WRONG_FORM, "", text, latin if pattern.fullmatch(latin) else ""


def _check_isbn(text: str, notes: Notes) -> Iterator[ValueFault]:
    found = isbn(text)
    if found is None:
        yield WorkKind.WRONG_FORM, "", text, "an ISBN in this subfield, other words in that for qualifications"
    elif not found.is_valid:
        yield WorkKind.WRONG_CHECK_DIGIT, "", text, ""


def _check_issn(text: str, notes: Notes) -> Iterator[ValueFault]:
    found = issn(text)
    if found is None:
        yield WorkKind.WRONG_FORM, "", text, "an ISSN in this subfield"
    elif not found.is_valid:
        yield WorkKind.WRONG_CHECK_DIGIT, "", text, ""


def _check_ismn(text: str, notes: Notes) -> Iterator[ValueFault]:
    value = re.sub("[^0-9M]", "", text.upper().replace("ISMN", "").replace("М", "M"))
    if not has_ismn_check_digit(value):
        yield WorkKind.WRONG_CHECK_DIGIT, "", text, ""


def _note_record(text: str, notes: Notes) -> tuple[ValueFault, ...]:
    if text.strip():
        notes.add_link(text)
    return ()


def _note_year(text: str, notes: Notes) -> tuple[ValueFault, ...]:
    notes.add("year", text)
    return ()


def _note_coded(text: str, notes: Notes) -> tuple[ValueFault, ...]:
    notes.add("coded", text)
    return ()


_CHECK_RULES: Mapping[str, Rule] = {
    "isbn": _check_isbn,
    "issn": _check_issn,
    "ismn": _check_ismn,
    "record": _note_record,
}


# -- damaged text ------------------------------------------------------------------------------------------------------


def has_bad_text(text: str) -> bool:
    """Return whether a text may contain damaged characters: takes little time, and is seldom wrong."""
    return (
        not text.isprintable()
        or "\ufffd" in text
        or "Ã" in text
        or "Â" in text
        or is_encoded_twice(text.encode(errors="replace"))
    )


def find_bad_text(text: str) -> Iterator[tuple[WorkKind, str]]:
    """Yield what is wrong with the characters of a text, and the text as it should be, if that is certain."""
    if is_encoded_twice(text.encode(errors="replace")) or _WESTERN_TWICE.search(text):
        yield WorkKind.ENCODED_TWICE, _decode_again(text)
    elif _BAD.search(text):
        between = "" if "://" in text else " "  # a line break inside an address or between words
        cleaned = between.join(part.strip() for part in _CONTROLS.split(text)).strip()
        yield WorkKind.BAD_CHARACTER, "" if _BAD.search(cleaned) else cleaned


def _decode_again(text: str) -> str:
    for charset in _CHARSETS:
        try:
            repaired = text.encode(charset).decode("utf-8")
        except UnicodeError:
            continue
        if repaired.isprintable():
            return repaired
    return ""
