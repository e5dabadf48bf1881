"""Kind, publication, form and record: leader, 00X, 033-047, 250-351, 655.

They become typeOfResource, genre, targetAudience, language, originInfo, physicalDescription, recordInfo.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._marc21.corrections import NO_TEXT
from bibld.crosswalk._marc21.fixed import (
    RECORD_ORIGIN,
    coded_audience,
    coded_genres,
    configuration,
    fixed,
    genre_authority,
    leader_code,
    type_of_resource,
)
from bibld.crosswalk._marc21.origin import (
    Parts,
    add_part,
    coded_dates,
    copyright_dates,
    functions,
    mark_key_date,
    stated_dates,
    text_place,
)
from bibld.crosswalk._marc21.physical import form_of_item
from bibld.crosswalk._marc21_loc.fields import StylesheetView, chop, chop_both, has_any, mark, subfields_with_linkage
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import join
from bibld.crosswalk._view import Linkage
from bibld.model.marc import DataField
from bibld.model.mods import (
    Date,
    DescriptionStandard,
    Edition,
    Extent,
    Form,
    Frequency,
    Genre,
    Language,
    LanguageTerm,
    Note,
    OriginInfo,
    PhysicalDescription,
    Place,
    PlaceTerm,
    Publisher,
    RecordContentSource,
    RecordIdentifier,
    RecordInfo,
)

DESCRIPTION = RuleBook()

# --- kind and language

DESCRIPTION.record("typeOfResource, with collection and manuscript", tLDR="")(type_of_resource)
DESCRIPTION.record("genre[marcgt] from coded data", t007="", t008="")(coded_genres)
DESCRIPTION.record("targetAudience[marctarget] from coded data", t008="")(coded_audience)

_OBJECT_PART = {
    "a": None, "b": "summary", "d": "sung or spoken text", "e": "libretto", "f": "table of contents",
    "g": "accompanying material", "h": "translation",
}  # fmt: skip


@DESCRIPTION.field("047", "abcdef2", "genre[musical composition], authority marcmuscomp or $2")
def form_of_composition(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Form of musical composition."""
    source = field.first("2") if field.indicator2 == "7" else None
    authority = source if source is not None else "marcmuscomp" if field.indicator2 == " " else "marcgt"
    yield Genre(value=join(field, "abcdef", "-"), type="musical composition", authority=authority)


@DESCRIPTION.field("336", "a2", "genre with the authority of $2")
def content_type(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Content type."""
    yield Genre(value=join(field, "a", "-"), authority=field.first("2"))


@DESCRIPTION.field("655", "abvxyz2", "genre, authority from $2 or the second indicator")
def genre_or_form(field: DataField, view: StylesheetView) -> Iterator[Genre]:
    """Index term of genre or form; subdivisions follow after a hyphen."""
    yield Genre(value=join(field, "abvxyz", "-"), authority=genre_authority(field, view))


@DESCRIPTION.record("language, with objectPart", t008="", t041="abdefgh2")
def languages(view: StylesheetView) -> Iterator[Language]:
    """008/35-37, then the codes of 041 in groups of three; of each subfield only what 008 does not state."""
    coded = fixed(view, 35, 38)
    known = coded.translate(_FILLS).strip()
    if known:
        yield _language(coded, "iso639-2b", None)
    for field in view.regular("041"):
        is_rfc3066 = "rfc3066" in field.values("2")
        for subfield in field.subfields:
            if subfield.code not in _OBJECT_PART:
                continue
            part = _OBJECT_PART[subfield.code]
            if not is_rfc3066:
                is_kept = part is not None and view.settings.part_languages_kept
                for code in _cut(subfield.value, "" if is_kept else known):
                    yield _language(code, "iso639-2b", part)
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


# --- publication


@DESCRIPTION.record(
    "originInfo: place, publisher, dates, edition, issuance, frequency; one more for each function of 264",
    tLDR="", t008="", t033="a", t044="c", t046="cejklmn", t250="a", t260="abcg", t264="abc", t310="ab", t321="ab",
)  # fmt: skip
def origin(view: StylesheetView) -> Iterator[OriginInfo]:
    """One element; where a field has ``$6``, one for each such field and one for the others, all with coded data."""
    coded = _coded_origin(view)
    fields = view.in_order(*_ORIGIN_FIELDS)
    linked = [field for field in fields if view.linkage(field) is not None]
    others = [field for field in fields if view.linkage(field) is None]
    for field in linked:
        yield view.mark(_origin_info(coded, (field,), view), field)
    if linked and others:
        yield _origin_info(coded, others, view)
    elif not linked and (others or view.controls("008") or "copyright_date" in coded):
        if not view.settings.country_codes_written:
            others = [field for field in others if field.tag != "044"]
        yield _origin_info(coded, others, view)
    for field in view.fields(*_ORIGIN_FIELDS):
        if view.is_alternate(field):
            yield view.mark(_origin_info(coded, (field,), view), field)
    yield from functions(view)


def _origin_info(coded: Parts, fields: Iterable[DataField], view: StylesheetView) -> OriginInfo:
    parts = {name: list(values) for name, values in coded.items()}
    for field in fields:
        _add_origin(field, parts, view)
    mark_key_date(parts, view)
    return replace(OriginInfo(), **{name: tuple(values) for name, values in parts.items()})


def _coded_origin(view: StylesheetView) -> Parts:
    parts: Parts = {}
    country = fixed(view, 15, 18).strip()
    if country.strip("|"):
        parts["place"] = [Place(place_term=(PlaceTerm(value=country, type="code", authority="marccountry"),))]
    coded_dates(view, parts)
    copyright_dates(view, parts)
    issuance = codes.ISSUANCE.get(leader_code(view, 7))
    if issuance is not None:
        parts["issuance"] = [issuance]
    if configuration(view) == codes.SERIAL:
        frequency = _FREQUENCY.get(fixed(view, 18))
        if frequency is not None:
            parts["frequency"] = [Frequency(value=frequency, authority="marcfrequency") for _ in view.controls("008")]
    return parts


_FREQUENCY = {code: term for code, term in codes.FREQUENCY.items() if code != "x"}
_FREQUENCY |= {" ": codes.FREQUENCY["x"], "#": codes.FREQUENCY["x"]}

_ORIGIN_FIELDS = ("044", "260", "046", "033", "250", "310", "321")
_SPECIAL_DATES = (
    ("m", "date_valid", None, "start"), ("n", "date_valid", None, "end"), ("j", "date_modified", None, None),
    ("c", "date_issued", "marc", "start"), ("e", "date_issued", "marc", "end"),
    ("k", "date_created", "marc", "start"), ("l", "date_created", "marc", "end"),
)  # fmt: skip


def _add_origin(field: DataField, parts: Parts, view: StylesheetView) -> None:
    """Add what a field states of publication."""
    if field.tag == "260":
        _add_publication(field, parts, view)
    elif field.tag == "044":
        for text in field.values("c"):
            term = PlaceTerm(value=chop_both(text), type="code", authority="iso3166")
            add_part(parts, "place", Place(place_term=(term,)))
    elif field.tag == "046":
        for code, name, encoding, point in _SPECIAL_DATES:
            for text in field.values(code):
                add_part(parts, name, Date(value=text, encoding=encoding, point=point))
    elif field.tag == "033" and field.indicator1 in ("0", "1", "2"):
        is_range = field.indicator1 == "2"
        points = ("start", "end") if is_range else (None,) * len(field.subfields)
        for text, point in zip(field.values("a"), points, strict=False):
            add_part(parts, "date_captured", Date(value=text, encoding="iso8601", point=point))
    elif field.tag == "250":
        for text in field.values("a"):
            add_part(parts, "edition", Edition(value=text))
    elif field.tag in ("310", "321"):
        add_part(parts, "frequency", Frequency(value=join(field, "ab")))


def _add_publication(field: DataField, parts: Parts, view: StylesheetView) -> None:
    for text in field.values("a"):
        place = Place(place_term=(PlaceTerm(value=chop_both(text), type="text"),))
        add_part(parts, "place", text_place(chop(text), view) if view.settings.places_unbracketed else place)
    for text in field.values("b"):
        add_part(parts, "publisher", Publisher(value=chop(text, ":,;/ ")))
    is_manuscript = leader_code(view, 6) in (*codes.MANUSCRIPT_TYPES,) and not view.is_alternate(field)
    if view.settings.dates_normalized:
        stated_dates(field, parts, view)
    else:
        for text in field.values("c"):
            add_part(parts, "date_created" if is_manuscript else "date_issued", Date(value=chop(text)))
    for text in field.values("g"):
        add_part(parts, "date_created", Date(value=text))


# --- form and extent

_FORM_CODES = {
    "130": "h", "240": "h", "242": "h", "245": "h", "246": "h", "730": "h", "256": "a", "337": "a", "338": "a",
    "856": "q", "300": "",
}  # fmt: skip
"""The subfields that each describe a form; of a 300 all of them together."""

NamedValue = tuple[str, Any]
"""The name of a child of physicalDescription, and its value."""


@DESCRIPTION.record(
    "physicalDescription: form, reformattingQuality, internetMediaType, extent, digitalOrigin, note",
    tLDR="", t007="", t008="", t130="h", t240="h", t242="h", t245="h", t246="h", t730="h", t256="a", t300="abcefg3",
    t337="a2", t338="a2", t351="abc3", t856="q",
)  # fmt: skip
def physical_description(view: StylesheetView) -> Iterator[PhysicalDescription]:
    """One element; where fields have ``$6``, one for each of them and one for the others; one for each 880."""
    fields = [
        field for field in view.in_order(*_FORM_CODES) if field.tag == "300" or has_any(field, _FORM_CODES[field.tag])
    ]
    linked = [field for field in fields if view.linkage(field) is not None]
    others = [values for field in fields if view.linkage(field) is None for values, _ in _forms(field, view)]
    form = form_of_item(view)
    item = [("form", Form(value=form, authority="marcform"))] if form is not None else []
    coded = [*item, *_coded_forms(view)]
    in_linked = coded if view.settings.coded_forms_in_every_script else item
    for field in linked:
        for values, linkage in _forms(field, view):
            yield mark(_physical_description([*in_linked, *values]), linkage)
    if linked and len(linked) < len(fields):
        yield _physical_description([*coded, *(value for values in others for value in values)])
    elif not linked:
        values = [*coded, *(value for values in others for value in values)]
        values += [("note", _arrangement(field)) for field in view.regular("351")]
        if any((value if isinstance(value, str) else value.value).strip(NO_TEXT) for _, value in values):
            yield _physical_description(values)
    for field in view.fields(*_FORM_CODES):
        if view.is_alternate(field) and field.tag != "856":
            for values, linkage in _forms(field, view):
                yield mark(_physical_description(values), linkage)


def _physical_description(values: Iterable[NamedValue]) -> PhysicalDescription:
    parts: Parts = {}
    for name, value in values:
        parts.setdefault(name, []).append(value)
    return replace(PhysicalDescription(), **{name: tuple(of_name) for name, of_name in parts.items()})


def _coded_forms(view: StylesheetView) -> Iterator[NamedValue]:
    texts = view.controls("007")
    if configuration(view) == codes.FILE:
        for code in dict.fromkeys(text[11:12] for text in texts):
            if code in codes.DIGITAL_ORIGIN:
                yield "digital_origin", codes.DIGITAL_ORIGIN[code]
    for category in dict.fromkeys(text[:1] for text in texts):
        if category in codes.MATERIAL_CATEGORY:
            yield "form", Form(value=codes.MATERIAL_CATEGORY[category], authority="marccategory")
    for start in dict.fromkeys(text[:2] for text in texts):
        designation = codes.MATERIAL_DESIGNATION.get(start[:1], {}).get(start[1:])
        if designation is not None:
            yield "form", Form(value=designation, authority="marcsmd")
    for text in texts:
        if text.startswith("c") and text[13:14] in codes.REFORMATTING_QUALITY:
            yield "reformatting_quality", codes.REFORMATTING_QUALITY[text[13]]


def _forms(field: DataField, view: StylesheetView) -> Iterator[tuple[list[NamedValue], Linkage | None]]:
    if field.tag == "300":
        extent = Extent(value=join(field, "abce3g"), unit=join(field, "f") if has_any(field, "f") else None)
        yield [("extent", extent)], view.linkage(field)
        return
    for text, linkage in subfields_with_linkage(field, _FORM_CODES[field.tag], view):
        if field.tag == "856":
            yield [("internet_media_type", text)] if len(text) > 1 else [], linkage
        elif field.tag in ("337", "338"):
            kind = "media" if field.tag == "337" else "carrier"
            yield [("form", Form(value=text, type=kind, authority=field.first("2") or ""))], linkage
        elif field.tag == "256":
            yield [("form", Form(value=text))], linkage
        else:
            designation = chop(text)
            designation = designation[1:-1] if designation.startswith("[") else designation
            yield [("form", Form(value=designation, authority="gmd"))], linkage


def _arrangement(field: DataField) -> Note:
    materials = "".join([f"{text}: " for text in field.values("3")])
    return Note(value=materials + join(field, "abc"), type="arrangement")


# --- the record


@DESCRIPTION.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging",
    tLDR="", t001="", t003="", t005="", t008="", t040="abe",
)  # fmt: skip
def record_info(view: StylesheetView) -> Iterator[RecordInfo]:
    """About the record: identifier, agency, dates, rules, unchanged; every 040 gives a content source."""
    standards = ["aacr"] if leader_code(view, 18) == "a" else []
    cataloguing = view.regular("040")
    standards.extend(text for field in cataloguing for text in field.values("e")[:1])
    yield RecordInfo(
        record_content_source=tuple(
            RecordContentSource(value=field.first("a") or "", authority="marcorg") for field in cataloguing
        ),
        record_creation_date=tuple(Date(value=text[:6], encoding="marc") for text in view.controls("008")),
        record_change_date=tuple(Date(value=text, encoding="iso8601") for text in view.controls("005")),
        record_identifier=tuple(
            RecordIdentifier(value=text, source=view.control("003")) for text in view.controls("001")
        ),
        record_origin=(RECORD_ORIGIN,),
        language_of_cataloging=tuple(
            _language(text, "iso639-2b", None) for field in cataloguing for text in field.values("b")
        ),
        description_standard=tuple(DescriptionStandard(value=text) for text in standards),
    )
