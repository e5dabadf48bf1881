"""The copy of the triple store in a release."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from bibld import adapters
from bibld.protocols import ReadableStore


class StoreCopy(msgspec.Struct, frozen=True):
    """A copy that an adapter of the stage store (``backend``) made in a folder, and the settings to open it with."""

    backend: str
    folder: Path
    settings: Any

    def open(self) -> ReadableStore:
        """Open the copy for reading; raises ``StoreError``."""
        store: ReadableStore = adapters.load_adapter("store", self.backend).open_copy(self.folder, self.settings)
        return store
