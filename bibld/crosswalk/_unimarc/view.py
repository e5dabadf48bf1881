"""A UNIMARC record as the rules see it: tidied, with its embedded fields as fields, and with the flavour's rules.

Also the small conventions of the format that every block of rules needs: links between scripts, non-sorting marks, ISBD
punctuation put between subfields, initials, references to authority files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from bibld.crosswalk._flavour import carries_fields
from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._texts import address, with_balanced_brackets, with_characters
from bibld.crosswalk._unimarc.codes import CodeTable
from bibld.crosswalk._view import Conventions, Linkage, LinkedField, View
from bibld.model.authorities import read_authority_number
from bibld.model.marc import ControlField, DataField, Field, Leader, MarcRecord, Subfield, with_embedded_fields
from bibld.model.mods import Mods, TitleInfo
from bibld.model.mods_xml import without_illegal_characters
from bibld.text.folding import NON_SORTING_MARKS, remove_non_sorting_marks, split_non_sorting
from bibld.text.scripts import first_foreign_script

_LINK = re.compile(r"[a-z]?(\d\d)(\d{3})?.*", re.IGNORECASE)
_OTHER_FORMS = "79"
"""How the tags of other forms of a name begin, which another rule adds to their heading."""

_NAMES = ("70", "71", "72")
"""How the tags of names begin, of which each kind has more than one tag."""

_SCRIPT = {
    "ba": "Latn", "ca": "Cyrl", "da": "Jpan", "db": "Jpan", "dc": "Jpan", "ea": "Hani", "fa": "Arab", "ga": "Grek",
    "ha": "Hebr", "ia": "Thai", "ja": "Deva", "ka": "Kore", "la": "Taml", "ma": "Geor", "mb": "Armn",
}  # fmt: skip

CODE_OF_SCRIPT = {script: code for code, script in reversed(_SCRIPT.items())}
"""Script (ISO 15924) → its code in ``$7``."""


def conventions_of(record: MarcRecord) -> Conventions:
    """Return conventions that link the fields of this record which have their counterpart in another script."""
    firsts: dict[tuple[str, str], DataField] = {}
    linked: dict[tuple[str, str], list[DataField]] = {}
    for field in record.fields():
        key = _key(field)
        if key is not None:
            firsts.setdefault(key, field)
            linked.setdefault(key, []).append(field)
    pairs = {key for key, fields in linked.items() if len(fields) > 1}

    def link(field: DataField) -> LinkedField | None:
        key = _key(field)
        if key not in pairs or key is None:
            return None
        return LinkedField(field, Linkage(key[1], _script(field), is_alternate=firsts[key] is not field))

    return Conventions(link=link) if pairs else Conventions()


def _key(field: DataField) -> tuple[str, str] | None:
    """Return what a field and its counterpart have in common: tag (or kind of name) and number of the link."""
    link = _LINK.fullmatch((field.first("6") or "").strip())
    if link is None or _OTHER_FORMS in (field.tag[:2], (link[2] or "")[:2]):
        return None
    if link[0][0] in "zZ" and (link[2] or "")[:2] != field.tag[:2]:  # no other form of the field: provenance
        return None
    return field.tag[:2] if field.tag.startswith(_NAMES) else field.tag, link[1]


def _script(field: DataField) -> str:
    named = _SCRIPT.get((field.first("7") or "").strip()[:2].lower())
    return named or first_foreign_script(" ".join(item.value for item in field.subfields if item.code.isalpha()))


_OTHER_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x97\x99-\x9b\x9d-\x9f]")
_ANGLE_BRACKETS = re.compile(r"<<(.*?)>>")
_TITLE_CODES = "acdlot"
_DESCRIPTION = frozenset(["200", "205", "210", "214", "215", "225"])
"""Fields in the order of ISBD: marks between their subfields may be written, and brackets may be open in them."""
_MARKS = ":;/=,"
_MARK_AT_AN_END = re.compile(r"^[:;/=,] +|(?: [:;/=]|,)$")
_INITIALS = re.compile(r"(?<=[^\W\d_]\.)(?=[^\W\d_])")
_WORD = re.compile(r"\w+")
_PREFIXED = re.compile(r"(?:\(([^()]+)\)|(frbnf|idref)(?=[ :]?[0-9]))[ :]?(.+)", re.IGNORECASE)
_AUTHORITY_FILES = {"sudoc.fr": "idref", "idref.fr": "idref", "catalogue.bnf.fr": "bnf"}
"""Host of the address of a record (003) → the file that the bare numbers of its headings are from."""
_ORGANISATION_ID = re.compile(r"\w[\w.-]*(?:[\\/][\w.-]+)+")


class UnimarcSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What can be chosen in the crosswalks of the UNIMARC family.

    ``angle_brackets``: ``<<The >>`` marks what sorting skips. ``authors_without_role``: 700 and 701 without a
    relator code are authors. ``keep_terms``: prices and terms of availability (010$d …) become notes.
    ``classification``: the scheme of a 686 that names none. ``authority_base``: what to put before an authority number
    that is not an IRI.
    """

    angle_brackets: bool = False
    authors_without_role: bool = False
    keep_terms: bool = False
    classification: str | None = None
    authority_base: str | None = None


class UnimarcView(View[UnimarcSettings]):
    """A record, or (``is_nested``) what a link field states about another one, while it is converted by ``rules``."""

    __slots__ = ("authority_file", "is_nested", "leader", "rules")

    def __init__(
        self, record: MarcRecord, settings: UnimarcSettings, rules: RuleSet, parent: UnimarcView | None = None
    ) -> None:
        super().__init__(record, settings, conventions_of(record))
        self.rules = rules
        self.leader = Leader(record.leader.text.ljust(24)[:24])
        self.is_nested = parent is not None
        self.authority_file: str = parent.authority_file if parent is not None else _authority_file(record)
        if parent is not None:
            self.private, self.unmapped, self.warnings = parent.private, parent.unmapped, parent.warnings

    def warn(self, warning: str) -> None:
        """Report what is dropped or doubtful, once."""
        if warning not in self.warnings:
            self.warnings.append(warning)

    def describe(self, fields: tuple[ControlField | DataField, ...], level: str = " ") -> Mods:
        """Convert what is stated about another resource by the same rules; ``level`` is its bibliographic level."""
        record = MarcRecord(self.record.origin, Leader(f"       {level}".ljust(24)), fields)
        return self.rules.build(UnimarcView(record, self.settings, self.rules, self))

    def texts(self, tag: str, code: str) -> list[str]:
        """Return the texts of all such subfields of the record."""
        return [value for field in self.fields(tag) for value in field.values(code)]

    def present(self, tables: Iterable[CodeTable]) -> list[CodeTable]:
        """Return those tables of codes for which the record has a field."""
        return [coded for coded in tables if self.has(coded.tag)]

    def reference(self, field: DataField) -> str | None:
        """Return the authority record that ``$3`` names, as an IRI or as an id that begins with its organisation.

        A bare number means nothing outside its library unless the settings have an ``authority_base``; it is counted as
        private.
        """
        found = None
        for number in field.values("3"):
            reference = self.authority_reference(number)
            if reference is None:
                self.private.append(f"{field.tag}$3")
            found = found or reference
        return found

    def authority_reference(self, number: str) -> str | None:
        """Return an authority number as an IRI or an id that begins with its organisation; None for a bare number.

        A bare number in a record of the Sudoc is one of IdRef, in a record of the BnF one of its authority file.
        """
        link = address(number)
        if link is not None:
            return link
        prefixed = _PREFIXED.fullmatch(number.strip())
        code, text = (prefixed[1] or prefixed[2], prefixed[3]) if prefixed else (self.authority_file, number)
        found = read_authority_number(code, text) if code else None
        if found is not None and found.iri:
            return found.iri
        if self.settings.authority_base is not None:
            return self.settings.authority_base + quote(number, safe="")
        return number if _ORGANISATION_ID.fullmatch(number) else None


def _authority_file(record: MarcRecord) -> str:
    address = record.control("003") or ""
    return next((file for host, file in _AUTHORITY_FILES.items() if f"{host}/" in address), "")


def tidy_record(record: MarcRecord, settings: UnimarcSettings) -> MarcRecord:
    """Return a record with embedded fields as fields, without stray blanks, empty subfields, control characters."""
    fields: list[ControlField | DataField] = []
    for field in record.all_fields:
        if isinstance(field, ControlField):
            fields.append(ControlField(field.tag, _text(field.value, False).strip()))
        else:
            fields.append(_tidied_field(field, settings.angle_brackets))
    return MarcRecord(record.origin, record.leader, tuple(fields))


def _tidied_field(field: DataField, angle_brackets: bool) -> DataField:
    tag = field.tag
    if carries_fields(tag):
        field = with_embedded_fields(field)
    has_titles = tag in ("200", "225", "605") or tag[:1] in ("4", "5")
    has_positions = tag[:1] == "1"
    is_description = tag in _DESCRIPTION
    kept = []
    for subfield in field.subfields:
        value, code = subfield.value, subfield.code
        has_marks = has_titles and code in _TITLE_CODES
        if "&" in value:
            value = with_characters(value)
        if not value.isprintable():
            value = _text(value, has_marks)
        if has_marks and angle_brackets:
            value = _ANGLE_BRACKETS.sub("\x98\\1\x9c", value)
        if not has_positions:
            value = value.strip()
        if is_description and (value[-1:] in _MARKS or value[1:2] == " "):
            value = _MARK_AT_AN_END.sub("", value).strip()
        if len(code) == 1 and value and not value.isspace():
            kept.append(subfield if value is subfield.value else Subfield(code, value))
    embedded = tuple(
        _tidied_field(inner, angle_brackets)
        if isinstance(inner, DataField)
        else _tidied_number(ControlField(inner.tag, _text(inner.value, False).strip()))
        for inner in field.embedded
    )
    indicators = (field.indicator1 + field.indicator2).replace("#", " ").ljust(2)
    tidied = DataField(tag, indicators[0], indicators[1], tuple(kept), _with_volume(embedded))
    return with_balanced_brackets(tidied) if is_description else tidied


_IMPRINTS = ("210", "214")


def _with_volume(embedded: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return embedded fields with a ``$v`` behind an imprint, which has none, as that of the title.

    It is the volume that the link field itself states after the embedded fields.
    """
    fields = [field for field in embedded if isinstance(field, DataField)]
    title = next((field for field in fields if field.tag == "200"), None)
    volumes = [item for field in fields if field.tag in _IMPRINTS for item in field.subfields if item.code == "v"]
    if title is None or not volumes or title.first("v") is not None:
        return embedded
    changed = []
    for field in embedded:
        if isinstance(field, DataField) and field.tag in _IMPRINTS:
            field = replace(field, subfields=tuple(item for item in field.subfields if item.code != "v"))
        changed.append(replace(field, subfields=(*field.subfields, volumes[0])) if field is title else field)
    return tuple(changed)


def _tidied_number(field: ControlField) -> ControlField:
    """Return an embedded control number; some systems write it into ``$1`` without its tag (``$1000701914``)."""
    return ControlField("001", field.tag + field.value) if field.tag == "000" else field


def _text(value: str, keeps_marks: bool) -> str:
    if value.isprintable():
        return value
    text = without_illegal_characters(value).translate(NON_SORTING_MARKS)
    if not keeps_marks:
        text = remove_non_sorting_marks(text)
    return _OTHER_CONTROLS.sub("", text.replace("\xa0", " ").replace("\n", " ").replace("\r", " ").replace("\t", " "))


_STANDARD = {
    "a": ("730", "a"), "t": ("200", "a"), "o": ("200", "e"), "f": ("200", "f"), "g": ("200", "g"), "h": ("200", "h"),
    "b": ("200", "b"), "i": ("200", "i"), "l": ("200", "d"), "v": ("200", "v"), "e": ("205", "a"), "c": ("210", "a"),
    "n": ("210", "c"), "d": ("210", "d"), "p": ("215", "a"), "s": ("225", "a"), "u": ("856", "u"), "x": ("011", "a"),
    "y": ("010", "a"), "m": ("013", "a"), "z": ("040", "a"), "3": ("035", "a"),
}  # fmt: skip
"""The field and subfield that a subfield of the standard technique (UNIMARC Manual, block 4) stands for."""


def fields_of_link(field: DataField) -> list[Field]:
    """Return the embedded fields, and fields made of the subfields of the standard technique."""
    if not field.subfields:
        return list(field.embedded)
    subfields_by_tag: dict[str, list[Subfield]] = {}
    controls: list[Field] = []
    for subfield in field.subfields:
        if subfield.code == "0":
            controls.append(ControlField("001", subfield.value))
        elif subfield.code in _STANDARD:
            tag, code = _STANDARD[subfield.code]
            subfields_by_tag.setdefault(tag, []).append(Subfield(code, subfield.value))
    standard = [DataField(tag, subfields=tuple(subfields)) for tag, subfields in subfields_by_tag.items()]
    return [*controls, *standard, *field.embedded]


def title_info(text: str, **others: Any) -> TitleInfo:  # noqa: ANN401
    """Return a title; its beginning is ``nonSort`` where the marks of ISO 6630 are around it."""
    article, title = split_non_sorting(text)
    return TitleInfo(title=title, non_sort=article or None, **others)


def plain_values(field: DataField, *codes: str) -> list[str]:
    """Return the texts of the subfields with one of these codes, without marks around what sorting skips."""
    return [remove_non_sorting_marks(value) for value in field.values(*codes)]


def punctuate(field: DataField, marks: Mapping[str, str]) -> str:
    """Join the subfields that ``marks`` names, in record order, each after its mark (the first without)."""
    text = ""
    for subfield in field.subfields:
        mark = marks.get(subfield.code)
        if mark is not None:
            if mark == ". " and text.endswith("."):
                mark = " "
            text = f"{text}{mark}{subfield.value}" if text else subfield.value
    return text


def space_initials(text: str) -> str:
    """Put a blank between initials: ``А.П.`` becomes ``А. П.``, ``П. -А.`` becomes ``П.-А.``."""
    return _INITIALS.sub(" ", text).replace(". -", ".-")


def fold_words(text: str) -> list[str]:
    """Return the words of a text for comparison, without case, ё and punctuation."""
    return _WORD.findall(remove_non_sorting_marks(text).casefold().replace("ё", "е"))


def web_address(text: str) -> str | None:
    """Return a text as an address that can become a link; None for other texts. ``www.`` alone means http."""
    return address(f"http://{text}" if text.casefold().startswith("www.") else text)
