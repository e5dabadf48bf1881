"""What MARC 21 authority records state of the thing, of its sources and of themselves: all but the headings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from bibld.crosswalk._authorities import relations
from bibld.crosswalk._authorities.marc21_headings import kind_of, numbers_of
from bibld.crosswalk._authorities.statements import (
    date_of_event,
    dates_of_life,
    locations,
    numbers_of_record,
    parse_period,
    read_number,
    read_numbers,
)
from bibld.crosswalk._marc21.codes import period_of_code
from bibld.crosswalk._marc21.conventions import Marc21View, fixed, leader_code
from bibld.crosswalk._marc21.identification import record_info
from bibld.crosswalk._marc21.titles import title_info
from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._texts import address, chop, chopped_values, join
from bibld.model import mods
from bibld.model.authority import (
    AttributeType,
    AuthorityDate,
    DateType,
    EntityAttribute,
    HeadingState,
    RecordStatus,
    SourceConsulted,
    TitleOfEntity,
)
from bibld.model.marc import DataField
from bibld.text.languages import language_code
from bibld.text.lives import coded_date

FACTS = RuleBook()

# -- the record --------------------------------------------------------------------------------------------------------

_STATUS: dict[str, RecordStatus] = {
    "n": "new", "c": "changed", "a": "changed", "d": "deleted", "s": "split", "x": "replaced", "o": "obsolete",
}  # fmt: skip
_REFERENCES, _SUBDIVISIONS, _NODE_LABEL = "bcg", "d", "e"
_SCHEME = {
    "a": "lcsh", "b": "lcshac", "c": "mesh", "d": "nal", "k": "csh", "r": "aat", "s": "sears", "v": "rvm",
}  # fmt: skip
_USE = {"a": True, "b": False}
_PROVISIONAL = {"a": False, "b": True, "c": True, "d": True}
_HEADINGS_OF_FORMAT = tuple(
    f"1{form}" for form in ("00", "10", "11", "30", "47", "48", "50", "51", "55", "62", "80", "81", "82", "85")
)


@FACTS.record(
    "state: status (leader/05), kind of record, scheme, use of the heading, differentiation (008)",
    tLDR="", t008="", t040="f",
)  # fmt: skip
def state(view: Marc21View) -> Elements:
    """State of the record, and for what its heading is used; the scheme is that of headings of the format."""
    record_type = fixed(view, 9)
    is_reference = record_type in _REFERENCES and record_type
    scheme = _SCHEME.get(fixed(view, 11)) or view.first("040", "f") or ""
    yield HeadingState(
        status=_STATUS.get(leader_code(view, 5), ""),
        record_type="reference" if is_reference
        else "subdivision" if record_type == _SUBDIVISIONS
        else "node label" if record_type == _NODE_LABEL
        else "established",
        scheme=scheme if view.has(*_HEADINGS_OF_FORMAT) else "",
        is_provisional=_PROVISIONAL.get(fixed(view, 33)),
        is_differentiated=_USE.get(fixed(view, 32)) if kind_of(view) == "person" else None,
        is_used_as_name=_USE.get(fixed(view, 14)),
        is_used_as_subject=_USE.get(fixed(view, 15)),
        is_used_as_series=_USE.get(fixed(view, 16)),
    )  # fmt: skip


_AGENCIES = {"c": "transcribing agency", "d": "modifying agency"}


@FACTS.record(
    "recordInfo: identifier, dates, content source, description standard, language of cataloging, other agencies",
    tLDR="", t001="", t003="", t005="", t008="", t040="abcde",
)  # fmt: skip
def about_the_record(view: Marc21View) -> Elements:
    """About the record, as in bibliographic records; with those agencies that transcribed and changed it."""
    stated = [sub for field in view.fields("040") for sub in field.subfields if sub.code in _AGENCIES]
    notes = tuple(mods.RecordInfoNote(value=sub.value, type=_AGENCIES[sub.code]) for sub in stated)
    for info in record_info(view):
        if isinstance(info, mods.RecordInfo):
            yield replace(info, record_info_note=notes)


# -- numbers -----------------------------------------------------------------------------------------------------------


@FACTS.record("number, of the file that 003 names", t001="", t003="")
def own_number(view: Marc21View) -> Elements:
    """Control number, where it identifies the record in a file that has IRIs."""
    number = read_number(view.control("001") or "", (view.control("003") or "").strip())
    if number is not None and number.iri:
        yield number


@FACTS.field("010", "az", "number of the Library of Congress")
def library_of_congress_number(field: DataField, view: Marc21View) -> Elements:
    """LCCN; ``$z`` is a cancelled one."""
    yield from numbers_of_record(field, "DLC", view)


@FACTS.field("016", "az2", "number of a national library, which $2 names; Library and Archives Canada without it")
def national_number(field: DataField, view: Marc21View) -> Elements:
    """National bibliographic agency and its number."""
    yield from numbers_of_record(field, field.first("2") or "CaOONL", view)


_SCHEME_OF_024 = "7"


@FACTS.field("024", "az201", "number, with the scheme that $2 names")
def other_number(field: DataField, view: Marc21View) -> Elements:
    """ISNI, VIAF, ORCID, Wikidata, or an IRI."""
    scheme = (field.first("2") or "").strip() if field.indicator1 == _SCHEME_OF_024 else ""
    yield from numbers_of_record(field, scheme, view)
    yield from numbers_of(field)


@FACTS.field("035", "az", "number in another system, whose code is in parentheses before it")
def system_number(field: DataField, view: Marc21View) -> Elements:
    """Control number in another system."""
    yield from numbers_of_record(field, "", view)


@FACTS.field("758", "ai014", "number: IRI of a resource")
def resource(field: DataField, view: Marc21View) -> Elements:
    """IRI of the same thing."""
    yield from numbers_of(field)


@FACTS.field("020 022", "az", "identifier[isbn, issn]")
def standard_number(field: DataField, view: Marc21View) -> Elements:
    """ISBN of a work in parts, ISSN of a series."""
    for subfield in field.subfields:
        value = subfield.value.partition(" ")[0].strip(" .,:;")
        if subfield.code in "az" and value:
            kind = "isbn" if field.tag == "020" else "issn"
            yield mods.Identifier(value=value, type=kind, invalid="yes" if subfield.code == "z" else None)


# -- dates -------------------------------------------------------------------------------------------------------------

_DATES: dict[str, DateType] = {"f": "birth", "g": "death", "q": "start", "r": "end", "k": "creation"}
_ENDS = {"s": "t", "k": "l", "m": "n", "o": "p"}


@FACTS.record(
    "date: birth, death, start, end, activity, creation, of 046 in EDTF; else of 548 or of $d in the heading",
    t046="fgklmnopqrstuvz", t100="d", t111="d", t045="ab", t388="a", t548="a4",
)  # fmt: skip
def dates(view: Marc21View) -> Elements:
    """Coded dates; those in words where no coded one states the same."""
    known: set[DateType] = set()
    for field in view.fields("046"):
        yield from _source(field)
        for text in field.values("z"):
            yield mods.Note(value=text, type="date")
    for date in _all_dates(view):
        if date.type not in known or date.type in ("activity", "period"):
            yield date
        known.add(date.type)
    for field in view.fields("045"):
        yield from _covered_period(field, view)


def _all_dates(view: Marc21View) -> Iterator[AuthorityDate]:
    """Yield all dates, the most exact first."""
    kind = kind_of(view)
    for field in view.fields("046"):
        yield from _coded_dates(field, view)
    for code in relations.LIFE_OF_GND:
        for field in view.fields("548"):
            for text in field.values("a") if code in field.values("4") else ():
                yield from dates_of_life(text, kind == "person")
    for field in view.fields("548"):
        for text in field.values("a") if relations.ACTIVITY_OF_GND in field.values("4") else ():
            yield AuthorityDate("activity", parse_period(text), text)
    for field in view.fields("100") if kind in ("person", "family") else ():
        for text in field.values("d"):
            yield from dates_of_life(text, kind == "person")
    for field in view.fields("111") if kind == "meeting" else ():
        yield from map(date_of_event, field.values("d"))
    for field in view.fields("388"):
        for text in chopped_values(field, "a"):
            yield AuthorityDate("creation", parse_period(text), text)


def _coded_dates(field: DataField, view: Marc21View) -> Iterator[AuthorityDate]:
    is_meeting = view.has("111")
    for code in "fgqrsktmo":
        for text in field.values(code):
            kind = _DATES.get(code)
            end = field.first(_ENDS.get(code, "")) if code in _ENDS else None
            if code == "t" and field.first("s") is not None:
                continue
            if kind is None:
                kind = "event" if is_meeting and code in "st" else "activity" if code in "st" else "period"
            stated = f"../{text}" if code == "t" else f"{text}/{end}" if end else text
            value = coded_date(stated)
            if code == "s" and end is None and value and "/" not in value:
                value = f"{value}/.."
            if not value:
                view.warn(f"046${code} {text!r} is not a date; its text is kept")
            yield AuthorityDate(kind, value, stated)


def _covered_period(field: DataField, view: Marc21View) -> Iterator[AuthorityDate]:
    stated = field.values("b")
    years = [f"-{text[1:]}" if text[:1] == "c" else text.removeprefix("d") for text in stated]
    if field.indicator1 == "2" and len(years) == 2:
        yield AuthorityDate("period", coded_date("/".join(years)), "/".join(stated))
    else:
        for year, text in zip(years, stated, strict=True):
            yield AuthorityDate("period", coded_date(year[:4]), text)
    for text in field.values("a") if not stated else ():
        found = period_of_code(text.strip())
        if found is None:
            view.warn(f"045$a {text!r} is not a code of a period; its text is kept")
        yield AuthorityDate("period", "/".join(found) if found is not None else "", text)


# -- properties --------------------------------------------------------------------------------------------------------

_ATTRIBUTES: Mapping[str, Mapping[str, AttributeType]] = {
    "336": {"a": "content type"},
    "368": {"a": "type of body", "b": "type of jurisdiction", "c": "designation", "d": "title"},
    "370": {
        "a": "birth place", "b": "death place", "c": "country", "e": "residence", "f": "place",
        "g": "place of origin",
    },
    "372": {"a": "field of activity"},
    "373": {"a": "affiliation"},
    "374": {"a": "occupation"},
    "375": {"a": "gender"},
    "376": {"a": "type of family", "b": "prominent member", "c": "hereditary title"},
    "378": {"q": "fuller form"},
    "380": {"a": "form of work"},
    "381": {"a": "distinguishing characteristic"},
    "382": dict.fromkeys("abdp", "medium of performance"),
    "383": dict.fromkeys("abcd", "number"),
    "384": {"a": "key"},
    "385": {"a": "audience"},
    "386": {"a": "creator characteristic"},
}  # fmt: skip
_OF_FIELD = {"336": "2", "378": "uv", "382": "012", "383": "2", "384": "", "385": "012", "386": "012"}
_BODY = ("110", "111")
_CODES_OF_GENDER, _GENDERS = "iso5218", {"1": "male", "2": "female"}


@FACTS.fields(
    "attribute: type by tag and subfield; scheme $2, period $s and $t, IRI in $0 or $1; source in $v and $u",
    **{f"t{tag}": "".join(codes) + _OF_FIELD.get(tag, "stuv012") for tag, codes in _ATTRIBUTES.items()},
)
def attributes(field: DataField, view: Marc21View) -> Elements:
    """Places, activities, occupations, gender and other properties, as stated."""
    types = _ATTRIBUTES[field.tag]
    stated = [(types[sub.code], chop(sub.value)) for sub in field.subfields if sub.code in types]
    stated = [(kind, text) for kind, text in stated if text]
    links = [number.iri for number in numbers_of(field) if number.iri]
    period = coded_date("/".join(filter(None, (field.first("s"), field.first("t") or (field.first("s") and "..")))))
    for kind, text in stated:
        if kind == "gender" and field.first("2") == _CODES_OF_GENDER:
            text = _GENDERS.get(text, "")
        if not text:
            continue
        if kind == "residence" and view.has(*_BODY):
            kind = "headquarters"
        link = links[0] if links and len(stated) == 1 else address(text) or ""
        is_lasting = kind not in ("birth place", "death place")
        yield EntityAttribute(kind, text, field.first("2") or "", link, period if is_lasting else "")
    yield from _source(field)


def _source(field: DataField) -> Iterator[SourceConsulted]:
    links = tuple(link for text in field.values("u") if (link := address(text)) is not None)
    for text in field.values("v"):
        yield SourceConsulted(text, links=links)
    if links and field.first("v") is None:
        yield SourceConsulted("", links=links)


@FACTS.field("371", "abcdemuz", "attribute[address]; of a person private")
def postal_address(field: DataField, view: Marc21View) -> Elements:
    """Address of a body; that of a person is not published."""
    if view.has("100"):
        view.private += [f"371${sub.code}" for sub in field.subfields if sub.code in "abcdemuz"]
        return
    text = ", ".join(field.values(*"abcdem"))
    if text:
        yield EntityAttribute("address", text)
    for link in filter(None, map(address, field.values("u"))):
        yield mods.Location(url=(mods.Url(value=link),))
    for note in field.values("z"):
        yield mods.Note(value=note, type="address")


@FACTS.field("377", "al2", "language, as code or text")
def associated_language(field: DataField, view: Marc21View) -> Elements:
    """Languages in which a person or body writes, or of a work."""
    for text in field.values("a"):
        code = language_code(text)
        if code is None:
            view.warn(f"377$a {text!r} is not a language code; written as text")
            yield mods.Language(language_term=(mods.LanguageTerm(value=text, type="text"),))
        else:
            yield mods.Language(language_term=(mods.LanguageTerm(value=code, type="code", authority="iso639-2b"),))
    for text in field.values("l") if field.first("a") is None else ():
        yield mods.Language(language_term=(mods.LanguageTerm(value=text, type="text"),))


_CONTINENT = re.compile(r"X[A-Z]-(?=[A-Z]{2}(?:-|$))")


@FACTS.field("043", "abc2", "area: geographicCode")
def area_codes(field: DataField, view: Marc21View) -> Elements:
    """Codes of geographic areas, without the hyphens that fill them."""
    schemes = {"a": "marcgac", "c": "iso3166"}
    for subfield in field.subfields:
        value = subfield.value.rstrip("- ")
        if subfield.code == "c":  # the German authority file puts a code of the continent before that of the country
            value = _CONTINENT.sub("", value)
        if subfield.code in "abc" and value:
            authority = schemes.get(subfield.code) or field.first("2")
            yield mods.GeographicCode(value=value, authority=authority)


@FACTS.field("034", "bdefg", "coordinates: cartographics")
def coordinates(field: DataField, view: Marc21View) -> Elements:
    """Coordinates of a place or map."""
    text = join(field, "defg")
    scales = tuple(f"1:{scale}" for scale in field.values("b") if scale.isdecimal())
    if text or scales:
        yield mods.Cartographics(scale=scales[:1], coordinates=(text,) if text else ())


_CLASSES = {
    "050": "lcc", "052": "lcc", "053": "lcc", "055": "lcc", "060": "nlm", "070": "nal", "080": "udc", "082": "ddc",
    "083": "ddc", "086": "sudocs",
}  # fmt: skip


@FACTS.fields(
    "classification: class mark or range; scheme by tag or $2, edition, class in words",
    t050="ab", t052="ab2", t053="abc", t055="ab2", t060="ab", t065="abc2", t070="ab", t072="ax2", t080="abx2",
    t082="ab2", t083="abc2", t086="a2",
)  # fmt: skip
def class_marks(field: DataField, view: Marc21View) -> Elements:
    """Class marks; ``$b`` of 053, 065 and 083 ends a range."""
    for start in field.values("a")[:1]:
        end = next((text for code in "bc" for text in field.values(code)), "") if field.tag in ("065", "083") else ""
        end = join(field, "b") if field.tag in ("053", "065") else end
        item = join(field, "bxy") if field.tag not in ("053", "065", "083") else ""
        value = f"{start}-{end}" if end else f"{start} {item}".strip()
        is_dewey = _CLASSES.get(field.tag) == "ddc"
        scheme = None if is_dewey else field.first("2")
        yield mods.Classification(
            value=value,
            authority=scheme or _CLASSES.get(field.tag),
            edition=field.first("2") if is_dewey else None,
            display_label=join(field, "c") or None if field.tag in ("053", "065") else None,
        )


# -- notes and sources -------------------------------------------------------------------------------------------------

_NOTES = {
    "260": "see", "360": "see also", "640": "numbering", "641": "numbering", "643": "publication",
    "663": "see also", "664": "see", "665": "history", "666": "explanation", "677": "definition",
    "678": "biographical/historical", "680": "scope", "685": "history",
}  # fmt: skip


@FACTS.fields(
    "note: see, see also, numbering, publication, history, explanation, definition, biographical/historical, scope",
    t260="ai0", t360="ai0", t640="az", t641="az", t643="abd", t663="abt", t664="abt", t665="a", t666="a", t677="auv",
    t678="abu", t680="ai", t685="ai",
)  # fmt: skip
def notes(field: DataField, view: Marc21View) -> Elements:
    """Public notes."""
    text = join(field, "abditvz")
    if field.tag == "643":
        text = " : ".join(field.values("a", "b")) + "".join(f" ({issues})" for issues in field.values("d"))
    if text:
        yield mods.Note(value=text, type=_NOTES[field.tag])
    for link in filter(None, map(address, field.values("u"))):
        yield mods.Location(url=(mods.Url(value=link),))


@FACTS.field("670", "abu", "source: citation, information found, links")
def source_found(field: DataField, view: Marc21View) -> Elements:
    """Source in which something was found."""
    links = tuple(link for text in field.values("u") if (link := address(text)) is not None)
    citation, information = join(field, "a").rstrip(" :"), join(field, "b").strip()
    if citation or information:
        yield SourceConsulted(citation, information, links)


@FACTS.field("675", "a", "source in which nothing was found")
def source_not_found(field: DataField, view: Marc21View) -> Elements:
    """Citations without result."""
    for text in field.values("a"):
        yield SourceConsulted(text.rstrip(" ;"), is_found=False)


@FACTS.field("672 673", "abfw0", "title: of a work of the entity (672) or of somebody else (673)")
def title_of_work(field: DataField, view: Marc21View) -> Elements:
    """Titles of works that distinguish the entity from others."""
    title, rest = chop(join(field, "a")), chop(join(field, "b"))
    if title:
        info = title_info(title, field.indicator2, sub_title=(rest,) if rest else ())
        yield TitleOfEntity(
            info, chop(field.first("f") or ""), read_numbers(field.values("w", "0")), field.tag == "672"
        )


@FACTS.field("856", "u3yz", "location: url")
def electronic_address(field: DataField, view: Marc21View) -> Elements:
    """Address of a page or picture about the thing."""
    yield from locations(field, "3y", view)


PRIVATE = {
    "046": "x", "073": "*", "371": "v", "642": "*", "644": "*", "645": "*", "646": "*", "667": "*", "681": "*",
    "688": "*", "856": "xklhijprt", "541": "*", "561": "*", "583": "*",
}  # fmt: skip
"""Notes and instructions for cataloguers, how a series is treated in one library, details of transfers."""
