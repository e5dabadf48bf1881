"""The laws of editing on records of real libraries, where BIBLD_TEST_DATA leads to them."""

import io
import os
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pymarc
import pytest
from lxml import etree

from bibld.enrich import (
    Addition,
    NotEditableError,
    add_to_record,
    charset_for_additions,
    form_of,
    is_editable,
    rewrite_file,
    withdraw_additions,
)
from bibld.errors import HarvestError, ReadError
from bibld.model.enrichment import MARC21_MARKS, UNIMARC_MARKS, AdditionSource, without_additions
from bibld.model.marc import Subfield
from bibld.protocols import HarvestedFile, Raw
from bibld.read import examine, open_decompressed

DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
pytestmark = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="BIBLD_TEST_DATA is not set")

BASE = "https://data.example.org/"
PUBLICATION = AdditionSource("identifiers", BASE + "dataset")
OTHER = AdditionSource("subjects", BASE + "record/nlr/RU~5CNLR~5C7", "RU-1", 0.97)
LINKS = AdditionSource("links", BASE + "agent/x", "", 0.97)
MARC = ("iso2709", "marcxml", "mrk", "aleph", "yaz", "marcjson", "irbis")
NOT_SUPPORTED = {"irbis"}

NOT_EDITABLE = {
    "bad/idzebra_trailing_garbage/sample-marc": 0,
    "bad/marc4j/bad_oversize_field_bad_directory.mrc": 1,
    "bad/marc4j/bad_too_long_plus_2.mrc": 1,
    "bad/marc4j/illegal-marc-in-json.json": 1,
    "bad/marc4j/marc-json.json": 1,
    "bad/marc4j/summerland-marc-json.json": 1,
    "bad/mrrc/e003_base_address_below_24.bin": 1,
    "bad/mrrc/e004_base_address_past_record.bin": 1,
    "bad/mrrc/e101_directory_non_digit_length.bin": 1,
    "bad/mrrc/e101_directory_non_digit_start.bin": 1,
    "bad/mrrc/non-ascii-tag-roundtrip.mrc": 3,
    "bad/mrrc/oob-salvage-slice.mrc": 1,
    "bad/mrrc_testbed/bad_directory.mrc": 4,
    "bad/natlibfi/marc_empty_field.json": 1,
    "bad/pymarc/bad_records.mrc": 5,
    "bad/pymarc/bad_subfield_code.dat": 1,
    "bad/ruby_marc/cp866_multirecord.marc": 2,
    "rusmarc/neb/marc-schema-test.mrc": 30,
}
"""Files with records that stay as they are, and the number of these: wrong directories, other dialects of JSON."""

OTHER_CHARSET = {
    "bad/ruby_marc/escaped_character_reference.marc8.marc",
    "bad/traject/escaped_character_reference.marc8.marc",
}
"""Plain ASCII with a character reference, which is text; in MARC-8 it would be a character."""


def files():
    """Return the files of MARC, with what they were found to be."""
    found = {}
    for path in sorted(DATA.rglob("*")) if "BIBLD_TEST_DATA" in os.environ else ():
        if not path.is_file() or path.suffix in (".csv", ".nt", ".ttl", ".md", ".rdf"):
            continue
        file = HarvestedFile("s", path.name, path)
        try:
            examined = examine(file)
        except HarvestError:
            continue
        if examined.reader in MARC:
            found[path.relative_to(DATA).as_posix()] = (file, examined)
    return found


FILES = files()


def additions_to(form, sliced):
    """Return additions of all kinds: fields at the beginning and in the middle, subfields of names."""
    found = [
        Addition(PUBLICATION, "024", (Subfield("a", BASE + "resource/a?b&c"), Subfield("2", "uri")), "7 "),
        Addition(OTHER, "650", (Subfield("a", "Химия"), Subfield("x", "plain <text>")), " 7"),
        Addition(OTHER, "650", (Subfield("a", "plain"),), " 7"),
    ]
    for position, field in enumerate(sliced.fields):
        if is_editable(form, field) and field.tag in ("100", "700", "701", "702", "710"):
            links = (Subfield("0", "(x)1"), Subfield("1", "http://viaf.org/viaf/1"))
            found.append(Addition(LINKS, field.tag, links, field=position))
    return found


def rewritten(file, examined, edit):
    out = io.BytesIO()
    rewrite_file(file, examined, out, edit)
    return out.getvalue()


def content_of(file):
    with open_decompressed(file.path, may_have_holes=True) as stream:
        return stream.read()


def test_the_supported_carriers_are_all_but_one():
    kinds = Counter(examined.reader for _, examined in FILES.values())
    unsupported = {name: one.reader for name, (_, one) in FILES.items() if form_of(one.reader, one.carrier) is None}
    assert set(unsupported.values()) <= NOT_SUPPORTED
    assert kinds["iso2709"] >= 130
    assert kinds["marcxml"] >= 90


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_additions_is_the_same_bytes(name):
    file, examined = FILES[name]
    assert rewritten(file, examined, lambda raw: raw.data) == content_of(file)


SUPPORTED = [
    name
    for name, (_, examined) in FILES.items()
    if form_of(examined.reader, examined.carrier) and "goldfinch" not in name  # 20,416 records in one dialect of JSON
]


@pytest.mark.parametrize("name", SUPPORTED)
def test_additions_lose_nothing_and_can_be_withdrawn(name, tmp_path):
    file, examined = FILES[name]
    carrier = examined.carrier
    form = form_of(examined.reader, carrier)
    counts = Counter()

    def add(raw):
        try:
            before = carrier.parse(raw).record
            sliced = form.slice(raw.data)
        except ReadError:
            return raw.data
        except NotEditableError:
            counts["not editable"] += 1
            return raw.data
        assert form.join(sliced.fields, sliced.frame) == raw.data
        is_unimarc = "unimarc" in name or "rusmarc" in name
        charset = charset_for_additions(form, raw.data, carrier, is_unimarc)
        enriched = add_to_record(
            form, sliced, additions_to(form, sliced), charset, UNIMARC_MARKS if is_unimarc else MARC21_MARKS
        )
        assert withdraw_additions(form, enriched.data, BASE) == raw.data
        after = carrier.parse(Raw(raw.origin, enriched.data)).record
        if without_additions(after, BASE).all_fields != before.all_fields:
            assert name in OTHER_CHARSET
            return raw.data
        counts["records"] += 1
        counts["additions"] += len(enriched.added)
        counts["omitted"] += len(enriched.omitted)
        return enriched.data

    enriched = rewritten(file, examined, add)
    assert counts["not editable"] == NOT_EDITABLE.get(name, 0)
    assert counts["omitted"] <= counts["records"]  # a charset without Cyrillic letters
    copy = HarvestedFile("s", file.name, tmp_path / "enriched")
    copy.path.write_bytes(enriched)
    assert rewritten(copy, examined, lambda raw: withdraw_additions(form, raw.data, BASE)) == content_of(file)
    if counts["records"]:
        assert counts["additions"] >= 2 * counts["records"]


READ_BY_OTHERS = [
    "marc21/uva_marc8.mrc", "marc21/loc_testbed_utf8.mrc", "marc21/stanford.mrc", "rusmarc/nlr_cp1251.iso",
    "rusmarc/nlr_koi8r.iso", "rusmarc/stavropol_cp866.mrc", "rusmarc/tatarstan_utf8.mrc", "rusmarc/articles_cp1251.mrc",
    "unimarc/unimarc_marc_moose_biblios.iso2709",
]  # fmt: skip


def enriched_file(name, folder):
    """Write a file with additions to all records; return it and the number of additional fields in each record."""
    file, examined = FILES[name]
    form = form_of(examined.reader, examined.carrier)
    more = []

    def add(raw):
        is_unimarc = "marc21" not in name
        sliced = form.slice(raw.data)
        charset = charset_for_additions(form, raw.data, examined.carrier, is_unimarc)
        found = add_to_record(
            form, sliced, additions_to(form, sliced), charset, UNIMARC_MARKS if is_unimarc else MARC21_MARKS
        )
        sources = {one.source for one in found.added}
        more.append(sum(one.field is None for one in found.added) + len(sources))
        return found.data

    path = folder / "enriched.mrc"
    path.write_bytes(rewritten(file, examined, add))
    return path, more


def directory_tags(data):
    """Yield the tags of each record as its lengths lead to them, without any repair."""
    at = 0
    while at < len(data):
        length, base = int(data[at : at + 5]), int(data[at + 12 : at + 17])
        record = data[at : at + length]
        assert record.endswith(b"\x1e\x1d")
        entries = [record[start : start + 12] for start in range(24, base - 1, 12)]
        for entry in entries:
            start, size = base + int(entry[7:]), int(entry[3:7])
            assert record[start + size - 1 : start + size] == b"\x1e"
        yield [entry[:3].decode("latin-1") for entry in entries]
        at += length


@pytest.mark.parametrize("name", READ_BY_OTHERS)
def test_other_programs_read_every_field(name, tmp_path):
    path, more = enriched_file(name, tmp_path)
    before = list(directory_tags(content_of(FILES[name][0])))
    after = list(directory_tags(path.read_bytes()))
    assert [len(tags) for tags in after] == [len(tags) + extra for tags, extra in zip(before, more, strict=True)]
    with path.open("rb") as stream:
        records = [one for one in pymarc.MARCReader(stream, to_unicode=False, permissive=True) if one is not None]
    assert [len(record.fields) for record in records] == [len(tags) for tags in after]
    if program := shutil.which("yaz-marcdump"):
        done = subprocess.run([program, "-p", path], capture_output=True, check=True)
        assert done.stdout.count(b"<!-- Record ") == len(after)
        lines = re.findall(rb"^[0-9A-Za-z?]{3} ", done.stdout, re.MULTILINE)
        assert (len(lines), done.stderr) == (sum(map(len, after)), b"")


@pytest.mark.skipif(shutil.which("yaz-marcdump") is None, reason="needs yaz-marcdump")
@pytest.mark.parametrize("name", ["marc21/bibframe_sample/nlm.xml", "marc21/gpo_same_records/xml/nist_gcr.xml"])
def test_other_programs_read_enriched_xml(name, tmp_path):
    path, more = enriched_file(name, tmp_path)
    etree.parse(path)
    before, after = (
        subprocess.run(["yaz-marcdump", "-i", "marcxml", file], capture_output=True, check=True).stdout
        for file in (DATA / name, path)
    )
    lines = [len(re.findall(rb"^[0-9A-Z]{3} ", text, re.MULTILINE)) for text in (before, after)]
    assert lines[1] - lines[0] == sum(more) > 0
