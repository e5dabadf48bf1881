"""Notes, abstracts, contents, audience and access: 031, 245$c, 341, 385, 5XX → note, abstract, contents."""

from __future__ import annotations

from collections.abc import Iterator

from bibld.crosswalk._marc21.codes import NOTE_TYPES
from bibld.crosswalk._marc21.conventions import Marc21View, leader_code
from bibld.crosswalk._marc21.names import heading_links
from bibld.crosswalk._rules import EVERY, RuleBook
from bibld.crosswalk._texts import chop_name, chopped_values, first_address, join
from bibld.model.marc import DataField
from bibld.model.mods import Abstract, AccessCondition, Note, TableOfContents, TargetAudience

NOTES = RuleBook()


SOURCES_OF_DESCRIPTION = {"0": "Source of description", "1": "Latest issue consulted"}
"""First indicator of 588 → the words that are shown before the note."""
NUMBERS_OF_FUNDING = {
    "b": "contract", "c": "grant", "d": "", "e": "program element", "f": "project", "g": "task", "h": "work unit",
}  # fmt: skip
"""Subfields of 536 → what their number is one of."""
_CAST = "1"
_MUSIC = "j"
_ALWAYS_LEFT_OUT = "012568"
_LEFT_OUT = {"504": "b", "508": "3u", "518": "3", "361": "kxuy", "526": "x", "530": "3u", "533": "7", "583": "x"}
"""Subfields that are no part of a note."""

PRIVATE_SUBFIELDS = {
    "020": "c", "025": "*", "037": "fgn", "361": "x", "365": "*", "366": "*", "526": "x", "583": "x",
}  # fmt: skip
"""Nonpublic notes within fields that are public; prices, terms of trade, numbers of acquisitions."""

ABSTRACT_LABELS = {
    "0": "Subject", "1": "Review", "2": "Scope and content", "3": "Abstract", "4": "Content advice", "8": None,
}  # fmt: skip
CONTENTS_LABELS = {"0": "Contents", "1": "Incomplete contents", "2": "Partial contents"}
AUDIENCE_LABELS = {
    "0": "Reading grade level", "1": "Interest age level", "2": "Interest grade level",
    "3": "Special audience characteristics", "4": "Motivation or interest level", "8": None,
}  # fmt: skip


@NOTES.field("245", "c", "note[statement of responsibility]")
def statement_of_responsibility(field: DataField, view: Marc21View) -> Iterator[Note]:
    """Statement of responsibility, without the marks around it."""
    text = chop_name(join(field, "c"))
    if text:
        yield Note(value=text, type="statement of responsibility")


def _numbers_of_funding(field: DataField) -> Iterator[str]:
    for subfield in field.subfields:
        if subfield.code in NUMBERS_OF_FUNDING:
            is_named = any(map(str.islower, subfield.value))
            yield subfield.value if is_named else f"{NUMBERS_OF_FUNDING[subfield.code]} {subfield.value}".strip()


for _tag, _kind in NOTE_TYPES.items():

    @NOTES.field(_tag, EVERY, f"note[{_kind}]" if _kind else "note")
    def note(field: DataField, view: Marc21View, kind: str | None = _kind) -> Iterator[Note]:
        """Note, with its address as link."""
        left_out = _ALWAYS_LEFT_OUT + _LEFT_OUT.get(field.tag, "")
        text = " ".join([subfield.value for subfield in field.subfields if subfield.code not in left_out])
        if field.tag == "588" and text.strip() and field.indicator1 in SOURCES_OF_DESCRIPTION:
            text = f"{SOURCES_OF_DESCRIPTION[field.indicator1]}: {text}"
        elif field.tag == "536":
            text = " ".join(filter(None, (join(field, "a"), "; ".join(_numbers_of_funding(field)))))
        elif field.tag == "504":
            text += "".join(f" ({number} references)" for number in field.values("b") if number.isdecimal())
        elif field.tag == "511" and (field.indicator1 == _CAST or leader_code(view, 6) == _MUSIC):
            kind = "performers"
        if text:
            yield Note(value=text, type=kind, xlink_href=first_address(field.values("u")))


@NOTES.field("520", "abcu", "abstract, displayLabel from the first indicator")
def abstract(field: DataField, view: Marc21View) -> Iterator[Abstract]:
    """Summary."""
    text = join(field, "abc")
    if text:
        label = ABSTRACT_LABELS.get(field.indicator1, "Summary")
        yield Abstract(value=text, display_label=label, xlink_href=first_address(field.values("u")))


@NOTES.field("505", "agrtu", "tableOfContents, displayLabel from the first indicator")
def contents(field: DataField, view: Marc21View) -> Iterator[TableOfContents]:
    """Contents note."""
    text = join(field, "agrt")
    if text:
        label = CONTENTS_LABELS.get(field.indicator1)
        yield TableOfContents(value=text, display_label=label, xlink_href=first_address(field.values("u")))


@NOTES.field("521", "ab", "targetAudience, displayLabel from the first indicator")
def audience(field: DataField, view: Marc21View) -> Iterator[TargetAudience]:
    """Target audience note."""
    text = join(field, "ab")
    if text:
        yield TargetAudience(value=text, display_label=AUDIENCE_LABELS.get(field.indicator1, "Audience"))


@NOTES.field("385", "a012", "targetAudience, authority from $2")
def audience_characteristics(field: DataField, view: Marc21View) -> Iterator[TargetAudience]:
    """Audience characteristics, each term for itself; the link belongs to the only term."""
    terms = chopped_values(field, "a")
    for text in terms:
        link = heading_links(field).value_uri if len(terms) == 1 else None
        yield TargetAudience(value=text, authority=field.first("2"), value_uri=link)


_CONDITIONS = {"506": "abcdef3", "540": "abcdf3", "542": "dfgln3"}
"""Fields of conditions, and the subfields of their text."""


@NOTES.fields(
    "accessCondition[restriction on access (506), use and reproduction]", t506="abcdefu23", t540="abcdfu23",
    t542="dfglnu3",
)  # fmt: skip
def access_condition(field: DataField, view: Marc21View) -> Iterator[AccessCondition]:
    """Restrictions on access, terms of use, copyright status."""
    text, link = join(field, _CONDITIONS[field.tag]), first_address(field.values("u"))
    if text or link:
        kind = "restriction on access" if field.tag == "506" else "use and reproduction"
        yield AccessCondition(value=text or link or "", type=kind, xlink_href=link)


_ACCESS_STATUS = {"0": "Open access", "1": "Restricted access"}


@NOTES.record("accessCondition[restriction on access], where there is no 506", t856="7")
def access_status(view: Marc21View) -> Iterator[AccessCondition]:
    """Whether access to the resource online is free, if all its addresses have the same status."""
    own = [field for field in view.fields("856") if field.indicator2 != "2"]
    stated = {field.first("7") for field in own}
    text = _ACCESS_STATUS.get(stated.pop() or "") if len(stated) == 1 else None
    if text is not None and not view.has("506"):
        yield AccessCondition(value=text, type="restriction on access")
    else:
        view.unmapped += ["856$7" for field in view.fields("856") for _ in field.values("7")]
