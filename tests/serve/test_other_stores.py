"""A store of another distribution is served like the built-in one."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from urllib.parse import quote

import msgspec
import pytest

from bibld.model.origin import RecordId
from bibld.protocols import adapters


@pytest.fixture
def served_from_rdflib(site_in, quads, tmp_path, monkeypatch):
    """A site whose release has a copy made by an installed distribution's store."""
    installed = tmp_path / "site-packages"
    (installed / "rdflib_store-1.0.dist-info").mkdir(parents=True)
    (installed / "rdflib_store-1.0.dist-info" / "METADATA").write_text("Name: rdflib-store\nVersion: 1.0\n")
    entry_points = "[bibld.store]\nrdflib = rdflib_store\n"
    (installed / "rdflib_store-1.0.dist-info" / "entry_points.txt").write_text(entry_points)
    shutil.copy(Path(__file__).with_name("rdflib_store.py"), installed)
    monkeypatch.syspath_prepend(installed)
    monkeypatch.setattr(adapters, "_plugins", cache(adapters._plugins.__wrapped__))
    monkeypatch.setattr(adapters, "_entry_points", cache(adapters._entry_points.__wrapped__))
    site = site_in(tmp_path / "release")
    shutil.rmtree(site.release / "store")
    (site.release / "store").mkdir()
    (site.release / "store" / "quads.nq").write_text("".join(quads), encoding="utf-8")
    manifest = msgspec.structs.replace(site.manifest, backend="rdflib")
    # a store in Python needs more than the embedded one
    settings = msgspec.structs.replace(site.settings, query_memory=1024, query_timeout=120.0)
    return msgspec.structs.replace(site, manifest=manifest, settings=settings)


def test_pages_documents_and_queries_come_from_a_store_of_another_distribution(
    served_from_rdflib, client, running, here, iris
):
    document = here.document(iris.resource(RecordId("rsl", "01003120729")), "ttl")
    with running(served_from_rdflib) as other:
        assert other.get(document).content == client.get(document).content
        for query in ("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", "ASK { ?s ?p ?o }", "DESCRIBE <http://nothing.example/>"):
            path = f"/lod/sparql?query={quote(query)}"
            answers = [each.get(path, "application/sparql-results+json, text/turtle") for each in (other, client)]
            assert [answer.status_code for answer in answers] == [200, 200]
            if "DESCRIBE" not in query:
                assert answers[0].json() == answers[1].json()
        assert other.get("/lod/sparql?query=SELECT").status_code == 400
        assert other.get(f"/lod/sparql?query={quote('ASK {}')}", "image/png").status_code == 406
