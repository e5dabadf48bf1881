"""Rows of a table to MODS, by a map of columns: ``[source.columns]`` names the columns of title, author and so on.

Columns with usual names (``title``, ``authors``, ``year`` …; ``Заглавие``, ``Автор``, ``Год издания`` …) are found
without a map, in any case. A column that the map does not name is counted as unmapped. Names, numbers and subjects in
one cell are divided at the separator, and at line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from bibld.errors import CrosswalkError
from bibld.model import identifiers, mods
from bibld.model.marc import MarcRecord
from bibld.model.relators import TERM_OF_RELATOR
from bibld.protocols import Converted, Row
from bibld.text.names import divided_names, family_and_given

Columns = str | tuple[str, ...]
"""The name of a column, or of more whose values are joined in this order."""

_YEAR = re.compile(r"\D{0,3}([12][0-9]{3})\D{0,3}")
_PAGES = re.compile(r"(?:pp?|pages?|с|стр|s)?\.? *([0-9][\w.]*) *(?:-{1,2}|[‐-―]) *([0-9][\w.]*)\.?", re.IGNORECASE)
_CODE = re.compile(r"[a-z]{2,3}")
_SHORTENED = re.compile(r"\d+(?:[.,]\d+)?E\+\d+", re.IGNORECASE)
_DIVIDED = frozenset(
    ["author", "editor", "contributor", "publisher", "place", "language", "subject", "genre", "isbn", "issn", "doi"]
)
"""The settings whose columns may have more than one value in a cell."""


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The columns of each element, and the separator.

    ``id``: the control number. ``title``: the main title. ``subtitle``: the rest of the title. ``author``: names of
    authors. ``editor``: names of editors. ``contributor``: names of others who took part. ``year``: the year of
    publication. ``publisher``: the publisher. ``place``: the place of publication. ``edition``: the edition statement.
    ``isbn``: ISBN. ``issn``: ISSN, of the host where there is one. ``doi``: DOI. ``language``: a code of two (RFC 3066)
    or three letters (ISO 639-2b), or a name. ``subject``: topics. ``genre``: genre or form. ``series``: title of the
    series. ``volume``: the volume, of the host or else the series where there is one. ``issue``: the issue of the host.
    ``pages``: pages in the host, or else their number. ``host``: title of the journal or book that holds the article.
    ``abstract``: a summary. ``text``: the full text or a part of it, which becomes a note of content. ``note``: notes.
    ``url``: address of an electronic resource. ``separator``: the text between names, numbers and subjects in one cell;
    empty: nothing is divided.
    """

    id: Columns = ("id", "identifier", "record id", "ид", "код записи", "номер записи", "mfn")
    title: Columns = ("title", "заглавие", "название", "наименование", "основное заглавие")
    subtitle: Columns = ("subtitle", "подзаголовок", "сведения, относящиеся к заглавию")
    author: Columns = ("author", "authors", "creator", "автор", "авторы")
    editor: Columns = ("editor", "editors", "редактор", "редакторы")
    contributor: Columns = ("contributor", "contributors")
    year: Columns = ("year", "date", "год", "год издания", "дата издания")
    publisher: Columns = ("publisher", "издательство", "издатель")
    place: Columns = ("place", "место издания", "место", "город")
    edition: Columns = ("edition", "издание", "сведения об издании")
    isbn: Columns = ("isbn",)
    issn: Columns = ("issn",)
    doi: Columns = ("doi",)
    language: Columns = ("language", "язык", "язык текста")
    subject: Columns = (
        "subject", "subjects", "keywords", "тема", "темы", "рубрика", "рубрики", "предметные рубрики", "ключевые слова",
    )  # fmt: skip
    genre: Columns = ("genre", "жанр")
    series: Columns = ("series", "серия")
    volume: Columns = ("volume", "том")
    issue: Columns = ("issue", "number", "выпуск")
    pages: Columns = ("pages", "страницы", "объем", "количество страниц")
    host: Columns = ("host", "journal", "venue", "журнал", "источник")
    abstract: Columns = ("abstract", "аннотация", "реферат")
    text: Columns = ("text", "full text", "content", "body", "текст", "полный текст")
    note: Columns = ("note", "notes", "примечание", "примечания")
    url: Columns = ("url", "ссылка", "электронный адрес")
    separator: str = ";"

    def missing(self, named: Iterable[str], columns: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield setting and column for each column that a ``named`` setting has and the ``columns`` do not contain."""
        known = set(map(_folded, columns))
        for key in named:
            if key != "separator" and key in self.__struct_fields__:
                yield from ((key, column) for column in _as_tuple(getattr(self, key)) if _folded(column) not in known)


def sniffs(record: MarcRecord) -> bool:
    """Return False: a MARC record is not a row."""
    return False


def convert(record: Row, settings: Settings) -> Converted:
    """Convert one row; raises ``CrosswalkError`` for one of which no column has a place, and for what is no row."""
    if not isinstance(record, Row):
        raise CrosswalkError(
            record.origin, 'a MARC record, not a row of a table; remove crosswalk = "columns" from the source'
        )
    row = _TableRow(record, settings)
    description = mods.collected(_elements(row))
    if description == mods.Mods():
        names = ", ".join(name for name, _ in record.cells)
        reason = f"unknown columns {names}; state those of title, author … in [source.columns]"
        raise CrosswalkError(record.origin, reason)
    if not description.title_info:
        row.warnings.append("the row has no title")
    return Converted(description, tuple(row.unmapped), (), tuple(row.warnings))


class _TableRow:
    """One row while it is converted."""

    def __init__(self, record: Row, settings: Settings) -> None:
        self.warnings: list[str] = []
        self._separator = settings.separator
        self._values: dict[str, list[str]] = {}
        keys = _keys_of(settings)
        self.unmapped: list[str] = []
        for column, value in record.cells:
            key = keys.get(_folded(column))
            between = f"{settings.separator} " if key in _DIVIDED else " "
            text = between.join(
                filter(None, (" ".join(line.split()).strip(settings.separator) for line in _lines(value)))
            )
            if key is None:
                self.unmapped.append(column)
            elif text:
                self._values.setdefault(key, []).append(text)

    def values(self, key: str) -> list[str]:
        """Return the values, each as in its cell."""
        return self._values.get(key, [])

    def first(self, key: str) -> str | None:
        """Return the first value."""
        return next(iter(self.values(key)), None)

    def divided_values(self, key: str) -> list[str]:
        """Return the values divided at the separator."""
        values = self.values(key)
        if not self._separator:
            return values
        return [part.strip() for value in values for part in value.split(self._separator) if part.strip()]

    def names(self, key: str) -> list[str]:
        """Return the names, divided at the separator; a cell without it also at commas between names in direct order
        (``A. Smith, Jane Doe and K. Lee``)."""
        if not self._separator:
            return self.values(key)
        return [name for value in self.divided_values(key) for name in divided_names(value)]


def _keys_of(settings: Settings) -> dict[str, str]:
    """Map each column to the first setting that names it."""
    found: dict[str, str] = {}
    for field in msgspec.structs.fields(settings):
        if field.name != "separator":
            for column in _as_tuple(getattr(settings, field.name)):
                found.setdefault(_folded(column), field.name)
    return found


def _folded(column: str) -> str:
    """Return the name of a column as it is compared: ``Год издания:`` and ``год  издания`` are the same."""
    return " ".join(column.casefold().replace("ё", "е").split()).strip(" :.*")


def _lines(value: str) -> list[str]:
    return [line.strip() for line in value.splitlines()]


def _as_tuple(columns: Columns) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns


def _elements(row: _TableRow) -> Iterator[mods.Element]:
    host, series = row.first("host"), row.values("series")
    volume = row.first("volume")
    if title := row.first("title"):
        number = (volume,) if volume and not host and not series else ()
        yield mods.TitleInfo(title=title, sub_title=tuple(row.values("subtitle")), part_number=number)
    for key, code in (("author", "aut"), ("editor", "edt"), ("contributor", "ctb")):
        for name in row.names(key):
            yield _name(name, code)
    genres = row.divided_values("genre") or (["article"] if host else [])
    yield from (mods.Genre(text) for text in genres)
    yield from _origin(row)
    yield from (_language(text) for text in row.divided_values("language"))
    if (pages := row.values("pages")) and not host:
        yield mods.PhysicalDescription(extent=tuple(map(mods.Extent, pages)))
    yield from (mods.Abstract(text) for text in row.values("abstract"))
    yield from (mods.Note(text, type="content") for text in row.values("text"))
    yield from (mods.Note(text) for text in row.values("note"))
    yield from (mods.Subject(parts=(mods.Topic(text),)) for text in row.divided_values("subject"))
    if urls := row.values("url"):
        yield mods.Location(url=tuple(map(mods.Url, urls)))
    if host:
        yield mods.RelatedItem(type="host", mods=_host(row, host, volume))
    for position, title in enumerate(series):
        part = (volume,) if volume and not host and position == 0 else ()
        yield mods.RelatedItem(
            type="series", mods=mods.Mods(title_info=(mods.TitleInfo(title=title, part_number=part),))
        )
    yield from _identifiers(row, has_host=bool(host))
    if identifier := row.first("id"):
        yield mods.RecordInfo(record_identifier=(mods.RecordIdentifier(identifier),))


def _name(text: str, code: str) -> mods.Name:
    """Return a person; the parts of a name with given names first are separate."""
    order = family_and_given(text)
    if order is None:
        return mods.Name(type="personal", name_part=(mods.NamePart(text),), role=(_role(code),))
    parts = mods.NamePart(order[0], type="family"), mods.NamePart(order[1], type="given")
    return mods.Name(type="personal", name_part=parts, display_form=(text,), role=(_role(code),))


def _role(code: str) -> mods.Role:
    return mods.Role(
        (
            mods.RoleTerm(value=code, type="code", authority="marcrelator"),
            mods.RoleTerm(value=TERM_OF_RELATOR[code], type="text", authority="marcrelator"),
        )
    )


def _origin(row: _TableRow) -> Iterator[mods.OriginInfo]:
    dates = []
    for text in row.values("year"):
        year = _YEAR.fullmatch(text)
        if year is not None:
            dates.append(mods.Date(value=year[1], encoding="w3cdtf"))
        else:
            dates.append(mods.Date(value=text))
    places = tuple(
        mods.Place(place_term=(mods.PlaceTerm(value=text, type="text"),)) for text in row.divided_values("place")
    )
    publishers = tuple(mods.Publisher(value=text) for text in row.divided_values("publisher"))
    editions = tuple(mods.Edition(value=text) for text in row.values("edition"))
    if dates or places or publishers or editions:
        yield mods.OriginInfo(place=places, publisher=publishers, date_issued=tuple(dates), edition=editions)


def _language(text: str) -> mods.Language:
    if _CODE.fullmatch(text):
        authority = "iso639-2b" if len(text) == 3 else "rfc3066"
        return mods.Language((mods.LanguageTerm(value=text, type="code", authority=authority),))
    return mods.Language((mods.LanguageTerm(value=text, type="text"),))


def _host(row: _TableRow, host: str, volume: str | None) -> mods.Mods:
    details = [mods.Detail(type=kind, number=(text,)) for kind, text in (("volume", volume),) if text]
    details += [mods.Detail(type="issue", number=(text,)) for text in row.values("issue")]
    extents = []
    for text in row.values("pages"):
        span = _PAGES.fullmatch(text)
        if span is not None:
            extents.append(mods.PartExtent(unit="pages", start=span[1], end=span[2].rstrip(".")))
        else:
            extents.append(mods.PartExtent(unit="pages", list=text))
    part = (mods.Part(detail=tuple(details), extent=tuple(extents)),) if details or extents else ()
    return mods.Mods(title_info=(mods.TitleInfo(title=host),), identifier=tuple(_issns(row)), part=part)


def _identifiers(row: _TableRow, *, has_host: bool) -> Iterator[mods.Identifier]:
    for text in row.divided_values("isbn"):
        isbn = identifiers.isbn(text)
        if _SHORTENED.fullmatch(text):
            row.warnings.append(f"isbn {text!r} was shortened by a spreadsheet; left out: format the column as text")
        elif isbn is None:
            row.warnings.append(f"isbn {text!r} contains no number; left out")
        else:
            yield mods.Identifier(isbn.value, type="isbn", invalid=None if isbn.is_valid else "yes")
    if not has_host:
        yield from _issns(row)
    yield from (mods.Identifier(text, type="doi") for text in row.divided_values("doi"))


def _issns(row: _TableRow) -> Iterator[mods.Identifier]:
    for text in row.divided_values("issn"):
        issn = identifiers.issn(text)
        if issn is None:
            row.warnings.append(f"issn {text!r} contains no number; left out")
        else:
            yield mods.Identifier(issn.value, type="issn", invalid=None if issn.is_valid else "yes")
