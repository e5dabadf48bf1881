"""Exported files can be read again and give the same records."""

from io import BytesIO

import pytest
from lxml import etree

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.read import csv, file_frame
from tests.configuration import load_config
from tests.end_to_end.conftest import CLOCK

SAMPLES = {
    "rows.csv": b'id;title;author\n1;"War; and peace";Tolstoy\n2;\xc3\x84sop;Aesop',
    "records.json": b'[{"leader":"00000nam a2200000 a 4500","fields":[{"001":"1"},{"245":{"ind1":"0","ind2":"0",'
    b'"subfields":[{"a":"One"}]}}]},\n{"leader":"00000nam a2200000 a 4500","fields":[{"001":"2"},{"245":{"ind1":"0",'
    b'"ind2":"0","subfields":[{"a":"Two"}]}}]}]',
    "records.mrk": b"=LDR  00000nam a2200000 a 4500\n=001  1\n=245  00$aOne\n\n"
    b"=LDR  00000nam a2200000 a 4500\n=001  2\n=245  00$aTwo",
    "records.seq": b"000000001 LDR   L 00000nam^a2200000^a^4500\n000000001 24500 L $$aOne\n"
    b"000000002 LDR   L 00000nam^a2200000^a^4500\n000000002 24500 L $$aTwo",
    "mods.xml": b'<?xml version="1.0" encoding="windows-1252"?><m:modsCollection xmlns:m="http://www.loc.gov/mods/v3">'
    b"<m:mods><m:titleInfo><m:title>\xc4sop</m:title></m:titleInfo><m:recordInfo><m:recordIdentifier>1"
    b"</m:recordIdentifier></m:recordInfo></m:mods></m:modsCollection>",
}
FILES = {"rsl": "rsl.mrc", "nlr": "nlr.iso", "slavica": "slavica.xml"}
COLUMNS = '[crosswalk.columns]\nid = "id"\ntitle = "title"\n'


def with_files(loaded, folder, paths):
    """Return the configuration of the sample with other files."""
    text = loaded.file.read_text(encoding="utf-8")
    for source, name in FILES.items():
        assert f'path = "{name}"' in text
        text = text.replace(f'path = "{name}"', f'path = "{paths[source]}"')
    folder.mkdir(parents=True)
    (folder / "bibld.toml").write_text(text, encoding="utf-8")
    return config.load(folder / "bibld.toml")


def mods_by_record(loaded):
    with Catalog(loaded.workspace, read_only=True) as catalog:
        return {str(catalog.register.record(ordinal)): mods for ordinal, _, mods in catalog.records.live()}


def test_exported_originals_give_the_same_mods(intact, tmp_path, invoke):
    done = invoke("catalog", "export", intact.file, "--what", "original", "--out", tmp_path / "out", "-q")
    assert done.exit_code == 0, done.output
    paths = {path.name.partition("-")[0]: path for path in (tmp_path / "out").iterdir()}
    assert {path.suffix for path in paths.values()} == {".mrc", ".xml"}
    again = with_files(intact, tmp_path / "again" / "sample", paths)
    pipeline.run(again, CLOCK, progress.Silent(), until="read")
    assert mods_by_record(again) == mods_by_record(intact)


@pytest.mark.parametrize("name", SAMPLES)
def test_exported_originals_of_every_carrier_can_be_read_again(name, tmp_path, invoke):
    def read(folder, content, file):
        folder.mkdir()
        (folder / file).write_bytes(content)
        loaded = load_config(folder, COLUMNS if file.endswith("csv") else "", a=file)
        pipeline.run(loaded, CLOCK, progress.Silent(), until="read")
        return loaded

    first = read(tmp_path / "first", SAMPLES[name], name)
    exported = mods_by_record(first).values()
    assert exported
    done = invoke("catalog", "export", first.file, "--what", "original", "--source", "a", "-q")
    assert done.exit_code == 0, done.output
    again = mods_by_record(read(tmp_path / "second", done.stdout_bytes, name)).values()
    assert sorted(map(repr, again)) == sorted(map(repr, exported))


def test_originals_of_different_formats_are_not_written_to_stdout(intact, invoke):
    done = invoke("catalog", "export", intact.file, "--what", "original", "-q")
    assert done.exit_code == 2
    assert "which do not make one file; name one source by --source, or a folder by --out" in done.output


def test_mods_are_exported_of_one_source_or_into_one_file_for_each(intact, tmp_path, invoke):
    one = invoke("catalog", "export", intact.file, "--source", "slavica", "-q")
    assert len(etree.fromstring(one.stdout_bytes)) == 37
    invoke("catalog", "export", intact.file, "--out", tmp_path, "-q")
    found = {path.name: len(etree.parse(path).getroot()) for path in tmp_path.iterdir()}
    assert found == {"nlr.mods.xml": 129, "rsl.mods.xml": 123, "slavica.mods.xml": 37}
    assert invoke("catalog", "export", intact.file, "--source", "nobody").exit_code == 2


def test_a_table_whose_columns_are_configured_is_exported_without_a_header():
    carrier = csv.examine(BytesIO(b"1,One\n2,Two\n"), "a.csv", "a", csv.Settings(header=("id", "title")))
    assert file_frame("csv", carrier).head == b""
