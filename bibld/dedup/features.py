"""Features of records: what blockers and scorers compare, normalised, out of the MODS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from msgspec.structs import replace

from bibld.dedup.identifiers import identifiers_of, numbers_in_titles
from bibld.dedup.names import STATEMENT, heading_of, names_of, publishers_of, translators_of
from bibld.model.features import VALUE_SEPARATOR, Features
from bibld.model.mods import Cartographics, Mods, RelatedItem, TitleInfo
from bibld.text.coverage import read_languages, read_sheet_and_scale, without_sheet
from bibld.text.dates import interval, years
from bibld.text.designations import (
    Step,
    canonical,
    is_designation,
    part_number,
    read_designation,
    without_designation,
)
from bibld.text.extents import height, pages_or_leaves
from bibld.text.extents import volumes as count_volumes
from bibld.text.folding import fold, strip_brackets
from bibld.text.keys import spelling_key, title_key
from bibld.text.music import read_scoring
from bibld.text.numerals import edition_number
from bibld.text.part_units import COVERED, DAY, SERIES, VERSION, VOLUME, YEAR, cut_to_designation, units
from bibld.text.part_values import Field
from bibld.text.places import places_to_compare

_LETTERS_OF_SUBSERIES = 5
_LABEL = re.compile(r"^\[[^]\[]{1,40}:\]\s*")
"""A cataloguer's remark before a title: ``[previous entry:] …``."""
_IN_VOLUMES = re.compile(r"\b(?:в|in|у) \w+ (?:т|томах|vols?|volumes|b[aä]nden|bd)\b")
_COUNT_OF_VOLUMES = re.compile(r"(?:^| )(?:v|u|in) \w+ (?:t|t[ao]m[ao]c?h|vols?|volumes)$")
_ENDS_OF_COUNT = (" t", "mah", "mach", "moh", " vol", " vols", " volumes")
_RANGE_OF_PAGES = re.compile(r"\b(?:с|стр|p|pp|s)\.?\s*(\d+)", re.IGNORECASE)
_DATE_OF_LAW = re.compile(r"(?:(?<!\w)от|принят\w*|одобр\w*|утв\w*\.?)[^:;]*?\d{4}\s?(?:г\.?|года)?", re.IGNORECASE)
_PAGES_IN_HOST = re.compile(r"\W*(?:с|стр|p|pp|s)\.?\s*(\d+)(?:(\s*[-–—]\s*)\d+|\W*$)", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_ALL_PARTS = re.compile(r"1-(\d)")
_BETWEEN_NUMBERS_IN_HOST = re.compile(r"\s*(?:[,;()—–]|\.\s+[—–-]\s|\.\s+(?=(?:[СCсcPpSs]|стр|pp)\.))\s*")
_HOST_NUMBERS = {"volume": "v", "issue": "n", "number": "n", "part": "n"}
_PART_IN_EXTENT = re.compile(r"[^\W\d_]+\.? ?\[?(?:\d+|[IVXLІХ]+)\]?(?![\w-])(?! ?[-–—,] ?[\dIVXLІХ])")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_ISSUE = re.compile(r"[^\w№]*(?:№|\d)")
_DOTS = ("...", "…")
_VARIANTS = (None, "alternative", "translated", "abbreviated")
"""Types of titles that another library may take for the title proper; a uniform title is that of a work."""
_TEXT_NOTES = frozenset({"content", "contents", "full text"})
"""Types of notes that contain text of the publication itself, not statements about it."""
_CARRIERS = (
    ("microform", re.compile(r"micro(?:form|film|fiche|opaque)|микро", re.IGNORECASE)),
    ("electronic", re.compile(r"electronic|computer|online|электрон|\bremote\b", re.IGNORECASE)),
    ("braille", re.compile(r"braille|брайл|tactile", re.IGNORECASE)),
    ("audio", re.compile(r"sound|audio|звукозап|аудио", re.IGNORECASE)),
    ("video", re.compile(r"video|motion picture|видео", re.IGNORECASE)),
)
_MUSIC = re.compile(
    r"score|partitur|music|klavier|klavír|парт(?:ит|ия|ии|\.)|клавир|\bнот[ыа]?\b|нотн|фортеп|ф\.?-?п\b|пение|romances?|songs?|"
    r"романс|песн|piano|orchest|оркестр",
    re.IGNORECASE,
)
_MUSIC_IDENTIFIERS = ("ismn", "music plate", "music publisher")
_KINDS = {
    "cartographic": "map", "notated music": "score", "sound recording": "audio", "sound recording-musical": "audio",
    "sound recording-nonmusical": "audio", "moving image": "video", "software, multimedia": "electronic",
    "text": "print",
}  # fmt: skip

_CACHED = 1 << 14
"""Cached values of each kind: names, places, years … that many records have."""


def features_of(mods: Mods) -> Features:
    """Return the features of a description."""
    proper = _proper_title(mods)
    hosts = _hosts(mods)
    host = hosts[-1] if hosts else None
    stated_extents = [extent.value for description in mods.physical_description for extent in description.extent]
    extents = [_counts(extent) for extent in stated_extents]
    volumes = max((counts[1] for counts in extents), default=0)
    carrier = _carrier(mods)
    designation = _without_contents(_designation(mods, hosts, proper, stated_extents), volumes)
    designation = (*designation, *_in_all_titles(mods, carrier), *_versions(mods))
    if carrier == "score":
        designation = (*designation, *_scoring(mods, stated_extents))
    part = " ".join([step.value for step in designation if step.value and step.unit not in COVERED])
    set_title = next((title for item in reversed(hosts) if not _is_part_title(title := _title_of(item))), "")
    main_title, remainder = _own_title(proper, set_title)
    main_key = _uncounted(main_title)
    origins = mods.origin_info
    dates = [date.value for info in origins for date in (*info.date_issued, *info.copyright_date, *info.date_created)]
    # A date with unknown digits counts only where no other states the year.
    years_found = [year for date in dates for year in _years_in(date)] or [
        year for date in dates for year in _interval(date) or ()
    ]
    edition_text, edition = _edition(" ".join([edition.value for info in origins for edition in info.edition]))
    terms = (term for info in origins for place in info.place for term in place.place_term)
    places = (place for term in terms if term.type != "code" for place in _places(term.value))
    pages = max((counts[0] for counts in extents), default=0)
    title = fold(" ".join((proper.title, *proper.sub_title)))
    part_names = [name for name in proper.part_name if not is_designation(name)]  # not "Ч. 1-2"
    series = [item for item in mods.related_item if item.type == "series"]
    level = _level(mods, host, part, lambda: volumes > 1 or (not pages and _IN_VOLUMES.search(title) is not None))
    article_host = host if level == "a" else None
    return Features(
        title=title,
        author=next((_folded(heading_of(name)) for name in mods.name if name.type == "personal"), ""),
        part="" if article_host else part,
        designation="" if article_host else canonical(designation),
        main_title=main_key,
        remainder=_uncounted(remainder),
        part_name=title_key(" ".join(part_names)),
        variant_titles=_distinct(title for title in _variants(mods, proper, part_names) if title != main_key),
        set_title="" if article_host else _uncounted(set_title),
        host=VALUE_SEPARATOR.join(_host(hosts, stated_extents)) if article_host else "",
        names=VALUE_SEPARATOR.join(names_of(mods)),
        publisher=_distinct(publishers_of(mods)),
        place=VALUE_SEPARATOR.join(dict.fromkeys(filter(None, places))),
        edition_text=edition_text,
        series=VALUE_SEPARATOR.join(dict.fromkeys(spelling_key(_title_of(item)) for item in series)),
        series_number=VALUE_SEPARATOR.join(dict.fromkeys(number for item in series for number in _numbers(item))),
        subseries=_subseries(series[0]) if len(series) == 1 else "",
        translator=_distinct(translators_of(mods)),
        responsibility=spelling_key(" ".join([note.value for note in mods.note if note.type == STATEMENT])),
        language=VALUE_SEPARATOR.join(_languages(mods)),
        carrier=carrier,
        level=level,
        identifiers=_distinct((*identifiers_of(mods), *numbers_in_titles(mods, carrier))),
        text=fold(" ".join(_text(mods))),
        year=min(years_found, default=0),
        last_year=max(years_found, default=0),
        edition=edition,
        pages=pages,
        volumes=volumes,
        height=max((counts[2] for counts in extents), default=0),
    )


_folded = lru_cache(_CACHED)(fold)
_years_in = lru_cache(_CACHED)(years)
_interval = lru_cache(_CACHED)(interval)
_places = lru_cache(_CACHED)(places_to_compare)
_title = lru_cache(_CACHED)(title_key)


def _proper_title(mods: Mods) -> TitleInfo:
    """Return the first title without a type, else the uniform title, else the first title; where neither has a title
    proper, or one of which dots replace the beginning, a publication rather has the variant that it states than the
    uniform title of its work."""
    unabridged = [info for info in mods.title_info if info.type in _VARIANTS and not info.title.startswith(_DOTS)]
    if unabridged and mods.title_info[0].title.startswith(_DOTS):
        return replace(unabridged[0], title=_LABEL.sub("", unabridged[0].title))
    kinds = (None, "uniform") if any(item.type == "host" for item in mods.related_item) else (*_VARIANTS, "uniform")
    by_type = (next((info for info in mods.title_info if info.type == kind), None) for kind in kinds)
    found = next(filter(None, by_type), next(iter(mods.title_info), TitleInfo()))
    return replace(found, title=_LABEL.sub("", found.title)) if found.title.startswith("[") else found


def _title_of(item: RelatedItem | None) -> str:
    """Return the title of a related item, without the statement of responsibility after a slash."""
    title = next((strip_brackets(info.title) for info in item.mods.title_info), "") if item else ""
    return title.partition(" / ")[0]


def _subseries(series: RelatedItem) -> str:
    """Return what distinguishes a subseries: its number, or the beginnings of the words of its name."""
    numbered = [step for step in _in_title(_title_of(series), Field.NAME) if step.unit == SERIES]
    names = (name for info in series.mods.title_info[:1] for name in info.part_name)
    words = (word for name in names for word in spelling_key(name).split() if word not in units())
    return " ".join((canonical(numbered), *(word[:_LETTERS_OF_SUBSERIES] for word in words))).strip()


def _distinct(values: Iterable[str]) -> str:
    """Return the values that are not empty as one text, each once."""
    return VALUE_SEPARATOR.join(dict.fromkeys(filter(None, values)))


def _uncounted(title: str) -> str:
    """Return the key of a title without the number of volumes at its end (``в 30 томах``), which libraries place
    anywhere."""
    key = _title(title)
    return _COUNT_OF_VOLUMES.sub("", key) if key.endswith(_ENDS_OF_COUNT) else key


def _is_part_title(title: str) -> bool:
    """Return whether a title is the designation of a part and nothing else."""
    return bool(cut_to_designation(title, _title(strip_brackets(title)))) and is_designation(title)


def _own_title(proper: TitleInfo, set_title: str) -> tuple[str, str]:
    """Return main title, without the part that it ends with, and remainder; if the title is only the number of a part,
    those of the set."""
    if set_title and _is_part_title(proper.title):
        main, _, remainder = set_title.partition(" : ")
        if main:
            return main, remainder
    title = proper.title
    if cut_to_designation(title, _title(strip_brackets(title))):
        title = without_designation(title)
    return strip_brackets(title), strip_brackets(" ".join(proper.sub_title))


def _variants(mods: Mods, proper: TitleInfo, part_names: list[str]) -> Iterator[str]:
    """Yield further titles of the publication: variants, translations, abbreviations, and the names of the part."""
    for info in mods.title_info:
        if info is not proper and info.type in _VARIANTS:
            yield _uncounted(strip_brackets(_LABEL.sub("", info.title)))
    yield from map(_uncounted, part_names)


def _designation(
    mods: Mods, hosts: Sequence[RelatedItem], proper: TitleInfo, extents: Sequence[str]
) -> tuple[Step, ...]:
    """Return what designates the part: what its hosts state, from the outermost one, then the numbers of the proper
    titles with what the titles and names of parts add; where none does, what extents or notes begin or end with."""
    numbers = [number for info in mods.title_info if info.type is None for number in info.part_number]
    stated = [step for number in dict.fromkeys(numbers) for step in read_designation(without_sheet(number))]
    is_volume = bool(hosts) and not _is_article(mods, hosts[-1])
    titled = [*(read_designation(proper.title, Field.NAME) if is_volume else _in_title(proper.title, Field.TITLE))]
    for text in proper.sub_title:
        titled += _in_title(_DATE_OF_LAW.sub("", text) if "ФЗ" in text else text, Field.NAME)
    if any(step.unit == YEAR for step in titled):
        titled += _other_years(titled, " ".join((proper.title, *proper.sub_title)))
    found = _join_paths(titled, stated)
    found = _join_paths(found, [step for name in proper.part_name for step in read_designation(name, Field.NAME)])
    if is_volume:
        outer: tuple[Step, ...] = ()
        for host in hosts:
            outer = _join_paths(outer, _in_host(host))
        is_numbered = any(step.unit not in COVERED for step in found)
        found = _join_paths([step for step in outer if step.unit or not is_numbered], found)
    if any(step.unit not in COVERED for step in found) or (len(hosts) and not is_volume):
        return found
    return (*found, *_in_extents(extents), *_in_notes(mods))


def _in_all_titles(mods: Mods, carrier: str) -> Iterator[Step]:
    """Yield the languages of a dictionary, or the sheet and scale of a map."""
    texts = [text for info in mods.title_info if info.type is None for text in (info.title, *info.sub_title)]
    if carrier == "map":
        texts += [number for info in mods.title_info for number in info.part_number]
        parts = (part for subject in mods.subject for part in subject.parts)
        texts += [text for part in parts if isinstance(part, Cartographics) for text in part.scale]
        for text in texts:
            yield from read_sheet_and_scale(text)
    for text in texts:
        if "-" in text:
            yield from read_languages(text)


def _scoring(mods: Mods, extents: Iterable[str]) -> Iterator[Step]:
    """Yield the instruments and the form of a score."""
    infos = [info for info in mods.title_info if info.type is None]
    titles = [text for info in infos for text in (info.title, *info.sub_title, *info.part_name)]
    editions = (edition.value for info in mods.origin_info for edition in info.edition)
    return read_scoring(titles, (*extents, *editions))


def _versions(mods: Mods) -> Iterator[Step]:
    """Yield the versions that edition statements count: "Version 3.1"."""
    for info in mods.origin_info:
        for edition in info.edition:
            yield from (step for step in read_designation(edition.value, Field.NAME) if step.unit == VERSION)


def _in_extents(extents: Iterable[str]) -> Iterator[Step]:
    """Yield the designation that an extent begins with: «Ч. 1. - 411 с.»; not the number of volumes: "3 v."."""
    for extent in extents:
        if found := _PART_IN_EXTENT.match(extent):
            yield from read_designation(found[0])[:1]


def _in_notes(mods: Mods) -> Iterator[Step]:
    """Yield the designations that are all of a note behind a colon: «На корешке: т. 1»."""
    for note in mods.note:
        _, colon, text = note.value.partition(":")
        if note.type is None and colon and _is_part_title(text):
            yield from read_designation(text, Field.NAME)


def _in_title(title: str, field: Field) -> tuple[Step, ...]:
    key = _title(strip_brackets(title))
    may_be_range = field is Field.NAME and key.count(" ") == 1  # "Abak - Antenna"
    text = title if may_be_range else cut_to_designation(title, key)
    return read_designation(text, field) if text else ()


def _join_paths(outer: Iterable[Step], inner: Iterable[Step]) -> tuple[Step, ...]:
    """Return the steps of two designations of one part: the outer ones whose units the inner one lacks come first."""
    inner = tuple(inner)
    units = {step.unit for step in inner}
    return (*(step for step in outer if step.unit not in units), *inner)


def _other_years(steps: list[Step], title: str) -> list[Step]:
    """Return the years in a title outside the years and ranges among some steps: titles of different years are
    different parts only if they have no year in common."""
    ranges = [[int(year) for year in step.value.split("-")] for step in steps if step.unit == YEAR]
    found = dict.fromkeys(map(int, _YEAR.findall(title)))
    return [Step(YEAR, str(year)) for year in found if not any(known[0] <= year <= known[-1] for known in ranges)]


def _without_contents(designation: tuple[Step, ...], volumes: int) -> tuple[Step, ...]:
    """Leave out the range of all parts that the described volume or set consists of: ``Т. 1, ч. 1-2``, or ``Ч. 1-2``
    of two volumes."""
    steps = [step for step in designation if step.value and step.unit not in COVERED]
    contents = _ALL_PARTS.fullmatch(steps[-1].value) if steps else None
    if contents is None or (len(steps) == 1 and int(contents[1]) != volumes):
        return designation
    return tuple(step for step in designation if step is not steps[-1])


def _in_host(host: RelatedItem) -> Iterator[Step]:
    """Yield the designation of the volume in its host, after that of the host itself."""
    for info in host.mods.title_info[:1]:
        for number in info.part_number:
            yield from read_designation(number)
    for part in host.mods.part:
        for detail in part.detail:
            if detail.type == "volume":
                for number in detail.number:
                    yield from read_designation(number)
        for text in part.text:
            yield from read_designation(text.value, Field.NAME)


def _hosts(mods: Mods) -> list[RelatedItem]:
    """Return the host with the hosts that it belongs to itself, the outermost first: a set, then a part of it."""
    found: list[RelatedItem] = []
    while host := next((item for item in mods.related_item if item.type == "host"), None):
        found.insert(0, host)
        mods = host.mods
    return found


def _host(hosts: Sequence[RelatedItem], extents: Iterable[str]) -> Iterator[str]:
    """Yield the title of an article's host, and the numbers of volume, issue, day and first page, by kind.

    An issue that is called by its number or date has the title of its serial.
    """
    titles = [_title_of(host) for host in hosts]
    numbered = [title for title in titles if _ISSUE.match(title) or _is_part_title(title)]
    yield spelling_key(next((title for title in reversed(titles) if title not in numbered), ""))
    for title in numbered:
        yield from _numbers_in_host(title)
    for part in (part for host in hosts for part in host.mods.part):
        for detail in part.detail:
            if letter := _HOST_NUMBERS.get(detail.type or ""):
                yield from (f"{letter}{number}" for text in detail.number for number in _NUMBER.findall(text))
        yield from (
            f"p{page}" for extent in part.extent for page in _NUMBER.findall(extent.start or extent.list or "")[:1]
        )
        yield from (number for text in part.text for number in _numbers_in_host(text.value))
        yield from (f"d{step.value}" for date in part.date for step in read_designation(date.value) if step.unit == DAY)
    yield from (f"p{found[1]}" for extent in extents if (found := _PAGES_IN_HOST.match(extent)))


@lru_cache(_CACHED)
def _numbers_in_host(text: str) -> tuple[str, ...]:
    """Return the numbers that a reference such as ``Т. 92, № 3. С. 535-536`` states, by kind."""
    elements = (element for element in _BETWEEN_NUMBERS_IN_HOST.split(text) if not _RANGE_OF_PAGES.match(element))
    stated = [step for element in elements for step in read_designation(element)]
    steps = [step for step in stated if step.unit not in COVERED]
    days = [f"d{step.value}" for step in stated if step.unit == DAY]
    numbers = [
        f"{'v' if step.unit == VOLUME else 'n'}{number}"
        for step in steps
        for number in _NUMBER.findall(step.value)
        if step.unit or not _YEAR.fullmatch(number)
    ]
    return (*numbers, *days, *(f"p{page}" for page in _RANGE_OF_PAGES.findall(text)[:1]))


@lru_cache(_CACHED)
def _edition(text: str) -> tuple[str, int]:
    """Return the key of an edition statement, and its number."""
    return spelling_key(strip_brackets(text)), edition_number(fold(text))


@lru_cache(_CACHED)
def _counts(extent: str) -> tuple[int, int, int]:
    """Return the pages, volumes and centimetres that an extent states."""
    if (found := _PAGES_IN_HOST.match(extent)) and found[2]:  # one number may count the pages of a book
        return 0, 0, 0
    return pages_or_leaves(extent), count_volumes(extent), height(extent)


def _numbers(item: RelatedItem) -> Iterator[str]:
    for info in item.mods.title_info:
        yield from (part_number(number) for number in info.part_number)
    for part in item.mods.part:
        yield from (part_number(number) for detail in part.detail for number in detail.number)


def _languages(mods: Mods) -> list[str]:
    codes = {
        term.value
        for language in mods.language
        if language.object_part is None
        for term in language.language_term
        if term.type == "code"
    }
    return sorted(codes)


def _carrier(mods: Mods) -> str:
    forms = " ".join([form.value for description in mods.physical_description for form in description.form])
    if carrier := _carrier_of(forms):
        return carrier
    kind = next((_KINDS[kind.value] for kind in mods.type_of_resource if kind.value in _KINDS), "")
    return "print" if kind == "score" and not _has_music(mods) else kind


def _has_music(mods: Mods) -> bool:
    """Return whether a description mentions music in words or by its identifiers; leader/06 alone is often a slip."""
    extents = (extent.value for description in mods.physical_description for extent in description.extent)
    forms = (form.value for description in mods.physical_description for form in description.form)
    if any(identifier.type in _MUSIC_IDENTIFIERS for identifier in mods.identifier):
        return True
    titles = (text for info in mods.title_info for text in (info.title, *info.sub_title))
    return any(_MUSIC.search(text) for text in (*extents, *forms, *titles, *(genre.value for genre in mods.genre)))


@lru_cache(_CACHED)
def _carrier_of(forms: str) -> str:
    return next((carrier for carrier, pattern in _CARRIERS if pattern.search(forms)), "")


def _level(mods: Mods, host: RelatedItem | None, part: str, is_in_volumes: Callable[[], bool]) -> str:
    issuance = {value for info in mods.origin_info for value in info.issuance}
    if _is_article(mods, host):
        return "a"
    if issuance & {"serial", "continuing", "integrating resource"}:
        if host is None or host.other_type == "set":
            return "s"
        return "i" if _is_issue(_proper_title(mods), host) else "a"
    if part and (issuance or host is not None):
        return "v"
    if "multipart monograph" in issuance or (host is None and is_in_volumes()):
        return "c"
    if host is None:
        return "m" if "monographic" in issuance else ""
    return "v" if host.other_type == "set" else "a"


def _is_issue(proper: TitleInfo, host: RelatedItem) -> bool:
    """Return whether a part of a serial is called by the title of the serial or by its number; an article is not."""
    own, of_host = _title(proper.title), _title(_title_of(host))
    return is_designation(proper.title) or not own or own.startswith(of_host) or of_host.startswith(own)


def _is_article(mods: Mods, host: RelatedItem | None) -> bool:
    is_in_pages = host is not None and host.other_type != "set" and _is_within(mods, host)
    return is_in_pages or any(genre.value == "article" for genre in mods.genre)


def _is_within(mods: Mods, host: RelatedItem) -> bool:
    """Return whether the record describes some pages of its host."""
    return any(
        part.extent or any(_RANGE_OF_PAGES.search(text.value) for text in part.text) for part in host.mods.part
    ) or any(
        _PAGES_IN_HOST.match(extent.value) for description in mods.physical_description for extent in description.extent
    )


def _text(mods: Mods) -> Iterator[str]:
    """Yield abstracts, tables of contents, and notes that contain text of the publication."""
    yield from (abstract.value for abstract in mods.abstract)
    yield from (contents.value for contents in mods.table_of_contents)
    yield from (note.value for note in mods.note if note.type in _TEXT_NOTES)
