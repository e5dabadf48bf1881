"""bibld harvests bibld: the publications of a served release arrive, each once, in every metadata format."""

from __future__ import annotations

import pytest

import bibld
from bibld import harvest, ingest
from bibld.progress import Silent
from tests.configuration import load_config

pytestmark = pytest.mark.server


@pytest.mark.parametrize("prefix", ["marcxml", "mods", "oai_dc", ""])
def test_every_publication_arrives_once(prefix, server, sample, tmp_path):
    from sickle import Sickle

    wanted = "marcxml" if prefix == "" else prefix
    listed = list(Sickle(f"{server}oai").ListIdentifiers(metadataPrefix=wanted))
    live = {header.identifier for header in listed if not header.deleted}
    keys = f'prefix = "{prefix}"\n' if prefix else ""
    config = load_config(tmp_path, f'[[source]]\nid = "copy"\nharvest = "oaipmh"\nurl = "{server}oai"\n{keys}')
    result = harvest.fetch_source(config, config.sources[0], Silent())
    assert (result.outcome, result.stored, result.rejected) == ("complete", len(live), 0), result.line
    records = [record for file in ingest.source_files(config, config.sources[0]) for record in bibld.read([file])]
    assert len(records) == len(live)
    assert not [record for record in records if isinstance(record, bibld.Reject)]
    again = harvest.fetch_source(config, config.sources[0], Silent())
    assert (again.outcome, again.new, again.changed, again.removed) == ("complete", 0, 0, 0)
