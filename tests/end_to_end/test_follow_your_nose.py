"""Every IRI under the base that the data mention answers when the release is served."""

import gzip
import re

import pytest

from tests.serve.client import running


@pytest.fixture(scope="module")
def client(site):
    with running(site) as client:
        yield client


def path(site, iri: str) -> str:
    return "/" + iri.removeprefix(site.manifest.dataset.base)


def mentioned(site) -> list[str]:
    base = re.escape(site.manifest.dataset.base.encode())
    text = gzip.decompress((site.release / "bibld.nq.gz").read_bytes())
    run = (site.release / "run.nq").read_bytes()
    found = {iri.decode().partition("#")[0] for iri in re.findall(rb"<(" + base + rb"[^>]*)>", text + run)}
    return sorted(found)


def test_every_iri_under_the_base_answers(site, client):
    iris = mentioned(site)
    assert len(iris) > 1000
    silent = []
    for iri in iris:
        answer = client.get(path(site, iri), "text/turtle")
        if answer.status_code == 303:
            answer = client.get(answer.headers["location"], "text/turtle")
        if answer.status_code not in (200, 410):
            silent.append((answer.status_code, iri))
    assert not silent, f"{len(silent)} of {len(iris)} do not answer, such as {silent[:10]}"


def test_every_page_of_a_resource_can_be_shown(site, client):
    founders = [iri for iri in mentioned(site) if "/resource/" in iri]
    for iri in founders[::3]:
        answer = client.get(client.get(path(site, iri), "text/html").headers["location"], "text/html")
        assert answer.status_code == 200, iri
        assert "<h1" in answer.text
