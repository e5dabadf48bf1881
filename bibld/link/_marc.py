"""Authority records out of MARC: MARC 21 (1XX headings, 4XX tracings) and UNIMARC/A with RUSMARC/A (2XX and 4XX)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

from bibld.errors import HarvestError, RecordError
from bibld.link._names import life_of, year_of
from bibld.link._values import AuthorityKind, AuthorityLabel, AuthorityRecord, iri_of
from bibld.model.authorities import AUTHORITIES, read_authority_number
from bibld.model.iris import web_iri
from bibld.model.marc import DataField, MarcRecord
from bibld.protocols import HarvestedFile
from bibld.read import examine
from bibld.read import read as read_pieces
from bibld.text.folding import trim
from bibld.text.languages import language_code

_SOURCE = "authority"
_KINDS_OF_MARC21: dict[str, AuthorityKind] = {
    "00": "person", "10": "organisation", "11": "meeting", "30": "work", "48": "topic", "50": "topic", "51": "place",
    "55": "topic",
}  # fmt: skip
_KINDS_OF_UNIMARC: dict[str, AuthorityKind] = {
    "00": "person", "10": "organisation", "15": "place", "16": "topic", "20": "family", "30": "work", "40": "work",
    "50": "topic", "60": "place", "80": "topic",
}  # fmt: skip
_AUTHORITY_OF_MARC21, _AUTHORITIES = "z", "xyz"
_MAX_WITHOUT_ONE = 200
"""This number of records at the beginning of a file without an authority record shows that it is another file."""
_SUBDIVISIONS = "vxyz"
_TITLE_OF_CITATION = re.compile(
    r"^(?:(?:his|her|its|their|author's|ego|ее|его|её|их)\s+)?(.*?)(?:,?\s*\[?[cp©]?\d{4}.*)?[:.;,]?\s*$", re.I
)


def read_marc(path: Path, name: str, template: str) -> Iterator[AuthorityRecord | None]:
    """Yield the records of a MARC file, of any carrier; None for a record that cannot be used.

    ``template`` makes an IRI of a control number if the record states none. Raises ``HarvestError`` for a file
    without authority records, and for a damaged one.
    """
    file = HarvestedFile(_SOURCE, name, path)
    examined = examine(file)
    used = refused = 0
    reason = ""
    for piece in read_pieces(file, examined):
        if isinstance(piece, RecordError):
            raise HarvestError(f"{name}: {piece}; fetch the file again")
        try:
            content = examined.carrier.parse(piece).record
        except RecordError as error:
            refused, reason = refused + 1, str(error)
            yield None
            continue
        record = authority_record(content, template) if isinstance(content, MarcRecord) else None
        used += record is not None
        if record is None:
            refused += 1
            reason = reason or _reason(content)
        if not used and refused >= _MAX_WITHOUT_ONE:
            break
        yield record
    if not used:
        raise HarvestError(f"{name}: contains no authority record that can be used: {reason or 'it has no records'}")


def _reason(content: object) -> str:
    if not isinstance(content, MarcRecord):
        return "its records are not MARC"
    number = content.control_number
    if not _is_authority(content):
        return (
            f"record {number} is bibliographic (leader/06 {content.leader.type_of_record!r}); records to be described"
            " are a source of the configuration"
        )
    return f"record {number} has no heading, or no IRI: name a template, such as --iri https://example.org/{{}}"


def _is_authority(record: MarcRecord) -> bool:
    return record.leader.type_of_record in _AUTHORITIES


def _is_unimarc(record: MarcRecord) -> bool:
    """Whether an authority record is UNIMARC: 1XX are coded data there, and 2XX headings."""
    return record.leader.type_of_record != _AUTHORITY_OF_MARC21 or not any(
        field.first("a") for field in record.fields(*(f"1{code}" for code in _KINDS_OF_MARC21))
    )


def authority_record(record: MarcRecord, template: str) -> AuthorityRecord | None:
    """Convert one record; None if it is bibliographic, deleted, without a heading or without an IRI."""
    if not _is_authority(record) or record.leader.record_status == "d":
        return None
    is_unimarc = _is_unimarc(record)
    iri = _unimarc_iri(record, template) if is_unimarc else _marc21_iri(record, template)
    if iri is None:
        return None
    return _unimarc_record(record, iri) if is_unimarc else _marc21_record(record, iri)


# -- MARC 21 -----------------------------------------------------------------------------------------------------------


def _marc21_record(record: MarcRecord, iri: str) -> AuthorityRecord | None:
    labels: set[AuthorityLabel] = set()
    kind: AuthorityKind = ""
    born = died = None
    for field in record.fields(*(f"1{code}" for code in _KINDS_OF_MARC21)):
        kind = _KINDS_OF_MARC21[field.tag[1:]]
        if field.first("t"):
            kind = "work"
        elif field.tag == "100" and field.indicator1 == "3":
            kind = "family"
        labels.add(AuthorityLabel(_marc21_heading(field), "", True))
        life = life_of(field.first("d") or "")
        born, died = life.born, life.died
    tracings = record.fields(*(f"{digit}{code}" for digit in "47" for code in _KINDS_OF_MARC21))
    labels |= {
        AuthorityLabel(_marc21_heading(field)) for field in tracings if field.tag[0] == "4" or field.indicator2 == "7"
    }
    for field in record.fields("046"):
        born = born or year_of(field.first("f") or field.first("q") or field.first("s") or "")
        died = died or year_of(field.first("g") or field.first("r") or field.first("t") or "")
    works = [field.first("t") or "" for field in record.fields("400", "500")]
    works += [_title_of_citation(field.first("a") or "") for field in record.fields("670", "672")]
    fixed = record.control("008") or ""
    named = [_marc21_work(field) for field in record.fields(*(f"{digit}{code}" for digit in "14" for code in _ENTRIES))]
    found_works = [one for one in named if one is not None] if kind == "work" else []
    return _record(
        iri,
        kind,
        labels,
        (None, None) if kind == "work" else (born, died),
        titles=[title for title, _, _ in found_works],
        creators=[creator for _, creator, _ in found_works if creator],
        work_language=next((language for _, _, language in found_works), ""),
        numbers=[found for field in record.fields("024") if (found := _number(field))],
        works=works,
        occupations=[value for field in record.fields("374") for value in field.values("a")],
        is_undifferentiated=kind == "person" and fixed[32:33] == "b",
    )


_ENTRIES = ("00", "10", "11", "30")
"""Headings that name a work, if they have a title."""


def _marc21_work(field: DataField) -> tuple[str, str, str] | None:
    """Return title, creator and language (ISO 639-2) of the heading of a work; None for another heading."""
    title_code = "a" if field.tag[1:] == "30" else "t"
    start = next((at for at, sub in enumerate(field.subfields) if sub.code == title_code), len(field.subfields))
    before, work = field.subfields[:start], field.subfields[start:]
    texts = [sub.value.strip(" .") for sub in work if sub.code in "atnpkmorsdf"]
    language = next((language_code(sub.value.strip(" .")) or "" for sub in work if sub.code == "l"), "")
    title = ". ".join(filter(None, texts))
    creator = _marc21_heading(replace(field, subfields=before)) if before else ""
    return (title, creator, language) if title else None


def _marc21_heading(field: DataField) -> str:
    """Return a heading with its subdivisions after ``--``, parts of a body separated by full stops."""
    text = ""
    for sub in field.subfields:
        value = sub.value.strip()
        if not (sub.code.isalpha() and sub.code not in "wij") or not value:
            continue
        if sub.code in _SUBDIVISIONS and field.tag[1:] not in ("00", "10", "11"):
            text = f"{text.rstrip(' .')}--{value}"
        elif sub.code in "bt" and field.tag[1:] in ("00", "10", "11") and text and not text.endswith((".", ",")):
            text = f"{text}. {value}" if sub.code == "t" or field.tag[1:] == "10" else f"{text} {value}"
        else:
            text = f"{text} {value}" if text else value
    return trim(text)


def _marc21_iri(record: MarcRecord, template: str) -> str | None:
    for field in record.fields("024"):
        if (field.first("2") or "").lower() in ("uri", "gnd") and (found := _number(field)):
            return found
    number = record.control_number or ""
    lccn = next((field.first("a") or "" for field in record.fields("010")), "") or number
    if not template and (found := _iri_of_number("dlc", lccn)):
        return found
    if not template and (record.control("003") or "").strip() in ("DE-101", "DE-588"):
        template = AUTHORITIES["gnd"].template
    return iri_of(re.sub(r"\s", "", number), template) if number else None


def _number(field: DataField) -> str | None:
    value = re.sub(r"\s", "", field.first("a") or "")
    return web_iri(value) or _iri_of_number(field.first("2") or "", value)


def _iri_of_number(scheme: str, number: str) -> str | None:
    found = read_authority_number(scheme, number)
    return found.iri or None if found is not None else None


def _title_of_citation(text: str) -> str:
    """Return the title of a work out of the citation of a source, such as ``Her For colored girls, c1975``."""
    match = _TITLE_OF_CITATION.match(text.strip())
    return match[1] if match is not None else ""


# -- UNIMARC -----------------------------------------------------------------------------------------------------------


def _unimarc_record(record: MarcRecord, iri: str) -> AuthorityRecord | None:
    labels: set[AuthorityLabel] = set()
    kind: AuthorityKind = ""
    born = died = None
    for field in record.fields(*(f"2{code}" for code in _KINDS_OF_UNIMARC)):
        kind = _KINDS_OF_UNIMARC[field.tag[1:]]
        labels.add(AuthorityLabel(_unimarc_heading(field), "", True))
        life = life_of(field.first("f") or "")
        born, died = born or life.born, died or life.died
    for field in record.fields(*(f"{digit}{code}" for digit in "47" for code in _KINDS_OF_UNIMARC)):
        labels.add(AuthorityLabel(_unimarc_heading(field)))
    for field in record.fields("103"):
        born, died = born or year_of(field.first("a") or ""), died or year_of(field.first("b") or "")
    works = [_title_of_citation(field.first("a") or "") for field in record.fields("810")]
    named = [_unimarc_work(field) for field in record.fields("230", "240", "430", "440")] if kind == "work" else []
    return _record(
        iri,
        kind,
        labels,
        (born, died),
        titles=[title for title, _, _ in named if title],
        creators=[creator for _, creator, _ in named if creator],
        work_language=next((language for _, _, language in named), ""),
        numbers=[found for field in record.fields("010", "033") if (found := _unimarc_number(field))],
        works=works,
        occupations=[value for field in record.fields("340") for value in field.values("c")],
    )


def _unimarc_heading(field: DataField) -> str:
    """Return a heading: family name and given names ($g in full, else $b), qualifiers, subdivisions after ``--``."""
    stem = trim(field.first("a") or "")
    if field.tag[1:] in ("00", "20"):
        given = trim(field.first("g") or field.first("b") or "")
        parts = [stem, given, *(trim(value) for value in field.values("d", "c"))]
        text = ", ".join(part for part in parts if part)
    else:
        text = ". ".join(part for part in (stem, *(trim(value) for value in field.values("b"))) if part)
        qualifiers = [trim(value) for value in field.values("c") if trim(value)]
        text += f" ({', '.join(qualifiers)})" if qualifiers else ""
    return "--".join([text, *(trim(value) for value in field.values("x", "y", "z", "j") if trim(value))])


def _unimarc_work(field: DataField) -> tuple[str, str, str]:
    """Return title, creator and language of the heading of a work, 230 or 240 and its tracings."""
    codes = "ahik" if field.tag[1:] == "30" else "thik"
    title = ". ".join(trim(sub.value) for sub in field.subfields if sub.code in codes and trim(sub.value))
    creator = trim(field.first("a") or "") if field.tag[1:] == "40" else ""
    return title, creator, language_code(trim(field.first("m") or "")) or ""


def _unimarc_iri(record: MarcRecord, template: str) -> str | None:
    stated = [record.control("003") or "", *(field.first("a") or "" for field in record.fields("033"))]
    if not template and (found := next((iri for text in stated if (iri := web_iri(text))), None)):
        return found
    return iri_of(record.control_number or "", template) if record.control_number else None


def _unimarc_number(field: DataField) -> str | None:
    value = field.first("a") or ""
    return web_iri(value) or (_iri_of_number("isni", value) if field.tag == "010" else None)


def _record(
    iri: str,
    kind: AuthorityKind,
    labels: Iterable[AuthorityLabel],
    life: tuple[int | None, int | None],
    **more: object,
) -> AuthorityRecord | None:
    """Return a record with its texts sorted and without empty ones; None without a label."""
    found = tuple(sorted(label for label in labels if label.text))
    if not found:
        return None
    texts = {
        name: tuple(sorted({str(text) for text in value if text})) if isinstance(value, list) else value
        for name, value in more.items()
    }
    return AuthorityRecord(iri=iri, kind=kind, labels=found, born=life[0], died=life[1], **texts)  # type: ignore[arg-type]
