"""Designations of volumes, issues and parts, and the pages of a part in its host.

What a reference such as ``Vol. 24, pt. B no. 9 (Sept. 1993), p. 235-48`` or ``2003. - № 4. - С. 12-18`` states is read
from left to right; a text of which anything else remains stays one text, beside the pages at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.crosswalk._texts import chop, without_brackets
from bibld.model.mods import Date, Detail, Part, PartExtent, PartText

_ANY_YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_DIGITS = r"\d+[\w.]*(?:\s*[-–—/,]\s*\d+\w*)*(?:\s*\(\d+(?:[-–/]\d+)?\))?"
_DIGITS_BEFORE_YEAR = (
    rf"\d+[\w.]*(?:\s*[-–—/]\s*\d+\w*|\s*,\s*(?!{_ANY_YEAR}\b)\d+\w*(?!\s*[-–(]))*"
    rf"(?:\s*\((?!(?:1[89]|20)\d\d\))\d+(?:[-–/]\d+)?\))?"
)
_ROMAN = r"[IVXLC]+(?:\s*[-–]\s*[IVXLC]+)?"
_LETTERS = rf"(?-i:{_ROMAN}|[А-ЯA-Z](?:\s*[-–]\s*[А-ЯA-Z])?)"
_ORDINAL = r"(?:перв|втор|трет|четв[её]рт|пят|шест|седьм|восьм|девят|десят)[а-я]+"
_VOLUME_WORDS = (
    "том|т|volume|vol|v|tome|tom|tomo|t|band|bd|jahrgang|jahrg|jg|année|ročník|roč|rocznik|årgang|årg|évf(?=\\.)"
)
_PART_WORDS = "часть|ч|книга|кн|part|pt|pars|teil|livre|partie|полутом|п/т|отдел|раздел"
_ISSUE_WORDS = (
    "№|no|nos|nr|n|n°|nº|núm|número|numéro|number|номер|выпуск|вып|issue|iss|fasc|heft|h(?=\\.)|zeszyt|z(?=\\.)|číslo|č|"
    "сборник|сб|серия|сер"
)


def _designation(digits: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<word>(?P<volume>{_VOLUME_WORDS})|(?P<part>{_PART_WORDS})|(?P<issue>{_ISSUE_WORDS}))"
        rf"(?P<number>(?:[.:]?\s*{digits})|(?:[.\s]\s*(?:{_LETTERS}|{_ORDINAL})(?!\w))|(?<=\w\w\w)(?-i:{_ROMAN})(?!\w))"
        r"\.?",
        re.IGNORECASE,
    )


_DESIGNATION = _designation(_DIGITS)
_DESIGNATION_BEFORE_YEAR = _designation(_DIGITS_BEFORE_YEAR)
_ISSUE_IN_VOLUME = re.compile(r"(\d+)\s*\((\d+(?:[-–/]\d+)?)\)")
_BARE_NUMBER = re.compile(r"\[?(?:\d{1,3}(?:[-–/]\d{1,3})?|[IVXLC]+)\]?\.?")
_YEAR = re.compile(
    rf"(?:за\s+|year:\s*)?\[?(?P<year>{_ANY_YEAR}(?:\s*[-–/]\s*(?:{_ANY_YEAR}|\d\d))?)\]?(?:\s*г(?:од|г)?\b)?\.?(?!\w)",
    re.IGNORECASE,
)
_MONTH = (
    "(?:янв|февр?|март?|апр|ма[йя]|июн|июл|авг|сент?|окт|нояб?|дек|қаңтар|кантар|ақпан|акпан|наурыз|сәуір|сауир|мамыр"
    "|маусым|шілде|шилде|тамыз|қыркүйек|кыркуйек|қазан|казан|қараша|караша|желтоқсан|желтоксан"
    "|jan|feb|fév|mar|mär|apr|avr|abr|may|mai|maggio|june?|juni|juin|giugno|july?|juli|juil|luglio|aug|août|ago|sep|set"
    "|o[ckt]t|nov|de[cz]|déc|dic|ene|genn|spring|summer|autumn|fall|winter|frühjahr|sommer|herbst|printemps|été|automne"
    "|hiver|весна|лето|осень|зима)[^\\W\\d_]*\\.?"
)
_DAY_OR_MONTH = re.compile(
    rf"(?:\d{{1,2}}\.?(?:\s*[-–/]\s*\d{{1,2}}\.?)?\s+)?{_MONTH}(?:\s*[-–/]\s*(?:\d{{1,2}}\.?\s+)?{_MONTH})?"
    rf"(?:\s+\d{{1,2}}(?!\d))?(?:,?\s*{_ANY_YEAR}(?:\s*г(?:од)?\b)?)?\.?(?!\w)",
    re.IGNORECASE,
)
_NUMERIC_DAY = re.compile(rf"\d{{1,2}}\.\s?\d{{1,2}}\.\s?{_ANY_YEAR}(?!\w)|{_ANY_YEAR}-\d\d-\d\d(?!\w)")
_PAGE_UNITS = "с|c|р|p|s|pp|стр|стб|стлб|б|бб|бет|col|pages?|seiten?|págs?|pág"
_PAGE = r"\[?(?:[a-z]?\d+[a-eg-z]?|[ivxlc]+)\]?"
_TO = r"\s*[-–—]\s*"
_PAGES = re.compile(
    rf"(?<!\w)(?:{_PAGE_UNITS})(?:[.:]|\b)\s*(?P<start>{_PAGE})(?:{_TO}(?P<end>{_PAGE}))?(?:\s*ff?\b)?\.?(?!\w)",
    re.IGNORECASE,
)
_MANY_PAGES = re.compile(
    rf"(?<!\w)(?:{_PAGE_UNITS})(?:[.:]|\b)\s*{_PAGE}(?:{_TO}{_PAGE})?(?:[,;]\s*{_PAGE}(?:{_TO}{_PAGE})?)+\.?(?!\w)",
    re.IGNORECASE,
)
_LEAF = r"\[?[a-z]{0,2}\d+[rv]?\]?"
_LEAVES = re.compile(
    rf"(?<!\w)(?:fols?|ff?|bl|лл?)(?:\.\s*|\s+)(?P<start>{_LEAF})(?:{_TO}(?P<end>{_LEAF}))?\.?(?!\w)", re.IGNORECASE
)
_PAGES_BEFORE_UNIT = re.compile(
    rf"(?P<start>\d+){_TO}(?P<end>\d+)\s*(?:с|c|p|s|pp|стр|pages|seiten)(?:\.|(?!\w))", re.IGNORECASE
)
_PLACES = (_MANY_PAGES, _PAGES, _LEAVES)
_BARE_PAGES = re.compile(rf"(?P<start>\d+){_TO}(?P<end>\d+)\.?")
_SHORT_REFERENCE = re.compile(
    rf"(?P<volume>\d{{1,4}})(?:\s*\((?P<year>{_ANY_YEAR})\)(?:[\s,]*(?P<issue>\d{{1,3}}(?:[-–/]\d{{1,3}})?)(?![\d-]))?"
    rf"|\s?\((?P<number>\d{{1,3}}(?:[-–/]\d{{1,3}})?)\))(?!\w)"
)
_BETWEEN = re.compile(r"[\s.,;:()\[\]–—-]*")
_BEFORE_PAGES = (",", ".", ";", ":", "-", "–", "—")
_SEPARATOR = re.compile(r"\.\s*[-–—]\s+|[,;:]\s+")
_DESIGNATION_BREAK = re.compile(r"[,;:]\s*|\s+(?=[а-яa-z№]+[. ]*\d)|(?<=\d)\.\s+|(?<=\d)\.(?=[а-яa-z])", re.IGNORECASE)
_BEGIN_OF_DESIGNATION = re.compile(r"(?:^|(?<=[.:;,])\s*)(?=\w|№)")
_NUMERAL = re.compile(rf"\d|\b{_ROMAN}\b|(?i:\b{_ORDINAL})")
_COUNT_OF_PARTS = re.compile(r"\b[ву]\s+(?:\d+|дву|трех|четырех)[-\s]*(?:х|и)?\s*(?:т|ч|кн|вып)\w*\W*$", re.IGNORECASE)


def is_generic_title(title: str) -> bool:
    """Return whether a title is only the designation of a volume: ``Т. 1``, ``Ч. 2, кн. 1``, ``[Вып.] 3``."""
    text = title.strip(" []").replace("]", "")
    if not text or _BARE_NUMBER.fullmatch(text):
        return bool(text)
    pieces = [piece.strip() for piece in _DESIGNATION_BREAK.split(text) if piece.strip()]
    return all(map(_DESIGNATION.fullmatch, pieces)) or _DESIGNATION.fullmatch(text) is not None


def split_designation(text: str) -> tuple[str, str]:
    """Divide other title information at the designation of a part at its end, which is empty where there is none.

    A letter designates a part only after the number of parts (``в 2 ч. Ч. А``): it may also be an initial.

    >>> split_designation("роман в 4 т. Т. 1-2"), split_designation("Ч. 2"), split_designation("пер. Т. В")
    (('роман в 4 т.', 'Т. 1-2'), ('', 'Ч. 2'), ('пер. Т. В', ''))
    """
    for found in _BEGIN_OF_DESIGNATION.finditer(text):
        before, designation = text[: found.start()], text[found.end() :]
        if _BARE_NUMBER.fullmatch(designation) or not is_generic_title(designation):
            continue
        follows_count = _COUNT_OF_PARTS.search(before) is not None
        if follows_count or (_NUMERAL.search(designation) and not before.endswith(",")):
            return chop(before), designation
    return text, ""


def split_issue_designation(title: str) -> tuple[str, str]:
    """Divide the title of an issue into its designation and its name; the designation is empty if there is none.

    >>> split_issue_designation("Т. 320, № 1 : Науки о Земле"), split_issue_designation("2005, № 2")
    (('Т. 320, № 1', 'Науки о Земле'), ('2005, № 2', ''))
    """
    if title and is_issue_designation(title):
        return title, ""
    designation, colon, name = title.partition(":")
    is_divided = bool(colon and designation.strip() and name.strip())
    return (designation.strip(), name.strip()) if is_divided and is_issue_designation(designation.strip()) else ("", "")


def is_issue_designation(title: str) -> bool:
    """Return whether a title is only the designation of an issue: ``N 3.``, ``2005, № 2``; also for an empty title."""
    if not title:
        return True
    pieces = [piece.strip() for piece in _SEPARATOR.split(title) if piece.strip()]
    return all(is_generic_title(piece) or _YEAR.fullmatch(piece) or _DAY_OR_MONTH.fullmatch(piece) for piece in pieces)


def parse_part(texts: list[str], volume_type: str | None = None) -> Part:
    """Parse designations, dates and pages as a place in another resource.

    With ``volume_type`` each text that is not a page range is one detail of this type, and is not divided.

    >>> part = parse_part(["Jg. 12 (1998), H. 3, S. 5-20"])
    >>> [detail.number for detail in part.detail], part.date[0].value, part.extent[0].start, part.extent[0].end
    ([('12',), ('3',)], '1998', '5', '20')
    """
    details: list[Detail] = []
    extents: list[PartExtent] = []
    others: list[PartText] = []
    dates: list[Date] = []
    for text in texts:
        if volume_type is not None and not is_pages(text):
            details.append(Detail(number=(text,), type=volume_type))
            continue
        for found in _read(text):
            if isinstance(found, Detail):
                details.append(found)
            elif isinstance(found, PartExtent):
                extents.append(found)
            elif isinstance(found, Date):
                dates.append(found)
            else:
                others.append(found)
    return Part(detail=tuple(details), extent=tuple(extents), text=tuple(others), date=tuple(dict.fromkeys(dates)))


def has_content(part: Part) -> bool:
    """Return whether a part has any content."""
    return bool(part.detail or part.extent or part.text or part.date)


def is_pages(text: str) -> bool:
    """Return whether a text states which pages or leaves something has: ``С. 4``, ``P. 387-396``, ``fol. 15v``."""
    return _stated_pages(text) is not None


def _read(text: str) -> list[Detail | PartExtent | Date | PartText]:
    """Read a text from left to right; where that fails, only the pages at its end, beside the rest as it is."""
    pages = _stated_pages(text)
    if pages is not None:
        return [pages]
    elements = list(_elements(text))
    if elements and not isinstance(elements[-1], PartText):
        return elements
    for pattern in _PLACES:
        for found in pattern.finditer(text):
            before = text[: found.start()].rstrip()
            if found.end() == len(text.rstrip()) and before.endswith(_BEFORE_PAGES):
                return [PartText(value=before.rstrip(" ,;:-–—")), _extent(found)]
    return [PartText(value=text)]


def _elements(text: str) -> Iterator[Detail | PartExtent | Date | PartText]:
    """Yield what a text states, each element after the other; at last the text where something is not understood."""
    has_years = len(re.findall(rf"(?<!\d){_ANY_YEAR}(?!\d)", text)) > 1
    designation = _DESIGNATION if has_years else _DESIGNATION_BEFORE_YEAR
    position, end = _skip(text, 0), len(text)
    short = _SHORT_REFERENCE.match(text, position)
    if short is not None:
        yield Detail(type="volume", number=(short["volume"],))
        if short["year"]:
            yield Date(value=short["year"])
        if short["issue"] or short["number"]:
            yield Detail(type="issue", number=(short["issue"] or short["number"],))
        position = _skip(text, short.end())
    while position < end:
        found = _DAY_OR_MONTH.match(text, position) or _NUMERIC_DAY.match(text, position)
        if found is not None:
            yield Date(value=found[0].rstrip(".") if found[0][-2:-1].isdigit() else found[0])
        elif (found := _YEAR.match(text, position)) is not None:
            yield Date(value=found["year"])
        elif (found := next(filter(None, (pattern.match(text, position) for pattern in _PLACES)), None)) is not None:
            yield _extent(found)
        elif (found := designation.match(text, position)) is not None:
            yield from _details(found)
        elif position and (found := _BARE_PAGES.fullmatch(text, position)) is not None and _is_ascending(found):
            yield _extent(found)
        else:
            yield PartText(value=text)
            return
        position = _skip(text, found.end())


def _skip(text: str, position: int) -> int:
    found = _BETWEEN.match(text, position)
    return found.end() if found is not None else position


def _stated_pages(text: str) -> PartExtent | None:
    """Return the pages or leaves that a text states and nothing else."""
    stated, _ = without_brackets(text.strip())
    found = next(filter(None, (pattern.fullmatch(stated) for pattern in _PLACES)), None)
    if found is None:
        found = _PAGES_BEFORE_UNIT.fullmatch(stated)
        found = found if found is not None and _is_ascending(found) else None
    return _extent(found) if found is not None else None


def _extent(found: re.Match[str]) -> PartExtent:
    """Return pages; the end of ``235-48`` is 248."""
    if found.re is _MANY_PAGES:
        return PartExtent(unit="page", list=found[0].strip())
    start, end = found["start"].strip("[]"), found["end"]
    unit = "leaf" if found.re is _LEAVES else "page"
    if end is None:
        return PartExtent(unit=unit, start=start)
    end = end.strip("[]")
    if start.isdecimal() and end.isdecimal() and len(end) < len(start):
        completed = start[: -len(end)] + end
        end = completed if int(completed) > int(start) else end
    return PartExtent(unit=unit, start=start, end=end)


def _is_ascending(found: re.Match[str]) -> bool:
    extent = _extent(found)
    return int(extent.start or 0) < int(extent.end or 0)


def _details(found: re.Match[str]) -> Iterator[Detail]:
    kind = next(name for name in ("volume", "part", "issue") if found[name])
    number = found["number"].strip(".: ")
    divided = _ISSUE_IN_VOLUME.fullmatch(number) if kind == "volume" and found["word"].isascii() else None
    if divided is not None:
        number = divided[1]
    yield Detail(type=kind, number=(number,), caption=(found["word"],))
    if divided is not None:
        yield Detail(type="issue", number=(divided[2],))
