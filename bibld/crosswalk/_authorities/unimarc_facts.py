"""What UNIMARC and RUSMARC authority records state of the thing, of its sources and of themselves."""

from __future__ import annotations

from bibld.crosswalk._authorities.statements import (
    date_of_event,
    dates_of_life,
    locations,
    numbers_of_record,
    read_number,
)
from bibld.crosswalk._authorities.unimarc_headings import kind_of
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._texts import address, iso_day, iso_time
from bibld.crosswalk._unimarc.codes import COUNTRY_OF_THREE_LETTERS, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model import mods
from bibld.model.authority import (
    AuthorityDate,
    DateType,
    EntityAttribute,
    HeadingState,
    RecordNumber,
    RecordStatus,
    SourceConsulted,
)
from bibld.model.marc import DataField
from bibld.text.languages import language_code
from bibld.text.lives import coded_date

FACTS = RuleBook()

# -- the record --------------------------------------------------------------------------------------------------------

_STATUS: dict[str, RecordStatus] = {"n": "new", "c": "changed", "d": "deleted"}
_PROVISIONAL = {"a": False, "c": True}
_DIFFERENTIATED = {"a": True, "b": False}
_USE = {"0": (True, True), "1": (False, True), "2": (True, False)}
"""106$a: whether a name is used in bibliographic descriptions, and as a subject."""


@FACTS.record(
    "state: status (leader/05, 835), kind of record (leader/06), scheme (152$b), use (106), differentiation (120)",
    tLDR="", t100="a", t106="a", t120="a", t152="b", t835="b3",
)  # fmt: skip
def state(view: UnimarcView) -> Elements:
    """State of the record, and for what its heading is used."""
    status = _STATUS.get(view.leader.record_status, "")
    replaced_by = sum(max(len(field.values("b")), len(field.values("3"))) for field in view.fields("835"))
    if replaced_by:
        status = "replaced" if replaced_by == 1 else "split"
    as_name, as_subject = _USE.get((view.first("106", "a") or "").strip()[:1], (None, None))
    kind = view.leader.type_of_record
    differentiated = _DIFFERENTIATED.get((view.first("120", "a") or "")[1:2])
    yield HeadingState(
        status=status,
        record_type="reference" if kind == "y" else "explanatory" if kind == "z" else "established",
        scheme=view.first("152", "b") or "",
        is_provisional=_PROVISIONAL.get((view.first("100", "a") or "")[8:9]),
        is_differentiated=differentiated if kind_of(view) == "person" else None,
        is_used_as_name=as_name,
        is_used_as_subject=as_subject,
    )


_AGENCIES = {"1": "transcribing agency", "2": "modifying agency", "3": "issuing agency"}


@FACTS.record(
    "recordInfo: identifier (001), dates (005, 100, 801), language of cataloguing (100), rules (152$a), agencies (801)",
    t001="", t005="", t100="a", t152="a", t801="abcg",
)  # fmt: skip
def record_info(view: UnimarcView) -> Elements:
    """About the record: identifier, agencies, dates, rules."""
    coded = without_fill(view.first("100", "a") or "")
    created, changed = iso_day(coded[:8]), iso_time(view.control("005") or "")
    stated = [field for field in view.fields("801") if field.values("a", "b")]
    first = next((field for field in stated if field.indicator2 == "0"), stated[0] if stated else None)
    if coded[:8].strip() and created is None:
        view.warn(f"100$a {coded[:8]!r} is not a date; left out")
    if changed is None:
        changed = max(filter(None, (iso_day(text) for field in stated for text in field.values("c"))), default=None)
    language = language_code(coded[9:12]) if coded[9:12].isalpha() else None
    term = mods.LanguageTerm(value=language or "", type="code", authority="iso639-2b")
    standards = dict.fromkeys(
        [text for field in view.fields("152") for text in field.values("a")]
        + [text.lower() for field in stated for text in field.values("g")]
    )
    number = view.control("001")
    yield mods.RecordInfo(
        record_content_source=(mods.RecordContentSource(value=" ".join(first.values("a", "b"))),) if first else (),
        record_creation_date=(mods.Date(value=created, encoding="w3cdtf"),) if created else (),
        record_change_date=(mods.Date(value=changed, encoding="iso8601"),) if changed else (),
        record_identifier=(mods.RecordIdentifier(value=number),) if number else (),
        language_of_cataloging=(mods.Language(language_term=(term,)),) if language else (),
        description_standard=tuple(map(mods.DescriptionStandard, standards)),
        record_info_note=tuple(
            mods.RecordInfoNote(value=" ".join(field.values("a", "b", "c")), type=_AGENCIES.get(field.indicator2))
            for field in stated
            if field is not first
        ),
    )


# -- numbers -----------------------------------------------------------------------------------------------------------


@FACTS.record("number: the IRI of the record, stated or made of its number", t001="", t003="")
def own_iri(view: UnimarcView) -> Elements:
    """003, the persistent identifier of the record; else that of 001 in a known file or with ``authority_base``."""
    for text in view.controls("003"):
        number = read_number(text.rstrip("/"))
        if number is not None and number.iri:
            yield number
    text = (view.control("001") or "").strip()
    reference = view.authority_reference(text) if text else None
    if reference is not None and address(reference) is not None:
        yield RecordNumber(text, iri=reference)


@FACTS.fields(
    "number: ISNI (010), another ($2) or the system in parentheses (017, 033, 035)",
    t010="az2", t015="az", t017="a2z", t033="az2", t035="az2",
)  # fmt: skip
def numbers(field: DataField, view: UnimarcView) -> Elements:
    """Numbers in this and in other files."""
    source = (field.first("2") or "").strip() or ("isni" if field.tag == "010" else "")
    yield from numbers_of_record(field, source, view, "ISNI")


# -- coded data --------------------------------------------------------------------------------------------------------


@FACTS.field("101", "a", "language of the entity")
def languages(field: DataField, view: UnimarcView) -> Elements:
    """Languages in which a person or body publishes, or of a work."""
    for text in field.values("a"):
        code = language_code(text)
        if code is None:
            view.warn(f"101$a {text!r} is not a language code; left out")
        else:
            yield mods.Language(language_term=(mods.LanguageTerm(value=code, type="code", authority="iso639-2b"),))


@FACTS.field("102", "ab2", "attribute[country] as code; attribute[place] of $b")
def countries(field: DataField, view: UnimarcView) -> Elements:
    """Country of a person, body, place or work."""
    for text in field.values("a"):
        code = text.strip().upper()
        yield EntityAttribute("country", COUNTRY_OF_THREE_LETTERS.get(code, code), "iso3166")
    for text in field.values("b"):
        yield EntityAttribute("place", text, field.first("2") or "")


_GENDERS = {"a": "female", "b": "male"}
_GOVERNMENTS = {
    "a": "federal or national", "b": "state or provincial", "c": "county or departmental", "d": "municipal or local",
    "e": "multi-state", "f": "intergovernmental", "g": "in exile", "h": "of a level that is not known",
}  # fmt: skip


@FACTS.field("120", "a", "attribute[gender]")
def gender(field: DataField, view: UnimarcView) -> Elements:
    """Gender of a person, where it is coded."""
    stated = _GENDERS.get((field.first("a") or "")[:1])
    if stated is not None:
        yield EntityAttribute("gender", stated)


@FACTS.field("150", "a", "attribute[type of body]: level of a government agency")
def type_of_body(field: DataField, view: UnimarcView) -> Elements:
    """Government agency, and of what level."""
    stated = _GOVERNMENTS.get((field.first("a") or "")[:1])
    if stated is not None:
        yield EntityAttribute("type of body", f"government agency, {stated}")


@FACTS.field("123", "defgqs", "coordinates: cartographics")
def coordinates(field: DataField, view: UnimarcView) -> Elements:
    """Coordinates of a place."""
    text = " ".join(field.values("d", "e", "f", "g", "q", "s"))
    if text:
        yield mods.Cartographics(coordinates=(text,))


@FACTS.field("160", "a", "area: geographicCode")
def area(field: DataField, view: UnimarcView) -> Elements:
    """Codes of geographic areas, without the hyphens that fill them."""
    for text in field.values("a"):
        if text.rstrip("- "):
            yield mods.GeographicCode(value=text.rstrip("- "), authority="marcgac")


_LIMITS: dict[str, tuple[DateType, DateType]] = {
    "person": ("birth", "death"), "title": ("creation", "creation"), "name-title": ("creation", "creation"),
}  # fmt: skip
"""What ``$a`` and ``$b`` of 103 are, by the kind of the heading; else the beginning and the end."""


@FACTS.record(
    "date: birth and death, start and end, of 103 in EDTF; else of $f in the heading, also of a meeting",
    t103="ab", t200="f", t210="f", t220="f",
)  # fmt: skip
def dates(view: UnimarcView) -> Elements:
    """Coded dates; the dates in the heading of a person or family where no coded one states the same."""
    kind = kind_of(view)
    known: set[DateType] = set()
    for field in view.fields("103"):
        for code, type_ in zip("ab", _LIMITS.get(kind or "topic", ("start", "end")), strict=True):
            for text in field.values(code):
                value = coded_date(text.replace(" ", "").replace("?", "") + ("?" if "?" in text else ""))
                if not value:
                    view.warn(f"103${code} {text!r} is not a date; its text is kept")
                known.add(type_)
                yield AuthorityDate(type_, value, text)
    for field in view.fields("200", "220") if kind in ("person", "family") else ():
        for text in field.values("f"):
            for date in dates_of_life(text, kind == "person"):
                if date.type not in known:
                    known.add(date.type)
                    yield date
    for field in view.fields("210") if kind == "meeting" else ():
        yield from map(date_of_event, field.values("f"))


# -- notes, class marks and sources ------------------------------------------------------------------------------------

_NOTES = {
    "300": None, "305": "see also", "310": "see", "320": "explanation", "330": "scope",
    "340": "biographical/historical", "341": "biographical/historical", "356": "geographical", "820": "usage",
}  # fmt: skip


@FACTS.fields(
    "note: see also, see, explanation, scope, biographical/historical, geographical, usage",
    t300="a", t305="ab", t310="ab", t320="a", t330="a", t340="abd", t341="a", t356="a", t820="a",
)  # fmt: skip
def notes(field: DataField, view: UnimarcView) -> Elements:
    """Public notes."""
    text = " ".join(field.values("a", "b", "d"))
    if text:
        yield mods.Note(value=text, type=_NOTES[field.tag])


@FACTS.field("340", "cp", "attribute[occupation] of $c, attribute[affiliation] of $p")
def activity(field: DataField, view: UnimarcView) -> Elements:
    """Occupation and affiliation of a person."""
    for subfield in field.subfields:
        if subfield.code == "c":
            yield EntityAttribute("occupation", subfield.value.rstrip(" .;,"))
        elif subfield.code == "p":
            yield EntityAttribute("affiliation", subfield.value.rstrip(" .;,"))


_CLASSES = {"675": "udc", "676": "ddc", "680": "lcc"}


@FACTS.field("675 676 680 686", "abcv2", "classification: class mark or range, edition, class in words")
def class_marks(field: DataField, view: UnimarcView) -> Elements:
    """Class marks; ``$b`` ends a range."""
    for start in field.values("a")[:1]:
        end = field.first("b")
        yield mods.Classification(
            value=f"{start}-{end}" if end else start,
            authority=_CLASSES.get(field.tag) or field.first("2"),
            edition=field.first("v"),
            display_label="; ".join(field.values("c")) or None,
        )


@FACTS.field("810", "ab", "source: citation, information found")
def source_found(field: DataField, view: UnimarcView) -> Elements:
    """Source in which something was found."""
    citation, information = " ".join(field.values("a")).rstrip(" :"), " ".join(field.values("b"))
    if citation or information:
        links = tuple(link for word in citation.split() if (link := address(word.rstrip(".,;)"))) is not None)
        yield SourceConsulted(citation, information, links)


@FACTS.field("815", "a", "source in which nothing was found")
def source_not_found(field: DataField, view: UnimarcView) -> Elements:
    """Citations without result."""
    for text in field.values("a"):
        yield SourceConsulted(text, is_found=False)


@FACTS.field("856", "u2yz", "location: url")
def electronic_address(field: DataField, view: UnimarcView) -> Elements:
    """Address of a page or picture about the thing."""
    yield from locations(field, "2y", view)


PRIVATE = {"825": "*", "830": "*", "856": "xklbhijrtw"}
"""Notes and instructions for cataloguers, details of transfers."""
