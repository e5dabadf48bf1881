"""Numbers of authority records for subject headings: added, and demanded by the worklist, where they are certain."""

import pytest

import bibld
from tests.read.carriers import lines_of

CONFIG = """workspace = "work"
workers = 1
[dataset]
base = "https://data.example.org/"
title = { en = "Test" }
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "tests"
isil = "XX-9"
[[source]]
id = "one"
path = "one.mrk"
[[source]]
id = "two"
path = "two.mrk"
isil = "DE-101"
[[source]]
id = "three"
path = "three.mrk"
"""
MARC21 = """=LDR  00000nam a2200000 i 4500
=001  {number}
=008  840412s1986    gw a     b    000 0 ger d
=020  \\\\$a3150000017
=100  1\\$aGoethe, Johann Wolfgang von,$d1749-1832
=245  10$aFaust :$bder Tragödie erster Teil
=260  \\\\$aStuttgart :$bReclam,$c1986.
=300  \\\\$a135 p.
{subjects}
"""
UNIMARC = """=LDR  00000nam  2200000   450\x20
=001  {number}
=010  \\\\$a3150000017
=100  \\\\$a19860101d1986    m  y0gery50      ba
=101  0\\$ager
=200  1\\$aFaust$eder Tragödie erster Teil$fJohann Wolfgang von Goethe
=210  \\\\$aStuttgart$cReclam$d1986
=215  \\\\$a135 p.
{subjects}
=700  \\1$aGoethe$bJohann Wolfgang von$f1749-1832
=801  \\0$aRU$bX$c20000101
"""
LCSH = "http://id.loc.gov/authorities/subjects/"
GND = "https://d-nb.info/gnd/"

HEADINGS = [
    # what the library has, what it gets, and from where the number is
    ("650  0$aBridges", f"$0{LCSH}sh85016829", "the table of LCSH"),
    ("650  0$aBridges.$0sh85016829", "", "it has one"),
    ("650  0$aAdultery$vFiction", f"$0{LCSH}sh2007100578", "the table of LCSH, with subdivisions"),
    ("650  0$aNo such heading", "", "nowhere"),
    ("650  7$aBrücke$2gnd", f"$0{GND}4008384-6", "the record of another library"),
    ("650  7$aTunnel$2gnd", "", "two numbers in other records"),
    ("650  4$aBrücke", "", "a heading without a thesaurus"),
]
GIVEN = [
    "650  7$aBrücke$0(DE-588)4008384-6$2gnd",
    "650  7$aTunnel$0(DE-588)4061206-5$2gnd",
    "650  7$aTunnel$0(DE-588)4135479-5$2gnd",
]


def mrk(lines):
    return "\n".join(f"={line[:3]}  {line[4:6].replace(' ', chr(92))}{line[6:]}" for line in lines)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    files = {
        "one": MARC21.format(number="1", subjects=mrk(line for line, _, _ in HEADINGS)),
        "two": MARC21.format(number="2", subjects=mrk(GIVEN)),
        "three": UNIMARC.format(number="3", subjects=mrk(["606 0 $aBridges$2lcsh", "606 0 $aBrücke$37$2gnd"])),
    }
    for name, text in files.items():
        (folder / f"{name}.mrk").write_text(text, encoding="utf-8")
    (folder / "bibld.toml").write_text(CONFIG, encoding="utf-8")
    workspace = bibld.Workspace(folder / "bibld.toml")
    workspace.run("triplify")
    return workspace


def enriched(workspace, source, tmp_path, *elements):
    out = tmp_path / "out.mrk"
    workspace.enrich(workspace.path.with_name(f"{source}.mrk"), out, elements=elements)
    (record,) = bibld.read(out)
    return lines_of(record.content.all_fields)


def test_headings_get_certain_numbers(workspace, tmp_path):
    lines = [line for line in enriched(workspace, "one", tmp_path, "authorities") if line.startswith("650")]
    assert [line.partition("$8")[0] for line in lines] == [line for line, _, _ in HEADINGS]
    assert [line.partition("\\p")[2] for line in lines] == [added for _, added, _ in HEADINGS]


def test_headings_of_unimarc_get_the_address_of_their_record_unless_they_are_numbered(workspace, tmp_path):
    lines = [line for line in enriched(workspace, "three", tmp_path, "authorities") if line.startswith("606")]
    assert lines == [f"606 0 $aBridges$2lcsh$6z01983$3{LCSH}sh85016829", "606 0 $aBrücke$37$2gnd"]


def test_the_worklist_demands_them(workspace):
    lines = workspace.worklist("one", kinds=["authorities"])
    assert {line.value: line.remedy for line in lines if "Goethe" not in line.value} == {
        "Bridges": f"add {LCSH}sh85016829",
        "Adultery -- Fiction": f"add {LCSH}sh2007100578",
        "Brücke": f"add {GND}4008384-6",
    }


def test_codes_of_organisations_are_in_the_provenance(workspace, tmp_path):
    lines = enriched(workspace, "one", tmp_path, "authorities", "subjects")
    assert "883 0 $83\\p$abibld: subjects$c1.00$qXX-9$uhttps://data.example.org/record/three/3" not in lines
    found = [line for line in lines if line.startswith("883")]
    assert found
    assert all("$qXX-9$uhttps://data.example.org/" in line for line in found)
    of_two = [line for line in enriched(workspace, "three", tmp_path, "subjects") if "/record/two/" in line]
    assert of_two
    assert all(line.endswith("$w(DE-101)2") for line in of_two)
