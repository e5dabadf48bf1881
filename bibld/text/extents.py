"""Statements of extent: pages, volumes, height.

Pages are counted in two ways. :func:`pages` is strict: what it returns is published and compared when records are
merged. :func:`pages_or_leaves` is tolerant: it is a feature of matching, where old catalogues count leaves.
"""

from __future__ import annotations

import re

_PAGE_UNITS = "стр|с|сторінок|стор|бит|бет|б|pages?|pgs?|pp|p|páginas?|pág|pag|seiten|strany|stran|stron|str|s"
_PAGES = re.compile(rf"(?<![-–—\d])([\[\]ivxlcdm\d,; \t]{{0,40}}\d\]?)\s*(?:{_PAGE_UNITS})(?!\w)", re.IGNORECASE)
_APPROXIMATELY = re.compile(
    r"(?<!\w)(?:approximately|approx\.?|about|circa|ca?\.|около|ок\.|прибл\.)\W*$", re.IGNORECASE
)
_BRACKETED = re.compile(r"\[[^\]]*\]?")
_NUMBER = re.compile(r"\d{1,5}")

_PRELIMINARY_LEAVES = re.compile(
    r"[\divxlc\[\]]+\s*(?:p\.?\s*l|prel\w*\.?\s*l|unnumb\w*\.?\s*l|ненум\.?\s*л)\w*\.?", re.IGNORECASE
)
_AFTER_PAGES = re.compile(r"[:;]|\b(?:illus|ill|front|ил|port)\b|\d+(?:[ .,]\d[/\d]*)?\s*(?:cm|см)\b", re.IGNORECASE)
_PAGES_OR_LEAVES = re.compile(
    r"(?<![a-zа-я])(?:p|pp|pages?|l|ℓ|leaves|leaf|ff?|s|str|с|стр|л|лл|б|бит|страниц\w*|лист\w*)\b", re.IGNORECASE
)
_WHOLE_NUMBER = re.compile(r"(?<!\d)\d{1,5}(?!\d)")
_VOLUMES = re.compile(r"(?<![\d.-])(\d{1,3})\s*(?:v|vols?|volumes|bd|bde|t|т|тома?х?|томов|кн|ч|вып)\b", re.IGNORECASE)
_FRACTION = r"(?:[.,]\d|\s*[¼½¾]|\s+\d/\d)?"
_SIZE = rf"(?<!\d)(?<!/)(\d{{2,3}}){_FRACTION}(?:\s*[xх×]\s*\d+{_FRACTION})?\s*"
_HEIGHT = re.compile(rf"{_SIZE}(?:cm|см)\b|;\s*{_SIZE}\.?$", re.IGNORECASE)


def pages(extent: str) -> int | None:
    """Return the number of pages: the highest number of the first pagination in Arabic digits; None if there is none.

    Numbers in brackets count only if there are no others. Leaves and volumes are no pages, nor is a range of pages
    a number of them, nor one that is only approximate. What accompanies the publication (behind ``+``) does not count.

    >>> pages("349, [2] с."), pages("xii, 366 p."), pages("[16] с."), pages("С. 76-132")
    (349, 366, 16, None)
    """
    stated = _PRELIMINARY_LEAVES.sub(" ", extent.partition(" + ")[0])
    match = _PAGES.search(stated)
    if match is None or _APPROXIMATELY.search(stated, 0, match.start(1) + 1):
        return None
    numbers = _NUMBER.findall(_BRACKETED.sub(" ", match[1])) or _NUMBER.findall(match[1])
    return max(map(int, numbers))


def pages_or_leaves(extent: str) -> int:
    """Return the highest number of pages or leaves, 0 if there is none; those in brackets only if there are no others.

    >>> pages_or_leaves("2 p. l., 120, [4] leaves : ill."), pages_or_leaves("3 v."), pages_or_leaves("[16] л.")
    (120, 0, 16)
    """
    stated = _VOLUMES.sub(" ", _PRELIMINARY_LEAVES.sub(" ", _AFTER_PAGES.split(extent, maxsplit=1)[0]))
    if not _PAGES_OR_LEAVES.search(stated):
        return 0
    numbers = _WHOLE_NUMBER.findall(_BRACKETED.sub(" ", stated)) or _WHOLE_NUMBER.findall(stated)
    return max(map(int, numbers), default=0)


def volumes(extent: str) -> int:
    """Return the number of volumes, 0 if none is stated.

    >>> volumes("3 v. (xii, 1200 p.)"), volumes("120 с.")
    (3, 0)
    """
    found = _VOLUMES.search(extent)
    return int(found[1]) if found else 0


def height(extent: str) -> int:
    """Return the height in centimetres, 0 if none is stated. RUSMARC often leaves the unit out.

    >>> height("120 с. ; 21 см"), height("24 x 30 cm"), height("120 с. : ил. ; 20")
    (21, 24, 20)
    """
    found = _HEIGHT.search(extent)
    return int(found[1] or found[2]) if found else 0
