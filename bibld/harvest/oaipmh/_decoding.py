"""From the bytes of an answer to the text of its root element: charset, what precedes and what follows."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from bibld.harvest._faults import ServerFault
from bibld.harvest.oaipmh._faults import DOCTYPE, JUNK_AFTER, JUNK_BEFORE, NOT_UTF8, WRONG_CHARSET

Noted = list[tuple[ServerFault, bytes]]
"""Faults with the bytes that show them."""

_DECLARATION = re.compile(rb"""<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_CHARSET_OF_HEADER = re.compile(r"charset\s*=\s*\"?([A-Za-z0-9._-]+)", re.IGNORECASE)
_BEGIN = re.compile(r"<(?:[\w.-]+:)?OAI-PMH(?=[\s>/])")
_END = re.compile(r"</(?:[\w.-]+:)?OAI-PMH\s*>")
_PROLOG = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>\[]*(?:\[.*?\]\s*)?>)*", re.DOTALL)
_AROUND = re.compile(r"(?:\s|<\?.*?\?>|<!--.*?-->)*", re.DOTALL)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_EXCERPT = 300
_CYRILLIC = ("cp1251", "koi8-r", "cp866")
_LATIN = "cp1252"
_RUN = re.compile(rb"[\x80-\xff]+")
_LOWER_CASE = re.compile("[а-яё]")
_UPPER_CASE = re.compile("[А-ЯЁ]")


class NotOaiError(ValueError):
    """An answer that is no OAI-PMH; ``fault`` is its kind."""

    def __init__(self, reason: str, is_cut: bool = False, is_empty: bool = False) -> None:
        super().__init__(reason)
        self.is_cut = is_cut
        self.is_empty = is_empty


class Text(msgspec.Struct, frozen=True):
    """The text of the root element, and what had to be repaired to get it."""

    text: str
    noted: Noted


def root_text(body: bytes, headers: Mapping[str, str]) -> Text:
    """Return the text from ``<OAI-PMH`` to ``</OAI-PMH>``; raises ``NotOaiError``."""
    if not body.strip():
        raise NotOaiError("the answer is empty", is_empty=True)
    noted: Noted = []
    text = _decode(body, headers, noted)
    begin = _BEGIN.search(text)
    if begin is None:
        title = _TITLE.search(text)
        named = f' ("{" ".join(title[1].split())[:80]}")' if title else ""
        is_page = re.search(r"<html|<!doctype html", text[:2000], re.IGNORECASE)
        raise NotOaiError(f"the answer is {'a web page' if is_page else 'no OAI-PMH'}{named}")
    end = None
    for end in _END.finditer(text, begin.end()):  # noqa: B007 - the last one
        pass
    if end is None:
        raise NotOaiError("the answer is cut off: it has no </OAI-PMH>", is_cut=True)
    before, after = text[: begin.start()], text[end.end() :]
    prolog = _PROLOG.fullmatch(before)
    if "<!DOCTYPE" in before:
        noted.append((DOCTYPE, before[:_EXCERPT].encode("utf-8", "replace")))
    if prolog is None or ("<?xml" in before and before.lstrip("\ufeff").find("<?xml") > 0):
        noted.append((JUNK_BEFORE, before[:_EXCERPT].encode("utf-8", "replace")))
    if not _AROUND.fullmatch(after.rstrip("\0")):
        noted.append((JUNK_AFTER, after[:_EXCERPT].encode("utf-8", "replace")))
    return Text(text[begin.start() : end.end()], noted)


def _decode(body: bytes, headers: Mapping[str, str], noted: Noted) -> str:
    """Decode: a byte order mark, strict UTF-8, the declared charset, that of the header, the best of the usual ones."""
    if body.startswith(b"\xef\xbb\xbf"):
        return body[3:].decode("utf-8", "replace")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        noted.append((NOT_UTF8, b"UTF-16"))
        return body.decode("utf-16", "replace")
    if body[:2] in (b"<\0", b"\0<"):
        noted.append((NOT_UTF8, b"UTF-16"))
        return body.decode("utf-16-le" if body[:1] == b"<" else "utf-16-be", "replace")
    found = _DECLARATION.search(body[:1000])
    declared = found[1].decode().lower() if found else ""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        at = max(error.start - 60, 0)
        example = body[at : error.start + 60]
    if declared in ("utf-8", "utf8", ""):
        noted.append((WRONG_CHARSET, example))
    else:
        text = _try_decoding(body, declared)
        if text is not None:
            noted.append((NOT_UTF8, declared.encode()))
            return text
        noted.append((WRONG_CHARSET, example))
    in_header = _CHARSET_OF_HEADER.search(headers.get("content-type", ""))
    if in_header and in_header[1].lower() not in ("utf-8", "utf8"):
        text = _try_decoding(body, in_header[1])
        if text is not None:
            return text
    return _best_decoding(body)


def _try_decoding(body: bytes, charset: str) -> str | None:
    try:
        return body.decode(charset)
    except (LookupError, UnicodeError):
        return None


def _best_decoding(body: bytes) -> str:
    """Decode text of an unknown charset of one byte.

    Where bytes beyond ASCII mostly follow each other it is Cyrillic, in the charset in which most letters are small;
    otherwise it is Latin with some accents. If most is UTF-8, the rest becomes U+FFFD.
    """
    mostly = body.decode("utf-8", "replace")
    beyond = sum(map(len, _RUN.findall(body)))
    if 20 * mostly.count("\ufffd") < beyond:
        return mostly
    runs = _RUN.findall(body)
    if sum(len(run) > 1 for run in runs) * 2 < len(runs):
        return body.decode(_LATIN, "replace")
    decoded = [body.decode(charset, "replace") for charset in _CYRILLIC]
    return max(decoded, key=lambda text: len(_LOWER_CASE.findall(text)) - len(_UPPER_CASE.findall(text)))
