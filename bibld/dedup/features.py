"""Features of records: what blockers and scorers compare, normalised, out of the MODS."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from msgspec.structs import replace

from bibld.model.features import VALUE_SEPARATOR, Features
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.mods import AlternativeName, Mods, Name, RelatedItem, Role, TitleInfo
from bibld.text.dates import interval, years
from bibld.text.designations import (
    Field,
    Step,
    canonical,
    is_designation,
    part_number,
    read_designation,
)
from bibld.text.extents import height, pages_or_leaves
from bibld.text.extents import volumes as count_volumes
from bibld.text.folding import fold, strip_brackets
from bibld.text.keys import title_key
from bibld.text.names import other_names, person_key
from bibld.text.numerals import edition_number
from bibld.text.part_units import COVERED, YEAR, cut_to_designation, words_of
from bibld.text.places import place_key
from bibld.text.romanisation import transcription_key

_KINDS_OF_IDENTIFIERS = {
    **{kind: kind for kind in ("issn", "ismn", "isrc", "isrn", "lccn", "nbn", "doi", "oclc", "ean", "upc")},
    "report number": "report", "strn": "report", "music plate": "music", "music publisher": "music",
}  # fmt: skip
_MIN_CHARACTERS = 4
"""Shorter identifiers, such as the numbers of plates, are those of many publications."""
_NOT_RESPONSIBLE = words_of(
    "pbl prt bsl fmo own dnr bnd dst dte ins mfr pop rps his "
    "publisher printer bookseller owner donor binder distributor dedicatee издатель типография владелец"
)
"""Roles (codes, or last words) of those who did not make the content: printers, booksellers, former owners."""
_LABEL = re.compile(r"^\[[^]\[]{1,40}:\]\s*")
"""A cataloguer's remark before a title: ``[previous entry:] …``."""
_SET = re.compile(r"\b(?:set|общ|комплект|компл|vol set|all)\b", re.IGNORECASE)
_IN_VOLUMES = re.compile(r"\b(?:в|in|у) \w+ (?:т|томах|vols?|volumes|b[aä]nden|bd)\b")
_COUNT_OF_VOLUMES = re.compile(r"(?:^| )(?:v|u|in) \w+ (?:t|t[ao]m[ao]c?h|vols?|volumes)$")
_ENDS_OF_COUNT = (" t", "mah", "mach", "moh", " vol", " vols", " volumes")
_RANGE_OF_PAGES = re.compile(r"\b(?:с|стр|p|pp|s)\.?\s*(\d+)", re.IGNORECASE)
_PAGES_IN_HOST = re.compile(r"\W*(?:с|стр|p|pp|s)\.?\s*(\d+)\s*[-–—]\s*\d+", re.IGNORECASE)
_NUMBER = re.compile(r"\d+")
_NO_DIGITS = re.compile(r"\D")
_ALL_PARTS = re.compile(r"1-(\d)")
_NUMBER_IN_HOST = re.compile(
    r"(?<!\w)(?:(т|том|vol|v|volume|bd|band|tome|t)\b|(?:№|(?:no|n|nr|вып|heft|h|issue|iss)\b))\.?\s*(\d+)",
    re.IGNORECASE,
)
_HOST_NUMBERS = {"volume": "v", "issue": "n", "number": "n"}
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_STATEMENT = "statement of responsibility"
_VARIANTS = (None, "alternative", "translated", "abbreviated")
"""Types of titles that another library may take for the title proper; a uniform title is that of a work."""
_PARTS_OF_HEADING = (None, "family", "given")
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
    host = next((item for item in mods.related_item if item.type == "host"), None)
    stated_extents = [extent.value for description in mods.physical_description for extent in description.extent]
    extents = [_counts(extent) for extent in stated_extents]
    volumes = max((counts[1] for counts in extents), default=0)
    designation = _without_contents(_designation(mods, host, proper), volumes)
    part = " ".join([step.value for step in designation if step.value and step.unit not in COVERED])
    main_title, remainder = _own_title(proper, host)
    main_key = _uncounted(main_title)
    origins = mods.origin_info
    dates = [date.value for info in origins for date in (*info.date_issued, *info.copyright_date, *info.date_created)]
    # A date with unknown digits counts only where no other states the year.
    years_found = [year for date in dates for year in _years_in(date)] or [
        year for date in dates for year in _interval(date) or ()
    ]
    edition_text, edition = _edition(" ".join([edition.value for info in origins for edition in info.edition]))
    publishers = (_key(strip_brackets(publisher.value)) for info in origins for publisher in info.publisher)
    terms = (term for info in origins for place in info.place for term in place.place_term)
    places = (_place(term.value) for term in terms if term.type != "code")
    pages = max((counts[0] for counts in extents), default=0)
    title = fold(" ".join((proper.title, *proper.sub_title)))
    part_names = [name for name in proper.part_name if not is_designation(name)]  # not "Ч. 1-2"
    series = [item for item in mods.related_item if item.type == "series"]
    level = _level(mods, host, part, lambda: volumes > 1 or (not pages and _IN_VOLUMES.search(title) is not None))
    article_host = host if level == "a" else None
    return Features(
        title=title,
        author=next((_folded(_heading(name)) for name in mods.name if name.type == "personal"), ""),
        part="" if article_host else part,
        designation="" if article_host else canonical(designation),
        main_title=main_key,
        remainder=_uncounted(remainder),
        part_name=title_key(" ".join(part_names)),
        variant_titles=_distinct(title for title in _variants(mods, proper, part_names) if title != main_key),
        set_title="" if article_host else _uncounted(_title_of(host)),
        host=VALUE_SEPARATOR.join(_host(article_host, stated_extents)) if article_host else "",
        names=VALUE_SEPARATOR.join(_names(mods)),
        publisher=VALUE_SEPARATOR.join(dict.fromkeys(filter(None, publishers))),
        place=VALUE_SEPARATOR.join(dict.fromkeys(filter(None, places))),
        edition_text=edition_text,
        series=VALUE_SEPARATOR.join(dict.fromkeys(_key(_title_of(item)) for item in series)),
        series_number=VALUE_SEPARATOR.join(dict.fromkeys(number for item in series for number in _numbers(item))),
        responsibility=transcription_key(" ".join([note.value for note in mods.note if note.type == _STATEMENT])),
        language=VALUE_SEPARATOR.join(_languages(mods)),
        carrier=_carrier(mods),
        level=level,
        identifiers=VALUE_SEPARATOR.join(dict.fromkeys(_identifiers(mods))),
        text=fold(" ".join(_text(mods))),
        year=min(years_found, default=0),
        last_year=max(years_found, default=0),
        edition=edition,
        pages=pages,
        volumes=volumes,
        height=max((counts[2] for counts in extents), default=0),
    )


_key = lru_cache(_CACHED)(transcription_key)
_folded = lru_cache(_CACHED)(fold)
_years_in = lru_cache(_CACHED)(years)
_interval = lru_cache(_CACHED)(interval)
_place = lru_cache(_CACHED)(place_key)
_title = lru_cache(_CACHED)(title_key)
_other_names = lru_cache(_CACHED)(other_names)


def _proper_title(mods: Mods) -> TitleInfo:
    """Return the first title without a type, else the uniform title, else the first title; where neither has a title
    proper, a publication rather has the variant that it states than the uniform title of its work."""
    kinds = (None, "uniform") if any(item.type == "host" for item in mods.related_item) else (*_VARIANTS, "uniform")
    by_type = (next((info for info in mods.title_info if info.type == kind), None) for kind in kinds)
    found = next(filter(None, by_type), next(iter(mods.title_info), TitleInfo()))
    return replace(found, title=_LABEL.sub("", found.title)) if found.title.startswith("[") else found


def _title_of(item: RelatedItem | None) -> str:
    """Return the title of a related item, without the statement of responsibility after a slash."""
    title = next((strip_brackets(info.title) for info in item.mods.title_info), "") if item else ""
    return title.partition(" / ")[0]


def _distinct(values: Iterable[str]) -> str:
    """Return the values that are not empty as one text, each once."""
    return VALUE_SEPARATOR.join(dict.fromkeys(filter(None, values)))


def _uncounted(title: str) -> str:
    """Return the key of a title without the number of volumes at its end (``в 30 томах``), which libraries place
    anywhere."""
    key = _title(title)
    return _COUNT_OF_VOLUMES.sub("", key) if key.endswith(_ENDS_OF_COUNT) else key


def _own_title(proper: TitleInfo, host: RelatedItem | None) -> tuple[str, str]:
    """Return main title and remainder; if the title is only the number of a part, those of the set."""
    if (
        host is not None
        and cut_to_designation(proper.title, _title(strip_brackets(proper.title)))
        and is_designation(proper.title)
    ):
        main, _, remainder = _title_of(host).partition(" : ")
        if main:
            return main, remainder
    return strip_brackets(proper.title), strip_brackets(" ".join(proper.sub_title))


def _variants(mods: Mods, proper: TitleInfo, part_names: list[str]) -> Iterator[str]:
    """Yield further titles of the publication: variants, translations, abbreviations, and the names of the part."""
    for info in mods.title_info:
        if info is not proper and info.type in _VARIANTS:
            yield _uncounted(strip_brackets(_LABEL.sub("", info.title)))
    yield from map(_uncounted, part_names)


def _heading(name: Name | AlternativeName) -> str:
    parts = [part for part in name.name_part if part.type in _PARTS_OF_HEADING]
    if len(parts) == 2 and parts[0].type == "family":
        return f"{parts[0].value}, {parts[1].value}"
    return " ".join([part.value for part in parts])


def _names(mods: Mods) -> Iterator[str]:
    """Yield all names; behind a name its other forms, each with a mark."""
    groups: dict[str, list[str]] = {}
    for number, name in enumerate(mods.name):
        if name.role and all(_is_not_responsible(role) for role in name.role):
            continue
        is_personal = name.type == "personal"
        forms = groups.setdefault(name.alt_rep_group or str(-number - 1), [])
        forms.append(_name_key(_heading(name), is_personal))
        forms += [_name_key(_heading(other), is_personal) for other in name.alternative_name]
        if is_personal:
            texts = [part.value for part in name.name_part if part.type != "date"]
            forms += [_name_key(other, True) for text in (*texts, *name.description) for other in _other_names(text)]
    known: set[str] = set()
    for forms in groups.values():
        first, *others = dict.fromkeys(filter(None, forms)) or ("",)
        if first and first not in known:
            known.add(first)
            yield first
            yield from (f"{other} =" for other in others)


def _is_not_responsible(role: Role) -> bool:
    words = (term.value.casefold().strip(" .?").rpartition(" ")[2] for term in role.role_term)
    return any(word in _NOT_RESPONSIBLE for word in words)


@lru_cache(_CACHED)
def _name_key(heading: str, is_personal: bool) -> str:
    return transcription_key(person_key(heading) if is_personal else heading)


def _designation(mods: Mods, host: RelatedItem | None, proper: TitleInfo) -> tuple[Step, ...]:
    """Return what designates the part: the numbers of the proper titles with what the titles and names of parts add,
    else the volume in the host."""
    numbers = [number for info in mods.title_info if info.type is None for number in info.part_number]
    stated = [step for number in dict.fromkeys(numbers) for step in read_designation(number)]
    is_volume = host is not None and not _is_article(mods, host)
    titled = [*(read_designation(proper.title, Field.NAME) if is_volume else _in_title(proper.title, Field.TITLE))]
    for text in proper.sub_title:
        titled += _in_title(text, Field.NAME)
    if any(step.unit == YEAR for step in titled):
        titled += _other_years(titled, " ".join((proper.title, *proper.sub_title)))
    found = _join_paths(titled, stated)
    found = _join_paths(found, [step for name in proper.part_name for step in read_designation(name, Field.NAME)])
    if host is None or not is_volume or any(step.unit not in COVERED for step in found):
        return found
    return (*_in_host(host), *found)


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
    """Yield the designation of the volume in its host."""
    for part in host.mods.part:
        for detail in part.detail:
            if detail.type == "volume":
                for number in detail.number:
                    yield from read_designation(number)
        for text in part.text:
            yield from read_designation(text.value, Field.NAME)


def _host(host: RelatedItem, extents: Iterable[str]) -> Iterator[str]:
    """Yield the title of an article's host, and the numbers of volume, issue and first page, by kind."""
    yield _key(_title_of(host))
    for part in host.mods.part:
        for detail in part.detail:
            if letter := _HOST_NUMBERS.get(detail.type or ""):
                yield from (f"{letter}{number}" for text in detail.number for number in _NUMBER.findall(text))
        yield from (
            f"p{page}" for extent in part.extent for page in _NUMBER.findall(extent.start or extent.list or "")[:1]
        )
        yield from (number for text in part.text for number in _numbers_in_host(text.value))
    yield from (f"p{found[1]}" for extent in extents if (found := _PAGES_IN_HOST.match(extent)))


@lru_cache(_CACHED)
def _numbers_in_host(text: str) -> tuple[str, ...]:
    """Return the numbers that a reference such as ``Т. 92, № 3. С. 535-536`` states, by kind."""
    numbers = [f"{'v' if volume else 'n'}{number}" for volume, number in _NUMBER_IN_HOST.findall(text)]
    return (*numbers, *(f"p{page}" for page in _RANGE_OF_PAGES.findall(text)[:1]))


@lru_cache(_CACHED)
def _edition(text: str) -> tuple[str, int]:
    """Return the key of an edition statement, and its number."""
    return transcription_key(strip_brackets(text)), edition_number(fold(text))


@lru_cache(_CACHED)
def _counts(extent: str) -> tuple[int, int, int]:
    """Return the pages, volumes and centimetres that an extent states."""
    if _PAGES_IN_HOST.match(extent):
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


def _identifiers(mods: Mods) -> Iterator[str]:
    for identifier in mods.identifier:
        value = "".join(identifier.value.split()).replace("-", "")
        if identifier.invalid == "yes" and not (identifier.type == "isbn" and _is_without_978(value)):
            continue
        if identifier.type == "isbn":
            try:
                number = isbn13(f"978{value}" if _is_without_978(value) else value)
            except ValueError:
                continue
            yield f"{'setisbn' if _SET.search(identifier.display_label or '') else 'isbn'}:{number}"
        elif kind := _KINDS_OF_IDENTIFIERS.get(identifier.type or ""):
            value = _NO_DIGITS.sub("", value) if kind == "music" else value  # "Музыка 11875", "11875 Музыка"
            if len(value) >= _MIN_CHARACTERS:
                yield f"{kind}:{value.casefold()}"


def _is_without_978(value: str) -> bool:
    """Return whether a number is an ISBN of thirteen digits of which the first three were left out."""
    return len(value) == 10 and not has_isbn_check_digit(value) and has_isbn_check_digit(f"978{value}")


def _text(mods: Mods) -> Iterator[str]:
    """Yield abstracts, tables of contents, and notes that contain text of the publication."""
    yield from (abstract.value for abstract in mods.abstract)
    yield from (contents.value for contents in mods.table_of_contents)
    yield from (note.value for note in mods.note if note.type in _TEXT_NOTES)
