"""Notes: block 3 and the special areas of block 2."""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec.structs import replace

from bibld.crosswalk._rules import Elements, RuleBook
from bibld.crosswalk._unimarc.view import UnimarcView, punctuate, web_address
from bibld.model.marc import DataField
from bibld.model.mods import (
    Abstract,
    AccessCondition,
    Detail,
    Genre,
    Note,
    Part,
    RelatedItem,
    TableOfContents,
    TargetAudience,
)
from bibld.text.folding import remove_non_sorting_marks

BOOK = RuleBook()


_FILL_AFTER_DATE = re.compile(r"(?<=\d)#+(?!\w)")


class NoteKind(NamedTuple):
    """How a field becomes a note: the MODS ``type``, the subfields that are joined, and the text between them."""

    type: str | None
    codes: str = "a"
    separator: str = " "


NOTES = {
    "207": NoteKind("date/sequential designation", "az", " ; "), "208": NoteKind(None, "ad", " = "),
    "229": NoteKind(None), "231": NoteKind(None, "abcdefghijkmnopqrvw", ", "), "239": NoteKind(None),
    "251": NoteKind("arrangement", "abc", ". "),
    "300": NoteKind(None), "301": NoteKind(None), "302": NoteKind(None), "303": NoteKind(None),
    "304": NoteKind(None), "305": NoteKind("edition history"), "306": NoteKind("publication"),
    "307": NoteKind(None), "308": NoteKind("series"), "309": NoteKind(None), "310": NoteKind(None),
    "311": NoteKind(None), "312": NoteKind(None), "313": NoteKind(None), "314": NoteKind(None),
    "315": NoteKind(None), "316": NoteKind("copy"), "317": NoteKind("ownership"),
    "318": NoteKind("action", "abcdefhijklnor", ", "), "320": NoteKind("bibliography"),
    "321": NoteKind("indexed in", "abcx", ", "), "322": NoteKind("creation/production credits"),
    "323": NoteKind("performers"), "324": NoteKind("reproduction"),
    "325": NoteKind("additional physical form", "abcdefghijnvxyz", ", "), "328": NoteKind("thesis", "abcdetz", ", "),
    "331": NoteKind("preferred citation"), "332": NoteKind("preferred citation"),
    "334": NoteKind("awards", "abcd", ", "), "335": NoteKind("original location", "abcg", ", "),
    "336": NoteKind(None), "337": NoteKind("system details"), "338": NoteKind("funding", "abcdefg", ", "),
    "345": NoteKind("acquisition", "abcd", ", "), "626": NoteKind("system details", "abc", ", "),
    "036": NoteKind("incipit", "abcdefgmnopqrtz", " "),
}  # fmt: skip
"""Fields that become one note each."""


for _tag, _kind in NOTES.items():

    @BOOK.field(
        _tag,
        f"{_kind.codes}u58",
        "note" + (f"[@type='{_kind.type}']" if _kind.type else "") + "; $5 and $8 @displayLabel, $u @xlink:href",
    )
    def note(field: DataField, view: UnimarcView, kind: NoteKind = _kind) -> Elements:
        """Note, with its address as link."""
        text = _FILL_AFTER_DATE.sub("", punctuate(field, dict.fromkeys(kind.codes, kind.separator)))
        stated = " ".join(field.values("u"))
        reference = web_address(stated)
        if stated and reference is None:
            text = f"{text} {stated}".strip()
        if text or reference:
            yield Note(
                value=text or remove_non_sorting_marks(stated),
                type=kind.type,
                display_label="; ".join(field.values("5", "8")) or None,
                xlink_href=reference,
            )


COMPLETENESS = {"1": "Contents", "0": "Incomplete contents", "2": "Partial contents"}
_CONTENTS = {**dict.fromkeys("abcdefghiz", " -- "), "p": ", "}


@BOOK.field(
    "327",
    "abcdefghipuz",
    "tableOfContents; embedded fields: relatedItem[@type=constituent] (the set of a volume without 461: host)",
)
def contents(field: DataField, view: UnimarcView) -> Elements:
    """Table of contents: texts or sections in order, or (embedded technique) the works themselves."""
    stated = field.first("u") or ""
    reference = web_address(stated)
    text = punctuate(field, _CONTENTS if reference is not None else {**_CONTENTS, "u": " "})
    if text:
        yield TableOfContents(
            value=text, display_label=COMPLETENESS.get(field.indicator1, "Contents"), xlink_href=reference
        )
    if field.embedded and _names_the_set(view):
        part = Part(detail=tuple(Detail(type="volume", number=(number,)) for number in view.texts("200", "v")))
        mods = replace(view.describe(field.embedded), part=(part,) if part.detail else ())
        yield RelatedItem(type="host", other_type="set", mods=mods)
    elif field.embedded:
        yield RelatedItem(type="constituent", mods=view.describe(field.embedded))


def _names_the_set(view: UnimarcView) -> bool:
    """Whether the only field of contents of a volume without a link to its set names that set."""
    is_volume = view.leader.hierarchical_level == "2" and view.leader.bibliographic_level == "m"
    return is_volume and len(list(view.fields("327"))) == 1 and not view.has("461", "462", "463")


@BOOK.field("328", "b", "genre[@authority=marcgt] theses")
def thesis(field: DataField, view: UnimarcView) -> Elements:
    """Thesis, because of a dissertation or thesis note, where no code (105) states it."""
    is_coded = any(code in "mv" for text in view.texts("105", "a") for code in text[4:8])
    if (field.first("a") or field.first("b")) and not is_coded:
        yield Genre(value="theses", authority="marcgt")


@BOOK.field("330", "a", "abstract")
def abstract(field: DataField, view: UnimarcView) -> Elements:
    """Summary or abstract."""
    for value in field.values("a"):
        yield Abstract(value=value)


_RESTRICTION, _USE = "restriction on access", "use and reproduction"
ABOUT_ACCESS = re.compile(
    r"доступ|служебного пользования|ограничен|секретн|по подписке|паролю|\baccess|\baccès\b|restricted", re.IGNORECASE
)
ABOUT_USE = re.compile(
    r"на правах|использован|лиценз|печат|копирован|распростран|воспроизвед|бесплатн|продаж|не подлежит"
    r"|\bright|licen[cs]e|reproduction|copyright|creative commons|\bcc[ -]by",
    re.IGNORECASE,
)


@BOOK.field("333", "a", "targetAudience; accessCondition for how the resource may be accessed, distributed and used")
def target_audience(field: DataField, view: UnimarcView) -> Elements:
    """Target audience; in RUSMARC also how the resource may be distributed and used."""
    for value in field.values("a"):
        if ABOUT_ACCESS.search(value):
            yield AccessCondition(value=value, type=_RESTRICTION)
        elif ABOUT_USE.search(value):
            yield AccessCondition(value=value, type=_USE)
        else:
            yield TargetAudience(value=value)


_ACCESS = {"0": _RESTRICTION, "1": _USE, " ": _RESTRICTION}


@BOOK.field("371", "abcdz", "accessCondition")
def access_condition(field: DataField, view: UnimarcView) -> Elements:
    """Conditions of access, use and reproduction."""
    text = punctuate(field, dict.fromkeys("abcdz", ", "))
    if text:
        yield AccessCondition(value=text, type=_ACCESS.get(field.indicator1))
