"""The register as people write into it, also during a run: in short transactions, without the lock of the workspace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from bibld.catalog._schema import REGISTER, REGISTER_FORMAT, is_locked, open_database
from bibld.catalog.engines import missing_results
from bibld.errors import CatalogError

PATIENCE = 30.0
"""Seconds to wait for a run that is writing into the register."""


class OpenRegister:
    """The register of one workspace; ``config_file`` is its configuration, which messages name.

    Raises ``CatalogError`` if there is no register, or it cannot be opened.
    """

    def __init__(self, workspace: Path, patience: float = PATIENCE, config_file: Path | None = None) -> None:
        self._file = workspace / "register.db"
        self._patience = patience
        if not self._file.is_file():
            raise missing_results(workspace, config_file)
        self._connection = open_database(self._file, REGISTER, REGISTER_FORMAT, False, config_file)
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit all writes inside, or none; no other process writes meanwhile. Raises ``CatalogError``."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error):
                what = f"cannot be written: {error}; no verdict was saved"
                if is_locked(error):
                    what = (
                        f"a run has been writing for more than {self._patience:g} seconds; no verdict was saved, give"
                        " it again in a moment"
                    )
                raise CatalogError(f"{self._file}: {what}") from error
            raise
