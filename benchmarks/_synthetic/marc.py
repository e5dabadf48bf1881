"""The catalogue as MARC 21 in ISO 2709 and UTF-8, a file for each library."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from bibld import crosswalk
from bibld.dedup.features import features_of
from bibld.model.features import NUMBERS, TEXTS, Features
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.origin import Origin
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, read

from .catalogue import Catalogue
from .columns import Rows

_ROWS = 20_000
_MAIN, _REMAINDER, _PART, _PART_NAME, _SET, _PERSONS, _CORPORATE, _PUBLISHER, _PLACE = range(9)
_EDITION, _SERIES, _SERIES_NUMBER, _STATEMENT, _LANGUAGE, _CARRIER, _LEVEL, _IDENTIFIERS = range(9, 17)
_YEAR, _LAST_YEAR, _, _PAGES, _VOLUMES, _HEIGHT = range(6)
_KINDS = {"map": "e", "score": "c"}
_FORMS = {"electronic": "o", "microform": "a"}


def write_marc(catalogue: Catalogue, beginning: Path) -> list[tuple[Path, int]]:
    """Write ``<beginning>_a.mrc`` and ``<beginning>_b.mrc``; gives the files and how many records each has.

    The control number is the letter of the library and the row.
    """
    found = []
    for letter, start, stop in (("a", 0, catalogue.in_a), ("b", catalogue.in_a, catalogue.records)):
        path = beginning.with_name(f"{beginning.name}_{letter}.mrc")
        with path.open("wb") as out:
            for first in range(start, stop, _ROWS):
                last = min(first + _ROWS, stop)
                rows = catalogue.rows(first, last)
                out.writelines(to_iso2709(marc(rows, row - first, f"{letter}{row:09}")) for row in range(first, last))
        found.append((path, stop - start))
    return found


def marc(rows: Rows, row: int, control_number: str) -> MarcRecord:
    """One row as a MARC 21 record."""
    texts = [rows.text(row, field) for field in range(17)]
    numbers = [int(number) for number in rows.numbers[row]]
    kind = _KINDS.get(texts[_CARRIER], "a")
    level = texts[_LEVEL]
    of_set = "a" if level == "c" else " "
    leader = f"00000n{kind}{'s' if level == 's' else 'm'} a2200000 i{of_set}4500"
    fields = [ControlField("001", control_number), ControlField("008", _coded(texts, numbers))]
    described = (*_numbers(texts), *_names(texts), *_titles(texts), *_imprint(texts, numbers), *_extent(texts, numbers))
    series = [_field("490", "0 ", a=_sentence(texts[_SERIES]) + " ;" * bool(texts[_SERIES_NUMBER]),
                     v=texts[_SERIES_NUMBER])] if texts[_SERIES] else []  # fmt: skip
    more = (*series, *_added_names(texts), *_host(texts))
    fields_in_order = (*fields, *sorted((*described, *more), key=lambda field: field.tag))
    return MarcRecord(Origin("synthetic", "", 0, 0), Leader(leader), fields_in_order)


def agreement(path: Path, catalogue: Catalogue, first: int, most: int) -> dict[str, float]:
    """For the first records of a written file the share whose features, read back, are those of the catalogue."""
    parts = [features_of(crosswalk.convert(record, "marc21")[1].mods) for record in islice(_read(path), most)]
    made = catalogue.chunk(first, first + len(parts)).columns
    rows = [made.features(row) for row in range(len(parts))]

    def share(name: str) -> float:
        return sum(getattr(one, name) == getattr(other, name) for one, other in zip(parts, rows, strict=True)) / len(
            rows
        )

    return {name: share(name) for name in (*TEXTS, *NUMBERS)}


def differences(path: Path, catalogue: Catalogue, first: int, name: str, most: int) -> Iterator[tuple[str, str]]:
    """Values of a feature, read back and made, where they differ."""
    for row, record in enumerate(islice(_read(path), most)):
        one: Features = features_of(crosswalk.convert(record, "marc21")[1].mods)
        other = catalogue.chunk(first + row, first + row + 1).columns.features(0)
        if getattr(one, name) != getattr(other, name):
            yield getattr(one, name), getattr(other, name)


def _read(path: Path) -> Iterator[MarcRecord]:
    file = HarvestedFile("synthetic", path.name, path)
    examined = examine(file)
    for raw in read(file, examined):
        assert isinstance(raw, Raw), raw
        yield examined.carrier.parse(raw).record


def _coded(texts: list[str], numbers: list[int]) -> str:
    """008: dates, form of item, language."""
    year, last = numbers[_YEAR], numbers[_LAST_YEAR]
    kind = "n" if not year else "m" if last > year else "c" if texts[_LEVEL] == "s" else "s"
    first = f"{year:04}" if year else "uuuu"
    second = f"{last:04}" if kind == "m" else "uuuu" if kind == "n" else "9999" if kind == "c" else "    "
    details = list(" " * 17)
    details[11 if texts[_CARRIER] == "map" else 5] = _FORMS.get(texts[_CARRIER], " ")
    return f"260101{kind}{first}{second}xx {''.join(details)}{texts[_LANGUAGE]} d"


def _numbers(texts: list[str]) -> Iterator[DataField]:
    kind, _, value = texts[_IDENTIFIERS].partition(":")
    if kind == "isbn":
        yield _field("020", "  ", a=value)
    elif kind == "issn":
        yield _field("022", "  ", a=f"{value[:4]}-{value[4:].upper()}")


def _names(texts: list[str]) -> Iterator[DataField]:
    persons = texts[_PERSONS].split("|")
    if persons[0]:
        yield _field("100", "1 ", a=_person(persons[0]))
    elif texts[_CORPORATE]:
        yield _field("110", "2 ", a=_sentence(texts[_CORPORATE]) + ".")


def _added_names(texts: list[str]) -> Iterator[DataField]:
    persons = texts[_PERSONS].split("|")
    for person in persons[1:]:
        yield _field("700", "1 ", a=_person(person))
    if persons[0] and texts[_CORPORATE]:
        yield _field("710", "2 ", a=_sentence(texts[_CORPORATE]) + ".")


def _titles(texts: list[str]) -> Iterator[DataField]:
    statement = _title_case(texts[_STATEMENT])
    part = "" if texts[_SET] else _part(texts)
    name = _sentence(texts[_PART_NAME])
    parts = [("a", _sentence(texts[_MAIN])), ("b", texts[_REMAINDER]), ("n", part), ("p", name), ("c", statement)]
    present = [(code, text) for code, text in parts if text]
    marks = {"b": " :", "n": ".", "p": ",", "c": " /"}
    subfields = [
        Subfield(code, text + (marks[present[place + 1][0]] if place + 1 < len(present) else "."))
        for place, (code, text) in enumerate(present)
    ]
    yield DataField("245", "1" if texts[_PERSONS] else "0", "0", tuple(subfields))


def _imprint(texts: list[str], numbers: list[int]) -> Iterator[DataField]:
    if texts[_EDITION]:
        yield _field("250", "  ", a=_edition(texts[_EDITION]) + ".")
    year = str(numbers[_YEAR] or "")
    if numbers[_LAST_YEAR] > numbers[_YEAR]:
        year += f"-{numbers[_LAST_YEAR]}"
    places = [Subfield("a", f"{_title_case(place)} :") for place in texts[_PLACE].split("|") if place]
    parts = [Subfield("b", f"{_sentence(texts[_PUBLISHER])},")] if texts[_PUBLISHER] else []
    dates = [Subfield("c", f"{year}.")] if year else []
    if places or parts or dates:
        yield DataField("260", " ", " ", (*places, *parts, *dates))


def _extent(texts: list[str], numbers: list[int]) -> Iterator[DataField]:
    is_russian = texts[_LANGUAGE] in ("rus", "ukr", "bel", "bul", "tat")
    extent = ""
    if numbers[_PAGES]:
        extent = f"{numbers[_PAGES]} {'с.' if is_russian else 'p.'}"
    elif numbers[_VOLUMES]:
        extent = f"{numbers[_VOLUMES]} {'т.' if is_russian else 'v.'}"
    if texts[_CARRIER] == "electronic":
        extent = f"1 online resource ({extent})" if extent else "1 online resource"
    height = f"{numbers[_HEIGHT]} {'см' if is_russian else 'cm'}" if numbers[_HEIGHT] else ""
    if extent or height:
        yield _field("300", "  ", a=extent + (" ;" if extent and height else ""), c=height)
    if texts[_CARRIER] == "electronic":
        yield _field("338", "  ", a="online resource", b="cr", **{"2": "rdacarrier"})
    elif texts[_CARRIER] == "microform":
        yield _field("338", "  ", a="microfilm reel", b="hd", **{"2": "rdacarrier"})


def _host(texts: list[str]) -> Iterator[DataField]:
    """Return the set of a volume that has its own title."""
    if texts[_SET]:
        yield _field("773", "0 ", t=_sentence(texts[_SET]), g=_part(texts))


def _part(texts: list[str]) -> str:
    if not texts[_PART]:
        return ""
    return f"{'Т.' if texts[_LANGUAGE] in ('rus', 'ukr', 'bel', 'bul', 'tat') else 'v.'} {texts[_PART]}"


def _field(tag: str, indicators: str, **subfields: str) -> DataField:
    parts = tuple(Subfield(code, text) for code, text in subfields.items() if text)
    return DataField(tag, indicators[0], indicators[1], parts)


def _person(name: str) -> str:
    family, _, given = name.partition(" ")
    return ", ".join(filter(None, (family.capitalize(), _title_case(given))))


def _edition(text: str) -> str:
    """The ordinal with its hyphen: ``2-е изд``."""
    return text.replace(" е ", "-е ", 1)


def _title_case(text: str) -> str:
    return " ".join(word.upper() + "." if len(word) == 1 else word.capitalize() for word in text.split())


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
