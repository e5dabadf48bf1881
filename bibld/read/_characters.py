"""Characters that XML 1.0 cannot contain, and warnings that are repeated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NOT_XML_BUT_SEPARATORS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1d\ud800-\udfff\ufffe\uffff]")
_ILLEGAL_BYTES = bytes(code for code in range(0x1E) if code not in (0x09, 0x0A, 0x0D))


def drop_illegal(text: str) -> tuple[str, int]:
    """Drop the characters that are illegal in XML 1.0 (2.2); returns the text and their number."""
    return _NOT_XML.subn("", text)


def drop_illegal_between_separators(text: str, data: bytes) -> tuple[str, int]:
    """Do the same for ISO 2709 fields, whose separators 1E and 1F stay; ``data`` are the bytes of the text."""
    if len(data.translate(None, _ILLEGAL_BYTES)) == len(data) and (
        text.isascii() or ("\ufffe" not in text and "\uffff" not in text)
    ):
        return text, 0
    return _NOT_XML_BUT_SEPARATORS.subn("", text)


def illegal_warning(count: int) -> str:
    """Return the warning for dropped characters."""
    return f"{count} character{'s' if count > 1 else ''} illegal in XML dropped"


def count_repeats(warnings: Iterable[str]) -> tuple[str, ...]:
    """Return each warning once, with how often it was given."""
    return tuple(text if count == 1 else f"{text} ({count} times)" for text, count in Counter(warnings).items())
