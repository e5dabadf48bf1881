"""What must hold for any record of the UNIMARC family: odd ones that hypothesis makes, and real ones."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from bibld.crosswalk import rusmarc, sniff, unimarc
from bibld.errors import CrosswalkError, HarvestError, ReadError
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield, with_embedded_fields
from bibld.model.mods import Mods
from bibld.model.mods_xml import to_element
from bibld.model.origin import Origin
from bibld.protocols import HarvestedFile
from bibld.read import examine, iso2709, read

DATA = os.environ.get("BIBLD_TEST_DATA")
needs_data = pytest.mark.skipif(DATA is None, reason="BIBLD_TEST_DATA is not set")
FILES = (
    "articles_cp1251.mrc", "declared_cp1251_is_utf8.iso", "nlr_cp1251.iso", "nlr_koi8r.iso", "stavropol_cp866.mrc",
    "tatarstan_utf8.mrc",
)  # fmt: skip


TAGS = sorted({tag for rule in rusmarc.RULES.rules for tag, _ in rule.reads if tag.isdecimal()})
ODD = [
    *("Т. 1", "С. 5-7", "2001 ", "200", "001RU", "70", "1", "rusger", "20010203d2001####m  y0rusy50      ca", "978-5"),
    *("\x98The \x9cend", "\x98", "¦¦¦¦", "070", "http://x/%zz", ":x", "http://[", "https://example.org/a b", "1990-"),
    *("№ 3", "z01702"),
]
VALUES = st.one_of(st.text(max_size=8), st.sampled_from(ODD))
SUBFIELDS = st.lists(st.builds(Subfield, st.sampled_from("aabbcdefghijklmnoprstuvxyz12345679"), VALUES), max_size=6)
INDICATORS = st.sampled_from(" 012#|")
DATA_FIELDS = st.builds(DataField, st.sampled_from(TAGS), INDICATORS, INDICATORS, SUBFIELDS.map(tuple))
CONTROL_FIELDS = st.builds(ControlField, st.sampled_from(["001", "003", "005", "008"]), VALUES)
CODES = [st.sampled_from(codes) for codes in ("abcegl", "amscix", " 012", " 123")]
LEADERS = st.one_of(st.text(max_size=26), st.builds("     n{}{}{} 22     {}  450 ".format, *CODES)).map(Leader)
ANY_RECORD = st.builds(
    MarcRecord,
    st.just(Origin("x", "x", 1, 0)),
    LEADERS,
    st.lists(st.one_of(DATA_FIELDS, CONTROL_FIELDS), max_size=9).map(tuple),
)


def converted_or_none(adapter, any_record):
    try:
        return adapter.convert(any_record, adapter.Settings())
    except CrosswalkError:
        return None


@settings(max_examples=200, deadline=None)
@given(ANY_RECORD)
def test_any_record_converts(any_record):
    for adapter in (rusmarc, unimarc):
        adapter.sniffs(any_record)
        result = converted_or_none(adapter, any_record)
        assert result is None or result.mods != Mods()
        assert result == converted_or_none(adapter, any_record)


@pytest.fixture(scope="module")
def schemas():
    folder = Path(DATA) / "mods" / "schema"
    return {
        version: etree.XMLSchema(etree.parse(folder / f"mods-{version.replace('.', '-')}.xsd"))
        for version in ("3.7", "3.8")
    }


def assert_valid(description, schemas):
    element = to_element(description)
    for version, schema in schemas.items():
        element.set("version", version)
        assert schema.validate(element), (version, schema.error_log.last_error)


@needs_data
@settings(max_examples=300, deadline=None)
@given(any_record=ANY_RECORD)
def test_any_record_gives_valid_mods(any_record, schemas):
    result = converted_or_none(rusmarc, any_record)
    if result is not None:
        assert_valid(result.mods, schemas)


def real_records(name):
    path = Path(DATA) / "rusmarc" / name
    with path.open("rb") as stream:
        carrier = iso2709.examine(stream, name, "x", iso2709.Settings())
        stream.seek(0)
        for raw in carrier.raws(stream):
            yield carrier.parse(raw).record


@needs_data
@pytest.mark.parametrize("folder", ["rusmarc/neb", "unimarc"])
def test_other_real_records_give_valid_mods(folder, schemas):
    count = 0
    for path in sorted((Path(DATA) / folder).iterdir()):
        try:
            file = HarvestedFile("x", path.name, path)
            examined = examine(file)
        except HarvestError:
            continue  # not records: a table of codes, an empty file
        for raw in read(file, examined):
            if isinstance(raw, ReadError):
                continue  # one of the files is cut off
            record = examined.carrier.parse(raw).record
            flavour = sniff(record)
            if flavour != "marc21":
                count += 1
                adapter = rusmarc if flavour == "rusmarc" else unimarc
                assert_valid(adapter.convert(record, adapter.Settings()).mods, schemas)
    assert count >= 15


def bare(text):
    """Letters and digits only; ISBN are met with a Cyrillic Х."""
    return re.sub(r"[\W_]+", "", text).casefold().replace("х", "x")


def stated(fields, within=""):
    for field in fields:
        if isinstance(field, DataField):
            field = with_embedded_fields(field) if field.tag[0] == "4" or field.tag in ("327", "604") else field
            for subfield in field.subfields:
                yield f"{within}{field.tag}${subfield.code}", field.tag, subfield
            yield from stated(field.embedded, f"{within}{field.tag}/")


def is_code(tag, subfield):
    """Codes and texts that are divided are in the MODS in other words."""
    return tag[0] == "1" or subfield.code in "467" or re.fullmatch(r"(С\.|N|№).*", subfield.value) is not None


@needs_data
@pytest.mark.parametrize("name", FILES)
def test_real_records_lose_nothing_silently(name, schemas):
    for real in real_records(name):
        assert rusmarc.sniffs(real)
        result = rusmarc.convert(real, rusmarc.Settings())
        element = to_element(result.mods)
        assert_valid(result.mods, schemas)
        text = bare(" ".join(element.itertext()) + " ".join(str(v) for e in element.iter() for v in e.attrib.values()))
        accounted = {*result.unmapped, *result.private}
        for label, tag, subfield in stated(real.all_fields):
            if label not in accounted and not is_code(tag, subfield):
                pieces = re.split(r"[;()]", subfield.value) if tag == "010" else [subfield.value]
                assert all(bare(piece) in text for piece in pieces), (real.control_number, label, subfield.value)
