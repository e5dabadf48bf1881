"""The rows of publications are the same, whether they are made in worker processes or not."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bibld.documents import fill, open_published
from bibld.model.rdf import term
from bibld.search import FILE, _staged, _writer, write_search
from bibld.search._packing import Packing
from tests.search.test_search import BASE, PERSON, book, line, state

TABLES = {
    "SELECT path_of(kind, data), kind, bucket, year, uses, title_of(kind, data) FROM entry JOIN detail USING (id)"
    " ORDER BY 1",
    "SELECT key, path_of(kind, data) FROM path_key JOIN entry USING (id) JOIN detail USING (id) ORDER BY key, 2",
    "SELECT id FROM source ORDER BY id",
    "SELECT term, doc FROM word WHERE term NOT GLOB '*[0-9]*' ORDER BY term",
}


def contents(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(folder / FILE)) as connection:
        Packing(connection)  # for title_of
        return {query: connection.execute(query).fetchall() for query in TABLES}


@pytest.mark.parametrize("sources", [(), ("a",), ("b", "a")])
def test_rows_made_in_processes_are_those_of_one_process(tmp_path, monkeypatch, sources):
    """Also those that name sources and things that nobody has numbered yet."""
    lines = [*PERSON]
    for number in range(30):
        path = f"resource/{'ab'[number % 2]}/{number}"
        record = f"<{BASE}record/{path.removeprefix('resource/')}>"
        lines += [*book(path, f"Чётки {number}"), line(path, "prov:wasDerivedFrom", record)]
        if number % 5 == 0:
            lines.append(line(path, "dcterms:subject", f"<{BASE}concept/none/{number}>"))
    lines.append(line("resource/b/1", "dcterms:subject", f"<{BASE}work/w>"))
    lines += [line("work/w", "rdfs:label", '"Work"'), line("work/w", "dcterms:creator", f"<{BASE}resource/a/2>")]
    lines.append(f"<{BASE}resource/a/99> {term('dcterms:isReplacedBy')} <{BASE}resource/a/0> .\n")
    found = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        fill(folder, BASE, state(1), ["".join(lines).encode()])
        if workers > 1:
            monkeypatch.setattr(_staged, "_AT_ONCE", 7)
            monkeypatch.setattr(_writer, "WORTH_PROCESSES", 0)
        with open_published(folder, 1) as view:
            write_search(folder, BASE, view, None, False, sources, workers)
        found.append(contents(folder))
    assert found[0] == found[1]
    assert all(found[0].values())
