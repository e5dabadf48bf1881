"""DuckDB as matching uses it: which settings, and which errors it raises."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from bibld.errors import CatalogError

_MIN_MEMORY = 256 << 20


def connect(file: Path | None, memory: int, threads: int, folder: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a database, or one in memory without a file.

    What exceeds ``memory`` bytes goes to temporary files: in ``folder``, that of the file, or the system's. Rows have
    no order but that of an ``order by``. Raises ``duckdb.Error``; see :func:`reported`.
    """
    directory = folder or (file.parent if file else Path(tempfile.gettempdir()))
    database = duckdb.connect(
        str(file or ":memory:"),
        config={
            "threads": str(threads),
            "memory_limit": f"{max(memory, _MIN_MEMORY)}B",
            "temp_directory": str(directory / "duckdb-temporary"),
            "preserve_insertion_order": "false",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        },
    )
    # It would be drawn on standard output, which is for data. A notebook has none, and refuses the setting.
    if database.execute("SELECT current_setting('enable_progress_bar')").fetchall() == [(True,)]:
        database.execute("SET enable_progress_bar = false")
    return database


@contextmanager
def reported(file: Path | None) -> Iterator[None]:
    """Turn errors of the database, and of files beside it, into ``CatalogError``."""
    where = file or "the tables of candidate pairs"
    try:
        yield
    except duckdb.OutOfMemoryException as error:
        raise CatalogError(f"{where}: no room in memory or on disk: {_first_line(error)}; free some space") from error
    except (duckdb.Error, OSError) as error:
        raise CatalogError(f"{where}: cannot be read or written: {_first_line(error)}") from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
