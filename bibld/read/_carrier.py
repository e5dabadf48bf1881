"""What most carriers keep of an examined file: its name, and its charsets."""

from __future__ import annotations

import msgspec

from bibld.read._charset import AUTO, Charsets


class CharsetSettings(msgspec.Struct, frozen=True, kw_only=True):
    """``charset``: ``auto``, or the one that all records of the file are in, whatever they say.

    ``max_record_bytes``: a longer record is rejected.
    """

    charset: str = AUTO
    max_record_bytes: int = 16 * 1024 * 1024


class CharsetCarrier(msgspec.Struct, frozen=True, kw_only=True):
    """One file whose bytes are text in some charset; a carrier adds how it is cut and parsed."""

    source: str
    file: str
    charsets: Charsets
    max_record_bytes: int

    @property
    def declared(self) -> str | None:
        """The charset that the file claims; None where it does not say."""
        return self.charsets.declared

    @property
    def charset(self) -> str:
        """The charset that most records are in."""
        return self.charsets.main
