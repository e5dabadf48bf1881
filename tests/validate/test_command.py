"""``bibld validate``: what a person sees, what a program reads, and the exit codes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from bibld.cli import command_line
from bibld.config import Config
from tests.end_to_end.conftest import sample as sample

SHAPES = """
@prefix bf: <http://id.loc.gov/ontologies/bibframe/> .
@prefix dcterms: <http://purl.org/dc/terms/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
<http://example.org/shapes#Book> a sh:NodeShape ; sh:targetClass bf:Instance ; rdfs:label "book"@en ;
    sh:property [ sh:path dcterms:title ; sh:maxCount 0 ; SEVERITY sh:message "A book has no title."@en ] .
"""


def run(sample: Config, *options: str):
    return CliRunner().invoke(command_line, ["validate", str(sample.file), "--quiet", *options])


def test_the_sample_has_no_violations(sample):
    ended = run(sample)
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.splitlines()[0].split() == ["shape", "nodes", "violations", "warnings", "infos"]
    assert " statements, " in ended.stdout
    assert "violation:" not in ended.stdout


@pytest.mark.parametrize(
    ("severity", "exit_code", "options"),
    [
        ("", 1, ()),
        ("sh:severity sh:Warning ;", 0, ()),
        ("sh:severity sh:Info ;", 0, ()),
        ("sh:severity sh:Info ;", 0, ("--severity", "warning")),
    ],
)
def test_violations_end_with_1_and_lesser_results_with_0(severity, exit_code, options, sample, tmp_path):
    file = tmp_path / "mine.ttl"
    file.write_text(SHAPES.replace("SEVERITY", severity), encoding="utf-8")
    ended = run(sample, "--shapes", str(file), *options)
    assert ended.exit_code == exit_code
    assert ("A book has no title." in ended.stdout) == (not options)
    if not options:
        lines = ended.stdout.splitlines()
        (found,) = [number for number, line in enumerate(lines) if ": book, http://purl.org/dc/terms/title: " in line]
        assert lines[found].endswith(" results of MaxCount")
        assert all(line.startswith("    <http://localhost:8000/resource/") for line in lines[found + 2 : found + 5])
        assert lines[found + 5].startswith("    … and ")


def test_a_program_reads_json_and_a_validation_report(sample, tmp_path):
    file, report = tmp_path / "mine.ttl", tmp_path / "report.nt"
    file.write_text(SHAPES.replace("SEVERITY", ""), encoding="utf-8")
    ended = run(sample, "--shapes", str(file), "--json", "--report", str(report), "--limit", "5")
    found = msgspec.json.decode(ended.stdout)
    (finding,) = found["findings"]
    assert (finding["severity"], finding["component"], finding["shape"]) == ("violation", "MaxCount", "book")
    assert finding["count"] > 200
    assert len(finding["examples"]) == 3
    assert report.read_text(encoding="utf-8").count("#ValidationResult>") == 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory; name a file of SHACL shapes"),
        ("<<<", "is not Turtle"),
        (SHAPES.replace("SEVERITY", "sh:sparql [] ;"), "sh:sparql is not supported"),
    ],
)
def test_shapes_that_cannot_be_used_end_with_2(text, message, sample, tmp_path):
    file: Path = tmp_path / "mine.ttl"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    ended = run(sample, "--shapes", str(file))
    assert ended.exit_code == 2
    assert message in ended.stderr


def test_nothing_can_be_validated_before_the_first_run(tmp_path):
    from tests.end_to_end.conftest import sample_in

    ended = run(sample_in(tmp_path))
    assert ended.exit_code == 1
    assert "nothing has been run yet" in ended.stderr
