"""Records of real libraries, where BIBLD_TEST_DATA leads to them."""

import os
from pathlib import Path

import pytest

from bibld.errors import HarvestError, ReadError
from bibld.protocols import HarvestedFile, Parsed, Raw
from bibld.read import examine, find_misreading, read

DATA = Path(os.environ.get("BIBLD_TEST_DATA", ""))
pytestmark = pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="BIBLD_TEST_DATA is not set")


def results(name):
    file = HarvestedFile("s", name, DATA / name)
    examined = examine(file)
    found = []
    for piece in read(file, examined):
        try:
            found.append(examined.carrier.parse(piece) if isinstance(piece, Raw) else piece)
        except ReadError as error:
            found.append(error)
    return examined, found


COUNTS = {
    "marc21/uva_marc8.mrc": (992, "marc8"),
    "marc21/jazz_marc8.mrc": (491, "marc8"),
    "marc21/french_marc8.mrc": (248, "marc8"),
    "marc21/loc_testbed_utf8.mrc": (206, "utf-8"),
    "marc21/stanford.mrc": (77, "utf-8"),
    "marc21/culturegraph.marcxml": (469, "utf-8"),
    "marc21/authorities_utf8.mrc": (548, "utf-8"),
    "marc21/rism_music_prints.xml.gz": (3040, "utf-8"),
    "marc21/gpo_covid_online.mrc": (1063, "utf-8"),
    "rusmarc/stavropol_cp866.mrc": (580, "cp866"),
    "rusmarc/tatarstan_utf8.mrc": (243, "utf-8"),
    "rusmarc/nlr_cp1251.iso": (42, "cp1251"),
    "rusmarc/nlr_koi8r.iso": (39, "koi8-r"),
    "rusmarc/articles_cp1251.mrc": (14, "cp1251"),
    "rusmarc/declared_cp1251_is_utf8.iso": (1, "utf-8"),
    "bad/neb_catalog/1251.mrc": (6, "cp1251"),
    "bad/ruby_marc/cp866_multirecord.marc": (2, "cp866"),
    "bad/qa_catalogue/000-line-seperated.mrc": (20, "utf-8"),
}


@pytest.mark.parametrize("name", COUNTS)
def test_every_record_is_read_in_the_right_charset(name):
    examined, found = results(name)
    assert (len(found), examined.carrier.charset) == COUNTS[name]
    assert not [str(result) for result in found if isinstance(result, ReadError)]


@pytest.mark.parametrize("folder", ["bad", "unimarc", "oai", "sru", "rusmarc/neb"])
def test_no_file_makes_the_reader_stumble(folder):
    for path in sorted((DATA / folder).rglob("*")):
        if path.is_file():
            try:
                _, found = results(str(path.relative_to(DATA)))
            except HarvestError as error:
                assert "of no known carrier" in str(error)
            else:
                assert all(isinstance(result, Parsed | ReadError) for result in found)


def test_the_same_records_in_three_serialisations_are_the_same():
    folder = "marc21/gpo_same_records"
    count = 0
    for path in sorted((DATA / folder / "utf8").iterdir()):
        serialisations = [f"utf8/{path.name}", f"marc8/{path.name}", f"xml/{path.stem}.xml"]
        utf8, marc8, xml = (
            [result.record.all_fields for result in results(f"{folder}/{name}")[1]] for name in serialisations
        )
        assert utf8 == marc8 == xml
        count += len(utf8)
    assert count == 1206


def texts(name):
    """The text of each record of MARC, as it is read."""
    for record in (found.record for found in results(name)[1] if isinstance(found, Parsed)):
        yield " ".join(subfield.value for field in record.fields() for subfield in field.subfields)


@pytest.mark.parametrize("name", COUNTS)
def test_no_real_text_is_taken_for_a_misreading(name):
    assert [find_misreading(text) for text in texts(name)].count(None) == sum(1 for _ in texts(name))


@pytest.mark.parametrize("wrong", ["cp1251", "koi8-r", "cp866", "iso8859-5", "latin-1"])
@pytest.mark.parametrize("right", ["cp1251", "koi8-r", "cp866", "utf-8"])
def test_real_texts_in_a_wrong_charset_are_recognised(right, wrong):
    if right == wrong:
        return
    russian = [text for text in texts("rusmarc/nlr_cp1251.iso") if sum(letter > "\x7f" for letter in text) > 20]
    misread = [text.encode(right, "ignore").decode(wrong, "replace") for text in russian]
    found = [find_misreading(text) for text in misread]
    assert sum(one is not None and one[1] == right for one in found) > 0.9 * len(found)
