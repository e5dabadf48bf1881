"""Where a record comes from, and its permanent identifier."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import msgspec

from bibld.errors import Origin as Origin

_SLUGS_REMEMBERED = 4096
_IS_SLUG = re.compile(r"[A-Za-z0-9_-]*")
_NOT_KEPT = re.compile(r"[^A-Za-z0-9_-]")
_ESCAPE = re.compile(r"~([0-9A-F]{2})")

SOURCE_ID = re.compile(r"[a-z][a-z0-9]*")
"""The form of a source's id."""


class RecordId(msgspec.Struct, frozen=True, gc=False, order=True):
    """A source's id and the control number that the source gave to the record (trimmed, NFC)."""

    source: str
    control_number: str

    def __str__(self) -> str:
        return f"{self.source}:{self.control_number}"

    @classmethod
    def from_control_number(cls, source: str, control_number: str) -> RecordId:
        """Build an id from a control number as it is written in a record.

        >>> str(bibld.RecordId.from_control_number("rsl", " 01004039769 "))
        'rsl:01004039769'
        """
        return cls(source, unicodedata.normalize("NFC", control_number.strip()))

    @classmethod
    def parse(cls, text: str) -> RecordId:
        """Read ``source:control number``; raises ``ValueError`` if there is no source id before the colon.

        >>> bibld.RecordId.parse("rsl:01004039769").control_number
        '01004039769'
        """
        source, colon, control_number = text.partition(":")
        if not colon or not SOURCE_ID.fullmatch(source) or not control_number.strip():
            raise ValueError(f"{text!r} is not a record id; an id is source:control-number, such as rsl:01004039769")
        return cls.from_control_number(source, control_number)

    @property
    def slug(self) -> str:
        """The control number as the last segment of an IRI."""
        return to_slug(self.control_number)

    @property
    def path(self) -> str:
        """``source/slug``, as every IRI of the record contains it."""
        return f"{self.source}/{self.slug}"


@lru_cache(maxsize=_SLUGS_REMEMBERED)
def to_slug(text: str) -> str:
    """Write any text as one segment of an IRI that no proxy, shell or browser changes.

    ASCII letters, digits, ``-`` and ``_`` stand for themselves; every other byte of the trimmed NFC text in UTF-8 is
    written ``~XX``. Different texts have different slugs.
    """
    if _IS_SLUG.fullmatch(text):
        return text
    one_character_a_byte = unicodedata.normalize("NFC", text.strip()).encode().decode("latin-1")
    return _NOT_KEPT.sub(lambda byte: f"~{ord(byte[0]):02X}", one_character_a_byte)


def from_slug(slug: str) -> str:
    """Return the text of a slug; raises ``ValueError`` for a text that is not a slug."""
    if _IS_SLUG.fullmatch(slug):  # as it is in most catalogues
        return slug
    text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), slug).encode("latin-1").decode()
    if to_slug(text) != slug:
        raise ValueError(f"{slug!r} is not a slug")
    return text
