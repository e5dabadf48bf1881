"""Attributes of works and of those who made them: 048, 363, 370, 377, 380-384, 386, 388 → genre, language, note."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bibld.crosswalk._marc21.codes import INSTRUMENT, NOTES_ON_WORKS
from bibld.crosswalk._marc21.conventions import Marc21View, fixed
from bibld.crosswalk._marc21.names import heading_links
from bibld.crosswalk._rules import RuleBook
from bibld.crosswalk._texts import chop, chopped_values
from bibld.model.marc import DataField
from bibld.model.mods import Genre, Language, LanguageTerm, Note

WORK_ATTRIBUTES = RuleBook()

MEDIUM = "medium of performance"
"""The ``type`` of a note on instruments and voices; also in UNIMARC."""

_LANGUAGE = re.compile(r"[a-z]{3}")


@WORK_ATTRIBUTES.field("380", "a012", "genre, authority from $2")
def form_of_work(field: DataField, view: Marc21View) -> Iterator[Genre]:
    """Form of work (RDA 6.3)."""
    terms = chopped_values(field, "a")
    for text in terms:
        link = heading_links(field).value_uri if len(terms) == 1 else None
        yield Genre(value=text, authority=field.first("2"), value_uri=link)


@WORK_ATTRIBUTES.field("377", "al2", "language, where neither 008 nor 041 states it")
def associated_language(field: DataField, view: Marc21View) -> Iterator[Language]:
    """Language of the expression; codes of other lists than MARC's are left to their words in ``$l``."""
    stated = {fixed(view, 35, 38), *(text for other in view.fields("041") for text in other.values("a", "d"))}
    codes = [] if field.indicator2 == "7" else [text.strip() for text in field.values("a")]
    for code in codes:
        if _LANGUAGE.fullmatch(code) and code not in stated:
            yield Language(language_term=(LanguageTerm(value=code, type="code", authority="iso639-2b"),))
    if not codes:
        for text in chopped_values(field, "l"):
            yield Language(language_term=(LanguageTerm(value=text, type="text"),))


@WORK_ATTRIBUTES.field("048", "ab2", "note[medium of performance], where there is no 382")
def coded_medium(field: DataField, view: Marc21View) -> Iterator[Note]:
    """Instruments and voices as codes with the number of parts (``ka02``); in ``$b`` soloists."""
    if view.has("382"):
        return
    stated = []
    for subfield in field.subfields:
        code, number = subfield.value[:2], subfield.value[2:].strip().lstrip("0")
        text = subfield.value if field.indicator2 == "7" else INSTRUMENT.get(code, "")
        if subfield.code in "ab" and text:
            solo = " (solo)" if subfield.code == "b" else ""
            many = f" ({number})" if field.indicator2 != "7" and number not in ("", "1") else ""
            stated.append(f"{text}{solo}{many}")
        elif subfield.code in "ab":
            view.warn(f"048${subfield.code} {subfield.value!r} is not a code of an instrument or voice; left out")
    if stated:
        yield Note(value=", ".join(stated), type=MEDIUM)


_TOTALS = {"r": "performers beside ensembles", "s": "performers", "t": "ensembles"}


@WORK_ATTRIBUTES.field("382", "abdenprstv2013", "note[medium of performance]")
def medium(field: DataField, view: Marc21View) -> Iterator[Note]:
    """Instruments and voices with their numbers, what else a player plays, and what may replace them."""
    stated: list[str] = []
    totals = []
    for subfield in field.subfields:
        code, text = subfield.code, chop(subfield.value)
        if code in "ab":
            stated.append(f"{text} (solo)" if code == "b" else text)
        elif code in _TOTALS:
            totals.append(f"{_TOTALS[code]}: {text}")
        elif code in "denpv" and stated:
            added = {"d": f" doubling {text}", "p": f" or {text}", "v": f" [{text}]"}
            stated[-1] += added.get(code, f" ({text})" if text != "1" else "")
    text = "; ".join(filter(None, (", ".join(stated), *totals)))
    if text:
        part = field.first("3")
        yield Note(value=f"{chop(part)}: {text}" if part else text, type=MEDIUM)


for _tag, _types in NOTES_ON_WORKS.items():

    @WORK_ATTRIBUTES.field(
        _tag, "".join(_types) + "023", f"note[{', '.join(dict.fromkeys(_types.values()))}], one for each subfield"
    )
    def attribute(field: DataField, view: Marc21View, types: dict[str, str] = _types) -> Iterator[Note]:
        """Place, number, key or time of a work, or a group that its creators belong to."""
        for subfield in field.subfields:
            text = chop(subfield.value)
            if subfield.code in types and text:
                yield Note(value=text, type=types[subfield.code])


@WORK_ATTRIBUTES.record("note[date/sequential designation], where there is no 362", t363="abcdefijkl")
def normalized_numbering(view: Marc21View) -> Iterator[Note]:
    """Numbers and dates of the first and of the last issue, as numbers."""
    if view.has("362"):
        return
    for field in view.fields("363"):
        numbers, dates = field.values(*"abcdef"), field.values(*"ijkl")
        text = f"{'.'.join(numbers)} ({'-'.join(dates)})" if numbers and dates else ".".join(numbers or dates)
        if text and field.indicator1 in "01":
            yield Note(value=f"{text}-" if field.indicator1 == "0" else f"-{text}", type="date/sequential designation")
