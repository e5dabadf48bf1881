"""Proactive negotiation of media types (RFC 9110, 12.5.1). Total functions: no header makes them fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

_TOKEN = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
_RANGE = re.compile(rf"({_TOKEN})/({_TOKEN})")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


class MediaRange(msgspec.Struct, frozen=True):
    """One element of an Accept header: ``quality`` is between 0 and 1, ``parameters`` counts those beside ``q``."""

    type: str
    subtype: str
    parameters: int
    quality: float

    def matches(self, media_type: str) -> bool:
        """Whether a media type (without parameters, in lower case) is in the range."""
        kind, _, subtype = media_type.partition("/")
        return self.type in ("*", kind) and self.subtype in ("*", subtype)

    @property
    def specificity(self) -> tuple[bool, bool, int]:
        """The most specific range that matches decides (RFC 9110, 12.5.1)."""
        return self.type != "*", self.subtype != "*", self.parameters


def media_ranges(accept: str) -> list[MediaRange]:
    """Return the ranges of an Accept header in its order; invalid elements are left out."""
    return [found for found in map(_media_range, _split(accept, ",")) if found is not None]


def choose(accept: str | None, offers: Sequence[str]) -> str | None:
    """Return the offered media type that the client prefers; None if it accepts none.

    The first of equally preferred ``offers`` is chosen. No header, an empty one and one without a valid element accept
    all offers. Parameters of a range other than ``q`` do not exclude an offer.
    """
    ranges = media_ranges(accept or "")
    if not ranges:
        return offers[0] if offers else None
    best = max(offers, key=lambda offer: quality_of(offer, ranges), default=None)
    return best if best is not None and quality_of(best, ranges) > 0 else None


def quality_of(offer: str, ranges: Sequence[MediaRange]) -> float:
    """Return how much a client wants a media type, between 0 (not at all) and 1."""
    matching = [each for each in ranges if each.matches(offer)]
    if not matching:
        return 0.0
    most = max(each.specificity for each in matching)
    return max(each.quality for each in matching if each.specificity == most)


def choose_language(accept_language: str, offers: Sequence[str]) -> str:
    """Return the offered language that the client prefers (RFC 9110, 12.5.4); the first if it names none of them.

    ``offers`` are languages without subtags; ``ru-RU`` asks for ``ru``.
    """
    best, best_quality = offers[0], 0.0
    for element in _split(accept_language, ","):
        name, *parameters = (part.strip() for part in _split(element, ";"))
        language = name.lower().partition("-")[0]
        quality = _quality(parameters)
        if language in offers and quality > best_quality:
            best, best_quality = language, quality
    return best


def accepts_gzip(accept_encoding: str | None) -> bool:
    """Whether a response may be coded with gzip (RFC 9110, 12.5.3); without the header it is not."""
    qualities: dict[str, float] = {}
    for element in _split(accept_encoding or "", ","):
        coding, *parameters = (part.strip().lower() for part in _split(element, ";"))
        qualities[coding] = _quality(parameters)
    return qualities.get("gzip", qualities.get("x-gzip", qualities.get("*", 0.0))) > 0


def _media_range(element: str) -> MediaRange | None:
    name, *parameters = (part.strip() for part in _split(element, ";"))
    if name == "*":  # Java's HttpURLConnection sends this for */*
        name = "*/*"
    found = _RANGE.fullmatch(name)
    if not found or (found[1] == "*" and found[2] != "*"):
        return None
    others = sum(1 for each in parameters if each and each[:2].lower() != "q=")
    return MediaRange(found[1].lower(), found[2].lower(), others, _quality(parameters))


def _quality(parameters: Sequence[str]) -> float:
    for parameter in parameters:
        name, equals, text = parameter.partition("=")
        if equals and name.strip().lower() == "q":
            try:
                weight = float(text)
            except ValueError:
                return 1.0  # a client that names a type wants it, even if the weight is invalid
            return min(max(weight, 0.0), 1.0) if weight == weight else 1.0
    return 1.0


def _split(text: str, separator: str) -> Iterator[str]:
    start = position = 0
    while position < len(text):
        if text[position] == '"':
            quoted = _QUOTED.match(text, position)
            position = quoted.end() if quoted else position + 1
            continue
        if text[position] == separator:
            yield text[start:position].strip()
            start = position + 1
        position += 1
    yield text[start:].strip()
