"""Leader and coded data: 100, 105, 106, 110, 115-135, 181-183 ← typeOfResource, genre, audience, dates, forms."""

from __future__ import annotations

from collections.abc import Iterable

from bibld.crosswalk._marc21.codes import DIGITAL_ORIGIN, REFORMATTING_QUALITY
from bibld.crosswalk._to_marc.dates import PublicationDates, day_entered, publication_dates
from bibld.crosswalk._to_marc.draft import RUSMARC, MarcDraft, Subfields, WriterBook
from bibld.crosswalk._to_marc.texts import single_codes
from bibld.crosswalk._unimarc.codes import (
    AUDIENCE,
    DETAIL_CODES,
    ENCODING_LEVEL,
    FORM_CODES,
    FREQUENCY,
    GENRE_CODES,
    TYPE_OF_RESOURCE,
    CodeTable,
)
from bibld.crosswalk._unimarc.form import PAGES, TEXT_FORMAT
from bibld.model.marc import Leader
from bibld.model.mods import Genre, Mods, OriginInfo
from bibld.model.mods_plan import OPEN_END
from bibld.text.resource_types import type_code
from bibld.text.scripts import has_cyrillic

BOOK = WriterBook()

_TYPE = single_codes(TYPE_OF_RESOURCE)
_MANUSCRIPT_OF = {"a": "b", "c": "d", "e": "f"}
_AUDIENCE = {**single_codes(AUDIENCE), "juvenile": "a", "adult": "m"}
_FREQUENCY = single_codes(FREQUENCY)
_LEVEL = single_codes(ENCODING_LEVEL)
_DIGITAL_ORIGIN, _REFORMATTING = single_codes(DIGITAL_ORIGIN), single_codes(REFORMATTING_QUALITY)
_MULTIPART = "multipart monograph"
_ARTICLE, _GOVERNMENT = "article", "government publication"
_UNKNOWN, _BLANK = "|", " "
_LENGTH_OF_CODED = {
    "105": 13, "106": 1, "110": 11, "115": 15, "116": 18, "117": 9, "124": 1, "125": 2, "126": 15, "130": 11, "135": 13,
    "140": 28, "120": 13, "121": 9, "127": 6,
}  # fmt: skip
_TEXTUAL, _SERIAL, _ELECTRONIC_DATA = "105", "110", "135"
_OF_TYPE = {
    "still image": ("116",), "moving image": ("115",), "cartographic": ("124",), "notated music": ("125",),
    "sound recording-musical": ("125", "126"), "sound recording-nonmusical": ("125", "126"),
    "three dimensional object": ("117",), "software, multimedia": ("135",), "text": ("105", "140"),
}  # fmt: skip
"""Kind of resource → coded fields that it may have beside those of its form."""
_ELECTRONIC_RECORD = "l"
"""Leader 06 of an electronic resource, whose content is stated in 135."""
_KIND_OF_FILE = {"still image": "c", "text": "d"}
_ELECTRONIC, _PRINT = "electronic", "print"
_LENGTH_OF_TIME = 4
_LIST_OF_KIND = {"content": "contentTypes", "media": "mediaTypes", "carrier": "carriers"}
_ISBD_CONTENT = {
    "cod": "a", "cop": "f xxxe", "crd": "a cxxe", "crf": "e cb3e", "cri": "b cb2e", "crm": "b ca2e", "crn": "e cb3d",
    "crt": "b cb2d", "ntm": "d axxe", "ntv": "c axxe", "prm": "d bxxa", "snd": "g xxxa", "spw": "h xxxa",
    "sti": "b xb2e", "tcf": "e xb3d", "tci": "b xb2d", "tcm": "d axxd", "tcn": "c axxd", "tct": "i xxxd",
    "tdf": "e xb3e", "tdi": "b xa2e", "tdm": "b xa3e", "txt": "i xxxe", "xxx": "z",
}  # fmt: skip
"""Types of content of RDA as form and qualification of ISBD area 0 (181 $a and $b)."""
_ISBD_MEDIA = {
    "s": "a", "c": "b", "h": "c", "p": "d", "g": "e", "e": "f", "v": "g", "n": "n", "x": "z",
}  # fmt: skip


def main_origin(mods: Mods) -> OriginInfo:
    """Return the event that the coded data are about."""
    return mods.origin_info[0] if mods.origin_info else OriginInfo()


def leader(mods: Mods) -> Leader:
    """Return the leader: kind, bibliographic and hierarchical level, completeness; ISO 2709 of UNIMARC."""
    notes = [note.value for info in mods.record_info for note in info.record_info_note if note.type == "encodingLevel"]
    completeness = next((_LEVEL[note] for note in notes if note in _LEVEL), _BLANK)
    return Leader(f"00000n{_kind(mods)}{level_of(mods)}{_hierarchical_level(mods)} 2200000{completeness}  450 ")


def _kind(mods: Mods) -> str:
    found = next(iter(mods.type_of_resource), None)
    kind = _TYPE.get(found.value, "a") if found is not None else "a"
    is_electronic = _ELECTRONIC in _forms(mods) and _PRINT not in _forms(mods)
    if is_electronic and kind in ("a", "k"):
        return _ELECTRONIC_RECORD
    return _MANUSCRIPT_OF.get(kind, kind) if found is not None and found.manuscript == "yes" else kind


def level_of(mods: Mods) -> str:
    """Return the bibliographic level: a for an article, m, s, i or c."""
    issuance = main_origin(mods).issuance
    if any(one.value == _ARTICLE and one.authority == "marcgt" for one in mods.genre):
        return "a"
    if any(one.collection == "yes" for one in mods.type_of_resource):
        return "c"
    if "serial" in issuance or "continuing" in issuance:
        return "s"
    if "integrating resource" in issuance:
        return "i"
    is_part = any(item.type == "host" and item.other_type is None and item.mods.part for item in mods.related_item)
    return "a" if is_part or any(part.extent for part in mods.part) else "m"


def _hierarchical_level(mods: Mods) -> str:
    hosts = [item for item in mods.related_item if item.type == "host"]
    if any(item.other_type in ("set", "subset") for item in hosts) or (hosts and level_of(mods) == "a"):
        return "2"
    return "1" if _MULTIPART in main_origin(mods).issuance else "0"


def _forms(mods: Mods) -> list[str]:
    return [form.value for one in mods.physical_description for form in one.form if form.authority == "marcform"]


@BOOK.writes(
    "typeOfResource",
    {
        "typeOfResource": "leader/06, of electronic resources 135 $a/0; @manuscript leader/06, @collection leader/07",
        "genre[@authority=marcgt]": "100 $a/20, 105 $a/4-12, 110 $a/0-7, 115-140; article leader/07; else 608",
        "genre": "608 $a $2 $3; [@type='musical composition'] 128 $a; [@authority=rdacontent] 181",
        "targetAudience[@authority=marctarget]": "100 $a/17-19",
        "originInfo/dateIssued": "100 $a/8-16",
        "originInfo/frequency[@authority=marcfrequency]": "110 $a/1",
        "recordInfo/recordCreationDate": "100 $a/0-7; without it recordChangeDate",
        "recordInfo/languageOfCataloging": "100 $a/22-24",
        "recordInfo/recordInfoNote[@type=encodingLevel]": "leader/17",
        "physicalDescription/form[@authority=marcform]": "leader/06, 106 $a",
        "physicalDescription/form[@type='illustrative content', 'supplementary content']": "105 $a/0-3, 10",
        "physicalDescription/digitalOrigin, reformattingQuality": "135 $a/10, 12",
    },
)
def coded_fields(mods: Mods, draft: MarcDraft) -> None:
    """Coded data fields; what MODS does not state is written as fill characters."""
    draft.add("100", "  ", (("a", _processing_data(mods)),))
    fields: dict[str, list[str]] = {}
    for genre in mods.genre:
        _genre(genre, mods, fields, draft)
    for description in mods.physical_description:
        for form in description.form:
            if form.authority in ("marcform", "marcsmd", "marccategory"):
                _write_code(
                    form.value, form.authority, FORM_CODES, (*_tags(mods), "106", "130", "135", "115", "126"), fields
                )
            elif form.type is None and form.authority is None:
                if not _write_code(form.value, None, FORM_CODES, (*_tags(mods), "130", "135", "115", "126"), fields):
                    draft.add("300", "  ", (("a", form.value),))
            elif form.type in ("illustrative content", "supplementary content"):
                _write_code(form.value, None, DETAIL_CODES, (_TEXTUAL,), fields)
        _write_origin(description.digital_origin, _DIGITAL_ORIGIN, 10, fields)
        _write_origin(description.reformatting_quality, _REFORMATTING, 12, fields)
    _kind_of_file(mods, fields)
    frequencies = [one.value for one in main_origin(mods).frequency if one.authority == "marcfrequency"]
    for term in frequencies[:1]:
        if term in _FREQUENCY:
            _positions(_SERIAL, fields)[1] = _FREQUENCY[term]
    for tag in sorted(fields):
        draft.add(tag, "  ", (("a", "".join(fields[tag])),))


def _kind_of_file(mods: Mods, fields: dict[str, list[str]]) -> None:
    """Write the content of an electronic resource, unless its extent, its format or its forms of content show it."""
    if _kind(mods) != _ELECTRONIC_RECORD:
        return
    for description in mods.physical_description:
        formats = map(TEXT_FORMAT.search, map(str.casefold, description.internet_media_type))
        pages = (PAGES.search(extent.value) for extent in description.extent)
        if any(form.authority == "isbdcontent" for form in description.form) or any(formats) or any(pages):
            return
    for one in mods.type_of_resource:
        if one.value in _KIND_OF_FILE:
            _positions(_ELECTRONIC_DATA, fields)[0] = _KIND_OF_FILE[one.value]


def _genre(genre: Genre, mods: Mods, fields: dict[str, list[str]], draft: MarcDraft) -> None:
    term, scheme = genre.value, genre.authority
    if genre.type == "musical composition":
        draft.add("128", "  ", (("a", term),))
    elif scheme == "rdacontent":
        draft.add("181", "  ", type_subfields("content", term, scheme, draft.flavour))
    elif scheme == "marcgt" and term in (_ARTICLE, _GOVERNMENT):
        return
    elif scheme not in ("marcgt", None) or not _write_code(term, scheme, GENRE_CODES, _tags(mods), fields):
        draft.add("608", "  ", (("3", genre.value_uri), ("a", term), ("2", scheme), ("5", genre.display_label)), genre)


def type_subfields(kind: str, term: str, scheme: str | None, flavour: str) -> Subfields:
    """Return the subfields of 181 to 183: the code of RDA, in RUSMARC that of ISBD (181, 182), which it has alone."""
    code = type_code(_LIST_OF_KIND[kind], term)
    if flavour != RUSMARC or kind == "carrier":
        return (("c", code or term), ("2", scheme or f"rda{kind}"))
    if kind == "media":
        return (("a", _ISBD_MEDIA.get(code or "")),)
    form, _, qualification = _ISBD_CONTENT.get(code or "", "").partition(" ")
    return (("a", form and f"{form} "), ("b", qualification.ljust(6)))


def _tags(mods: Mods) -> tuple[str, ...]:
    """Return the coded fields that a resource of this kind may have."""
    kinds = [one.value for one in mods.type_of_resource] or ["text"]
    electronic = (_ELECTRONIC_DATA,) if _kind(mods) == _ELECTRONIC_RECORD else ()
    own = (_SERIAL,) if level_of(mods) in ("s", "i") else ()
    return (
        *own,
        *electronic,
        *(tag for kind in kinds for tag in _OF_TYPE.get(kind, ())),
        *(() if own else (_TEXTUAL,)),
    )


def _positions(tag: str, fields: dict[str, list[str]]) -> list[str]:
    return fields.setdefault(tag, [_UNKNOWN] * _LENGTH_OF_CODED.get(tag, 13))


def _write_code(
    term: str, authority: str | None, tables: Iterable[CodeTable], tags: tuple[str, ...], fields: dict[str, list[str]]
) -> bool:
    """Write the code of a term into the first place of a field of these tags; return whether there was one."""
    found = [
        (tags.index(table.tag), table, code)
        for table in tables
        if table.tag in tags and table.authority == authority and table.code == "a"
        for code, name in table.terms.items()
        if name == term
    ]
    for _, table, code in sorted(found, key=lambda one: one[0]):
        positions = _positions(table.tag, fields)
        for start in range(table.start, table.start + table.width * table.times, table.width):
            place = positions[start : start + table.width]
            if place == list(code):
                return True
            if len(place) == table.width and set(place) == {_UNKNOWN}:
                positions[start : start + table.width] = list(code)
                return True
    return False


def _write_origin(terms: tuple[str, ...], codes: dict[str, str], position: int, fields: dict[str, list[str]]) -> None:
    for term in terms[:1]:
        if term in codes:
            _positions(_ELECTRONIC_DATA, fields)[position] = codes[term]


def _processing_data(mods: Mods) -> str:
    """Return 100$a: 36 characters."""
    entered = day_entered(mods) or _BLANK * 8
    audience = "".join(_AUDIENCE.get(one.value, "") for one in mods.target_audience if one.authority == "marctarget")[
        :3
    ]
    is_official = any(one.value == _GOVERNMENT and one.authority == "marcgt" for one in mods.genre)
    languages = [
        term.value for info in mods.record_info for one in info.language_of_cataloging for term in one.language_term
    ]
    language = next((code for code in languages if len(code) == 3 and code.isascii() and code.isalpha()), _UNKNOWN * 3)
    title = next((one.title for one in mods.title_info if one.type is None), "")
    script = "ca" if has_cyrillic(title) else "ba"
    official = "h" if is_official else _UNKNOWN
    return f"{entered}{_dates(mods)}{audience.ljust(3, _UNKNOWN)}{official}0{language}y50      {script}"


def _dates(mods: Mods) -> str:
    """Return 100$a/8-16: the type of dates, and two dates."""
    dates = publication_dates(main_origin(mods))
    kind, first, second = _kind_of_dates(dates, level_of(mods))
    return f"{kind}{first.replace('u', _BLANK).ljust(_LENGTH_OF_TIME)}{second.ljust(_LENGTH_OF_TIME)[:_LENGTH_OF_TIME]}"


def _kind_of_dates(dates: PublicationDates, level: str) -> tuple[str, str, str]:
    if not dates.first:
        return "u", "", ""
    last = dates.last.replace("u", _BLANK)
    if dates.is_range:
        if level in ("s", "i"):
            return ("a" if dates.last == OPEN_END else "b" if dates.last else "c"), dates.first, last
        if dates.is_questionable and dates.last:
            return "f", dates.first, last
        return "g" if dates.last else "u", dates.first, last
    if dates.detail:
        return "j", dates.first, dates.detail
    if dates.original:
        return "e", dates.first, dates.original
    if dates.copyright:
        return "h", dates.first, dates.copyright
    return "d", dates.first, ""
