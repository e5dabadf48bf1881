"""Extraction: the same rows for any number of processes, and features that caches and short cuts do not change."""

import os
import re
import shutil
import unicodedata
from functools import partial

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bibld import config, pipeline, progress
from bibld.catalog import Catalog
from bibld.dedup import features as feature_extraction
from bibld.dedup import index
from bibld.dedup.columns import FeatureWriter
from bibld.dedup.features import features_of
from bibld.dedup.index import extract, extracted_rows
from bibld.errors import StageError
from bibld.model.features import NUMBERS, TEXTS
from bibld.model.identifiers import has_isbn_check_digit, isbn13
from bibld.model.mods import Abstract, Identifier, Mods, Note, TableOfContents
from bibld.serve import ontology as resources
from bibld.text import romanisation
from bibld.text.keys import title_key
from bibld.text.scripts import repair_lookalikes
from tests.dedup.conftest import CLOCK
from tests.strategies import any_texts, mods


@pytest.fixture(scope="session")
def read_sample(tmp_path_factory):
    """The configuration of the sample, whose records are in the catalog; for reading only."""
    folder = tmp_path_factory.mktemp("extraction") / "sample"
    shutil.copytree(resources.folder("sample_data"), folder)
    text = (folder / "bibld.toml").read_text(encoding="utf-8").replace('"../build/sample"', '"work"')
    (folder / "bibld.toml").write_text(text, encoding="utf-8")
    loaded = config.load(folder / "bibld.toml")
    pipeline.run(loaded, CLOCK, progress.Silent(), until="read")
    return loaded


@pytest.fixture
def catalog(read_sample):
    with Catalog(read_sample.workspace, read_only=True) as opened:
        yield opened


@pytest.fixture
def small_batches(monkeypatch):
    """Make a few records enough for processes and several batches."""
    monkeypatch.setattr(index, "BATCH", 7)
    monkeypatch.setattr(index, "WORTH_PROCESSES", 20)


def workers(loaded, number):
    return msgspec.structs.replace(loaded, workers=number)


EVERY = (*TEXTS, *NUMBERS)


def extract_table(catalog, loaded, folder, shown=None, ordinals=None):
    numbers = {source.id: number for number, source in enumerate(loaded.sources)}
    with FeatureWriter(folder) as writer:
        source_number = partial(_number, numbers)
        extract(catalog, loaded, writer, source_number, shown or progress.Silent(), ordinals)
        return writer.close()


def _number(numbers, source):
    return numbers.setdefault(source, len(numbers))


def bytes_of(table):
    return {path.name: path.read_bytes() for path in table.folder.iterdir()}


def as_features(columns):
    return [(int(ordinal), columns.features(row)) for row, ordinal in enumerate(columns.ordinals)]


class Advances(progress.Silent):
    """Adds up what is done."""

    done = 0

    def advance(self, count=1):
        self.done += count


def test_a_table_contains_the_features_of_all_live_records(catalog, read_sample, tmp_path):
    advances = Advances()
    table = extract_table(catalog, read_sample, tmp_path / "1", advances)
    expected = [(ordinal, features_of(record)) for ordinal, _, record in catalog.records.live()]
    assert as_features(table.chunk(0, len(table), EVERY)) == expected
    assert advances.done == len(expected) == catalog.records.count()
    fingerprints = list(catalog.records.fingerprints())
    assert table.made.tolist() == [int.from_bytes(made[:8], "little") for _, made, _ in fingerprints]
    names = [source.id for source in read_sample.sources]
    assert [names[number] for number in table.source] == [source for _, _, source in fingerprints]


def test_the_table_does_not_depend_on_the_number_of_processes(catalog, read_sample, tmp_path, small_batches):
    made = [extract_table(catalog, workers(read_sample, number), tmp_path / str(number)) for number in (1, 3)]
    assert len(made[0]) > 20
    assert bytes_of(made[0]) == bytes_of(made[1])


def test_a_few_records_are_extracted_in_this_process_without_deleted_ones(read_sample, tmp_path, monkeypatch):
    monkeypatch.setattr(index, "ProcessPool", None)
    shutil.copytree(read_sample.workspace, tmp_path / "work")
    loaded = msgspec.structs.replace(read_sample, workspace=tmp_path / "work")
    with Catalog(loaded.workspace) as catalog:
        ordinals = [ordinal for ordinal, _, _ in catalog.records.live()][3:8]
        with catalog.commit():
            catalog.records.delete(ordinals[1], run=99)
        table = extract_table(catalog, workers(loaded, 2), tmp_path / "1", ordinals=[*ordinals, 10**6])
        nothing = extract_table(catalog, workers(loaded, 2), tmp_path / "2", ordinals=[])
    assert table.ordinals.tolist() == ordinals[:1] + ordinals[2:]
    assert len(nothing) == 0


def test_a_killed_process_is_reported(catalog, read_sample, tmp_path, small_batches, monkeypatch):
    monkeypatch.setattr(index, "_rows_in_process", _die)
    with pytest.raises(StageError, match="workers = 1"):
        extract_table(catalog, workers(read_sample, 2), tmp_path / "1")


def _die(ordinals):
    os._exit(1)


def test_batches_are_in_order_and_iteration_can_stop_early(catalog, read_sample, small_batches):
    batches = extracted_rows(catalog, workers(read_sample, 2))
    first = next(batches)
    batches.close()
    assert first.rows.ordinals.tolist() == [ordinal for ordinal, _, _ in catalog.records.live()][:7]


# --- features that are remembered are the same as computed ones


def forget():
    for function in vars(feature_extraction).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@given(st.lists(mods(), max_size=3))
@settings(max_examples=30, deadline=None)
def test_features_do_not_depend_on_the_records_before(records):
    together = [features_of(record) for record in records]
    forget()
    again = [features_of(record) for record in reversed(records)][::-1]
    assert together == again


def by_rules(text):
    """The romanised key as its rules are written: a letter at a time, then one expression for each rule."""
    text = repair_lookalikes(unicodedata.normalize("NFKC", text))
    text = romanisation._romanise_yiddish(text) if re.search("[\u0590-\u05ff]", text) else text
    letters = (romanisation._romanisations()[ord(letter)] for letter in text)
    key = " ".join("".join(letters).split())
    for pattern, new in (("i+(?=[aeou])", ""), ("ii+", "i"), ("k+h", "h"), ("c(?!h)", "ts")):
        key = re.sub(pattern, new, key)
    return key


@given(any_texts() | st.text("iIyjkKhHcCaAeEoOuUsStTйЙиИяЯюЮеёкхцчш ії'ʹ\u0301cx", max_size=40))
@settings(max_examples=400, deadline=None)
def test_romanised_keys_follow_the_rules(text):
    assert romanisation.romanise(text) == by_rules(text)


@given(st.text("v in30tomahvls esu", max_size=20) | st.from_regex(r"[a-z ]{0,5}(v|in) [a-z0-9]{1,3} (t|tomah|vols)"))
@settings(deadline=None)
def test_a_title_loses_the_number_of_volumes_at_its_end(text):
    assert feature_extraction._uncounted(text) == feature_extraction._COUNT_OF_VOLUMES.sub("", title_key(text))


@given(st.text("0123456789Xx- \u00a0\t\u2028", max_size=20) | st.sampled_from(["978-5-17-090630-7", "5-7390-0346-6"]))
@settings(deadline=None)
def test_only_valid_isbns_are_compared_without_blanks_and_hyphens(text):
    value = re.sub(r"[\s-]", "", text)
    found = features_of(Mods(identifier=(Identifier(value=text, type="isbn"),))).identifiers
    assert found == (f"isbn:{isbn13(value)}" if has_isbn_check_digit(value) else "")


def test_the_text_is_made_of_abstract_contents_and_content_notes():
    record = Mods(
        note=(
            Note("by A. Author", type="statement of responsibility"),
            Note("Title from cover"),
            Note("First published 1900", type="bibliographic history"),
            Note("Chapter Öne: it began", type="content"),
        ),
        table_of_contents=(TableOfContents("1. Beginning -- 2. End"),),
        abstract=(Abstract("A story."),),
    )
    assert features_of(record).text == "a story 1 beginning 2 end chapter one it began"
    assert features_of(Mods(note=record.note[:3])).text == ""


DATA = os.environ.get("BIBLD_TEST_DATA")


@pytest.mark.skipif(not DATA, reason="needs real records: set BIBLD_TEST_DATA")
def test_a_table_of_real_records_contains_their_features(configured, tmp_path):
    loaded = configured(a=f"{DATA}/rusmarc/nlr_koi8r.iso", b=f"{DATA}/marc21/gpo_covid_online.mrc")
    loaded = msgspec.structs.replace(loaded, workers=2)
    pipeline.run(loaded, CLOCK, progress.Silent(), until="read")
    with Catalog(loaded.workspace, read_only=True) as catalog:
        table = extract_table(catalog, loaded, tmp_path / "1")
        forget()
        expected = [(ordinal, features_of(record)) for ordinal, _, record in catalog.records.live()]
    assert expected
    assert as_features(table.chunk(0, len(table), EVERY)) == expected
