"""``bibld crosswalk --to``: every form contains all records, can be read by foreign software, and appears complete."""

import csv
import io
import os
import subprocess
import sys

import msgspec
import pymarc
import pyoxigraph as ox
import pytest
import rdflib
from lxml import etree

from bibld.model.mods import Mods, Note, TitleInfo
from bibld.model.mods_xml import to_xml
from tests.cli.test_crosswalk_command import FILE, NUMBERS, invoke, numbers

DC = "{http://purl.org/dc/elements/1.1/}"


@pytest.fixture
def path(tmp_path):
    (tmp_path / "books.mrc").write_bytes(FILE)
    return str(tmp_path / "books.mrc")


def test_json_is_an_array_that_follows_the_schema(path):
    found = invoke(path, "--to", "json").stdout
    assert [mods.record_identifier for mods in msgspec.json.decode(found, type=list[Mods])] == NUMBERS


def test_json_without_records_is_an_empty_array(tmp_path):
    (tmp_path / "one.mrc").write_bytes(FILE[:0])
    (tmp_path / "authority.mrc").write_bytes(FILE.split(b"\x1d")[2] + b"\x1d")
    done = invoke(str(tmp_path / "authority.mrc"), "--to", "json")
    assert (msgspec.json.decode(done.stdout), done.exit_code) == ([], 3)


def test_marcxml_contains_the_records_as_they_were_read(path):
    xml = invoke(path, "--to", "marcxml").stdout_bytes
    records = pymarc.parse_xml_to_array(io.BytesIO(xml))
    assert [record["001"].data for record in records] == NUMBERS
    assert records[0]["245"]["a"] == "Title 1 <&>"


def test_what_is_no_marc_is_rejected_as_marcxml(path, tmp_path):
    mods = tmp_path / "mods.xml"
    invoke(path, "-o", str(mods))
    done = invoke(str(mods), "--to", "marcxml")
    assert done.exit_code == 3
    assert done.stderr.count("the record is no MARC") == len(NUMBERS)


@pytest.mark.parametrize(("form", "tag"), [("marc21", "245"), ("unimarc", "200"), ("rusmarc", "200")])
def test_marc_is_made_of_the_mods_of_any_input(path, tmp_path, form, tag):
    mods = tmp_path / "mods.xml"
    invoke(path, "-o", str(mods))
    for source in (path, str(mods)):
        records = list(pymarc.MARCReader(invoke(source, "--to", form).stdout_bytes, force_utf8=True))
        assert [record["001"].data for record in records] == NUMBERS
        assert records[0][tag]["a"] == "Title 1 <&>"
        xml = invoke(source, "--to", f"{form}xml").stdout_bytes
        assert pymarc.parse_xml_to_array(io.BytesIO(xml))[0][tag]["a"] == "Title 1 <&>"


def test_isbd_puts_marks_between_subfields_of_marc_alone(path):
    first = next(pymarc.MARCReader(invoke(path, "--to", "marc21", "--isbd").stdout_bytes, force_utf8=True))
    assert (first["245"]["a"], first.leader[18]) == ("Title 1 <&>.", "i")
    refused = invoke(path, "--to", "dc", "--isbd")
    assert refused.exit_code == 2
    assert "--isbd: there is no MARC to punctuate in --to dc; add --to marc21" in refused.stderr


def test_a_record_too_long_for_iso_2709_is_rejected_with_its_place(tmp_path):
    notes = tuple(Note(value=f"{number} {'x' * 9_000}") for number in range(12))
    long = Mods(title_info=(TitleInfo("Long"),), note=notes)
    (tmp_path / "long.xml").write_bytes(to_xml(long))
    done = invoke(str(tmp_path / "long.xml"), "--to", "marc21")
    assert (done.exit_code, done.stdout_bytes) == (3, b"")
    assert "long.xml record 1" in done.stderr
    assert "cannot be written in ISO 2709" in done.stderr
    assert "choose marc21xml" in done.stderr
    assert invoke(str(tmp_path / "long.xml"), "--to", "marc21xml").exit_code == 0


def test_csv_has_one_row_a_record(path):
    rows = list(csv.DictReader(io.StringIO(invoke(path, "--to", "csv").stdout, newline="")))
    assert [row["id"] for row in rows] == NUMBERS
    assert rows[0]["title"] == "Title 1 <&>"


def test_dublin_core_is_that_of_oai(path):
    root = etree.fromstring(invoke(path, "--to", "dc").stdout_bytes)
    assert [element.text for element in root.iter(f"{DC}title")][:2] == ["Title 1 <&>", "Title 2 <&>"]


def test_turtle_and_ntriples_are_the_same_graph(path):
    turtle = rdflib.Graph().parse(data=invoke(path, "--to", "ttl").stdout, format="turtle")
    ntriples = rdflib.Graph().parse(data=invoke(path, "--to", "nt").stdout, format="nt")
    assert set(turtle) == set(ntriples)
    assert len(set(turtle.subjects(rdflib.DCTERMS.title))) == len(NUMBERS)
    quads = set(ox.parse(invoke(path, "--to", "nq").stdout_bytes, format=ox.RdfFormat.N_QUADS))
    assert len([quad for quad in quads if quad.graph_name == ox.DefaultGraph()]) == len(turtle)
    assert {str(quad.graph_name) for quad in quads} >= {"<https://example.org/graph/provenance>"}


def test_iris_begin_with_the_base(path):
    found = invoke(path, "--to", "nt", "--base", "https://data.example.com/").stdout
    assert found.startswith("<https://data.example.com/resource/file/id1>")
    wrong = invoke(path, "--to", "nt", "--base", "example")
    assert (wrong.exit_code, wrong.stdout) == (2, "")


MARC_OF_MODS = ("marc21", "marc21xml", "unimarc", "unimarcxml", "rusmarc", "rusmarcxml")
FORMS = ("mods", "json", "jsonl", "marcxml", *MARC_OF_MODS, "csv", "dc", "nt", "ttl", "nq")
ALL_FORMS = """
import contextlib, sys
from bibld.cli import command_line
for form in sys.argv[3:]:
    with contextlib.suppress(SystemExit):  # the status after each command
        command_line.main(["crosswalk", sys.argv[1], "--to", form, "-o", f"{sys.argv[2]}.{form}"])
"""


def test_the_same_records_give_the_same_bytes(path, tmp_path):
    for seed in ("1", "2"):  # in which order Python has the members of a set
        command = [sys.executable, "-c", ALL_FORMS, path, str(tmp_path / seed), *FORMS]
        subprocess.run(command, capture_output=True, check=True, env=os.environ | {"PYTHONHASHSEED": seed})
    for form in FORMS:
        one, two = ((tmp_path / f"{seed}.{form}").read_bytes() for seed in "12")
        assert one == two, form
        assert one


def test_files_and_standard_input_are_written_to_one_file(path, tmp_path):
    out = tmp_path / "out.xml"
    invoke(path, "-", "-o", str(out), data=FILE)
    assert numbers(out.read_bytes()) == NUMBERS * 2


def test_a_conversion_that_fails_leaves_the_old_file(path, tmp_path):
    out = tmp_path / "out.nt"
    out.write_text("old")
    assert invoke(path, "--to", "nt", "--base", "nothing", "-o", str(out)).exit_code == 2
    assert out.read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["books.mrc", "out.nt"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")  # noqa: PTH110
@pytest.mark.parametrize("form", ["mods", "csv", "ttl"])
def test_a_full_disk_ends_with_a_message(path, form):
    command = [sys.executable, "-m", "bibld", "crosswalk", path, "--to", form, "-o", "/dev/full"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "bibld: the output cannot be written: No space left on device"


def test_a_folder_that_is_not_there_is_named(path, tmp_path):
    done = invoke(path, "-o", str(tmp_path / "nowhere" / "out.xml"))
    assert done.exit_code == 2
    assert "nowhere" in done.stderr


def test_messages_name_the_options_of_the_command(tmp_path):
    table = tmp_path / "books.mrc"
    table.write_bytes(FILE)
    done = invoke(str(table), "--flavour", "columns")
    assert "remove --flavour columns" in done.stderr


def test_read_takes_standard_input():
    command = [sys.executable, "-m", "bibld", "read", "-"]
    done = subprocess.run(command, input=FILE, capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stdout.count(b"=001  id") == 7
    assert done.stderr.startswith(b"stdin: iso2709")
