"""Names of charsets of bibliographic records."""

from __future__ import annotations

import codecs

from bibld.errors import ConfigError

UTF8, MARC8, ISO5426 = "utf-8", "marc8", "iso5426"

CYRILLIC_CHARSETS = ("cp1251", "koi8-r", "cp866", "iso8859-5", "mac-cyrillic")
"""The eight-bit charsets of Russian records, by the names of Python's codecs."""

_ALIASES = {"marc8": MARC8, "marc-8": MARC8, "ansel": MARC8, "iso5426": ISO5426, "iso-5426": ISO5426}
_ASCII_BYTES = bytes(range(0x80))


def charset_name(charset: str) -> str:
    """Return the usual name of a charset; raises ``ConfigError`` if it is unknown or does not contain ASCII."""
    lower = charset.strip().lower().replace("_", "-")
    if lower in _ALIASES:
        return _ALIASES[lower]
    try:
        name = codecs.lookup(lower).name
        contains_ascii = _ASCII_BYTES.decode(name) == _ASCII_BYTES.decode("ascii")
    except (LookupError, ValueError):
        contains_ascii = False
    if not contains_ascii:
        known = ", ".join(("auto", UTF8, MARC8, *CYRILLIC_CHARSETS))
        raise ConfigError([f'"{charset}" is not a charset of bibliographic records; use {known} …'])
    return UTF8 if name == "utf-8-sig" else name
