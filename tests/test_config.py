"""A configuration is right, or every fault in it is named at once."""

from pathlib import Path

import pytest

from bibld import config
from bibld.errors import ConfigError

GOOD = """
workspace = "work"
[dataset]
base = "https://data.example.org/"
title = { en = "Books" }
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "A library"
[[source]]
id = "rsl"
path = "*.mrc"
"""


@pytest.fixture
def write(tmp_path: Path):
    (tmp_path / "books.mrc").write_bytes(b"")

    def write(text: str) -> Path:
        path = tmp_path / "bibld.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def faults(path: Path) -> str:
    with pytest.raises(ConfigError) as caught:
        config.load(path)
    return "\n".join(caught.value.faults)


def test_a_good_configuration_has_defaults_for_all_the_rest(write):
    loaded = config.load(write(GOOD))
    assert loaded.workspace == loaded.folder / "work"
    assert loaded.dedup.block == ("identifier", "composite")
    assert loaded.settings("dedup.score", loaded.dedup.score).same == 0.55
    assert [source.id for source in loaded.sources] == ["rsl"]


def test_the_tables_of_adapters_reach_them(write):
    loaded = config.load(write(GOOD + "[dedup.jaccard]\nsame = 0.9\n[dedup.paper]\ntitle_only = true\n"))
    assert loaded.settings("dedup.score", "jaccard").same == 0.9
    assert loaded.settings("dedup.block", "paper").title_only is True


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            ("workspace =", "worspace ="),
            [
                'bibld.toml:2: unknown key "worspace"; did you mean "workspace"?',
                'bibld.toml: missing key "workspace"; name',
            ],
        ),
        (
            ('base = "https://data.example.org/"', 'base = "https://data.example.org"'),
            ["bibld.toml:4: dataset.base:", "ends with /"],
        ),
        (('base = "https://data.example.org/"', 'base = "data"'), ["dataset.base:", "absolute http or https IRI"]),
        (
            ("license =", "licence ="),
            [
                'bibld.toml:6: unknown key "dataset.licence"; did you mean "license"?',
                'bibld.toml:3: missing key "dataset.license"',
            ],
        ),
        (
            ('title = { en = "Books" }', 'title = "Books"'),
            ['bibld.toml:5: dataset.title: expected table, got string; write title = { en = "…" }'],
        ),
        (("[[source]]", '[dedup]\nblock = "paper"\n[[source]]'), ['dedup.block: expected list ["…"], got string']),
        (('path = "*.mrc"', 'path = "a**b"'), ['bibld.toml:10: source[1].path: "a**b" is not a file name or pattern']),
        (('id = "rsl"', 'id = "rsl"\nmax_deletes = "many"'), ["source[1].max_deletes"]),
        (('path = "*.mrc"', ""), ['bibld.toml:8: missing key "source[1].path"; name a file']),
        (('id = "rsl"', 'id = "RSL 1"'), ['source[1].id: "RSL 1" is not a source id']),
        (('id = "rsl"', 'id = "rsl"\ncrosswalk = "marc12"'), ['did you mean "marc21"?', "auto"]),
        (('id = "rsl"', 'id = "rsl"\ncharset = "cp12510"'), ["source[1].charset", "is not a charset", "cp1251"]),
        (('id = "rsl"', 'id = "rsl"\ncomplete = "yes"'), ["source[1].complete: expected true or false, got string"]),
        (
            ("[[source]]", '[publish]\nparts = ["void", "dump"]\n[[source]]'),
            ['publish.parts: unknown publish adapter "dump"; did you mean "dumps"?'],
        ),
        (("[[source]]", "[publish]\nkeeps = 1\n[[source]]"), ['unknown key "publish.keeps"; did you mean "keep"?']),
        (("[[source]]", "[publish.void]\nx = 1\n[[source]]"), ['unknown key "publish.void.x"']),
        (("[[source]]", "[source]"), ["source: at least one table [[source]]"]),
    ],
)
def test_a_fault_is_named_with_its_place_and_what_is_allowed(write, change, expected):
    found = faults(write(GOOD.replace(*change)))
    for text in expected:
        assert text in found


def test_all_faults_are_named_at_once(write):
    text = (
        GOOD.replace("https://data.example.org/", "x").replace("*.mrc", "a**b")
        + '[dedup]\nscore = "x"\n[dedup.jaccard]\nsame = 7\n'
    )
    found = faults(write(text)).splitlines()
    assert [line.split(": ")[1] for line in found] == [
        "dataset.base",
        "source[1].path",
        "dedup.score",
        "dedup.jaccard.same",
    ]
    assert [int(line.split(":")[1]) for line in found] == [4, 10, 12, 14]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ('holdings = { 999 = { call_number = "a", location = "ml" } }', ""),
        ('libraries = { "VA@@" = "Alderman", "РГБ" = "XX-1", "XX-1" = { en = "Library", ru = "Библиотека" } }', ""),
        ('holdings = { 99 = { call_number = "a" } }', '"99" is not a tag; write its three characters, such as 999'),
        ('holdings = { 999 = { barcode = "i" } }', "names no place of a copy; add library, location or call_number"),
        ('holdings = { 999 = { call_number = "$a" } }', 'call_number: "$a" names no subfields; write their codes'),
        ('holdings = { 999 = { shelf = "a" } }', "unknown field"),
        ('fields = { 990 = { a = "note", bc = "https://example.org/terms/donor" }, 991 = "dcterms:relation" }', ""),
        ('[triplify]\nproperties = ["https://example.org/terms/donor"]', ""),
        ('[triplify]\nproperties = ["donor"]', 'bibld.toml:12: triplify.properties: "donor" is not the absolute IRI'),
        ('[triplify]\nproperties = ["http://www.w3.org/2002/07/owl#sameAs"]', "that a text of a record may state"),
        ('[source.fields]\n990.b = "nota"', 'bibld.toml:12: source[1].fields.990.b: "nota" is no text of MODS 3.8'),
        ("libraries = { A = {} }", '"A" has no name; write an ISIL, a name, or { en = "…" }'),
        ('libraries = { A = { "not a tag" = "Library" } }', '"not a tag" is not a language tag'),
    ],
)
def test_the_copies_and_local_fields_of_a_source_are_checked(write, lines, expected):
    text = GOOD + lines + "\n"
    if expected:
        assert expected in faults(write(text))
    else:
        assert config.load(write(text)).sources[0].config.id == "rsl"


def test_two_sources_with_one_id_are_a_fault(write):
    assert 'bibld.toml:12: source[2].id: more than one [[source]] has the id "rsl"' in faults(
        write(GOOD + '[[source]]\nid = "rsl"\npath = "*.mrc"\n')
    )


def test_a_key_that_was_renamed_or_an_adapter_that_is_missing_is_named(write):
    found = faults(write(GOOD + '[dedup]\nmatch = "jaccard"\n[dedup.jacard]\n[crosswalk.marc12]\n[store.x]\n'))
    assert 'bibld.toml:12: unknown key "dedup.match"; ' in found
    assert 'bibld.toml:13: unknown key "dedup.jacard"; did you mean "jaccard"?' in found
    assert 'bibld.toml:14: unknown crosswalk adapter "marc12"; did you mean "marc21"?' in found
    assert 'bibld.toml:15: unknown store adapter "x"' in found


def test_a_missing_file_and_a_broken_one_are_reported(write, tmp_path):
    assert faults(tmp_path / "nothing.toml").endswith(
        "nothing.toml: not found; name a configuration such as bibld.toml"
    )
    assert faults(write("a = 1\nb = = 2\n")).endswith("bibld.toml:2: not valid TOML: Invalid value")
    assert faults(write("a = 1\nworkspace = ")).endswith("not valid TOML: Invalid value (at end of document)")
    assert "not valid TOML" in faults(write("a = " + "[" * 9999))


def test_a_file_of_records_is_no_configuration(tmp_path):
    (tmp_path / "a.mrc").write_text("00024nam", encoding="utf-8")
    assert faults(tmp_path / "a.mrc").endswith("; name a configuration such as bibld.toml")


@pytest.mark.parametrize("charset", ["cp1251", "koi8-r", "utf-16"])
def test_a_configuration_in_another_charset_must_be_saved_as_utf_8(tmp_path, charset):
    path = tmp_path / "bibld.toml"
    path.write_bytes(GOOD.replace("Books", "Книги").encode(charset))
    line = 1 if charset == "utf-16" else 5
    (fault,) = faults(path).splitlines()
    assert fault.startswith(f"{path}:{line}: byte 0x")
    assert fault.endswith("is not UTF-8; save the file as UTF-8")


def test_a_configuration_may_begin_with_a_byte_order_mark(write):
    path = write(GOOD)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert config.load(path).workers == 0


TITLE = 'title = { en = "Books" }'
ID = 'id = "rsl"'
SOURCES = "[[source]]"


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('workspace = "work"', 'workspace = " "', "bibld.toml:2: workspace: is not a folder; "),
        ('workspace = "work"', 'workspace = "a\\u0000"', "bibld.toml:2: workspace: is not a folder; "),
        ('workspace = "work"', 'workspace = "work"\nworkers = -1', "bibld.toml:3: workers: expected "),
        (TITLE, "title = {}", "bibld.toml:5: dataset.title: is empty; "),
        (TITLE, 'title = { english_x = "B" }', 'bibld.toml:5: dataset.title: "english_x" is not a language tag; use '),
        ("zero/1.0/", "zero/1.0/ x", 'bibld.toml:6: dataset.license: "https://creativecommons.org/publicdomain/zero'),
        ("example.org/", "example.org/?x/", 'bibld.toml:4: dataset.base: "https://data.example.org/?x/" cannot be the'),
        ("example.org/", "example.org/#x/", 'bibld.toml:4: dataset.base: "https://data.example.org/#x/" cannot be the'),
        (SOURCES, "[dedup]\nblock = []\n[[source]]", "bibld.toml:9: dedup.block: names no blocker; name at least one "),
        (
            SOURCES,
            '[publish]\nparts = ["feed", "documents"]\n[[source]]',
            'bibld.toml:9: publish.parts: "feed" is made from the documents; name "documents" before it',
        ),
        (SOURCES, '[dedup]\nblock = ["x"]\n[[source]]', 'bibld.toml:9: dedup.block: unknown dedup.block adapter "x"'),
        (
            SOURCES,
            '[engine]\nname = "spark"\n[dedup]\nblock = ["identifier", "prefix"]\n[[source]]',
            'bibld.toml:11: dedup.block: "prefix" compares all records in the memory of one machine; use blockers with',
        ),
        (SOURCES, '[merge]\ntitle = "x"\n[[source]]', "bibld.toml:9: "),
        (SOURCES, '[store]\nbackend = "x"\n[[source]]', 'bibld.toml:9: store.backend: unknown store adapter "x"'),
        (
            SOURCES,
            "[dedup]\njaccard = 1\n[[source]]",
            "bibld.toml:9: dedup.jaccard: is not a table; write [dedup.jacca",
        ),
        (ID, f'{ID}\nlicense = "x"', 'bibld.toml:10: source[1].license: "x" is not an absolute IRI; '),
        (ID, f'{ID}\nlabel = {{ x_y = "B" }}', 'bibld.toml:10: source[1].label: "x_y" is not a language tag; use a '),
        (
            ID,
            f'{ID}\naddress = {{ x_y = "B" }}',
            'bibld.toml:10: source[1].address: "x_y" is not a language tag; use a ',
        ),
        (
            ID,
            f'{ID}\ncatalogue_url = "https://opac.example.org/{{isb}}"',
            'bibld.toml:10: source[1].catalogue_url: unknown placeholder "isb"; did you mean "isbn"? (allowed: id, ',
        ),
        (
            ID,
            f'{ID}\ncatalogue_url = "gopher://opac.example.org/{{id}}"',
            'bibld.toml:10: source[1].catalogue_url: "gopher://opac.example.org/{id}" is not a web address with ',
        ),
        (ID, f'{ID}\nread = "x"', 'bibld.toml:10: source[1].read: unknown read adapter "x" (allowed: '),
        (ID, f'{ID}\nharvest = "lokal"', 'bibld.toml:10: source[1].harvest: unknown harvest adapter "lokal"; did you '),
    ],
)
def test_each_wrong_value_is_the_only_fault(write, old, new, fault):
    text = GOOD.replace(old, new)
    assert text != GOOD
    (found,) = faults(write(text)).splitlines()
    assert found[found.index("bibld.toml") :].startswith(fault), found


@pytest.mark.parametrize("stage", ["dedup", "merge", "store", "publish", "triplify", "serve", "crosswalk", "dataset"])
def test_a_stage_that_is_no_table_is_a_fault(write, stage):
    text = f"{stage} = 1\n" + GOOD
    if stage == "dataset":
        text = text.replace("[dataset]", "[store]").partition("[store]")[0] + '[[source]]\nid = "rsl"\npath = "*.mrc"\n'
    assert f"bibld.toml:1: {stage}: is not a table; write [{stage}]" in faults(write(text))


def test_the_workspace_is_relative_to_the_configuration(write, tmp_path):
    loaded = config.load(write(GOOD.replace('"work"', '"../x/./work"')))
    assert loaded.workspace == tmp_path.parent / "x" / "work"
