"""Tables as files: CSV, an Excel workbook, JSON Lines or Parquet; rows are written as they come."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any, Literal, cast, get_args

import msgspec

from bibld._api.configured import PathName, check_choice
from bibld.errors import ConfigError
from bibld.parallel import batches
from bibld.text.lists import harmless
from bibld.text.translations import SOURCE_LANGUAGE, Sentences, sentences_in

FileFormat = Literal["csv", "xlsx", "jsonl", "parquet"]

_SUFFIXES = {
    **dict.fromkeys(("", ".csv", ".txt"), "csv"),
    **{".xlsx": "xlsx", ".jsonl": "jsonl", ".parquet": "parquet"},
}
_BINARY = ("xlsx", "parquet")

_COLUMN_TYPES = {
    **{"score": "double", "size": "bigint"},
    **dict.fromkeys(("publications", "first_year", "last_year", "position", "harm"), "bigint"),
}
"""The types of the columns that are no texts."""

_MEMORY = 1 << 30
_ROWS_AT_ONCE = 50_000
_ROWS_OF_A_SHEET = 1_048_575
"""The most rows below the header that Excel reads (1,048,576 with it)."""

_LETTERS_OF_A_CELL = 32_767


def table_format(out: PathName | IO[str], named: str | None) -> FileFormat:
    """Return the format of a file: the one that is named, or that of its suffix; CSV for a stream and other suffixes.

    Raises ``ConfigError`` for an unknown format, and for Parquet or XLSX to a stream.
    """
    if named is not None:
        check_choice(named, "format", list(get_args(FileFormat)))
    suffix = Path(out).suffix.lower() if isinstance(out, str | os.PathLike) else ""
    if named is None and suffix not in _SUFFIXES:
        raise ConfigError(
            [f"{out}: {suffix} is no format of tables; write .csv, .xlsx, .jsonl or .parquet, or --format"]
        )
    form = cast(FileFormat, named or _SUFFIXES[suffix])
    if form in _BINARY and not isinstance(out, str | os.PathLike):
        raise ConfigError([f"--format {form}: needs a file; name it: --out FILE"])
    return form


def write_table(
    rows: Iterable[msgspec.Struct],
    names: Sequence[str],
    out: PathName | IO[str],
    form: FileFormat,
    words: Sentences | None = None,
) -> None:
    """Write rows with columns of these names; a file is replaced when all are written. Raises ``ConfigError``.

    More than one value in a cell are joined by ``; ``; in JSON Lines they are a list. A file of CSV begins with a byte
    order mark, by which Excel recognises UTF-8; a text that would be a formula there has an apostrophe before it.
    CSV and workbooks, which people read, are in the language of the ``words``; other formats are always in English.
    """
    if words is None or form in ("jsonl", "parquet"):
        words = sentences_in(SOURCE_LANGUAGE)
    columns, values = names, ([getattr(row, name) for name in names] for row in rows)
    if words.tag != SOURCE_LANGUAGE:
        columns = [words.word("column", name.replace("_", " ")) for name in names]
        values = ([_in_words(*pair, words) for pair in zip(row, names, strict=True)] for row in values)
    cells = (list(map(_cell, row)) for row in values)
    if not isinstance(out, str | os.PathLike):
        assert form == "csv" or form == "jsonl"  # table_format() refuses others for a stream
        _write_text(cells, columns, out, words if form == "csv" else None)
        return
    file = Path(out)
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        if form == "parquet":
            _write_parquet(cells, columns, unfinished)
        elif form == "xlsx":
            _write_workbook(cells, columns, unfinished)
        else:
            charset = "utf-8-sig" if form == "csv" else "utf-8"
            with unfinished.open("w", encoding=charset, newline="") as stream:
                _write_text(cells, columns, stream, words if form == "csv" else None)
        unfinished.replace(file)
    except OSError as error:
        raise ConfigError([f"{file}: cannot be written: {error.strerror or error}"]) from error
    finally:
        if unfinished.is_file():
            unfinished.unlink()


def _in_words(value: object, column: str, words: Sentences) -> object:
    if isinstance(value, tuple):
        return tuple(_in_words(one, column, words) for one in value)
    return words.cell(column, value) if isinstance(value, str | bool) else value


def _cell(value: object) -> object:
    """Return a value as it is stored, a tuple as a list; characters that are none are replaced."""
    if isinstance(value, tuple):
        return [_cell(one if isinstance(one, str) else str(one)) for one in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _write_text(
    cells: Iterable[Sequence[object]], columns: Sequence[str], stream: IO[str], words: Sentences | None
) -> None:
    """Write rows as CSV in a language, or as JSON Lines without one."""
    if words is None:
        for row in cells:
            stream.write(msgspec.json.encode(dict(zip(columns, row, strict=True))).decode() + "\n")
        return
    writer = csv.writer(stream, delimiter=words.separator)
    rows = ([_cell_of_csv(_joined(cell), words) for cell in row] for row in cells)
    first = list(islice(rows, 1))  # if that fails, nothing is written
    writer.writerows(chain([columns], first, rows))


def _cell_of_csv(cell: object, words: Sentences) -> object:
    if isinstance(cell, float):
        return words.number(cell, "")
    return harmless(cell) if isinstance(cell, str) else cell


def _joined(cell: object) -> object:
    return "; ".join(map(str, cell)) if isinstance(cell, list) else cell


def _write_workbook(cells: Iterable[Sequence[object]], columns: Sequence[str], file: Path) -> None:
    """Write rows as an Excel workbook, with further sheets where one is full; cells are texts or numbers."""
    from xlsxwriter import Workbook
    from xlsxwriter.exceptions import XlsxWriterException

    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    try:
        with Workbook(str(file), options) as book:
            bold, sheet, line = book.add_format({"bold": True}), None, 0
            for row in cells:
                if sheet is None or line == _ROWS_OF_A_SHEET:
                    sheet, line = book.add_worksheet(), 0
                    sheet.write_row(0, 0, columns, bold)
                    sheet.freeze_panes(1, 0)
                line += 1
                for column, cell in enumerate(map(_joined, row)):
                    sheet.write(line, column, cell[:_LETTERS_OF_A_CELL] if isinstance(cell, str) else cell)
            if sheet is None:
                book.add_worksheet().write_row(0, 0, columns, bold)
    except XlsxWriterException as error:
        raise ConfigError([f"{file}: cannot be written: {error}"]) from error


def _write_parquet(cells: Iterable[Sequence[object]], columns: Sequence[str], file: Path) -> None:
    import numpy as np

    from bibld.dedup.database import connect, reported

    types = ", ".join(f'"{name}" {_COLUMN_TYPES.get(name, "text")}' for name in columns)
    with reported(file), connect(None, _MEMORY, 1, file.parent) as database:
        database.execute(f"create table rows (number bigint, {types})")
        for number, batch in enumerate(batches(cells, _ROWS_AT_ONCE)):
            start = number * _ROWS_AT_ONCE
            arrays: dict[str, Any] = {"number": np.arange(start, start + len(batch))}
            for name, values in zip(columns, zip(*batch, strict=True), strict=True):
                values = tuple(map(_joined, values))
                arrays[name] = np.array(values, float if _COLUMN_TYPES.get(name) == "double" else object)
            database.execute("insert into rows select * from arrays")
        database.execute(
            "copy (select * exclude (number) from rows order by number) to $file (format parquet)", {"file": str(file)}
        )
