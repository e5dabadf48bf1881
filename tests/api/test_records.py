"""``bibld.read`` and ``bibld.to_mods``: from files to records to MODS, without a configuration."""

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import bibld
from bibld.model.marc_writers import to_iso2709
from bibld.read import iso2709 as iso2709_reader
from bibld.serve import ontology as resources

SAMPLE = resources.folder("sample_data")


def iso2709(number: int, leader: str = "00000nam a2200000 i 4500") -> bytes:
    title = bibld.DataField("245", "1", "0", (bibld.Subfield("a", f"Title {number}"), bibld.Subfield("b", "rest")))
    fields = (bibld.ControlField("001", f"id{number}"), title)
    return to_iso2709(bibld.MarcRecord(bibld.Origin("s", "f", 1, 0), bibld.Leader(leader), fields))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two books, an authority record between them, and bytes that are no record."""
    file = tmp_path / "books.mrc"
    file.write_bytes(iso2709(1) + iso2709(2, "00000nz  a2200000 n 4500") + iso2709(3) + b"garbage")
    return file


def test_every_public_name_is_found_and_documented():
    assert {"read", "to_mods", "Record", "Reject", "Mods", "ConfigError"} <= set(bibld.__all__)
    assert set(bibld.__all__) <= set(dir(bibld))
    for name in bibld.__all__:
        assert inspect.getdoc(getattr(bibld, name)), name
    with pytest.raises(AttributeError, match="no attribute 'reed'"):
        bibld.reed  # noqa: B018
    with pytest.raises(ImportError):
        from bibld import reed  # noqa: F401


def test_type_checkers_see_the_names_that_there_are():
    tree = ast.parse(Path(bibld.__file__).read_text(encoding="utf-8"))
    seen = {
        alias.asname
        for block in tree.body
        if isinstance(block, ast.If)
        for statement in block.body
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
    assert seen == set(bibld.__all__)
    assert Path(bibld.__file__).with_name("py.typed").is_file()


def test_the_names_of_packages_are_functions_in_any_order_of_imports():
    code = "import bibld.read, bibld.merge; from bibld import read; import bibld; print(callable(read))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_records_and_rejects_come_in_order_with_their_bytes(path):
    one, two, three, four = bibld.read(path)
    assert (one.control_number, one.reader, one.original) == ("id1", "iso2709", iso2709(1))
    assert one.values("245", "a", "b") == ["Title 1", "rest"]
    assert one.values("001") == ["id1"]
    assert [field.tag for field in one.fields()] == ["245"]
    assert "=245  10$aTitle 1" in str(one)
    assert two.control_number == "id2", "what is no publication is a record all the same"
    assert three.origin.position == 3
    assert isinstance(four, bibld.Reject)
    assert "books.mrc record 4" in str(four)


def test_a_list_of_files_is_read_in_order(path):
    assert len(list(bibld.read([str(path), path]))) == 8


def test_the_carrier_and_the_charset_may_be_named(path, tmp_path):
    with pytest.raises(bibld.ConfigError, match="iso2709"):
        bibld.read(path, reader="iso2079")
    with pytest.raises(bibld.ConfigError, match="charset"):
        bibld.read(path, charset="latin-99")
    assert next(bibld.read(path, reader="iso2709", charset="utf-8")).charset == "utf-8"


def test_mods_and_tables_are_read_too(tmp_path):
    mods = next(bibld.to_mods(SAMPLE / "rsl.mrk"))
    (tmp_path / "one.xml").write_bytes(bibld.to_xml(mods))
    (record,) = bibld.read(tmp_path / "one.xml")
    assert record.content == mods == bibld.from_xml(record.original)
    assert record.control_number == "01004039769"
    assert record.values("245", "a") == record.fields() == []
    assert list(bibld.to_mods([record])) == [mods]
    (tmp_path / "one.csv").write_text("id,title\n7,Seven\n")
    assert isinstance(next(bibld.read(tmp_path / "one.csv", reader="csv")).content, bibld.Row)


def test_a_path_that_is_no_file_is_named_before_anything_is_read(path, tmp_path):
    for function in (bibld.read, bibld.to_mods):
        with pytest.raises(bibld.ConfigError) as caught:
            function([path, tmp_path, tmp_path / "nothing.mrc"])
        assert "is a folder" in caught.value.faults[0]
        assert "nothing.mrc: not found" in caught.value.faults[1]


@pytest.mark.parametrize("files", [b"00024", [1], [open]])
def test_what_is_no_path_is_named(files):
    with pytest.raises(TypeError, match="expected the path of a file, got "):
        bibld.read(files)


def test_a_misspelt_name_has_what_python_needs_for_its_hint():
    with pytest.raises(AttributeError) as caught:
        bibld.find_duplicate  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("find_duplicate", bibld)


def test_a_file_of_an_unknown_format_is_one_reject(tmp_path, path):
    (tmp_path / "notes.txt").write_text("hello")
    (tmp_path / "empty").write_bytes(b"")
    first, second, *others = bibld.read([tmp_path / "notes.txt", tmp_path / "empty", path])
    assert isinstance(first, bibld.Reject) and first.reason.startswith("is of no known carrier")
    assert isinstance(second, bibld.Reject) and "empty" in second.reason
    assert len(others) == 4


def test_what_cannot_be_converted_is_a_warning_or_is_handed_over(path):
    with pytest.warns(bibld.RejectWarning) as caught:
        titles = [mods.title_info[0].title for mods in bibld.to_mods(path)]
    assert titles == ["Title 1", "Title 3"]
    (warning,) = caught
    assert str(warning.message).startswith("2 records were left out, such as ")
    assert "record 2" in str(warning.message) and str(warning.message).endswith("; rejects=[] collects them")
    kept: list[bibld.Reject] = []
    assert len(list(bibld.to_mods(path, rejects=kept))) == 2
    assert [reject.control_number for reject in kept] == ["id2", None]
    assert kept[0].original == iso2709(2, "00000nz  a2200000 n 4500")
    numbers = []
    list(bibld.to_mods(bibld.read(path), rejects=lambda reject: numbers.append(reject.control_number)))
    assert numbers == ["id2", None]


def test_records_and_paths_give_the_same_mods(path):
    ignored: list[bibld.Reject] = []
    from_path = list(bibld.to_mods(path, profile="std", rejects=ignored))
    assert list(bibld.to_mods(list(bibld.read(path)), profile="std", rejects=ignored)) == from_path
    assert list(bibld.to_mods([path], profile="std", rejects=ignored)) == from_path
    assert len(ignored) == 6
    with pytest.raises(TypeError, match="not int"):
        list(bibld.to_mods([7]))


@pytest.mark.parametrize(
    ("choice", "expected"),
    [({"profile": "loc"}, "loc.*std, and the file of an XSLT stylesheet"), ({"flavour": "marc12"}, "marc21")],
)
def test_unknown_names_are_refused_at_once(path, choice, expected):
    with pytest.raises(bibld.ConfigError, match=expected):
        bibld.to_mods(path, **choice)


def test_a_reader_that_fails_rejects_the_record(path, monkeypatch):
    monkeypatch.setattr(iso2709_reader.Iso2709Carrier, "parse", lambda self, raw: {}["x"])
    found = list(bibld.read(path))
    assert all(isinstance(one, bibld.Reject) for one in found)
    assert "iso2709 failed: KeyError: 'x'" in found[0].reason


def test_a_converter_counts_subfields(path):
    with bibld.Converter(counts_fields=True) as converter:
        outcomes = list(converter.convert(path, form="xml"))
        rows = {row.name: row.seen for row in converter.coverage()}
    assert [isinstance(one, bibld.Reject) for one in outcomes] == [False, True, False, True]
    assert outcomes[0].content.startswith(b"<?xml")
    assert rows == {"001": 2, "245$a": 2, "245$b": 2}


def test_a_function_may_convert_records(path):
    def title_only(record):
        if record.control_number == "id3":
            raise ValueError("no title")
        return bibld.Mods(
            title_info=next(bibld.to_mods([bibld.Record(record.origin, record, b"", (), "", "")])).title_info
        )

    kept: list[bibld.Reject] = []
    converted = list(bibld.to_mods(path, flavour=title_only, rejects=kept))
    assert [mods.title_info[0].title for mods in converted] == ["Title 1"]
    assert any("title_only: ValueError: no title" in reject.reason for reject in kept)


def test_one_warning_comes_also_if_the_descriptions_are_not_all_taken(path):
    descriptions = bibld.to_mods(path)
    assert [next(descriptions), next(descriptions)]
    with pytest.warns(bibld.RejectWarning, match="1 record was left out"):
        descriptions.close()
