"""What the content of an electronic resource is: its leader states only that it is electronic."""

from __future__ import annotations

import re

from bibld.crosswalk._unimarc.codes import TYPE_OF_RESOURCE, latin
from bibld.crosswalk._unimarc.view import UnimarcView

ELECTRONIC = "l"
"""Leader 06."""

_TEXT = "text"
_OF_CONTENT_FORM = {
    "b": "still image", "d": "sound recording-musical", "g": "sound recording-nonmusical",
    "h": "sound recording-nonmusical", "i": _TEXT,
}  # fmt: skip
"""181$a/0, the content forms of ISBD."""

_OF_STATED_FORM = {
    "текст": _TEXT, "text": _TEXT, "изображение": "still image", "музыка": "sound recording-musical",
    "звуки": "sound recording-nonmusical", "устная речь": "sound recording-nonmusical",
}  # fmt: skip
"""203$a, folded."""

_OF_KIND_OF_FILE = {"c": "still image", "d": _TEXT, "h": "sound recording-nonmusical"}
"""135$a/0."""

_TEXT_DATA = re.compile(r"текст|\btext", re.IGNORECASE)
_TEXT_FORMAT = re.compile(
    r"(?:application/(?:pdf|epub|msword|rtf|x-fb2|x-mobi)|text/|image/vnd\.djvu)|\b(?:pdf|epub|fb2)\b"
)
_PAGES = re.compile(r"\d\]?\s*(?:с|стр|л|p|pages?|s)\b", re.IGNORECASE)


def content_of_electronic(view: UnimarcView) -> str:
    """Return the ``typeOfResource`` that the forms of content, the kind of file or the extent state.

    A resource that states none of them is software or multimedia.
    """
    for text in view.texts("181", "a"):
        if latin(text[:1]) in _OF_CONTENT_FORM:
            return _OF_CONTENT_FORM[latin(text[:1])]
    for text in view.texts("203", "a"):
        if text.casefold() in _OF_STATED_FORM:
            return _OF_STATED_FORM[text.casefold()]
    for text in view.texts("135", "a"):
        if latin(text[:1]) in _OF_KIND_OF_FILE:
            return _OF_KIND_OF_FILE[latin(text[:1])]
    is_text = (
        any(map(_TEXT_DATA.search, view.texts("230", "a")))
        or any(map(_TEXT_FORMAT.search, map(str.casefold, view.texts("856", "q"))))
        or any(map(_PAGES.search, view.texts("215", "a")))
    )
    return _TEXT if is_text else TYPE_OF_RESOURCE[ELECTRONIC]
