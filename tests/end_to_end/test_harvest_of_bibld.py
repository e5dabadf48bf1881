"""bibld harvests bibld: the publications of a served release arrive, each once, in every metadata format."""

from __future__ import annotations

import pytest
from sickle import Sickle
from sickle.oaiexceptions import CannotDisseminateFormat, IdDoesNotExist

import bibld
from bibld import harvest, ingest
from bibld.progress import Silent
from tests.configuration import load_config
from tests.end_to_end.serving import serving

pytestmark = pytest.mark.server


@pytest.mark.parametrize("prefix", ["marcxml", "mods", "oai_dc", ""])
def test_every_publication_arrives_once(prefix, server, sample, tmp_path):
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


CATALOGUE = """workspace = "work"
workers = 1
[dataset]
base = "http://localhost:8000/"
title = {{ en = "Test" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "tests"
[[source]]
id = "city"
path = "city.mrk"
duplicates = true
{more}
[[source]]
id = "other"
path = "other.mrk"
"""
BOOK = """=LDR  00000nam a2200000 i 4500
=001  {number}
=008  840412s1986    gw a     b    000 0 ger d
=020  \\\\$a{isbn}
=100  1\\$aGoethe, Johann Wolfgang von,$d1749-1832
=245  10$a{title}
=260  \\\\$aStuttgart :$bReclam,$c1986.
=300  \\\\$a135 p.
"""
FAUST, WERTHER = {"title": "Faust", "isbn": "3150000017"}, {"title": "Die Leiden", "isbn": "3150000670"}


def test_a_library_harvests_each_of_its_records_back(tmp_path):
    """Two of its records describe one publication; one of another library does, too, and founds nothing."""
    site = tmp_path / "site"
    site.mkdir()
    books = [BOOK.format(number=number, **book) for number, book in (("1", FAUST), ("2", FAUST), ("3", WERTHER))]
    (site / "city.mrk").write_text("\n".join(books), encoding="utf-8")
    (site / "other.mrk").write_text(BOOK.format(number="9", **FAUST), encoding="utf-8")
    config = site / "bibld.toml"
    config.write_text(CATALOGUE.format(more=""), encoding="utf-8")
    bibld.Workspace(config).run()

    def harvested(server):
        keys = f'harvest = "oaipmh"\nurl = "{server}oai"\nprefix = "returned"\nset = "source:city"\n'
        copy = load_config(tmp_path, f'[[source]]\nid = "copy"\n{keys}')
        result = harvest.fetch_source(copy, copy.sources[0], Silent())
        files = ingest.source_files(copy, copy.sources[0])
        return result, {one.content.control_number for file in files for one in bibld.read([file])}

    with serving(config) as server:
        result, numbers = harvested(server)
        assert (result.outcome, result.stored, numbers) == ("complete", 3, {"1", "2", "3"}), result.line
        listed = [header.identifier for header in Sickle(f"{server}oai").ListIdentifiers(metadataPrefix="returned")]
        assert sorted(listed) == [f"oai:localhost:record/{one}" for one in ("city/1", "city/2", "city/3", "other/9")]
        found = Sickle(f"{server}oai").GetRecord(metadataPrefix="returned", identifier="oai:localhost:record/city/2")
        assert "resource/city/1" in found.raw
        assert found.header.setSpecs == ["merged", "source:city"]
        for prefix, identifier in (("mods", "record/city/2"), ("returned", "resource/city/1")):
            with pytest.raises(CannotDisseminateFormat):
                Sickle(f"{server}oai").GetRecord(metadataPrefix=prefix, identifier=f"oai:localhost:{identifier}")
        for identifier in ("record/city/4", "record/x", "record/city/~"):
            with pytest.raises(IdDoesNotExist):
                Sickle(f"{server}oai").GetRecord(metadataPrefix="returned", identifier=f"oai:localhost:{identifier}")
    (site / "city.mrk").write_text("\n".join(books[:1] + books[2:]), encoding="utf-8")
    config.write_text(CATALOGUE.format(more='max_deletes = "90%"'), encoding="utf-8")
    bibld.Workspace(config).run()
    with serving(config) as server:
        result, _ = harvested(server)
        assert (result.outcome, result.removed) == ("complete", 1), result.line
