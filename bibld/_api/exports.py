"""Clusters and scored pairs as files: CSV or Parquet."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import IO, Any, BinaryIO, Literal, get_args

import msgspec

from bibld._api.arguments import PathName, check_choice
from bibld._api.rows import main_title
from bibld.catalog import Catalog
from bibld.errors import ConfigError
from bibld.parallel import batches

FileFormat = Literal["csv", "parquet"]

_TYPES = {"score": "double", "size": "bigint"}
"""The types of the columns that are no texts."""

_MEMORY = 1 << 30
_ROWS_AT_ONCE = 50_000


class MemberRow(msgspec.Struct, frozen=True):
    """A record and its cluster, which is named by its first record; ``size`` is the number of its records."""

    cluster: str
    record: str
    source: str
    size: int
    title: str


def file_format(out: PathName | IO[str], named: str | None) -> FileFormat:
    """Return the format of a file: the one that is named, or that of its suffix; CSV for a stream and other suffixes.

    Raises ``ConfigError`` for an unknown format, and for Parquet to a stream.
    """
    if named is not None:
        check_choice(named, "format", list(get_args(FileFormat)))
    suffix = Path(out).suffix.lower() if isinstance(out, str | os.PathLike) else ""
    is_parquet = named == "parquet" or (named is None and suffix == ".parquet")
    if is_parquet and not isinstance(out, str | os.PathLike):
        raise ConfigError(["--format parquet: needs a file; name it: --out FILE"])
    return "parquet" if is_parquet else "csv"


def write_rows(
    rows: Iterable[msgspec.Struct], columns: Sequence[str], out: PathName | IO[str], form: FileFormat
) -> None:
    """Write rows with these columns; a file is replaced when all are written. Raises ``ConfigError``.

    Several values in a cell are joined by ``; ``.
    """
    cells = ([_cell(getattr(row, name)) for name in columns] for row in rows)
    if not isinstance(out, str | os.PathLike):
        _write_csv(cells, columns, out)
        return
    file = Path(out)
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        if form == "parquet":
            _write_parquet(cells, columns, unfinished)
        else:
            with unfinished.open("w", encoding="utf-8", newline="") as stream:
                _write_csv(cells, columns, stream)
        unfinished.replace(file)
    except OSError as error:
        raise ConfigError([f"{file}: cannot be written: {error.strerror or error}"]) from error
    finally:
        if unfinished.is_file():
            unfinished.unlink()


def _cell(value: object) -> object:
    """Return a value as it is stored; characters that are none are replaced."""
    text = "; ".join(map(str, value)) if isinstance(value, tuple) else value
    return text.encode("utf-8", "replace").decode() if isinstance(text, str) else text


def _write_csv(cells: Iterable[Sequence[object]], columns: Sequence[str], stream: IO[str]) -> None:
    writer = csv.writer(stream)
    writer.writerow(columns)
    writer.writerows(cells)


def _write_parquet(cells: Iterable[Sequence[object]], columns: Sequence[str], file: Path) -> None:
    import numpy as np

    from bibld.dedup.database import connect, reported

    types = ", ".join(f'"{name}" {_TYPES.get(name, "text")}' for name in columns)
    with reported(file), connect(None, _MEMORY, 1, file.parent) as database:
        database.execute(f"create table rows (number bigint, {types})")
        for number, batch in enumerate(batches(cells, _ROWS_AT_ONCE)):
            start = number * _ROWS_AT_ONCE
            arrays: dict[str, Any] = {"number": np.arange(start, start + len(batch))}
            for name, values in zip(columns, zip(*batch, strict=True), strict=True):
                arrays[name] = np.array(values, float if name in _TYPES else object)
            database.execute("insert into rows select * from arrays")
        database.execute(
            "copy (select * exclude (number) from rows order by number) to $file (format parquet)", {"file": str(file)}
        )


def member_rows(catalog: Catalog, min_size: int) -> Iterable[MemberRow]:
    """Yield the records of the clusters with at least this many records."""
    for founder in catalog.linkage.founders(least=min_size):
        members = catalog.linkage.cluster(founder).members
        for record in members:
            stored = catalog.record(record)
            title = main_title(stored.mods) if stored is not None else ""
            yield MemberRow(str(members[0]), str(record), record.source, len(members), title)


def folder_or_stream(out: PathName | BinaryIO) -> Path | BinaryIO:
    """Return a stream as it is, and a folder by its path, made if it does not exist; raises ``ConfigError``."""
    if not isinstance(out, str | os.PathLike):
        return out
    folder = Path(out)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError([f"{folder}: the folder cannot be made: {error.strerror}"]) from error
    return folder
