"""Leader, 006-008 ← typeOfResource, genre[marcgt], targetAudience, originInfo, language, physicalDescription."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from bibld.crosswalk._dates import states_only_copyright
from bibld.crosswalk._marc21 import codes
from bibld.crosswalk._to_marc.dates import PublicationDates, day_entered, publication_dates
from bibld.crosswalk._to_marc.draft import MarcDraft, WriterBook
from bibld.crosswalk._to_marc.texts import single_codes
from bibld.crosswalk._to_marc21.origin import country_codes, marc_countries
from bibld.crosswalk._to_marc21.rism import is_of_rism
from bibld.model.marc import Leader
from bibld.model.mods import Mods, OriginInfo
from bibld.model.mods_plan import OPEN_END

BOOK = WriterBook()

_UNKNOWN = "|"
_UNKNOWN_PLACE = "xx "
_IRREGULAR = "x"
"""A code of regularity (008/19); such a resource has no frequency."""
_FIRST_YEAR, _YEARS_OF_CODES = 1966, 100
_MANUSCRIPT_OF = {"a": "t", "c": "d", "e": "f"}
_TYPE = single_codes(codes.TYPE_OF_RESOURCE)
_MULTIPART = "multipart monograph"
_FREQUENCY, _SERIAL_GENRE = single_codes(codes.FREQUENCY), single_codes(codes.SERIAL_GENRE)
_CONTENTS = single_codes(codes.CONTENTS_GENRE)
_BOOK_CONTENTS = single_codes(codes.BOOK_CONTENTS_GENRE)
_LITERARY_FORM, _VISUAL = single_codes(codes.LITERARY_FORM), single_codes(codes.VISUAL_GENRE)
_FILE, _MUSIC_TEXT = single_codes(codes.FILE_GENRE), single_codes(codes.MUSIC_TEXT_GENRE)
_MAP = {"globe": "d", **single_codes(codes.MAP_GENRE)}
_AUDIENCE = {**single_codes(codes.AUDIENCE), "juvenile": "j"}
_FORM = {**single_codes(codes.FORM_OF_ITEM), "electronic": "o"}
_GOVERNMENT, _OF_GOVERNMENT = "government publication", "o"
_CONFERENCE, _FESTSCHRIFT, _BIOGRAPHY, _CONTAINS_BIOGRAPHY = "conference publication", "festschrift", "biography", "d"
_CATEGORY = single_codes(codes.MATERIAL_CATEGORY)
_DESIGNATION = {category: single_codes(terms) for category, terms in codes.MATERIAL_DESIGNATION.items()}
_LENGTH_OF_007 = {
    "a": 8, "c": 14, "d": 6, "f": 10, "g": 9, "h": 13, "k": 6, "m": 23, "o": 2, "q": 2, "r": 11, "s": 14, "t": 2,
    "v": 9,
}  # fmt: skip
_DIGITAL_ORIGIN, _REFORMATTING = single_codes(codes.DIGITAL_ORIGIN), single_codes(codes.REFORMATTING_QUALITY)
_UNKNOWN_LEVEL = "u"


def main_origin(mods: Mods) -> OriginInfo:
    """Return the event that the coded data are about."""
    return mods.origin_info[0] if mods.origin_info else OriginInfo()


def leader(mods: Mods, *, punctuates: bool) -> Leader:
    """Return the leader: kind and level of the resource, the rules of its description; UTF-8."""
    kind, level = _kind(mods), _level(mods)
    standards = {standard.value.casefold() for info in mods.record_info for standard in info.description_standard}
    form = ("a" if "aacr" in standards else "i") if punctuates else "c"
    part = _part_of_set(mods)
    return Leader(f"00000n{kind}{level} a2200000{_UNKNOWN_LEVEL}{form}{part}4500")


def _part_of_set(mods: Mods) -> str:
    """Return leader/19: a set, or a volume with a title of itself (b) or one that depends on that of the set (c)."""
    if _MULTIPART in main_origin(mods).issuance:
        return "a"
    if not any(item.type == "host" and item.other_type == "set" for item in mods.related_item):
        return " "
    return "c" if any(title.part_number or title.part_name for title in mods.title_info[:1]) else "b"


def _kind(mods: Mods) -> str:
    found = next(iter(mods.type_of_resource), None)
    kind = _TYPE.get(found.value, "a") if found is not None else "a"
    if found is not None and found.value == "mixed material":
        return "o" if "kit" in _forms(mods, "marcform") else "p"
    return _MANUSCRIPT_OF.get(kind, kind) if found is not None and found.manuscript == "yes" else kind


def _level(mods: Mods) -> str:
    issuance = main_origin(mods).issuance
    hosts = [item for item in mods.related_item if item.type == "host" and item.other_type is None]
    parts = [part for item in hosts for part in item.mods.part]
    is_in_host = any(part.extent or part.detail for part in parts) or (bool(parts) and is_of_rism(mods))
    is_component = is_in_host or any(part.extent for part in mods.part)
    if any(one.collection == "yes" for one in mods.type_of_resource):
        return "c"
    if "serial" in issuance or "continuing" in issuance:
        return "b" if is_component else "s"
    if "integrating resource" in issuance:
        return "i"
    return "a" if is_component and _MULTIPART not in issuance else "m"


def _forms(mods: Mods, authority: str) -> list[str]:
    return [
        form.value
        for description in mods.physical_description
        for form in description.form
        if form.authority == authority
    ]


@BOOK.writes(
    "typeOfResource",
    {
        "typeOfResource": "leader/06, and 008/18-34 of its kind; @manuscript leader/06, @collection leader/07",
        "genre[@authority=marcgt]": "008/21, 24-31, 33, 34; 655 where the kind of resource has no code",
        "targetAudience[@authority=marctarget]": "008/22",
        "physicalDescription/form[@authority=marcform]": "008/23 or 29",
        "physicalDescription/form[@authority=marccategory, marcsmd]": "007/00-01",
        "physicalDescription/digitalOrigin, reformattingQuality": "007/11, 007/13",
        "recordInfo/recordCreationDate": "008/00-05; without it recordChangeDate",
        "language[not(@objectPart)]": "008/35-37",
    },
)
def fixed_fields(mods: Mods, draft: MarcDraft) -> None:
    """Fields 007 and 008; what MODS does not state is written as fill characters."""
    for text in _descriptions(mods):
        draft.add_control("007", text)
    kind = _configuration(mods)
    positions, uncoded = _positions(kind, mods)
    draft.add_control(
        "008", _entered(mods) + _dates(mods) + _country(mods) + "".join(positions) + _language(mods) + "||"
    )
    for term in uncoded:
        draft.add("655", " 7", (("a", term), ("2", "marcgt")))


def _configuration(mods: Mods) -> str:
    kind = _kind(mods)
    return codes.CONFIGURATION_OF_LEVEL.get(_level(mods), "") if kind == "a" else codes.CONFIGURATION.get(kind, "")


def _entered(mods: Mods) -> str:
    """Return the day on which the record was made, as ``yymmdd``, if its century is that of the codes."""
    day = day_entered(mods)
    return day[2:] if day and 0 <= int(day[:4]) - _FIRST_YEAR < _YEARS_OF_CODES else _UNKNOWN * 6


def _dates(mods: Mods) -> str:
    """Return 008/06-14: the type of date and two dates."""
    dates = publication_dates(main_origin(mods))
    kind, first, second = _kind_of_dates(dates, _level(mods))
    return f"{kind}{first or 'uuuu'}{second.ljust(4)}"


def _kind_of_dates(dates: PublicationDates, level: str) -> tuple[str, str, str]:
    if not dates.first:
        return "n", "uuuu", dates.last or "uuuu"
    if dates.is_range:
        if dates.is_questionable and dates.last:
            return "q", dates.first, dates.last
        if level in ("s", "i", "b"):
            kind = "c" if dates.last == OPEN_END else "d" if dates.last else "u"
            return kind, dates.first, dates.last or "uuuu"
        return ("i" if level == "c" else "m"), dates.first, dates.last
    if dates.detail:
        return "e", dates.first, dates.detail
    if dates.original:
        return "r", dates.first, dates.original
    if dates.copyright and not (dates.stated and all(map(states_only_copyright, dates.stated))):
        return "t", dates.first, dates.copyright
    return "s", dates.first, ""


def _country(mods: Mods) -> str:
    places = main_origin(mods).place
    found = country_codes(places, "marccountry") or marc_countries(places)
    return found[0].ljust(3)[:3] if found and found[0].isascii() and found[0].isalpha() else _UNKNOWN_PLACE


def _language(mods: Mods) -> str:
    for language in mods.language:
        for term in language.language_term:
            is_code = term.type == "code" and term.authority in ("iso639-2b", None) and len(term.value) == 3
            if language.object_part is None and is_code and term.value.isascii() and term.value.isalpha():
                return term.value
    return _UNKNOWN * 3


def _positions(kind: str, mods: Mods) -> tuple[list[str], list[str]]:
    """Return 008/18-34, and the coded genres that this kind of resource has no code for."""
    positions = [_UNKNOWN] * 17
    genres = list(dict.fromkeys(genre.value for genre in mods.genre if genre.authority == "marcgt"))
    taken = _coded_genres(kind, genres, positions)
    if kind == codes.SERIAL:
        for frequency in main_origin(mods).frequency:
            if frequency.authority == "marcfrequency" and frequency.value in _FREQUENCY:
                code = _FREQUENCY[frequency.value]
                positions[:2] = (" ", code) if code == _IRREGULAR else (code, positions[1])
    for audience in mods.target_audience:
        if audience.authority == "marctarget" and kind in (codes.BOOK, codes.FILE, codes.MUSIC, codes.VISUAL):
            positions[22 - 18] = _AUDIENCE.get(audience.value, positions[22 - 18])
    _form_of_item(kind, mods, positions)
    described = "".join(text[:2] for text in _descriptions(mods))
    by_007 = {"atlas": "ad", "map": "aj", "model": "aq", "remote-sensing image": "ar"}
    return positions, [term for term in genres if term not in taken and by_007.get(term, "#") not in described]


def _form_of_item(kind: str, mods: Mods, positions: list[str]) -> None:
    forms = _forms(mods, "marcform")
    position = (29 if kind in (codes.MAP, codes.VISUAL) else 23) - 18
    form = next((form for form in forms if form in _FORM), None)
    is_printed = kind in (codes.BOOK, codes.SERIAL) or _kind(mods) == "c"
    if form == "print" and is_printed and _kind(mods) not in (*codes.MANUSCRIPT_TYPES,):
        positions[position] = " "
    elif form is not None and not (form == "electronic" and _kind(mods) == "m"):
        positions[position] = _FORM[form]


def _coded_genres(kind: str, genres: Iterable[str], positions: list[str]) -> set[str]:
    """Write the codes of genres into the positions; return those that were written."""
    taken: set[str] = set()
    contents = iter((24, 25, 26, 27))
    texts = iter((30, 31))
    lists = {
        codes.SERIAL: (21, _SERIAL_GENRE),
        codes.MAP: (25, _MAP),
        codes.FILE: (26, _FILE),
        codes.VISUAL: (33, _VISUAL),
    }
    for term in genres:
        position, code = None, ""
        if kind in lists and term in lists[kind][1] and positions[lists[kind][0] - 18] == _UNKNOWN:
            position, code = lists[kind][0], lists[kind][1][term]
        elif term == _GOVERNMENT and kind not in ("", codes.MUSIC, codes.MIXED):
            position, code = 28, _OF_GOVERNMENT
        elif term == _CONFERENCE and kind in (codes.BOOK, codes.SERIAL):
            position, code = 29, "1"
        elif kind == codes.MUSIC and term in _MUSIC_TEXT:
            position, code = next(texts, None), _MUSIC_TEXT[term]
        elif kind == codes.BOOK and term in (_FESTSCHRIFT, _BIOGRAPHY):
            position, code = (30, "1") if term == _FESTSCHRIFT else (34, _CONTAINS_BIOGRAPHY)
        elif kind == codes.BOOK and term in _LITERARY_FORM and positions[33 - 18] == _UNKNOWN:
            position, code = 33, _LITERARY_FORM[term]
        elif kind == codes.BOOK and term in _BOOK_CONTENTS:
            position, code = next(contents, None), _BOOK_CONTENTS[term]
        elif kind == codes.SERIAL and term in _CONTENTS:
            position, code = next(contents, None), _CONTENTS[term]
        if position is not None:
            positions[position - 18] = code
            taken.add(term)
    return taken


def _descriptions(mods: Mods) -> list[str]:
    """Return the fields 007: category and designation of the material."""
    found: list[str] = []
    for description in mods.physical_description:
        for form in description.form:
            if form.authority == "marccategory" and form.value in _CATEGORY:
                found.append(_CATEGORY[form.value])
            elif form.authority == "marcsmd" and found and len(found[-1]) == 1:
                found[-1] += _DESIGNATION.get(found[-1], {}).get(form.value, "")
    texts = [text.ljust(_LENGTH_OF_007[text[0]], _UNKNOWN) for text in dict.fromkeys(found)]
    origins = [code for one in _values(mods, "digital_origin") if (code := _DIGITAL_ORIGIN.get(one))]
    qualities = [code for one in _values(mods, "reformatting_quality") if (code := _REFORMATTING.get(one))]
    electronic = next((text for text in texts if text.startswith("c")), "c".ljust(_LENGTH_OF_007["c"], _UNKNOWN))
    if origins or qualities:
        texts = [text for text in texts if text is not electronic]
    for origin, quality in zip_longest(origins, qualities, fillvalue=_UNKNOWN):
        texts.append(f"{electronic[:11]}{origin}{electronic[12]}{quality}")
    return texts


def _values(mods: Mods, name: str) -> list[str]:
    return [value for description in mods.physical_description for value in getattr(description, name)]
