"""Every misbehaviour of the hostile server ends as it must, with nothing lost or doubled."""

import gzip
import re
from pathlib import Path

import pytest

from bibld import harvest, ingest
from bibld.harvest import HarvestOptions, SourceStore
from bibld.harvest._visit import server_faults
from bibld.progress import Silent
from tests.configuration import load_config
from tests.harvest.hostile_oai import CASES, serving


def configured(folder, url, **settings):
    """Return a configuration with one source at an address."""
    keys = {"prefix": "marc21", "first_wait": 0.01, "deadline": 300.0, **settings}
    lines = "".join(f"{key} = {_toml(value)}\n" for key, value in keys.items() if value != "")
    return load_config(folder, f'[[source]]\nid = "far"\nharvest = "oaipmh"\nurl = "{url}"\n{lines}')


def _toml(value):
    return f'"{value}"' if isinstance(value, str) else str(value)


def fetch(config, **options):
    return harvest.fetch_source(config, config.sources[0], Silent(), HarvestOptions(**options))


def numbers(config):
    """Return the numbers of the records that are stored, from their control numbers in the files that are read."""
    found = []
    for file in ingest.source_files(config, config.sources[0]):
        found += [int(n) for n in re.findall(rb'tag="001"[^>]*>r(\d+)<', gzip.decompress(file.path.read_bytes()))]
    return found


def faults(config):
    with SourceStore(config.workspace, "far") as store:
        store.harvest = store.last_harvest().number
        return {finding.kind for finding in store.findings()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.about)
def test_every_misbehaviour_ends_as_it_must(case, tmp_path):
    with serving(case.change) as server:
        config = configured(tmp_path, server.url, **case.settings)
        result = fetch(config)
        assert len(server.requests) < 60
    stored = numbers(config)
    assert (result.outcome, sorted(stored)) == (case.outcome, sorted(case.records)), result.reasons
    assert result.rejected == case.rejected
    assert bool(result.reasons) == (case.outcome != "complete")
    if case.fault:
        assert case.fault in faults(config)
    assert (config.workspace / "reports" / "far.html").is_file()


def test_every_fault_that_is_noted_has_words_for_the_owner_of_the_server():
    folder = Path(harvest.__file__).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    known = set(server_faults())
    assert {kind for kind in known if f'"{kind}"' not in code} == set()
    noted = set(re.findall(r'(?:note\(|append\(\(|_EXCERPT\]\), \()"([a-z0-9-]+)"', code))
    assert noted - known == set()
    assert len(noted) > 30
