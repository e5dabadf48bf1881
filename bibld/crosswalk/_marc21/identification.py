"""Identification: 010-037, 074, 088, 856$u → identifier; leader, 00X, 008, 040 → recordInfo (MODS guidelines)."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from bibld.crosswalk._marc21.codes import PUBLISHER_NUMBER
from bibld.crosswalk._marc21.conventions import Marc21View, fixed, leader_code
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, entry_date, iso_time, join
from bibld.model import identifiers, mods
from bibld.model.marc import DataField

IDENTIFIERS = RuleBook()
RECORD = RuleBook()

RECORD_ORIGIN = "Converted from MARC 21 by bibld"

# --- standard numbers


def isbn_identifier(text: str, qualifier: str = "", cancelled: bool = False) -> mods.Identifier | None:
    """Return an ISBN without hyphens, with its qualifier (``cloth``) as displayLabel; a wrong one is invalid."""
    found = identifiers.isbn(text)
    if found is None:
        return None
    label = qualifier or chop(found.qualifier)
    invalid = "yes" if cancelled or not found.is_valid else None
    return mods.Identifier(value=found.value, type="isbn", invalid=invalid, display_label=label or None)


def issn_identifier(text: str, kind: str = "issn", cancelled: bool = False) -> mods.Identifier | None:
    """Return an ISSN with its hyphen; a wrong one is invalid."""
    found = identifiers.issn(text)
    if found is None:
        return None
    invalid = "yes" if cancelled or not found.is_valid else None
    return mods.Identifier(value=found.value, type=kind, invalid=invalid)


@IDENTIFIERS.field("020", "aqz", "identifier[isbn], invalid for $z and wrong check digits, displayLabel from $q")
def isbns(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """ISBN."""
    qualifier = ", ".join([chop(text).strip("() ") for text in field.values("q")])
    for subfield in field.subfields:
        if subfield.code not in "az":
            continue
        element = isbn_identifier(subfield.value, qualifier, subfield.code == "z")
        if element is None:
            view.warn(f"020${subfield.code} {subfield.value!r} contains no number; left out")
            continue
        if element.invalid and subfield.code == "a":
            view.warn(f"{_PLACE_OF_ISBN} {subfield.value!r} is not a valid ISBN; marked as invalid")
        yield element


_PLACE_OF_ISBN = "020$a"
_ISSN_KINDS = {
    "a": ("issn", False), "y": ("issn", True), "z": ("issn", True), "l": ("issn-l", False), "m": ("issn-l", True),
}  # fmt: skip


@IDENTIFIERS.field("022", "almyz", "identifier[issn, issn-l]")
def issns(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """ISSN and ISSN-L."""
    for subfield in field.subfields:
        if subfield.code not in _ISSN_KINDS:
            continue
        kind, cancelled = _ISSN_KINDS[subfield.code]
        element = issn_identifier(subfield.value, kind, cancelled)
        if element is None:
            view.warn(f"022${subfield.code} {subfield.value!r} contains no number; left out")
            continue
        if element.invalid and not cancelled:
            view.warn(f"022${subfield.code} {subfield.value!r} is not a valid ISSN; marked as invalid")
        yield element


OTHER_STANDARD = {"0": "isrc", "1": "upc", "2": "ismn", "3": "ean", "4": "sici"}


@IDENTIFIERS.field("024", "adqz2", "identifier, type from the first indicator or $2")
def other_standard_numbers(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """Other standard identifiers; those of type 7 name their scheme in ``$2``."""
    kind = field.first("2") if field.indicator1 == "7" else OTHER_STANDARD.get(field.indicator1)
    kind = kind.strip().casefold() if kind else None
    label = ", ".join([chop(text).strip("() ") for text in field.values("q")]) or None
    for subfield in field.subfields:
        if subfield.code in "az":
            value = _bare(subfield.value, kind)
            more = field.first("d") if field.indicator1 != "7" else None
            if value:
                yield mods.Identifier(
                    value=f"{value} {more}" if more else value,
                    type=kind,
                    invalid="yes" if subfield.code == "z" else None,
                    display_label=label,
                )


_PREFIXES = {
    "doi": ("https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/", "doi:"),
    "hdl": ("https://hdl.handle.net/", "http://hdl.handle.net/", "http://hdl.loc.gov/", "urn:hdl:", "hdl:"),
}


_HOST_OF_DOI = "doi.org/"
"""Some addresses name it twice."""


def _bare(value: str, kind: str | None) -> str:
    for prefix in _PREFIXES.get(kind or "", ()):
        if value.casefold().startswith(prefix):
            return value[len(prefix) :].removeprefix(_HOST_OF_DOI).strip()
    if kind in ("isrc", "upc", "ismn", "ean"):
        return value.replace("-", "").replace(" ", "")
    return value


NUMBER_TYPES = {
    "010": "lccn", "015": "nbn", "016": "nban", "017": "legal deposit number", "027": "strn", "030": "coden",
    "032": "postal registration number", "036": "study number", "074": "gpo item number", "088": "report number",
}  # fmt: skip
"""Fields whose ``$a`` is an identifier of one type, and whose ``$z`` is a cancelled or wrong one."""

_SOURCE_CODES = {"015": "2", "016": "2", "017": "b2", "032": "b", "036": "b"}
"""Fields of numbers → the subfields that name who gave the number."""


for _tag, _kind in NUMBER_TYPES.items():

    @IDENTIFIERS.field(_tag, f"az{_SOURCE_CODES.get(_tag, '')}", f"identifier[{_kind}]")
    def number(field: DataField, view: Marc21View, kind: str = _kind) -> Iterator[mods.Identifier]:
        """Bibliography, report or other number, also cancelled; displayLabel: who gave it."""
        label = next((text for code in _SOURCE_CODES.get(field.tag, "") for text in field.values(code)), None)
        for subfield in field.subfields:
            if subfield.code in "az":
                invalid = "yes" if subfield.code == "z" else None
                value = _without_revision(subfield.value) if kind == "lccn" else subfield.value
                if value:
                    yield mods.Identifier(value=value, type=kind, invalid=invalid, display_label=label)


def _without_revision(number: str) -> str:
    """Return a control number of the Library of Congress without the dates of revision and the codes behind a slash."""
    return number.partition("/")[0].strip()


@IDENTIFIERS.field("023", "ayz", "identifier[issn-l, where the first indicator is 0]")
def cluster_issn(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """ISSN of a cluster of serials: the linking ISSN; that of a family of titles (ISSN-H) is not one of this serial."""
    if field.indicator1 == "0":
        for subfield in field.subfields:
            if subfield.code in "ayz":
                element = issn_identifier(subfield.value, "issn-l", subfield.code != "a")
                if element is not None:
                    yield element
                else:
                    view.warn(f"023${subfield.code} {subfield.value!r} contains no number; left out")


@IDENTIFIERS.field("013", "ab", "identifier[patent number]")
def patent_number(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """Write the number of a patent after its country."""
    for value in field.values("a"):
        yield mods.Identifier(value=" ".join([*field.values("b")[:1], value]), type="patent number")


@IDENTIFIERS.field("026", "abcde2", "identifier[fingerprint], displayLabel: the scheme in $2")
def fingerprint(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """Join the groups of letters that identify an edition of an old book."""
    value = join(field, "abcd") or join(field, "e")
    if value:
        yield mods.Identifier(value=value, type="fingerprint", display_label=field.first("2"))


NUMBER_OF_PUBLISHER = PUBLISHER_NUMBER | {"5": "publisher number", "6": "distributor number"}
"""First indicator of 028 → the type of the number."""


@IDENTIFIERS.field("028", "ab", "identifier, type from the first indicator")
def publisher_number(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """Issue, plate or other number of a publisher or distributor, with its source."""
    value = join(field, "ab")
    if field.first("a") is not None:
        yield mods.Identifier(value=value, type=NUMBER_OF_PUBLISHER.get(field.indicator1, "publisher number"))


_SYSTEM_PREFIXES = {"(OCoLC)": "oclc", "(WlCaITV)": "WlCaITV"}


@IDENTIFIERS.field("035", "az", "identifier[oclc], or [local] with the prefix of the system")
def system_number(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """Control number in another system; one without the prefix of its system is left out."""
    for subfield in field.subfields:
        if subfield.code not in "az":
            continue
        if not subfield.value.startswith("("):
            view.unmapped.append(f"035${subfield.code}")
            continue
        element = system_identifier(subfield.value)
        yield replace(element, invalid="yes") if subfield.code == "z" else element


def system_identifier(text: str) -> mods.Identifier:
    """Return a control number: the prefix ``(OCoLC)`` is removed, others stay with type local."""
    for prefix, kind in _SYSTEM_PREFIXES.items():
        if text.startswith(prefix) and len(text) > len(prefix):
            value = text[len(prefix) :].strip()
            if kind == "oclc":
                value = value.removeprefix("ocm").removeprefix("ocn").removeprefix("on").strip().lstrip("0") or value
            return mods.Identifier(value=value, type=kind)
    return mods.Identifier(value=text, type="local")


@IDENTIFIERS.field("037", "abc", "identifier[stock number] of $a; note[acquisition source] of $b and $c")
def stock_number(field: DataField, view: Marc21View) -> Iterator[mods.Identifier | mods.Note]:
    """Numbers under which the resource is sold, and by whom on which terms."""
    for value in field.values("a"):
        yield mods.Identifier(value=value, type="stock number")
    source = join(field, "bc", ", ")
    if any(map(str.isalpha, source)):
        yield mods.Note(value=source, type="acquisition source")


@IDENTIFIERS.field("856", "u", "identifier[doi, hdl] from the address")
def persistent_address(field: DataField, view: Marc21View) -> Iterator[mods.Identifier]:
    """DOI or Handle in an address of the resource itself."""
    if field.indicator2 == "2":
        return
    for text in field.values("u"):
        for kind, prefixes in _PREFIXES.items():
            value = _bare(text, kind)
            if value in ("", text):
                continue
            stated = (one for field in view.fields("024") if field.first("2") == kind for one in field.values("a"))
            if all(_bare(one, kind) != value for one in stated):
                yield mods.Identifier(value=f"hdl:{value}" if kind == "hdl" else value, type=kind)
                break
            if any(text.casefold().startswith(prefix) for prefix in prefixes):
                break


# --- the record


@RECORD.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging",
    tLDR="", t001="", t003="", t005="", t008="", t040="abe",
)  # fmt: skip
def record_info(view: Marc21View) -> Iterator[mods.RecordInfo]:
    """About the record: identifier, agency, dates, rules."""
    number = (view.control("001") or "").strip()
    source = (view.control("003") or "").strip() or None
    standards = ["aacr"] if leader_code(view, 18) == "a" else []
    standards.extend(value for field in view.fields("040") for value in field.values("e") if value not in standards)
    agencies = [value for field in view.fields("040") for value in field.values("a")]
    languages = [value for field in view.fields("040") for value in field.values("b")]
    yield mods.RecordInfo(
        record_content_source=tuple(mods.RecordContentSource(value=value, authority="marcorg") for value in agencies),
        record_creation_date=_creation_date(view),
        record_change_date=_change_date(view),
        record_identifier=(mods.RecordIdentifier(value=number, source=source),) if number else (),
        record_origin=(RECORD_ORIGIN,),
        language_of_cataloging=tuple(
            mods.Language(language_term=(mods.LanguageTerm(value=value, type="code", authority="iso639-2b"),))
            for value in languages
        ),
        description_standard=tuple(mods.DescriptionStandard(value=value) for value in standards),
    )


def _creation_date(view: Marc21View) -> tuple[mods.Date, ...]:
    text = fixed(view, 0, 6)
    date = entry_date(text)
    if date is not None:
        return (mods.Date(value=date, encoding="w3cdtf"),)
    if text.strip(" |#"):
        view.warn(f"008/00-05 {text!r} is not a date; left out")
    return ()


def _change_date(view: Marc21View) -> tuple[mods.Date, ...]:
    text = view.control("005")
    date = iso_time(text) if text else None
    if date is not None:
        return (mods.Date(value=date, encoding="iso8601"),)
    if text and text.strip():
        view.warn(f"005 {text!r} is not a date; left out")
    return ()
