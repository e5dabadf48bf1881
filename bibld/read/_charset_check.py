"""Whether the bytes of a file can be in the charset that the configuration names for it."""

from __future__ import annotations

from typing import Any

from bibld.read import _cyrillic, _marc8
from bibld.read._carrier import CharsetCarrier
from bibld.read._charset import AUTO, Charsets, is_beyond_ascii, settle_charsets
from bibld.text.charsets import CYRILLIC_CHARSETS, ISO5426, MARC8, UTF8

TOLERATED = 0.01
"""The share of undecodable records up to which a charset is believed."""

_SAMPLES = 200
_SLOW = frozenset({MARC8, ISO5426})
_SLOW_RECORDS = 2_000
"""Records beyond ASCII that are decoded if the charset has no fast decoder."""

_SURE_OF_UTF8 = 0.9
_SURER = 0.25
"""By how much a Cyrillic charset must score better than the named one."""


class CharsetCheck:
    """Counts the records of a file that are not in the charset that the configuration names."""

    def __init__(self, charsets: Charsets) -> None:
        self._charsets = charsets
        self._records = 0
        self._beyond_ascii = 0
        self._wrong = 0
        self._samples: list[bytes] = []
        self._wrong_samples: list[bytes] = []

    def add(self, data: bytes) -> None:
        """Decode a record."""
        self._records += 1
        if not is_beyond_ascii(data):
            return
        self._beyond_ascii += 1
        name = self._charsets.main
        if name in _SLOW:
            is_wrong = self._beyond_ascii <= _SLOW_RECORDS and _marc8.decode(data, name)[1] > 0
        else:
            is_wrong = not _can_be_decoded(data, name)
        self._wrong += is_wrong
        samples = self._wrong_samples if is_wrong else self._samples
        if len(samples) < _SAMPLES:
            samples.append(data)

    def fault(self) -> str:
        """Return that too many records cannot be decoded, and what they look like; empty if they can."""
        if self._wrong <= TOLERATED * self._records:
            return ""
        looks = self._detect(self._wrong_samples)
        remedy = (
            f'the bytes look like {looks}; write charset = "{looks}" or "auto"' if looks else 'try charset = "auto"'
        )
        count = f"{self._wrong:,} of {self._records:,} records"
        return f"{count} are not in the stated charset {self._charsets.main}; {remedy}"

    def warning(self) -> str:
        """Return that a few records cannot be decoded, or that all can but are surely in another charset."""
        name = self._charsets.main
        if self._wrong:
            return f"{self._wrong:,} of {self._records:,} records have bytes that are not in the stated charset {name}"
        looks = self._detect(self._samples)
        if looks and looks != name and self._is_sure(looks):
            remedy = f'if letters are wrong, write charset = "{looks}"'
            return f"the stated charset is {name}, but the bytes look like {looks}; {remedy}"
        return ""

    def _detect(self, samples: list[bytes]) -> str:
        """Return the charset that would be found if none was named; empty if the samples do not decide."""
        if not samples:
            return ""
        found = settle_charsets(AUTO, self._charsets.declared, self._charsets.legacy, samples).main
        return "" if found == self._charsets.main else found

    def _is_sure(self, found: str) -> bool:
        samples, name = self._samples, self._charsets.main
        if found == UTF8:
            with_bytes = [data for data in samples if not data.isascii()]
            valid = sum(_can_be_decoded(data, UTF8) for data in with_bytes)
            return bool(with_bytes) and valid >= _SURE_OF_UTF8 * len(with_bytes)
        if found not in CYRILLIC_CHARSETS:
            return False
        data = b"\x1e".join(samples)
        score = _cyrillic.score(data.decode(found, "replace"))
        stated = 0.0 if name in _SLOW else _cyrillic.score(data.decode(name, "replace"))
        return score >= max(_cyrillic.SURE, stated + _SURER)


def charset_check(carrier: Any) -> CharsetCheck | None:  # noqa: ANN401 - of any reader
    """Return a check for a file whose charset the configuration names; None if it was found or needs none."""
    if not isinstance(carrier, CharsetCarrier) or not carrier.charsets.fixed or carrier.recoded:
        return None
    return CharsetCheck(carrier.charsets)


def _can_be_decoded(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True
