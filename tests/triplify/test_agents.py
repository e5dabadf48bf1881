"""Names of one publication: which are one agent, what they did."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.mods import Mods, Name, NamePart, Note, Role, RoleTerm, Subject, TypeOfResource
from bibld.triplify._describe.agents import ComparedName, group_names
from bibld.triplify._draft import Draft
from bibld.triplify._headings import heading
from bibld.triplify._works import find_works
from tests.triplify.merged_book import BASE, IRIS, RESOURCE, alone, code, describe, expand, person

RELATORS = "http://id.loc.gov/vocabulary/relators/"


def draft_of(*names: Name) -> Draft:
    description = Mods(name=names)
    return Draft(alone(description), find_works(description), IRIS, lambda record: False)


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


TEXT, MUSIC, SOUND, MAP, PICTURE = "text", "notated music", "sound recording-musical", "cartographic", "still image"


def entry(codes: str = "", heading: str = "Гнедич, Н. И.", **more) -> Name:
    """A name with roles, by codes with blanks between them."""
    terms = (RoleTerm(code, type="code", authority="marcrelator") for code in codes.split())
    return person(heading, role=tuple(Role((term,)) for term in terms), **more)


def properties(name: Name, content: str = TEXT, note: str = "") -> list[str]:
    """The properties of DCMI and of the list of relators that lead to the agent of the only name."""
    mods = Mods(
        name=(name,),
        type_of_resource=(TypeOfResource(content),),
        note=(Note(note, type="performers"),) if note else (),
    )
    made = describe(mods)
    (contribution,) = made.contributions()
    (agent,) = made.values("bf:agent", contribution)
    stated = {quad.predicate.value for quad in made.quads if quad.object.value == BASE + agent[1:]}
    names = {expand(f"{prefix}:").value: prefix for prefix in ("dcterms", "relators")}
    return sorted(
        f"{prefix}:{one.removeprefix(space)}" for one in stated for space, prefix in names.items() if space in one
    )


@pytest.mark.parametrize(
    ("codes", "usage", "content", "expected"),
    [
        ("aut", None, TEXT, "dcterms:creator relators:aut"),
        ("", "primary", TEXT, "dcterms:creator"),
        ("", "primary", MAP, "dcterms:creator"),
        ("", "primary", MUSIC, "dcterms:creator"),
        ("", "primary", SOUND, "dcterms:creator"),
        ("", None, TEXT, "dcterms:contributor"),
        ("edt", None, TEXT, "dcterms:contributor relators:edt"),
        ("edt", "primary", TEXT, "dcterms:contributor relators:edt"),
        ("edt aut", "primary", TEXT, "dcterms:creator relators:aut relators:edt"),
        ("edt trl", None, TEXT, "dcterms:contributor relators:edt relators:trl"),
        ("trl", "primary", TEXT, "dcterms:contributor relators:trl"),
        ("ill", None, TEXT, "dcterms:contributor relators:ill"),
        ("ill", None, MUSIC, "dcterms:contributor relators:ill"),
        ("prf", "primary", SOUND, "dcterms:contributor relators:prf"),
        ("cmp", None, SOUND, "dcterms:creator relators:cmp"),
        ("com", None, TEXT, "dcterms:contributor relators:com"),
        ("com", "primary", TEXT, "dcterms:creator relators:com"),
        ("pht", None, TEXT, "dcterms:contributor relators:pht"),
        ("pht", None, PICTURE, "dcterms:creator relators:pht"),
        ("ctg", None, MAP, "dcterms:creator relators:ctg"),
        ("pbl", None, TEXT, "dcterms:publisher relators:pbl"),
        ("prt", None, TEXT, "relators:prt"),
        ("prt pbl", None, TEXT, "dcterms:publisher relators:pbl relators:prt"),
        ("fmo", None, TEXT, "relators:fmo"),
        ("fmo edt", None, TEXT, "dcterms:contributor relators:edt relators:fmo"),
        ("dte", None, TEXT, "relators:dte"),
        ("ctb", None, TEXT, "dcterms:contributor relators:ctb"),
    ],
)
def test_the_role_that_is_stated_decides_the_property_else_the_main_entry(codes, usage, content, expected):
    assert properties(entry(codes, usage=usage), content) == expected.split()


def test_a_main_entry_stays_one_whatever_the_role():
    for codes in ("", "edt", "prf", "fmo"):
        made = describe(Mods(name=(entry(codes, usage="primary"),)))
        (contribution,) = made.contributions()
        assert made.values("rdf:type", contribution) == [expand("bf:PrimaryContribution").value]


@pytest.mark.parametrize(
    ("content", "note", "expected"),
    [
        (SOUND, "Gerry Mulligan, baritone saxophone ; Chet Baker, trumpet.", "dcterms:contributor relators:prf"),
        (SOUND, "Chet Baker, trumpet.", "dcterms:creator"),
        (SOUND, "Mulligan Quartet.", "dcterms:creator"),
        (TEXT, "Gerry Mulligan.", "dcterms:creator"),
    ],
)
def test_the_main_entry_of_a_recording_is_a_performer_if_the_note_on_performers_names_it(content, note, expected):
    name = entry(heading="Mulligan, Gerry", usage="primary")
    assert properties(name, content, note) == expected.split()


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([entry(usage="primary"), entry("trl")], "dcterms:contributor relators:trl"),
        ([entry(usage="primary"), entry("aut")], "dcterms:creator relators:aut"),
        ([entry(usage="primary"), entry("fmo")], "dcterms:creator relators:fmo"),
        ([entry("fmo", usage="primary")], "relators:fmo"),
    ],
)
def test_a_role_that_one_record_states_is_stronger_than_the_silence_of_another(names, expected):
    made = describe(Mods(name=tuple(names)))
    properties = "dcterms:creator dcterms:contributor relators:aut relators:fmo relators:trl"
    found = [name for name in properties.split() if made.values(name)]
    assert sorted(found) == expected.split()


def test_a_role_without_a_code_makes_no_author():
    role = (Role((RoleTerm("придворный поэт", type="text"),)),)
    assert properties(person("Петров, В. П.", usage="primary", role=role)) == ["dcterms:contributor"]


@pytest.mark.parametrize(
    ("text", "is_agent"),
    [
        ("s.n.", False),
        ("[S.n.]", False),
        ("Б. и.", False),
        ("[без издательства]", False),
        ("Unknown", False),
        ("Anonymous", False),
        ("Anonymous 4", True),
        ("S. N. Technologies", True),
        ("311", True),
    ],
)
def test_a_text_in_place_of_a_name_is_no_agent(text, is_agent):
    name = Name((NamePart(text),), type="corporate", role=code("pbl"))
    assert bool(describe(Mods(name=(name,))).values("relators:pbl")) is is_agent


@pytest.mark.parametrize("heading", ["depicted", "author"])
def test_a_role_on_a_name_as_a_subject_is_no_contribution(heading):
    depicted = person("Толстой, Лев", role=(Role((RoleTerm(heading, type="text"),)),))
    made = describe(Mods(subject=(Subject((depicted,)),)))
    assert made.values("dcterms:subject") and not made.contributions() and not made.values("relators:dpc")


@pytest.mark.parametrize(
    ("term", "codes"),
    [
        (RoleTerm("Aut.", type="code"), ["aut"]),
        (RoleTerm("red.", type="text"), ["edt"]),
        (RoleTerm("ed. and tr.", type="text"), ["edt", "trl"]),
        (RoleTerm("aut", authority="local"), []),
        (RoleTerm("x", value_uri="http://id.loc.gov/vocabulary/relators/ill"), ["ill"]),
    ],
)
def test_a_code_of_a_role_counts_unless_it_is_of_another_list(term, codes):
    made = describe(Mods(name=(person("Рихтер, С. Т.", role=(Role((term,)),)),)))
    (contribution,) = made.contributions()
    roles = [value for value in made.values("bf:role", contribution) if value.startswith(RELATORS)]
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
    draft = draft_of(*names)
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
    draft = draft_of()
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


@pytest.mark.parametrize(
    ("name", "label"),
    [
        (
            Name((NamePart("Body"), NamePart("Unit"), NamePart("(2 : 1900 : Town)")), type="corporate"),
            "Body. Unit (2 : 1900 : Town)",
        ),
        (
            Name((NamePart("Saxena, Pradeep"), NamePart("(Of Systems, Inc.)")), type="corporate"),
            "Saxena, Pradeep (Of Systems, Inc.)",
        ),
        (
            Name((NamePart("Burns, Christopher"), NamePart("(Economist)", type="termsOfAddress"))),
            "Burns, Christopher (Economist)",
        ),
    ],
)
def test_a_qualifier_in_parentheses_has_a_blank_before_it(name, label):
    assert heading(name) == label
