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
    assert loaded.settings("dedup.score", loaded.dedup.score).same == 0.9
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
            ['line 2: worspace: unknown key "worspace"; did you mean "workspace"?', "workspace: is required"],
        ),
        (
            ('base = "https://data.example.org/"', 'base = "https://data.example.org"'),
            ["line 4: dataset.base:", "ends with /"],
        ),
        (('base = "https://data.example.org/"', 'base = "data"'), ["dataset.base:", "absolute http or https IRI"]),
        (
            ("license =", "licence ="),
            ['unknown key "licence"; did you mean "license"?', "dataset.license: is required"],
        ),
        (('title = { en = "Books" }', 'title = "Books"'), ["line 5: dataset.title: expected object, got str"]),
        (('path = "*.mrc"', 'path = "*.iso"'), ['line 10: source[1].path: no file matches the pattern "*.iso"']),
        (('path = "*.mrc"', 'path = "gone.mrc"'), ['source[1].path: there is no file "gone.mrc"']),
        (('path = "*.mrc"', ""), ["source[1].path: is required"]),
        (('id = "rsl"', 'id = "RSL 1"'), ['source[1].id: "RSL 1" is no source id']),
        (('id = "rsl"', 'id = "rsl"\ncrosswalk = "marc12"'), ['did you mean "marc21"?', "auto"]),
        (('id = "rsl"', 'id = "rsl"\ncharset = "cp12510"'), ["source[1].charset", "is not a charset"]),
        (('id = "rsl"', 'id = "rsl"\ncomplete = "yes"'), ["source[1].complete: expected bool, got str"]),
        (
            ("[[source]]", '[publish]\nparts = ["void", "dump"]\n[[source]]'),
            ['publish.parts: unknown publish adapter "dump"; did you mean "dumps"?'],
        ),
        (("[[source]]", "[publish]\nkeeps = 1\n[[source]]"), ['publish.keeps: unknown key "keeps"']),
        (("[[source]]", "[publish.void]\nx = 1\n[[source]]"), ['publish.void.x: unknown key "x"']),
        (("[[source]]", "[source]"), ["source: at least one table [[source]]"]),
    ],
)
def test_a_fault_is_named_with_its_place_and_what_is_allowed(write, change, expected):
    found = faults(write(GOOD.replace(*change)))
    for text in expected:
        assert text in found


def test_all_faults_are_named_at_once(write):
    text = (
        GOOD.replace("https://data.example.org/", "x").replace("*.mrc", "gone")
        + '[dedup]\nscore = "x"\n[dedup.jaccard]\nsame = 7\n'
    )
    found = faults(write(text)).splitlines()
    assert [line.split(": ")[1] for line in found] == [
        "dataset.base",
        "source[1].path",
        "dedup.score",
        "dedup.jaccard.same",
    ]


def test_two_sources_with_one_id_are_a_fault(write):
    assert "stands in more than one" in faults(write(GOOD + '[[source]]\nid = "rsl"\npath = "*.mrc"\n'))


def test_a_missing_file_and_a_broken_one_are_told(write, tmp_path):
    assert "there is no such file" in faults(tmp_path / "nothing.toml")
    assert "is not TOML" in faults(write("workspace = "))
