"""What authority records of all formats state in the same way: numbers, times, headings as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bibld.crosswalk._rules import RuleSet
from bibld.crosswalk._texts import address
from bibld.crosswalk._view import View
from bibld.errors import CrosswalkError
from bibld.model import mods
from bibld.model.authorities import read_authority_iri, read_authority_number
from bibld.model.authority import (
    AuthorityDate,
    ConvertedAuthority,
    Heading,
    RecordNumber,
    RelatedHeading,
    Variant,
    collect_authority,
)
from bibld.model.marc import DataField
from bibld.text.dates import parse_date
from bibld.text.lives import coded_date, parse_life
from bibld.text.scripts import first_foreign_script

_NO_SCHEMES = frozenset(("uri", "url"))


def read_number(text: str, source: str = "") -> RecordNumber | None:
    """Return a number of an authority file, or an IRI; the code of the file may precede it in parentheses.

    None for an empty text, and for a number or IRI with a wrong check digit: it would be that of somebody else.

    >>> read_number("(DE-588)118540238").iri, read_number("n  79068416", "DLC").value, read_number("RU/NLR/AUTH/7")
    ('https://d-nb.info/gnd/118540238', 'n79068416', RecordNumber(value='RU/NLR/AUTH/7', source='', iri='', is_cancelled=False))
    """  # noqa: E501
    text = text.strip()
    if text.startswith("(") and ")" in text:
        stated, _, text = text[1:].partition(")")
        source, text = stated.strip(), text.strip()
    if not text:
        return None
    source = "" if source.casefold() in _NO_SCHEMES else source
    link = address(text)
    if link is not None:
        of_file = read_authority_iri(link)
        if of_file is not None and not of_file.iri:
            return None
        return RecordNumber(link, source, of_file.iri if of_file is not None else link)
    found = read_authority_number(source, text) if source else None
    if found is None:
        return RecordNumber(text, source)
    return RecordNumber(found.number, source, found.iri) if found.number else None


def read_numbers(texts: Iterable[str], source: str = "") -> tuple[RecordNumber, ...]:
    """Return the numbers in texts, each once."""
    found = (read_number(text, source) for text in texts)
    return tuple(dict.fromkeys(number for number in found if number is not None))


def cancelled_number(text: str, source: str = "") -> RecordNumber | None:
    """Return a number that is not used any more, without IRI."""
    number = read_number(text, source)
    return RecordNumber(number.value, number.source, is_cancelled=True) if number is not None else None


def numbers_of_record(field: DataField, source: str, view: View[Any], prefix: str = "") -> Iterator[RecordNumber]:
    """Yield the numbers in ``$a``, and those in ``$z``, which are cancelled; a wrong one causes a warning.

    ``prefix`` may be written before a number.
    """
    for subfield in field.subfields:
        if subfield.code in "az":
            read = read_number if subfield.code == "a" else cancelled_number
            number = read(subfield.value.removeprefix(prefix), source)
            if number is not None:
                yield number
            else:
                view.warn(f"{field.tag}${subfield.code} {subfield.value!r} has a wrong check digit; left out")


def locations(field: DataField, label_codes: str, view: View[Any]) -> Iterator[mods.Location]:
    """Yield the addresses in ``$u`` with their label and the note in ``$z``; another text causes a warning."""
    label, note = " ".join(field.values(*label_codes)) or None, " ".join(field.values("z")) or None
    for text in field.values("u"):
        link = address(text)
        if link is None:
            view.warn(f"856$u {text!r} is not an address; left out")
        else:
            yield mods.Location(url=(mods.Url(value=link, display_label=label, note=note),))


def parse_period(text: str) -> str:
    """Return a time such as ``1900-1950`` in EDTF; empty for other texts."""
    life = parse_life(text)
    if life.born and life.died:
        return f"{life.born}/{life.died}"
    if life.born:
        return f"{life.born}/.."
    return f"../{life.died}" if life.died else life.active or coded_date(text)


def dates_of_life(text: str, is_person: bool) -> Iterator[AuthorityDate]:
    """Yield birth and death of a person, beginning and end of a family or body, or a time of activity."""
    text = text.strip(" ()[],;")
    text = text[:-1] if text.endswith(".") and text[-2:-1].isdecimal() else text
    life = parse_life(text)
    if life.born:
        yield AuthorityDate("birth" if is_person else "start", life.born, text)
    if life.died:
        yield AuthorityDate("death" if is_person else "end", life.died, text)
    if life.active or not (life.born or life.died):
        yield AuthorityDate("activity", life.active, text)


def date_of_event(text: str) -> AuthorityDate:
    """Return the date of a meeting."""
    text = text.strip(" ():;,")
    stated = parse_date(text)
    return AuthorityDate("event", stated.edtf if stated is not None else "", text)


def stated_heading(text: str, own: Heading | None) -> Heading:
    """Return a heading of which only the text is known, as one of the same kind as another heading."""
    lead, *subdivisions = (piece.strip() for piece in text.split("--"))
    first = own.parts[0] if own is not None else None
    part: mods.SubjectPart = mods.Topic(value=lead)
    if isinstance(first, mods.Name):
        part = mods.Name(name_part=(mods.NamePart(value=lead),), type=first.type)
    elif isinstance(first, mods.TitleInfo):
        part = mods.TitleInfo(title=lead)
    elif isinstance(first, mods.Geographic | mods.Genre | mods.Temporal):
        part = type(first)(value=lead)
    kind = own.kind if own is not None and not subdivisions else "topic"
    return Heading(kind, (part, *(mods.Topic(value=piece) for piece in subdivisions)), script=script_of_heading(text))


def script_of_heading(text: str) -> str:
    """Return the script of a heading; empty if it has no letters."""
    return first_foreign_script(text) if any(map(str.isalpha, text)) else ""


def replacements(stated: Iterable[tuple[bool, str]], own: Heading | None) -> Iterator[RelatedHeading]:
    """Yield the headings that are used instead of a deleted one.

    ``stated`` are texts in the order of the record: a number (true) belongs to the heading before it.
    """
    found: list[tuple[str, list[str]]] = []
    for is_number, text in stated:
        if is_number and found:
            found[-1][1].append(text)
        else:
            found.append(("", [text]) if is_number else (text, []))
    for text, numbers in found:
        headings = (stated_heading(text, own),) if text else ()
        yield RelatedHeading("replacement", headings, read_numbers(numbers))


def convert_by(rules: RuleSet, view: View[Any], block: str) -> ConvertedAuthority:
    """Convert one authority record, whose headings are in a block of fields (``1XX``).

    Raises ``CrosswalkError`` for a record without a heading that is not deleted.
    """
    authority = collect_authority((view.control("001") or "").strip(), rules.run(view))
    if not authority.headings and authority.state.status not in ("deleted", "replaced", "split"):
        reason = f"authority record without a heading ({block}); correct it, or leave it out of the source"
        raise CrosswalkError(view.record.origin, reason, control_number=view.record.control_number)
    unmapped, private = rules.account(view)
    return ConvertedAuthority(authority, unmapped, private, tuple(view.warnings))


def with_kind_of_form(variant: Variant, preferred: Heading) -> Variant:
    """Return a variant without a type as one in another script or language, if it is."""
    heading = variant.heading
    if variant.type or heading.kind != preferred.kind:
        return variant
    if heading.script and preferred.script and heading.script != preferred.script:
        return Variant(heading, "other script", variant.label, variant.is_shown)
    if heading.language and preferred.language and heading.language != preferred.language:
        return Variant(heading, "other language", variant.label, variant.is_shown)
    return variant
