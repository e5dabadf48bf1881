"""Tables: CSV (RFC 4180) with any delimiter, its columns named by the first line or by the configuration.

A quoted cell may hold line ends; one whose quotation mark is never closed costs its own line only. A first line
``sep=;``, by which spreadsheets are given the delimiter, is understood. A file in UTF-16 is read as UTF-8, whose bytes
the offsets count.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from io import BufferedReader, BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO

import msgspec

from bibld.errors import ConfigError, HarvestError, ReadError
from bibld.protocols import Parsed, Raw, Row
from bibld.read._archives import archive_of
from bibld.read._carrier import (
    BOM,
    EXCERPT,
    CharsetCarrier,
    Piece,
    count_repeats,
    decode_text,
    sample_charsets,
    to_raws,
)
from bibld.read._charset import AUTO, LATIN1, Charsets, settle_charsets
from bibld.read._streams import Recoded, open_decompressed, recode_head, recoded_charset
from bibld.text.charsets import UTF8

_HEAD = 64 * 1024
_DELIMITERS = (",", ";", "\t", "|")
_MAX_NAME_LETTERS = 64
_NAME = re.compile(r"(?:[^\W\d_]|[^\x00-\x7f])(?:[\w .,:/()#$&'*+-]|[^\x00-\x7f])*")
_ROWS_SNIFFED = 20
_DELIMITER_LINE = re.compile(rb'"?sep=([,;\t|])"?\r?\n', re.IGNORECASE)


class Settings(msgspec.Struct, frozen=True):
    """``charset``: ``auto``, or the one that the file is in. ``max_record_bytes``: a longer row is rejected.

    ``delimiter``: the text between cells; ``auto``: found in the first lines. ``header``: the names of the columns of
    files without a first line that names them.
    """

    charset: str = AUTO
    delimiter: str = AUTO
    header: tuple[str, ...] = ()
    max_record_bytes: int = 1024 * 1024


class CsvCarrier(CharsetCarrier, frozen=True, kw_only=True):
    """One table: ``columns`` are their names; ``has_header``: the first line contains them.

    ``has_delimiter_line``: the line before that states the delimiter.
    """

    delimiter: str
    columns: tuple[str, ...]
    has_header: bool
    has_delimiter_line: bool = False

    def raws(self, stream: BinaryIO) -> Iterator[Raw | ReadError]:
        """Cut the file into rows."""
        text = BufferedReader(Recoded(stream, self.recoded)) if self.recoded else stream
        lines = iter(lambda: text.readline(self.max_record_bytes + 1), b"")
        found = _rows_of(lines, self.delimiter, self.max_record_bytes, len(self.columns))
        return to_raws(self.source, self.file, islice(found, self.has_header + self.has_delimiter_line, None))

    def parse(self, raw: Raw) -> Parsed:
        """Read one row; cells without text are left out. Raises ``ReadError`` for an empty row."""
        text, warnings = decode_text(raw.data, self.charsets)
        cells = cells_of(text, self.delimiter)
        while len(cells) > len(self.columns) and not cells[-1]:
            cells.pop()
        if len(cells) > len(self.columns):
            warnings.append(f"{len(cells)} cells, though the table has {len(self.columns)} columns")
        names = [*self.columns, *(f"column {number + 1}" for number in range(len(self.columns), len(cells)))]
        pairs = tuple((name, cell) for name, cell in zip(names, cells, strict=False) if cell)
        if not pairs:
            raise ReadError(raw.origin, "the row has no cell with text", raw.data)
        return Parsed(Row(raw.origin, pairs), count_repeats(warnings))


CarrierType = CsvCarrier


def sniffs(head: bytes) -> bool:
    """Return whether the first line names two columns or more, and the next lines have no more cells than that."""
    head = recode_head(head, b"")
    if b"\0" in head or b"\x1e" in head:
        return False
    lines = _complete_lines(head)
    delimiter = _stated_delimiter(lines)
    lines = lines[bool(delimiter) :]
    delimiter = delimiter or _delimiter_of(lines)
    columns = cells_of(_plain(lines[0]), delimiter) if lines else []
    if columns and not columns[-1]:
        columns.pop()
    if len(columns) < 2 or len(set(columns)) < len(columns):
        return False
    if not all(len(name) <= _MAX_NAME_LETTERS and _NAME.fullmatch(name) for name in columns):
        return False
    found = islice(_rows_of(lines[1:], delimiter, _HEAD), _ROWS_SNIFFED)
    widths = [len(cells_of(_plain(data), delimiter)) for _, data, fault in found if not fault]
    return bool(widths) and min(widths) > 1 and max(widths) <= len(columns) + 1


def examine(stream: BinaryIO, name: str, source: str, settings: Settings) -> CsvCarrier:
    """Find delimiter, columns and charset at the beginning of the file.

    Raises ``ConfigError`` for a delimiter that cannot be one.
    """
    if settings.delimiter.strip(" ") in ("", '"', "\n", "\r"):
        raise ConfigError([f'delimiter = "{settings.delimiter}" cannot part cells; use auto or one such as "," or ";"'])
    head = stream.read(_HEAD)
    recoded = recoded_charset(head, b"")
    lines = _complete_lines(recode_head(head, b""))
    stated = _stated_delimiter(lines)
    lines = lines[bool(stated) :]
    delimiter = (stated or _delimiter_of(lines)) if settings.delimiter == AUTO else settings.delimiter
    samples = sample_charsets(_rows_of(lines, delimiter, settings.max_record_bytes))
    charsets = Charsets(recoded, UTF8) if recoded else settle_charsets(settings.charset, None, LATIN1, samples)
    columns = settings.header
    if not columns:
        first = next(_rows_of(lines, delimiter, settings.max_record_bytes), (0, b"", ""))[1]
        columns = _named(cells_of(decode_text(first, charsets)[0], delimiter))
    return CsvCarrier(
        source=source,
        file=name,
        charsets=charsets,
        max_record_bytes=settings.max_record_bytes,
        delimiter=delimiter,
        columns=columns,
        has_header=not settings.header,
        has_delimiter_line=bool(stated),
        recoded=recoded,
    )


def header(path: Path, settings: Settings | None = None) -> tuple[str, ...]:
    """Return the names of the columns of a file; none if it cannot be read, or (without settings) is not a table."""
    if archive_of(path):
        return ()
    try:
        with open_decompressed(path) as stream:
            head = BytesIO(stream.read(_HEAD))
    except HarvestError:  # reported when the file is read
        return ()
    if settings is None and not sniffs(head.getvalue()):
        return ()
    return examine(head, path.name, "", settings or Settings()).columns


def cells_of(text: str, delimiter: str) -> list[str]:
    """Return the texts of the cells of a row, trimmed."""
    return [(quoted.replace('""', '"') + bare).strip() for _, quoted, bare in _parted(text, delimiter)]


def _parted(text: str, delimiter: str) -> Iterator[tuple[bool, str, str]]:
    """Yield for each cell whether it begins with a quotation mark, the quoted text, and the text outside."""
    text = text.rstrip("\r\n")
    position, pattern = 0, _cell(delimiter)
    while position <= len(text) and (cell := pattern.match(text, position)) is not None:
        yield cell[1] is not None, cell[1] or "", cell[2]
        position = cell.end() + len(delimiter)


def _rows_of(lines: Iterable[bytes], delimiter: str, maximum: int, width: int = 0) -> Iterator[Piece]:
    """Yield the rows; blank lines are passed over.

    The lines that a quoted cell spans are joined. If its quotation mark is not closed in time, or only by one that
    opens a cell of the next row (the table has ``width`` columns), they are separate rows after all.
    """
    waiting: deque[tuple[int, bytes]] = deque()
    rest = _numbered(lines)
    opens = _opens(delimiter)
    while True:
        row: list[tuple[int, bytes]] = []
        is_open, size = False, 0
        while (numbered := waiting.popleft() if waiting else next(rest, None)) is not None:
            line = numbered[1]
            if not row and not line.strip(b"\r\n" + BOM):
                continue
            row.append(numbered)
            size += len(line)
            is_open = _is_open_after(line, is_open, opens)
            if not is_open or size > maximum:
                break
        if not row:
            return
        if len(row) > 1 and (is_open or _are_two_rows([line for _, line in row], delimiter, width)):
            waiting.extendleft(reversed(row[1:]))
            row, is_open = row[:1], True
        yield _row(row, is_open, maximum)


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield lines with their offsets; the parts that follow the first of a line that is too long are left out."""
    offset = 0
    is_continued = False
    for line in lines:
        if not is_continued:
            yield offset, line
        is_continued = not line.endswith(b"\n")
        offset += len(line)


def _are_two_rows(lines: list[bytes], delimiter: str, width: int) -> bool:
    """Return whether lines that seem to be one row are two.

    Then text follows a closing quotation mark, or only the second line alone has the columns of the table.
    """
    cells = list(_parted(_plain(b"".join(lines)), delimiter))
    if any(is_quoted and bare.strip() for is_quoted, _, bare in cells):
        return True
    return 0 < width != len(cells) and len(cells_of(_plain(lines[1]), delimiter)) == width


def _row(row: list[tuple[int, bytes]], is_open: bool, maximum: int) -> Piece:
    start, data = row[0][0], b"".join(line for _, line in row)
    if start == 0 and data.startswith(BOM):
        start, data = len(BOM), data[len(BOM) :]
    if len(data) > maximum:
        fault = f"a row of more than {maximum} bytes (the first {EXCERPT} are kept)"
        return start, data[:EXCERPT], fault
    return start, data, "a quotation mark is opened and never closed" if is_open else ""


_CLOSING = re.compile(rb'(?:[^"]|"")*+"')


def _is_open_after(line: bytes, is_open: bool, opens: re.Pattern[bytes]) -> bool:
    """Return whether a quoted cell is open after a line, at whose beginning one may be open."""
    position = 0
    while True:
        found = (_CLOSING.match if is_open else opens.search)(line, position)
        if found is None:
            return is_open
        position, is_open = found.end(), not is_open


@cache
def _opens(delimiter: str) -> re.Pattern[bytes]:
    """Return a pattern for the beginning of a quoted cell: at the beginning of a line or after a delimiter."""
    return re.compile(rb"(?:\A(?:" + BOM + rb")?|" + re.escape(delimiter.encode()) + rb')[ ]*+"')


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    """Return a pattern for a cell, with groups for its quoted text and the text outside."""
    until = f"(?:(?!{re.escape(delimiter)})[\\s\\S])*+"
    return re.compile(rf' *+(?:"((?:[^"]|"")*+)")?({until})')


def _complete_lines(head: bytes) -> list[bytes]:
    """Return the lines at the beginning of a file, without the last if it may be cut off."""
    lines = BytesIO(head.removeprefix(BOM)).readlines()
    return lines[:-1] if len(lines) > 2 and not lines[-1].endswith(b"\n") else lines


def _stated_delimiter(lines: list[bytes]) -> str:
    """Return the delimiter of a first line ``sep=;``; empty if there is none."""
    found = _DELIMITER_LINE.fullmatch(lines[0]) if lines else None
    return found[1].decode() if found is not None else ""


def _delimiter_of(lines: list[bytes]) -> str:
    """Return the delimiter that splits the first line into most cells."""
    first = [cells_of(_plain(line), delimiter) for delimiter in _DELIMITERS for line in lines[:1]]
    if not first:
        return ","
    widths = dict(zip(_DELIMITERS, map(len, first), strict=True))
    return max(_DELIMITERS, key=lambda delimiter: widths[delimiter])


def _named(cells: list[str]) -> tuple[str, ...]:
    """Return the names of columns; one without a name is called by its number, unless it is the last."""
    if cells and not cells[-1]:
        cells = cells[:-1]
    return tuple(name or f"column {number}" for number, name in enumerate(cells, 1))


def _plain(line: bytes) -> str:
    """Return a text with every delimiter and quotation mark in its place, whatever the charset."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode(LATIN1)
