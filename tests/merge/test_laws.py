"""The laws of merging, whatever the policy: idempotent, independent of order, nothing invented, nothing lost."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bibld.merge._values import wording_of
from bibld.model.mods import Mods, Name, OriginInfo, PhysicalDescription, RelatedItem
from tests.merge.books import NLR, POLICIES, RSL, SLAVICA, TRUST, books, by, clusters, merge, of, person
from tests.strategies import mods

SLOW = settings(max_examples=60)
COMPOUND = (OriginInfo, PhysicalDescription)
ANY_POLICY = st.sampled_from((None, *POLICIES)).map(lambda name: by(name) if name else None)


def pieces(description: Mods, path: str = "") -> set[object]:
    """The values that nothing may be invented beside: whole elements, or what merging puts together in them."""
    found: set[object] = set()
    for field in Mods.elements:
        for value in getattr(description, field):
            here = f"{path}/{field}"
            if isinstance(value, RelatedItem):
                found |= {(here, value.type)} | pieces(value.mods, here)
            elif isinstance(value, Name):
                found |= {(here, value.name_part)} | {(here, one) for one in (*value.role, *value.name_identifier)}
            elif isinstance(value, COMPOUND):
                fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
                found |= {(here, name, one) for name, many in fields if isinstance(many, tuple) for one in many}
            else:
                found.add((here, value))
    return found


def wordings(description: Mods) -> set[tuple[str, str]]:
    """The field and the words of each value that is not put together of others."""
    found = set()
    for field in Mods.elements:
        for value in getattr(description, field):
            if isinstance(value, COMPOUND):
                fields = ((name, getattr(value, name)) for name in value.__struct_fields__)
                found |= {
                    (f"{field}/{name}", wording_of(one))
                    for name, many in fields
                    if isinstance(many, tuple)
                    for one in many
                }
            elif not isinstance(value, RelatedItem):
                found.add((field, wording_of(value)))
    return {(field, words) for field, words in found if words}


def noted(result) -> set[tuple[str, str, object]]:
    """Field, words and record of all that the result shows or notes."""
    found = set()
    for source in result.sources:
        steps = source.place.split("/")
        field = "/".join(step for step in steps if not step.isdecimal())
        words = source.value
        if source.is_shown:
            value = result.mods
            for step in steps:
                value = value[int(step)] if step.isdecimal() else getattr(value, step)
            words = wording_of(value)
        found |= {(field, words, record) for record in source.records}
        found |= {(field, one.value, record) for one in source.spellings for record in one.records}
    return found


@SLOW
@given(clusters(), ANY_POLICY)
def test_what_is_merged_merges_with_itself_to_itself(records, policies):
    once = merge(*records, policies=policies)
    again = merge((RSL, once.mods), (NLR, once.mods), policies=policies)
    assert again.mods == once.mods
    assert merge((SLAVICA, once.mods), policies=policies).mods == once.mods


@SLOW
@given(clusters(), ANY_POLICY)
def test_the_order_of_records_changes_nothing(records, policies):
    results = [merge(*order, policies=policies) for order in permutations(records)]
    assert all((one.mods, one.sources) == (results[0].mods, results[0].sources) for one in results)


@SLOW
@given(clusters(), ANY_POLICY)
def test_nothing_is_invented(records, policies):
    members = set[object]().union(*(pieces(description) for _, description in records))
    assert pieces(merge(*records, policies=policies).mods) <= members


@SLOW
@given(clusters(), ANY_POLICY)
def test_every_form_of_every_record_is_shown_or_noted(records, policies):
    known = noted(merge(*records, policies=policies))
    for record, description in records:
        assert {(field, words, record) for field, words in wordings(description)} <= known


@SLOW
@given(clusters())
def test_a_union_notes_only_forms_of_what_it_shows(records):
    result = merge(*records, policies=by("union"))
    dropped = {source.place for source in result.sources if not source.is_shown and "/" not in source.place}
    assert dropped == set()


@SLOW
@given(clusters(), ANY_POLICY)
def test_every_value_has_a_path_of_its_own_and_holders_among_the_members(records, policies):
    result = merge(*records, policies=policies)
    paths = [source.path for source in result.sources]
    assert len(set(paths)) == len(paths)
    members = {record for record, _ in records}
    assert all(source.records and set(source.records) <= members for source in result.sources)


@SLOW
@given(st.lists(mods(), min_size=1, max_size=3), ANY_POLICY)
@example([Mods(name=(Name(display_form=("0", "0")),))], None)
def test_the_laws_hold_for_any_description(descriptions, policies):
    records = list(zip((RSL, NLR, SLAVICA), descriptions, strict=False))
    once = merge(*records, policies=policies)
    backwards = merge(*reversed(records), policies=policies)
    assert (once.mods, once.sources) == (backwards.mods, backwards.sources)
    assert merge((RSL, once.mods), (NLR, once.mods), policies=policies).mods == once.mods
    known = noted(once)
    for record, description in records:
        assert {(field, words, record) for field, words in wordings(description)} <= known


# --- the promise of each policy


def winner(policy: str, records, field: str):
    """The record whose values a policy shows, as its page states."""
    age = {record: dates(description) for record, description in records}
    found = sorted(
        ((record, getattr(description, field)) for record, description in records if getattr(description, field)),
        key=lambda one: (age[one[0]], one[0]),
    )
    rank = {
        "fill": lambda place: -place,
        "newest": lambda place: (max((one for one in age[found[place][0]] if one != "9999"), default=""), place),
        "most_trusted": lambda place: (TRUST[found[place][0].source], -place),
        "longest": lambda place: (sum(letters(wording_of(one)) for one in found[place][1]), -place),
    }
    return found[max(range(len(found)), key=rank[policy])] if found else None


def dates(description: Mods) -> tuple[str, str]:
    """When a record was made and changed, as digits; 9999 where that is not known."""
    (info,) = description.record_info
    known = {
        "1990-01-01": "19900101",
        "1995-01-01": "19950101",
        "920101": "19920101",
        "20050101120000.0": "20050101120000",
    }
    created, changed = (
        known.get(found[0].value, "9999") if found else "9999"
        for found in (info.record_creation_date, info.record_change_date)
    )
    return created, changed


def letters(text: str) -> int:
    return sum(map(str.isalnum, text))


@pytest.mark.parametrize("policy", POLICIES[1:])
@pytest.mark.parametrize("field", ["title_info", "abstract", "note", "identifier"])
@SLOW
@given(clusters())
def test_all_values_shown_are_those_of_the_record_that_the_policy_chooses(policy, field, records):
    result = merge(*records, policies=by(policy))
    won = winner(policy, records, field)
    shown = getattr(result.mods, field)
    assert bool(shown) == (won is not None)
    if won is None:
        return
    record, values = won
    assert len(shown) <= len(values)
    for source in result.sources:
        if source.is_shown and source.path.startswith(f"{field}/"):
            assert record in source.records


@SLOW
@given(clusters())
def test_a_short_form_is_shown_beside_a_single_fuller_one_only_if_a_record_has_both(records):
    result = merge(*records, policies=by("union", "name"))
    shown = [
        (name.name_part[0].value, index)
        for index, name in enumerate(result.mods.name)
        if len(name.name_part) == 1 and not name.name_identifier
    ]
    holders = {source.path: set(source.records) for source in result.sources}
    short = [index for heading, index in shown if heading in ("Толстой, Л. Н.", "Толстой Л.Н.")]
    full = [
        index
        for index, name in enumerate(result.mods.name)
        if index not in short and name.name_part[0].value.startswith("Толстой")
    ]
    if short and len(full) == 1:
        together = [record for record, found in records if len(found.name) > 1]
        assert holders[f"name/{short[0]}"] & set(together)


FULL = ("Толстой, Лев Николаевич", "Толстой, Леонид Никитич", "Толстой, Лука Назарович")


@given(st.permutations(FULL), st.integers(0, 3), st.integers(0, 2))
@example(list(FULL), 1, 2)
def test_a_short_form_is_absorbed_by_exactly_one_fuller_form(headings, how_many, place):
    fuller = list(headings[:how_many])
    found = [*fuller[:place], "Толстой, Л. Н.", *fuller[place:]]
    result = of(*(Mods(name=(person(heading),)) for heading in found[:3]), Mods())
    shown = {name.name_part[0].value for name in result.mods.name}
    known = [heading for heading in found[:3] if heading in FULL]
    absorbed = len(known) == 1 and "Толстой, Л. Н." in found[:3]
    assert shown == set(found[:3]) - ({"Толстой, Л. Н."} if absorbed else set())


@SLOW
@given(books())
def test_a_record_that_is_merged_with_itself_keeps_its_values(book):
    once = merge((RSL, book))
    assert merge((RSL, book), (NLR, book)).mods == once.mods
