"""Real authority files are read in full, and real entities are linked with the stated precision."""

import os
from pathlib import Path

import pytest

from bibld.errors import HarvestError
from bibld.link._entities import Entity
from bibld.link._files import open_authority, read_authority
from bibld.link._index import AuthorityIndex, keys_of_profile, make_index
from bibld.link._linking import THRESHOLD
from bibld.link._score import rank_matches
from bibld.link._values import Profile
from bibld.progress import Silent

DATA = os.environ.get("BIBLD_TEST_DATA")
pytestmark = pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")
FOLDER = Path(DATA or ".") / "authorities"


@pytest.fixture(scope="module")
def fast(tmp_path_factory):
    path = tmp_path_factory.mktemp("index") / "fast.db"
    make_index(path, open_authority(FOLDER / "fast.nt"), Silent())
    with AuthorityIndex(path) as index:
        yield index


@pytest.mark.parametrize(
    ("name", "records"),
    [
        ("fast.nt", 21_785),
        ("lcsh.csv", 7_514),
        ("gnd_subjects.csv", 4_125),
        ("loc_names.mrc", 11),
        ("loc_subjects.mrc", 6),
    ],
)
def test_every_record_of_a_file_is_read(name, records):
    assert sum(record is not None for record in read_authority(open_authority(FOLDER / name))) == records


@pytest.mark.parametrize(("name", "records"), [("gnd.ttl", 31), ("udc.nt", 61), ("yso.ttl", 142), ("fast.nt", 21_785)])
def test_an_index_has_each_record_once(tmp_path, name, records):
    make_index(tmp_path / "index.db", open_authority(FOLDER / name), Silent())
    with AuthorityIndex(tmp_path / "index.db") as index:
        assert index.counts.records == records
    assert [file.name for file in tmp_path.iterdir()] == ["index.db"]


@pytest.mark.parametrize("name", ["marc21/stanford.mrc", "marc21/culturegraph.marcxml", "rusmarc/nlr_cp1251.iso"])
def test_bibliographic_files_are_refused(name):
    with pytest.raises(HarvestError, match="is bibliographic"):
        list(read_authority(open_authority(FOLDER.parent / name)))


def found(index, heading, dates=""):
    profile = Profile("https://d/agent/x", "agent", "personal", ((heading, ""),), (dates,) if dates else ())
    matches = rank_matches(Entity(profile, list), index.find(keys_of_profile(profile)), index)
    return next((match.record.heading for match in matches if match.confidence >= THRESHOLD), "")


@pytest.mark.parametrize(
    ("heading", "dates", "expected"),
    [
        ("Keating, Kenneth Barnard", "1900-1975", "Keating, Kenneth B. 1900-1975"),
        ("Kenneth B. Keating", "1900-", "Keating, Kenneth B. 1900-1975"),
        ("Keating, K. B.", "1900-1975", "Keating, Kenneth B. 1900-1975"),
        ("Keating, Kenneth B.", "1901-1975", ""),
        ("Maxwell, Mark", "", ""),
        ("Smith, John", "", ""),
        ("Smith, J.", "1950-", ""),
    ],
)
def test_people_among_others_of_the_same_family_name(fast, heading, dates, expected):
    assert found(fast, heading, dates) == expected
