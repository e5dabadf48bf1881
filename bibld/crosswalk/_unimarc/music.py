"""Music: form, key and medium of performance (128, 145, 146), as codes."""

from __future__ import annotations

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.codes import latin, without_fill
from bibld.crosswalk._unimarc.view import UnimarcView
from bibld.model.marc import DataField
from bibld.model.mods import Genre, Note

BOOK = RuleBook()

_MUSIC = {
    "a": "vocal music a cappella", "b": "instrumental music", "c": "vocal and instrumental music",
    "d": "electroacoustic music", "e": "mixed electroacoustic music",
}  # fmt: skip
"""145$a and 146$a."""


@BOOK.field("128", "abcd", "genre[@type='musical composition'] ($a); note[@type='performance medium' or 'key']")
def form_and_key(field: DataField, view: UnimarcView) -> Elements:
    """Form, instruments and key; forms are of the list of IAML (three letters) or of MARC (two)."""
    for value in field.values("a"):
        code = value.strip(" |#")
        if code:
            authority = "iamlmf" if len(code) == 3 else "marcmuscomp"
            yield Genre(value=code, type="musical composition", authority=authority)
    instruments = field.values("b", "c")
    if instruments:
        yield Note(value=", ".join(instruments), type="performance medium")
    for value in field.values("d"):
        yield Note(value=value.strip(), type="key")


@BOOK.field("145 146", "abcdefhi", "note[@type='performance medium']")
def medium_of_performance(field: DataField, view: UnimarcView) -> Elements:
    """For whom the music is: its kind in words, voices and instruments as codes of IAML, numbers of parts."""
    stated = []
    for subfield in field.subfields:
        if subfield.code in "abcdefhi":
            text = without_fill(subfield.value).strip()
            stated.append(_MUSIC.get(latin(text), text) if subfield.code == "a" else text)
    if any(stated):
        yield Note(value=", ".join(text for text in stated if text), type="performance medium")
