"""``bibld crosswalk`` is a converter: any shell, no configuration, order and bytes kept, every loss is reported."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from lxml import etree

from bibld.cli import command_line
from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
from bibld.model.marc_writers import to_iso2709
from bibld.model.mods import Mods
from bibld.model.mods_plan import tag_named
from bibld.model.origin import Origin

AUTHORITY = "00000nz  a2200000 n 4500"


def record(number: int, leader: str = "00000nam a2200000 i 4500") -> bytes:
    fields = (
        ControlField("001", f"id{number}"),
        DataField("020", subfields=(Subfield("a", "wrong"),)),
        DataField("245", "1", "0", (Subfield("a", f"Title {number} <&>"), Subfield("9", "local"))),
        DataField("666", subfields=(Subfield("a", "unknown"),)),
    )
    return to_iso2709(MarcRecord(Origin("s", "f", 1, 0), Leader(leader), fields))


FILE = b"".join(record(number, AUTHORITY if number == 3 else "00000nam a2200000 i 4500") for number in range(1, 8))
NUMBERS = ["id1", "id2", "id4", "id5", "id6", "id7"]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "books.mrc").write_bytes(FILE)
    return str(tmp_path / "books.mrc")


def invoke(*words: str, data: bytes | None = None):
    return CliRunner().invoke(command_line, ["crosswalk", *words], input=data, catch_exceptions=False)


def numbers(xml: bytes) -> list[str]:
    root = etree.fromstring(xml)
    assert root.tag == tag_named("modsCollection")
    return [str(found.text) for found in root.iter(tag_named("recordIdentifier"))]


def test_one_collection_holds_all_records_in_order(path):
    done = invoke(path, path)
    assert numbers(done.stdout_bytes) == NUMBERS * 2
    assert done.exit_code == 3
    assert done.stderr.count("reject: ") == 2
    assert "authority record" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("14 records read: 12 converted, 2 rejected; ")


def test_json_is_one_record_a_line(path):
    lines = invoke(path, "--to", "jsonl").stdout.splitlines()
    assert [msgspec.json.decode(line, type=Mods).record_identifier for line in lines] == NUMBERS


def test_stdin_is_read_where_a_file_is_a_dash(path):
    done = invoke("-", data=FILE)
    assert done.stdout_bytes == invoke(path).stdout_bytes
    assert "stdin record 3" in done.stderr


def test_the_bytes_of_rejects_are_written(path, tmp_path):
    invoke(path, "--rejects", str(tmp_path / "rejects"), "-o", str(tmp_path / "out.xml"))
    assert (tmp_path / "rejects").read_bytes().strip(b"\x1d\n") == record(3, AUTHORITY).strip(b"\x1d\n")
    assert numbers((tmp_path / "out.xml").read_bytes()) == NUMBERS


def test_warnings_are_counted_and_reported_with_verbose(path):
    assert "books.mrc record 1" not in invoke(path).stderr
    assert "add --verbose to see them" in invoke(path).stderr
    assert "books.mrc record 1" in invoke(path, "--verbose").stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("--profile", "lok"), 'unknown profile "lok"'), (("--flavour", "marc12"), 'did you mean "marc21"?')],
)
def test_an_unknown_name_is_reported_before_anything_is_started(path, words, expected):
    done = invoke(path, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert expected in done.stderr


def test_a_missing_file_is_reported():
    done = invoke("nowhere.mrc")
    assert "nowhere.mrc: not found" in done.stderr
    assert not done.stdout


def test_every_profile_of_the_settings_can_be_chosen(path):
    assert numbers(invoke(path, "--profile", "std").stdout_bytes) == NUMBERS


def test_coverage_reports_the_fate_of_every_subfield(path):
    done = invoke(path, "--coverage", "--json")
    rows = {row["name"]: row for row in msgspec.json.decode(done.stdout)}
    assert set(rows) == {"001", "020$a", "245$a", "245$9", "666$a"}
    assert all(row["seen"] == 6 == row["mapped"] + row["private"] + row["unmapped"] for row in rows.values())
    assert rows["245$a"]["mapped"] == 6
    assert any("titleInfo" in text for text in rows["245$a"]["writes"])
    assert rows["666$a"]["unmapped"] == 6
    assert rows["666$a"]["writes"] == []
    table = invoke(path, "--coverage").stdout
    assert table.splitlines()[0].split() == ["flavour", "subfield", "seen", "mapped", "private", "unmapped", "to"]


def test_coverage_and_records_may_both_be_written(path, tmp_path):
    out = tmp_path / "out.xml"
    assert "245$a" in invoke(path, "--coverage", "-o", str(out)).stdout
    assert numbers(out.read_bytes()) == NUMBERS


def test_the_result_does_not_depend_on_the_number_of_processes(tmp_path):
    path = tmp_path / "many.mrc"
    path.write_bytes(
        b"".join(
            record(number, AUTHORITY if number % 300 == 7 else "00000nam a2200000 i 4500") for number in range(1300)
        )
    )
    one, two = invoke(str(path), "--workers", "1"), invoke(str(path), "--workers", "2")
    assert one.stdout_bytes == two.stdout_bytes
    assert one.stderr == two.stderr
    assert len(numbers(one.stdout_bytes)) == 1295


def test_a_reader_who_leaves_ends_the_command_quietly(tmp_path):
    path = tmp_path / "many.mrc"
    path.write_bytes(b"".join(map(record, range(3000))))
    command = [sys.executable, "-m", "bibld", "crosswalk", "--workers", "1", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        assert b"modsCollection" in process.stdout.read(200)
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif("BIBLD_TEST_DATA" not in os.environ, reason="BIBLD_TEST_DATA is not set")
@pytest.mark.parametrize(
    "name", ["marc21/stanford.mrc", "rusmarc/nlr_koi8r.iso", "gold/cora/cora.csv", "mods/real/dpla_oai-page.xml"]
)
def test_the_collection_is_valid(name):
    folder = Path(os.environ["BIBLD_TEST_DATA"])
    found = etree.fromstring(invoke(str(folder / name)).stdout_bytes)
    (path,) = (folder / "mods" / "schema").rglob("mods-3-8.xsd")
    schema = etree.XMLSchema(etree.parse(path))
    schema.assertValid(found)
