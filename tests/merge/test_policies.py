"""Each policy by an example, and the table [merge] of the configuration."""

from __future__ import annotations

from pathlib import Path

import pytest

from bibld.config import MergeConfig, load
from bibld.errors import ConfigError
from bibld.merge import Policies, settings_digest
from bibld.model.mods import Abstract, Mods, Note, OriginInfo, RelatedItem, TitleInfo
from bibld.protocols import Statement, adapters
from tests.configuration import write_config
from tests.merge.books import NLR, POLICIES, RSL, SLAVICA, by, made, merge, not_shown, published

OLDEST = (RSL, Mods(abstract=(Abstract("О войне и мире"),), record_info=made("1990-01-01", "1992-01-01")))
NEWEST = (NLR, Mods(abstract=(Abstract("О мире"),), record_info=made("1995-01-01", "2005-01-01")))
LONGEST = (SLAVICA, Mods(abstract=(Abstract("Об Отечественной войне 1812 года"),), record_info=made("1998-01-01")))


def configured(folder: Path, merge: str = "", source: str = "") -> Path:
    (folder / "a.mrc").write_bytes(b"")
    return write_config(folder, f"{source}\n{merge}", rsl="a.mrc")


@pytest.mark.parametrize(
    ("policy", "shown"),
    [
        ("union", ["О войне и мире", "О мире", "Об Отечественной войне 1812 года"]),
        ("fill", ["О войне и мире"]),
        ("newest", ["О мире"]),
        ("most_trusted", ["О мире"]),
        ("longest", ["Об Отечественной войне 1812 года"]),
    ],
)
def test_each_policy_shows_what_it_is_called_after_and_notes_the_rest(policy, shown):
    result = merge(OLDEST, NEWEST, LONGEST, policies=by(policy, "abstract"))
    assert [one.value for one in result.mods.abstract] == shown
    noted = dict(not_shown(result).values())
    all_words = {one.abstract[0].value: {record} for record, one in (OLDEST, NEWEST, LONGEST)}
    assert noted == {words: records for words, records in all_words.items() if words not in shown}


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_fills_from_whoever_has_it(policy):
    records = ((RSL, Mods(record_info=made("1990-01-01"))), (NLR, Mods(abstract=(Abstract("О мире"),))))
    assert merge(*records, policies=by(policy)).mods.abstract == (Abstract("О мире"),)


@pytest.mark.parametrize(
    ("policy", "places", "publishers", "date"),
    [
        ("union", ["Москва", "Ленинград"], ["Наука", "Худож. лит."], "1978"),
        ("fill", ["Москва"], ["Худож. лит."], "1978"),
        ("newest", ["Ленинград"], ["Худож. лит."], "1979"),
    ],
)
def test_publication_is_chosen_child_by_child(policy, places, publishers, date):
    old = Mods(origin_info=published("Москва", "", "1978"), record_info=made("1990-01-01"))
    mid = Mods(origin_info=published("", "Наука") if policy == "union" else (), record_info=made("1991-01-01"))
    new = Mods(
        origin_info=(
            *published("Ленинград", "Худож. лит.", "1979"),
            OriginInfo(event_type="manufacture", issuance=("x",)),
        ),
        record_info=made("2000-01-01"),
    )
    first, second = merge((RSL, old), (NLR, mid), (SLAVICA, new), policies=by(policy)).mods.origin_info
    assert [place.place_term[0].value for place in first.place] == places
    assert [publisher.value for publisher in first.publisher] == publishers
    assert [one.value for one in first.date_issued] == [date]
    assert second.event_type == "manufacture"


def test_the_first_title_of_the_chosen_record_stays_the_first():
    old = Mods(title_info=(TitleInfo("Повести"), TitleInfo("Рассказы и очерки")), record_info=made("1990-01-01"))
    new = Mods(title_info=(TitleInfo("Рассказы и очерки"),), record_info=made("2000-01-01"))
    titles = merge((RSL, old), (NLR, new), policies=by("fill")).mods.title_info
    assert [info.title for info in titles] == ["Повести", "Рассказы и очерки"]


def test_of_sources_that_are_trusted_equally_the_oldest_record_counts():
    records = (OLDEST, NEWEST, LONGEST)
    policies = Policies(MergeConfig(abstract="most_trusted"), {"nlr": 2, "slavica": 2})
    assert merge(*records, policies=policies).mods.abstract == (Abstract("О мире"),)
    policies = Policies(MergeConfig(abstract="most_trusted"), {"nlr": -1, "slavica": -1})
    assert merge(*records, policies=policies).mods.abstract == (Abstract("О войне и мире"),)


@pytest.mark.parametrize(("old", "new"), [("О мире", "О веке"), ("О мире", "О веке..."), ("о Мире", "«О веке»")])
def test_of_records_with_as_much_text_the_oldest_counts(old, new):
    one = (RSL, Mods(abstract=(Abstract(old),), record_info=made("1990-01-01")))
    other = (NLR, Mods(abstract=(Abstract(new),), record_info=made("2000-01-01")))
    for records in ((one, other), (other, one)):
        assert merge(*records, policies=by("longest")).mods.abstract == (Abstract(old),)


def test_the_newest_counts_by_the_last_change_and_a_record_without_dates_never():
    undated = (NLR, Mods(note=(Note("без даты"),)))
    changed = (RSL, Mods(note=(Note("изменена"),), record_info=made("800101", "20050101120000.0")))
    made_later = (SLAVICA, Mods(note=(Note("создана позже"),), record_info=made("2004-12-31")))
    result = merge(undated, changed, made_later, policies=by("newest", "note"))
    assert [note.value for note in result.mods.note] == ["изменена"]


def test_in_a_related_item_the_policies_of_its_own_elements_hold():
    def host(text: str, day: str) -> Mods:
        inner = Mods(title_info=(TitleInfo("Наука"),), note=(Note(text),))
        return Mods(related_item=(RelatedItem(type="host", mods=inner),), record_info=made(day))

    result = merge((RSL, host("old", "1990-01-01")), (NLR, host("new", "2000-01-01")), policies=by("newest", "note"))
    (item,) = result.mods.related_item
    assert [note.value for note in item.mods.note] == ["new"]


def test_a_policy_can_choose_some_of_the_records_in_any_order(monkeypatch):
    def backwards(statements: list[Statement]) -> list[Statement]:
        return statements[:0:-1]

    policies = by("union")
    monkeypatch.setattr(policies.of_element["note"], "choose", backwards)
    records = [(record, Mods(note=(Note(text),), record_info=made(day))) for record, text, day in (
        (RSL, "a", "1990-01-01"), (NLR, "b", "1991-01-01"), (SLAVICA, "c", "1992-01-01"),
    )]  # fmt: skip
    assert [note.value for note in merge(*records, policies=policies).mods.note] == ["c", "b"]


# --- the configuration


def test_the_paper_s_rule_is_the_default(tmp_path):
    chosen = load(configured(tmp_path)).merge
    filled = {"type_of_resource", "abstract", "table_of_contents", "target_audience", "access_condition"}
    assert {name for name in Mods.elements if getattr(chosen, name) == "fill"} == filled
    assert {getattr(chosen, name) for name in set(Mods.elements) - filled} == {"union"}
    assert MergeConfig.__struct_fields__ == Mods.elements
    assert set(POLICIES) <= set(adapters.adapter_names("merge"))


def test_policies_and_trust_are_read(tmp_path):
    merging = '[merge]\ntitle_info = "most_trusted"\nabstract = "longest"\n[merge.longest]\n'
    config = load(configured(tmp_path, merging, "trust = 2"))
    assert (config.merge.title_info, config.merge.abstract, config.merge.name) == ("most_trusted", "longest", "union")
    assert config.source("rsl").config.trust == 2
    policies = Policies.from_config(config)
    assert (policies.trust("rsl"), policies.trust("nlr")) == (2, 1)


@pytest.mark.parametrize(
    ("merging", "source", "fault"),
    [
        (
            '[merge]\ntitle_info = "unoin"',
            "",
            'bibld.toml:13: merge.title_info: unknown merge adapter "unoin"; did you mean "union"?',
        ),
        ('[merge]\ntitle_inf = "union"', "", 'unknown key "merge.title_inf"; did you mean "title_info"?'),
        ("[merge]\nname = 1", "", "merge.name: expected string, got integer"),
        ("[merge.longest]\nwords = 3", "", 'unknown key "merge.longest.words"'),
        ("[merge]\nlongest = 3", "", "merge.longest: is not a table; write [merge.longest]"),
        ("", 'trust = "much"', "source[1].trust: expected integer, got string"),
    ],
)
def test_faults_of_the_table_are_reported_with_what_to_do(tmp_path, merging, source, fault):
    with pytest.raises(ConfigError) as error:
        load(configured(tmp_path, merging, source))
    assert any(fault in one for one in error.value.faults), error.value.faults


def test_a_changed_policy_or_trust_merges_again(tmp_path):
    def digest(merging: str = "", source: str = "") -> str:
        return settings_digest(load(configured(tmp_path, merging, source)))

    assert digest() == digest('[merge]\ntitle_info = "union"') == digest("[merge.longest]") == digest("", "trust = 1")
    assert len({digest(), digest('[merge]\ntitle_info = "newest"'), digest("", "trust = 2")}) == 3
