"""Names of one publication: which are one agent, what they did."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.mods import Mods, Role, RoleTerm
from bibld.triplify import cluster_statements
from bibld.triplify._describe.agents import ComparedName, group_names
from bibld.triplify._draft import Draft
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, Quads, alone, person

RELATORS = "http://id.loc.gov/vocabulary/relators/"


def describe(description: Mods) -> Quads:
    return Quads(cluster_statements(alone(description), [], IRIS).quads)


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        ("исполн.", ["prf"]),
        ("исполн", ["prf"]),
        ("подгот. изд.", ["edt"]),
        ("авт. вступ. ст.", ["aui"]),
        ("[Отв.ред.]", ["edt"]),
        ("дирижёр", ["cnd"]),
        ("Thesis advisor.", ["ths"]),
        ("prf", ["prf"]),
        ("придворный поэт", []),
    ],
)
def test_words_for_roles_that_are_known_have_the_code_and_no_node_of_their_own(words, codes):
    role = Role((RoleTerm(words, type="text"),))
    made = describe(Mods(name=(person("Рихтер, С. Т.", role=(role,)),)))
    roles = made.values("bf:role", f"{RESOURCE}#contribution1")
    assert roles == ([RELATORS + code for code in codes] or [f":{RESOURCE[len(BASE) :]}#role1"])


@pytest.mark.parametrize(
    ("code", "usage", "property_"),
    [
        ("aut", None, "dcterms:creator"),
        ("trl", None, "dcterms:contributor"),
        ("trl", "primary", "dcterms:contributor"),
        (None, "primary", "dcterms:creator"),
        (None, None, "dcterms:contributor"),
        ("cmp", None, "dcterms:creator"),
        ("pht", None, "dcterms:creator"),
    ],
)
def test_an_agent_is_a_creator_by_its_role_or_without_one_by_the_main_entry(code, usage, property_):
    role = (Role((RoleTerm(code, type="code", authority="marcrelator"),)),) if code else ()
    made = describe(Mods(name=(person("Гнедич, Н. И.", role=role, usage=usage),)))
    assert [name for name in ("dcterms:creator", "dcterms:contributor") if made.values(name)] == [property_]


@pytest.mark.parametrize(
    ("term", "codes"),
    [
        (RoleTerm("Aut.", type="code"), ["aut"]),
        (RoleTerm("aut", authority="local"), []),
        (RoleTerm("x", value_uri="http://id.loc.gov/vocabulary/relators/ill"), ["ill"]),
    ],
)
def test_a_code_of_a_role_counts_unless_it_is_of_another_list(term, codes):
    made = describe(Mods(name=(person("Рихтер, С. Т.", role=(Role((term,)),)),)))
    roles = [value for value in made.values("bf:role", f"{RESOURCE}#contribution1") if value.startswith(RELATORS)]
    assert roles == [RELATORS + code for code in codes]


def _is_same(one: ComparedName, other: ComparedName) -> bool:
    if one.type != other.type:
        return False
    if one.key and one.key == other.key and (not one.dates or not other.dates or one.dates == other.dates):
        return True
    is_pair = one.pair is not None and one.pair == other.pair and one.script != other.script
    return is_pair and not set(one.records).isdisjoint(other.records)


names = st.builds(
    person,
    st.sampled_from(["Толстой, Лев", "Tolstoĭ, Lev", "Чехов, А.", "Chekhov, A.", ""]),
    st.sampled_from([None, "1828-1910", "1860-1904"]),
    alt_rep_group=st.sampled_from([None, "01", "02"]),
)


@given(st.lists(names, max_size=8))
def test_agents_are_those_that_a_comparison_of_each_with_each_finds(names):
    draft = Draft(alone(Mods(name=tuple(names))), IRIS, lambda record: False)
    paths = [f"name/{index}" for index in range(len(names))]
    groups: list[list[int]] = []
    compared = [ComparedName.from_name(draft, name, path) for name, path in zip(names, paths, strict=True)]
    for index, name in enumerate(compared):
        fitting = (group for group in groups if any(_is_same(name, compared[other]) for other in group))
        group = next(fitting, None)
        if group is None:
            groups.append([index])
        else:
            group.append(index)
    found = group_names(draft, list(zip(names, paths, strict=True)))
    assert [[paths.index(path) for _, path in group] for group in found] == groups


def _calls(count: int) -> int:
    """Count the functions that are called to group a number of names."""
    names = [(person(f"Иванов {number}, Иван"), f"name/{number}") for number in range(count)]
    draft = Draft(alone(Mods()), IRIS, lambda record: False)
    calls = 0

    def counted(frame, event, argument):
        nonlocal calls
        calls += event == "call"

    sys.setprofile(counted)
    try:
        group_names(draft, names)
    finally:
        sys.setprofile(None)
    return calls


def test_twice_as_many_names_take_twice_as_much_work():
    _calls(400)  # what is remembered of texts shall not count
    assert _calls(400) < 2.5 * _calls(200)
