"""A library's file back from a workspace: what is added, by which policy, and that a later run updates only that."""

import json
import os
import re
import shutil
from collections import Counter
from typing import get_args

import pytest
from click.testing import CliRunner
from lxml import html

import bibld
import bibld.progress
from bibld.cli import command_line
from bibld.errors import ConfigError, HarvestError
from bibld.model.enrichment import ReturnedFiles, ReturnElement
from bibld.worklist import FormatChecker, load_format
from tests.read.carriers import lines_of

FILES = {"rsl": "rsl.mrc", "nlr": "nlr.iso", "slavica": "slavica.xml"}
PEOPLE = """\
id,label,variants,dates,kind,numbers
http://viaf.org/viaf/96987389,"Толстой, Лев Николаевич",Tolstoy Leo,1828-1910,person,
"""


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    folder = tmp_path_factory.mktemp("enrich")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOURCE_DATE_EPOCH", "1767225600")
        config = bibld.write_sample(folder / "sample")
        bibld.Workspace(config).run()
        (folder / "people.csv").write_text(PEOPLE, encoding="utf-8")
        bibld.Workspace(config).links.update([folder / "people.csv"])
    return config


@pytest.fixture
def workspace(prepared):
    return bibld.Workspace(prepared)


def enriched(workspace, source, out, **options):
    found = []
    report = workspace.enrich(workspace.path.parent / FILES[source], out, observe=found.append, **options)
    return report, found


def fields_of(file, number):
    record = next(one for one in bibld.read(file) if one.control_number == number)
    return lines_of(record.content.all_fields)


ANNA = "01004039769"


@pytest.mark.parametrize("source", FILES)
def test_every_byte_of_the_library_stays(workspace, source, tmp_path):
    out, back = tmp_path / FILES[source], tmp_path / "back"
    report, found = enriched(workspace, source, out)
    assert report.records == report.enriched == report.changed
    assert report.additions == len(found) >= report.records * 2
    original = workspace.path.parent / FILES[source]
    for before, after in zip(bibld.read(original), bibld.read(out), strict=True):
        rest = list(after.content.all_fields)
        for field in before.content.all_fields:
            if field in rest:
                rest.remove(field)
            else:  # it has got subfields behind its own
                longer = next(
                    one
                    for one in rest
                    if one.tag == field.tag and one.subfields[: len(field.subfields)] == field.subfields
                )
                rest.remove(longer)
    undone = workspace.enrich(out, back, source=source, withdraw=True)
    assert back.read_bytes() == original.read_bytes()
    assert (undone.records, undone.changed, undone.additions) == (report.records, report.changed, 0)


@pytest.mark.parametrize("source", FILES)
def test_a_later_run_changes_only_its_own_additions(workspace, source, tmp_path):
    once, twice, fewer = tmp_path / "once", tmp_path / "twice", tmp_path / "fewer"
    enriched(workspace, source, once)
    workspace.enrich(once, twice, source=source)
    assert twice.read_bytes() == once.read_bytes()
    workspace.enrich(once, fewer, source=source, elements=["isbn"])
    alone = tmp_path / "alone"
    enriched(workspace, source, alone, elements=["isbn"])
    assert fewer.read_bytes() == alone.read_bytes()


def test_fields_state_where_they_are_from(workspace, tmp_path):
    enriched(workspace, "rsl", tmp_path / "rsl.mrc", elements=["identifiers", "links", "subjects", "classification"])
    lines = fields_of(tmp_path / "rsl.mrc", ANNA)
    for line in [
        f"024 7 $81\\p$ahttp://localhost:8000/resource/rsl/{ANNA}$2uri",
        f"758   $81\\p$iWork manifested:$1http://localhost:8000/work/rsl/{ANNA}",
        "883 0 $81\\p$abibld: identifiers$uhttp://localhost:8000/dataset",
        "050  4$85\\p$aPG3365.A6 1970",
        "650  0$83\\p$aAdultery$vFiction",
    ]:
        assert line in lines
    author = next(line for line in lines if line.startswith("100"))
    assert (
        author == "100 1 $aТолстой, Лев Николаевич$d1828-1910$0(RuMoRGB)000144061$82\\p$1http://viaf.org/viaf/96987389"
    )
    assert [line for line in lines if "bibld: links" in line and "http://localhost:8000/agent/" in line]


def test_rusmarc_gets_its_own_fields(workspace, tmp_path):
    _, found = enriched(workspace, "nlr", tmp_path / "nlr.iso", elements=["identifiers", "links", "classification"])
    lines = fields_of(tmp_path / "nlr.iso", "RU\\NLR\\bibl\\538692")
    site = "http://localhost:8000/"
    assert f"033   $6z01983$a{site}resource/rsl/{ANNA}" in lines
    assert f"017 70$6z01983$a{site}work/rsl/{ANNA}$2uri" in lines
    assert f"983 0 $6z01$abibld: identifiers$u{site}dataset" in lines
    assert "686   $6z04983$aР1$2rubbk" in lines
    assert f"983 0 $6z04$abibld: classification$c0.92$u{site}record/rsl/{ANNA}" in lines
    author = next(line for line in lines if line.startswith("700"))
    assert author.startswith(
        "700  1$aТолстой$bЛ. Н.$gЛев Николаевич$f1828-1910$3RU\\NLR\\auth\\77626676$4070$6z02983$o"
    )
    assert author.endswith("$oVIAF96987389")
    assert (tmp_path / "nlr.iso").read_bytes().decode("cp1251")
    assert {one.element for one in found} == {"identifiers", "links", "classification"}
    assert {one.tag[0] for one in found if one.element == "links"} == {"7"}


@pytest.mark.parametrize(("source", "flavour"), [("rsl", "marc21"), ("nlr", "rusmarc"), ("nlr", "unimarc")])
def test_additions_are_no_fault_of_the_format(workspace, source, flavour, tmp_path):
    """No line of the worklist that the record did not have before: neither for the additions nor for their marks."""
    elements = get_args(ReturnElement)
    _, found = enriched(workspace, source, tmp_path / "out", elements=elements)
    assert {one.element for one in found} >= {"identifiers", "links", "subjects", "classification"}
    inspect = FormatChecker(load_format(flavour)).inspect
    original = workspace.path.parent / FILES[source]
    for before, after in zip(bibld.read(original), bibld.read(tmp_path / "out"), strict=True):
        had = Counter(without_place(one) for one in inspect(before.content).faults)
        has = Counter(without_place(one) for one in inspect(after.content).faults)
        assert has - had == Counter()


def without_place(fault):
    """Return a fault without the number of the occurrence of its field, which additions change."""
    return fault.kind, re.sub(r"\[[0-9]+\]", "", fault.where), fault.value


@pytest.fixture
def changed(prepared, tmp_path):
    """Return a workspace like the prepared one with other keys for the source rsl."""

    def change(keys):
        text = prepared.read_text(encoding="utf-8")
        text = text.replace('path = "rsl.mrc"\n', f'path = "rsl.mrc"\n{keys}\n')
        text = text.replace('workspace = "', f'workspace = "{prepared.parent.as_posix()}/', 1)
        for name in FILES.values():
            shutil.copy(prepared.parent / name, tmp_path / name)
        (tmp_path / "bibld.toml").write_text(text, encoding="utf-8")
        return bibld.Workspace(tmp_path / "bibld.toml")

    return change


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ('elements = ["subjects"]', {"nlr", "slavica"}),
        ('elements = ["subjects"]\nfrom = ["nlr"]', {"nlr"}),
        ('elements = ["subjects"]\nschemes = ["lcsh"]', {"slavica"}),
        ('elements = ["subjects"]\nscore = 1.0', set()),
        ('elements = ["isbn"]', {"nlr"}),
    ],
)
def test_the_policy_decides_from_whom(changed, policy, expected):
    workspace = changed(f"[source.return]\n{policy}")
    _, found = enriched(workspace, "rsl", None)
    assert {one.source.split("/record/")[1].partition("/")[0] for one in found} == expected


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        ('from = ["no"]', 'return.from: no [[source]] has the id "no"'),
        ('elements = ["covers", "x"]', "return: "),
        ("score = 2", "return: "),
        ('file = "{id}.mrc"', "has other placeholders than {source} and {file}"),
        ('file = "back/"', "names a folder"),
        ('licence = "x"', "return: "),
    ],
)
def test_a_faulty_policy_is_named(changed, policy, message):
    with pytest.raises(ConfigError) as caught:
        changed(f"[source.return]\n{policy}")
    assert message in str(caught.value)


def test_once_only_elements_are_added_where_there_are_none(workspace, tmp_path):
    _, found = enriched(
        workspace, "slavica", tmp_path / "out", elements=["abstract", "contents", "language", "full_text"]
    )
    kinds = {one.element for one in found}
    assert {"abstract", "full_text"} <= kinds
    for one in found:
        number = one.record.control_number
        own = fields_of(workspace.path.parent / FILES["slavica"], number)
        assert one.element == "full_text" or not [line for line in own if line.startswith(one.tag)]


def test_records_that_the_catalog_has_not_are_copied(workspace, tmp_path):
    original = (workspace.path.parent / "rsl.mrc").read_bytes()
    other = original.replace(ANNA.encode(), b"99999999999")
    file = tmp_path / "other.mrc"
    file.write_bytes(b"\r\n" + other + b"\r\n\x1a")
    report = workspace.enrich(file, tmp_path / "out", source="rsl")
    assert (report.records, report.unknown) == (123, 1)
    written = (tmp_path / "out").read_bytes()
    assert written.startswith(b"\r\n" + other[: int(other[:5])])
    assert written.endswith(b"\x1d\r\n\x1a")


def test_what_a_library_delivers_again_is_its_own_statement(prepared, tmp_path):
    folder = tmp_path / "again"
    config = bibld.write_sample(folder)
    again = bibld.Workspace(config)
    for source, name in FILES.items():
        bibld.Workspace(prepared).enrich(prepared.parent / name, folder / name)
        del source
    again.run("read")
    with bibld.Workspace(prepared).catalog() as before, again.catalog() as after:
        own = {str(record): mods for record, _, mods in before.records.live()}
        assert {str(record): mods for record, _, mods in after.records.live()} == own


def run_command(*words):
    done = CliRunner().invoke(command_line, ["enrich", *map(str, words)])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def test_a_dry_run_prints_the_additions(workspace, tmp_path):
    file = workspace.path.parent / "rsl.mrc"
    done = run_command(workspace.path, file, "--dry-run", "--elements", "isbn, identifiers", "-q")
    lines = done.stdout.splitlines()
    assert len(lines) == 248
    assert lines[0].startswith(f"rsl:{ANNA}  024 $a http://localhost:8000/resource/rsl/{ANNA} $2 uri  (")
    assert done.stderr == "123 records; 123 changed; 246 additions of identifiers; 2 additions of isbn\n"
    assert sorted(tmp_path.iterdir()) == []
    done = run_command(workspace.path, file, "--dry-run", "--json", "-q", "--elements", "isbn")
    found = json.loads(done.stdout)
    assert (found["report"]["enriched"], len(found["additions"])) == (2, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rsl.mrc"], "no output: name a file or folder by --out"),
        (["rsl.mrc", "-o", "rsl.mrc"], "is the file itself"),
        (["bibld.toml", "-o", "x"], "is not a file of any source"),
        (["rsl.mrc", "-o", "x", "--source", "no"], 'unknown source "no"'),
        (["rsl.mrc", "-o", "x", "--elements", "isbns"], 'did you mean "isbn"'),
    ],
)
def test_wrong_use_is_explained(workspace, monkeypatch, words, message):
    monkeypatch.chdir(workspace.path.parent)
    done = run_command("bibld.toml", *words)
    assert done.exit_code == 2
    assert message in done.stderr


def test_files_that_cannot_be_changed_are_refused(workspace, tmp_path):
    (tmp_path / "f.txt").write_text("#200: ^AЗаглавие\n#903: 1\n*****\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="is a text file of IRBIS, whose fields are not those of MARC"):
        workspace.enrich(tmp_path / "f.txt", tmp_path / "out", source="rsl")
    (tmp_path / "f.gz").write_bytes(b"\x1f\x8b" + b"\0" * 20)
    with pytest.raises(HarvestError):
        workspace.enrich(tmp_path / "f.gz", tmp_path / "out", source="rsl")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("mark", ["\ufeff", ""])
def test_files_in_utf16_are_enriched(workspace, tmp_path, charset, mark):
    """Each pair of bytes stays, one that is no character too; the additions are those of the file in UTF-8."""
    text = (workspace.path.parent / "slavica.xml").read_text("utf-8").replace("UTF-8", "UTF-16")
    file, out, back = tmp_path / "slavica.xml", tmp_path / "out", tmp_path / "back"
    head = (mark + text.replace("</collection>", "<!-- \ud834 -->\n</collection>")).encode(charset, "surrogatepass")
    file.write_bytes(head)
    report = workspace.enrich(file, out, source="slavica")
    plain, _ = enriched(workspace, "slavica", tmp_path / "plain")
    assert report.elements == plain.elements
    added = out.read_bytes().decode(charset, "replace").removeprefix(mark).replace("UTF-16", "UTF-8")
    assert added.partition("<!-- ")[0] == (tmp_path / "plain").read_text("utf-8").partition("</collection>")[0]
    workspace.enrich(out, back, source="slavica", withdraw=True)
    assert back.read_bytes() == head
    file.write_bytes(head + b"\0")
    with pytest.raises(HarvestError, match="last character is incomplete"):
        workspace.enrich(file, out, source="slavica")


def test_each_run_returns_the_files(prepared, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    folder = tmp_path / "site"
    config = bibld.write_sample(folder)
    text = config.read_text(encoding="utf-8")
    policy = '\n[source.return]\nelements = ["identifiers", "isbn"]\nfile = "back/{source}/{file}"\n'
    config.write_text(text.replace('path = "nlr.iso"\n', f'path = "nlr.iso"\n{policy}'), encoding="utf-8")
    workspace = bibld.Workspace(config)
    workspace.run()
    target = folder / "back" / "nlr" / "nlr.iso"
    table = html.parse(folder / "build" / "report.html").xpath(
        "//h2[. = 'Given back']/following::table[1]//tbody//*/text()"
    )
    assert table == ["nlr", "nlr.iso", "2026-01-01T00:00:00+00:00", "129", "129", "identifiers 258, isbn 6", "0"]
    (noted,) = ReturnedFiles.read(workspace.config.workspace).sources["nlr"]
    assert (noted.records, noted.enriched, noted.elements) == (129, 129, (("identifiers", 258), ("isbn", 6)))
    workspace.enrich(folder / "nlr.iso", tmp_path / "same")
    assert target.read_bytes() == (tmp_path / "same").read_bytes()
    inode, time = target.stat().st_ino, target.stat().st_mtime_ns
    workspace.run()
    assert (target.stat().st_ino, target.stat().st_mtime_ns) == (inode, time)
    os.utime(config)
    workspace.run()
    assert target.stat().st_ino == inode
    assert target.stat().st_mtime_ns > time
    config.write_text(
        config.read_text(encoding="utf-8").replace('["identifiers", "isbn"]', '["isbn"]'), encoding="utf-8"
    )
    bibld.Workspace(config).run()
    assert target.stat().st_ino != inode
    assert b"resource/" not in target.read_bytes()
    assert sorted(one.name for one in target.parent.iterdir()) == ["nlr.iso"]


def test_records_that_cannot_be_changed_are_one_warning_for_each_reason(prepared, tmp_path):
    warnings = []

    class Listed(bibld.progress.Silent):
        def warn(self, message):
            warnings.append(message)

    original = (prepared.parent / "rsl.mrc").read_bytes()
    first = original[: int(original[:5])]
    wrong = first[:27] + b"0099" + first[31:]
    file = tmp_path / "f.mrc"
    file.write_bytes(wrong * 3 + first)
    workspace = bibld.Workspace(prepared, progress=Listed())
    report = workspace.enrich(file, tmp_path / "out", source="rsl")
    assert (report.records, report.unchangeable, report.enriched) == (4, 3, 1)
    assert warnings == [
        "f.mrc record 1 (byte 0) (and 2 further): its directory does not fit its fields; it is returned as it is"
    ]
    assert (tmp_path / "out").read_bytes().startswith(wrong * 3)


def test_a_number_that_another_record_had_is_no_evidence(workspace, tmp_path):
    original = (workspace.path.parent / "rsl.mrc").read_bytes()
    other = "01002003420"
    first = original[: int(original[:5])].replace(ANNA.encode(), other.encode())
    file = tmp_path / "f.mrc"
    file.write_bytes(first)
    report = workspace.enrich(file, tmp_path / "out", source="rsl")
    assert (report.records, report.unchangeable, report.enriched) == (1, 1, 0)
    assert (tmp_path / "out").read_bytes() == first
    changed = first.replace(other.encode(), ANNA.encode()).replace("роман в восьми".encode(), "Роман в восьми".encode())
    file.write_bytes(changed)
    assert workspace.enrich(file, tmp_path / "out", source="rsl").enriched == 1


def test_a_file_of_no_source_is_enriched_by_what_its_records_match(workspace, tmp_path):
    """Its records have numbers that the catalog does not know; additions are those of their publications."""
    original = workspace.path.with_name("nlr.iso").read_bytes()
    (tmp_path / "foreign.iso").write_bytes(original.replace(b"RU\\NLR\\bibl\\", b"RU\\XYZ\\bibl\\"))
    report = workspace.enrich(tmp_path / "foreign.iso", tmp_path / "back.iso", match=True)
    assert (report.records, report.unknown) == (129, 0)
    assert dict(report.elements)["identifiers"] >= 2 * 129
    back = (tmp_path / "back.iso").read_bytes()
    assert back.count(b"/resource/") >= 129
    assert b"RU\\XYZ\\bibl\\538692" in back
    workspace.enrich(tmp_path / "back.iso", tmp_path / "again.iso", match=True, withdraw=True)
    assert (tmp_path / "again.iso").read_bytes() == (tmp_path / "foreign.iso").read_bytes()
    with pytest.raises(ConfigError, match="leave --source or --match out"):
        workspace.enrich(tmp_path / "foreign.iso", source="nlr", match=True)
