"""The page of a worklist: counts, lines by kind and page, tables, both languages, and what cannot be asked for."""

from __future__ import annotations

import io
import shutil
from typing import get_args

import openpyxl
import pytest
from lxml import html

import bibld
from bibld._api.site import open_site
from bibld.model.enrichment import ReturnElement
from bibld.serve._pages.worklists import ADDITION_WORDS
from bibld.text.translations import sentences_in, word_tables
from bibld.worklist import WorkKind
from tests.serve.client import running


@pytest.fixture(scope="module")
def own(workspace, tmp_path_factory) -> bibld.Workspace:
    folder = shutil.copytree(workspace.path.parent, tmp_path_factory.mktemp("worklist") / "sample")
    return bibld.Workspace(folder / "bibld.toml")


@pytest.fixture(scope="module")
def lines(own):
    return own.worklist()


@pytest.fixture(scope="module")
def server(own, lines):
    with running(open_site(own, own.config.serve)) as client:
        yield client


def test_the_page_shows_what_the_library_got_back(own, server, tmp_path):
    assert "What it got back" not in server.get("/worklist/rsl", "text/html").text
    back, again = tmp_path / "rsl.mrc", tmp_path / "again" / "rsl.mrc"
    own.enrich(own.path.parent / "rsl.mrc", back, elements=["identifiers", "isbn"])
    page = html.fromstring(server.get("/worklist/rsl", "text/html").text)
    (section,) = page.xpath("//section[@aria-labelledby='given-back']")
    assert "123 of 123 records have additions since" in section.findtext("p")
    assert [row.text_content().split("\n")[0] for row in section.iter("tr")] == [
        "Identifiers of publications and works246",
        "ISBN2",
    ]
    own.enrich(back, again, source="rsl", elements="isbn")
    shown = server.get("/worklist/rsl?lang=ru", "text/html").text
    assert "Прежние добавления удалены из записей: 123" in shown
    assert {*ADDITION_WORDS} == {*get_args(ReturnElement)}


def test_before_the_first_worklist_the_page_names_the_command(workspace):
    with running(open_site(workspace, workspace.config.serve)) as client:
        page = client.get("/worklist/nlr", "text/html").text
    assert "bibld worklist CONFIG nlr" in page


def test_the_page_has_the_lines_of_the_library_and_their_counts(server, lines):
    page = server.get("/worklist/nlr", "text/html")
    assert page.headers["x-robots-tag"] == "noindex"
    of_source = [line for line in lines if line.source == "nlr"]
    assert page.text.count('data-label="What to do"') == len(of_source)
    kinds = {line.kind for line in of_source}
    assert all(f"kind={kind}" in page.text for kind in kinds)
    assert 'href="/worklist/nlr"' in server.get("/doc/dataset/nlr.html", "text/html").text


def test_the_lines_of_a_kind_and_their_json(server, lines):
    kind = next(line.kind for line in lines if line.source == "nlr")
    found = server.get(f"/worklist/nlr?kind={kind}&format=json").json()
    expected = [line for line in lines if line.source == "nlr" and line.kind == kind]
    assert [line["key"] for line in found["lines"]] == [line.key for line in expected]
    assert sum(one["lines"] for one in found["counts"]) == sum(line.source == "nlr" for line in lines)


def test_a_page_without_lines_is_empty(server):
    assert server.get("/worklist/nlr?page=99&format=json").json()["lines"] == []


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_the_list_is_taken_along_as_a_table(server, lines, form):
    answer = server.get(f"/worklist/nlr?format={form}")
    assert answer.headers["content-disposition"] == f'attachment; filename="worklist-nlr.{form}"'
    if form == "csv":
        rows = answer.content.decode("utf-8-sig").splitlines()[1:]
    else:
        rows = list(openpyxl.load_workbook(io.BytesIO(answer.content)).active.values)[1:]
    assert len(rows) == sum(line.source == "nlr" for line in lines)


def test_a_russian_page_states_in_russian_what_is_wrong(server, lines):
    page = server.get("/worklist/nlr", "text/html", accept_language="ru").text
    assert "Рабочий список" in page
    for line in lines:
        for sentence in (line.wrong, line.remedy):
            assert sentences_in("ru").text(sentence) != sentence


def test_every_kind_has_words():
    assert set(word_tables()["work_kind"]) == {kind.value for kind in WorkKind}


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/worklist/nowhere", 404),
        ("/worklist/nlr?kind=nothing", 400),
        ("/worklist/nlr?page=0", 400),
        ("/worklist/nlr?page=-1", 400),
        ("/worklist/nlr?page=999999999999999999999", 400),
        ("/worklist/nlr?page=٣", 400),
        ("/worklist/nlr?format=exe", 400),
    ],
)
def test_what_cannot_be_asked_for_is_refused(server, path, status):
    assert server.get(path).status_code == status


def test_what_is_not_published_is_not_shown(tmp_path):
    """541 $y is undefined and private, 020 $y is undefined and published; a record with a withheld value shows none."""
    from bibld.model.marc import ControlField, DataField, Leader, MarcRecord, Subfield
    from bibld.model.marc_writers import to_marcxml
    from bibld.model.origin import Origin

    def record(number: str) -> bytes:
        fields = (
            ControlField("001", number),
            ControlField("008", "850101s1985    ru            000 0 rus d"),
            DataField("020", " ", " ", (Subfield("y", f"public {number}"),)),
            DataField("245", "0", "0", (Subfield("a", f"Книга {number}"),)),
            DataField("541", "0", " ", (Subfield("a", "secret donor"), Subfield("y", "secret price"))),
        )
        xml = to_marcxml(MarcRecord(Origin("a", "f", 1, 0), Leader("00000nam a2200000 i 4500"), fields))
        return xml.partition(b"?>")[2]

    body = b"<collection xmlns='http://www.loc.gov/MARC21/slim'>" + record("1") + record("2") + b"</collection>"
    (tmp_path / "a.xml").write_bytes(body)
    (tmp_path / "suppress.csv").write_text("record,value,reason\na:2,Книга 2,asked\n", encoding="utf-8")
    (tmp_path / "bibld.toml").write_text(
        'workspace = "work"\n[dataset]\nbase = "http://localhost:8000/"\ntitle = { en = "x" }\n'
        'license = "https://creativecommons.org/publicdomain/zero/1.0/"\npublisher = "x"\n'
        '[[source]]\nid = "a"\npath = "a.xml"\n[publish]\nsuppress = "suppress.csv"\n',
        encoding="utf-8",
    )
    workspace = bibld.Workspace(tmp_path / "bibld.toml")
    workspace.run()
    assert {line.value for line in workspace.worklist("a")} >= {"public 1", "public 2", "secret price"}
    with running(open_site(workspace, workspace.config.serve)) as client:
        for path in ("/worklist/a?format=csv", "/worklist/a?format=json", "/worklist/a"):
            shown = client.get(path).text
            assert "public 1" in shown
            assert "public 2" not in shown
            assert "secret" not in shown
