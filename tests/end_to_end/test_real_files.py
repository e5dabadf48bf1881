"""Real files of libraries: every record is accounted for."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bibld import pipeline, progress
from bibld.catalog import Catalog
from tests.configuration import load_config

DATA = os.environ.get("BIBLD_TEST_DATA")

pytestmark = pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")

EXPECTED = {
    "marc21/authorities_utf8.mrc": 548,
    "marc21/bibframe_sample/dnb.xml": 99,
    "marc21/bibframe_sample/princeton.xml": 99,
    "marc21/culturegraph.marcxml": 469,
    "marc21/french_marc8.mrc": 248,
    "marc21/gpo_covid_online.mrc": 1063,
    "marc21/jazz_marc8.mrc": 491,
    "marc21/loc_testbed_utf8.mrc": 206,
    "marc21/rism_music_prints.xml.gz": 3040,
    "marc21/stanford.mrc": 77,
    "marc21/uva_marc8.mrc": 992,
    "rusmarc/articles_cp1251.mrc": 14,
    "rusmarc/declared_cp1251_is_utf8.iso": 1,
    "rusmarc/nlr_cp1251.iso": 42,
    "rusmarc/nlr_koi8r.iso": 39,
    "rusmarc/stavropol_cp866.mrc": 580,
    "rusmarc/tatarstan_utf8.mrc": 243,
}


@pytest.fixture(scope="module")
def loaded(tmp_path_factory):
    place = tmp_path_factory.mktemp("real")
    configured = load_config(place, **{f"s{number}": Path(DATA) / name for number, name in enumerate(EXPECTED)})
    pipeline.run(configured, datetime(2026, 1, 1, tzinfo=UTC), progress.Silent(), until="read")
    with Catalog(configured.workspace, read_only=True) as catalog:
        yield catalog


def test_every_record_of_every_file_is_accounted_for(loaded):
    counts = {load.source: load for load in loaded.records.load_counts()}
    for number, (name, expected) in enumerate(EXPECTED.items()):
        load = counts[f"s{number}"]
        assert load.read == expected, name
        assert load.read == load.converted + load.superseded + load.rejected + load.deleted, name


def test_no_record_is_rejected(loaded):
    assert not list(loaded.records.rejects())


def test_every_record_has_a_title_or_a_warning_that_it_has_none(loaded):
    for ordinal, _, mods in loaded.records.live():
        warnings = loaded.records.warnings(ordinal)
        assert any(info.title for info in mods.title_info) or any("title" in text for text in warnings)
