"""How a description is listed on a page: which heading, label, text and remark each value gets."""

from __future__ import annotations

import pytest

from bibld.model import card
from bibld.model import mods as m
from bibld.model.iris import Iris
from bibld.model.linkage import Cluster, Merged, Spelling, ValueSource
from bibld.model.origin import RecordId
from bibld.serve._citations.reference import Person, Reference, find_person, reference_of
from bibld.serve._language import language_named
from bibld.serve._pages import facts, fields, structured, views

ENGLISH, RUSSIAN = language_named("en"), language_named("ru")
TOLSTOY = (m.NamePart("Толстой, Лев"), m.NamePart("1828-1910", type="date"))
ONE, OTHER = RecordId("nlr", "1"), RecordId("rsl", "1")


def role(*terms: tuple[str, str]) -> m.Role:
    return m.Role(tuple(m.RoleTerm(value, type=kind) for kind, value in terms))


def name(*roles: m.Role, usage: str | None = None) -> m.Mods:
    return m.Mods(name=(m.Name(TOLSTOY, role=roles, type="personal", usage=usage),))


def origin(**children: object) -> m.Mods:
    return m.Mods(origin_info=(m.OriginInfo(**children),))


def title(text: str = "Том", **more: object) -> m.TitleInfo:
    return m.TitleInfo(text, **more)


def related(**more: object) -> m.Mods:
    return m.Mods(related_item=(m.RelatedItem(**more),))


def rows(mods: m.Mods) -> list[tuple[str, str, str]]:
    return [(value.label, value.text, value.remark) for value in fields.values(mods, ENGLISH)]


@pytest.mark.parametrize(
    ("mods", "expected"),
    [
        (m.Mods(title_info=(title("Мир", non_sort="The "),)), [("Title", "The Мир", "")]),
        (m.Mods(title_info=(title(type="uniform"),)), [("Uniform title", "Том", "")]),
        (m.Mods(title_info=(title(type="of another kind"),)), [("Title", "Том", "")]),
        (m.Mods(title_info=(title(type="uniform", display_label="Spine"),)), [("Spine", "Том", "")]),
        (m.Mods(title_info=(title(" \n "),)), []),
        (name(usage="primary"), [("Author", "Толстой, Лев, 1828-1910", "")]),
        (name(), [("Contributor", "Толстой, Лев, 1828-1910", "")]),
        (name(role(("code", "aut"))), [("Author", "Толстой, Лев, 1828-1910", "")]),
        (
            name(role(("code", "aut")), role(("code", "ill")), role(("code", "ill"))),
            [("Author", "Толстой, Лев, 1828-1910", "illustrator")],
        ),
        (
            name(role(("code", "edt"), ("text", "под ред."))),
            [("Contributor", "Толстой, Лев, 1828-1910", "editor")],
        ),
        (
            name(role(("code", "xyz"), ("text", "под ред."))),
            [("Contributor", "Толстой, Лев, 1828-1910", "editor")],
        ),
        (
            name(role(("code", "xyz"), ("text", "придворный поэт"))),
            [("Contributor", "Толстой, Лев, 1828-1910", "придворный поэт")],
        ),
        (name(role(("text", ""), ("code", "xyz"))), [("Contributor", "Толстой, Лев, 1828-1910", "")]),
        (origin(edition=(m.Edition("2-е изд."),)), [("Edition", "2-е изд.", "")]),
        (
            origin(place=(m.Place((m.PlaceTerm("ru", type="code"), m.PlaceTerm("Москва", type="text"))),)),
            [("Place", "Москва", "")],
        ),
        (
            origin(
                place=(m.Place((m.PlaceTerm("Тула"),)),),
                publisher=(m.Publisher("Типография"),),
                event_type="manufacture",
            ),
            [("Place", "Тула", "manufacture"), ("Publisher", "Типография", "manufacture")],
        ),
        (origin(publisher=(m.Publisher("Наука"),), event_type="publication"), [("Publisher", "Наука", "")]),
        (
            origin(
                date_issued=(m.Date("1970", point="start", qualifier="inferred"), m.Date("1972", point="end")),
                copyright_date=(m.Date("1969"),),
                display_date=("1970-е",),
            ),
            [
                ("Year", "1970–1972", "inferred"),
                ("Copyright", "1969", ""),
                ("Date as stated", "1970-е", ""),
            ],
        ),
        (
            m.Mods(
                language=(
                    m.Language((m.LanguageTerm("rus", type="code"), m.LanguageTerm("Russian", type="text"))),
                    m.Language((m.LanguageTerm("xal", type="code"),), object_part="summary"),
                    m.Language((m.LanguageTerm("rus", type="text"), m.LanguageTerm("", type="code"))),
                )
            ),
            [("Language", "Russian", ""), ("Language", "Kalmyk", "summary"), ("Language", "rus", "")],
        ),
        (
            m.Mods(
                physical_description=(
                    m.PhysicalDescription(
                        form=(m.Form("print"),), extent=(m.Extent("3", unit="vol"), m.Extent("9 с."))
                    ),
                )
            ),
            [("Extent", "3", "vol"), ("Extent", "9 с.", ""), ("Form", "print", "")],
        ),
        (
            m.Mods(
                subject=(
                    m.Subject((m.Topic("Война"), m.Topic(""), m.Temporal("19 в.")), authority="rsl"),
                    m.Subject((m.Name(TOLSTOY), title("Детство"))),
                    m.Subject((m.HierarchicalGeographic(country=("Россия", ""), city=("Тула",), authority="x"),)),
                    m.Subject((m.Cartographics(scale=("1:100",), coordinates=("E 1",)),)),
                )
            ),
            [
                ("Subject", "Война — 19 в.", "rsl"),
                ("Subject", "Толстой, Лев, 1828-1910 — Детство", ""),
                ("Subject", "Россия, Тула", ""),
                ("Subject", "1:100; E 1", ""),
            ],
        ),
        (
            m.Mods(classification=(m.Classification("84", authority="rubbk", edition="2"), m.Classification("821"))),
            [("Classification", "84", "BBK 2"), ("Classification", "821", "")],
        ),
        (
            m.Mods(
                note=(
                    m.Note("a"),
                    m.Note("b", type="bibliographic-history"),
                    m.Note("c", type="x", display_label="Gift"),
                )
            ),
            [("Note", "a", ""), ("Bibliographic history", "b", ""), ("Gift", "c", "")],
        ),
        (
            m.Mods(
                identifier=(
                    m.Identifier("1", type="isbn"),
                    m.Identifier("2", type="isbn", invalid="yes"),
                    m.Identifier("3", type="stock number"),
                    m.Identifier("4"),
                    m.Identifier("5", type="issue"),
                    m.Identifier("6", type="matrix"),
                )
            ),
            [
                ("ISBN", "1", ""),
                ("ISBN", "2", "cancelled or wrong"),
                ("Stock number", "3", ""),
                ("Identifier", "4", ""),
                ("ISSUE", "5", ""),
                ("Matrix", "6", ""),
            ],
        ),
        (
            related(type="host", mods=m.Mods(title_info=(title("Звезда"),), name=(m.Name(TOLSTOY),))),
            [("In", "Толстой, Лев, 1828-1910. Звезда", "")],
        ),
        (related(mods=m.Mods(name=(m.Name(TOLSTOY),))), [("Related", "Толстой, Лев, 1828-1910", "")]),
        (related(other_type="sequel", mods=m.Mods(title_info=(title(),))), [("sequel", "Том", "")]),
        (
            related(type="host", display_label="Bound with", mods=m.Mods(title_info=(title(),))),
            [("Bound with", "Том", "")],
        ),
        (
            related(
                type="host",
                mods=m.Mods(
                    title_info=(title("Звезда"),),
                    identifier=(m.Identifier("1234-5679", type="issn"),),
                    part=(
                        m.Part(
                            detail=(m.Detail(number=("5",), caption=("№",)), m.Detail(number=("",))),
                            extent=(m.PartExtent("3", "9", unit="pages"), m.PartExtent(end="7")),
                            date=(m.Date("1978"),),
                            text=(m.PartText("приложение"),),
                        ),
                    ),
                ),
            ),
            [("In", "Звезда", "№ 5, pages 3–9, 1978, приложение; ISSN 1234-5679")],
        ),
        (m.Mods(part=(m.Part(extent=(m.PartExtent("3"),)),)), [("Part", "3–", "")]),
        (
            m.Mods(
                location=(
                    m.Location(
                        url=(
                            m.Url("https://example.org/", display_label="Full text", note="free"),
                            m.Url("https://example.org/2", note="free"),
                            m.Url("https://example.org/3"),
                        ),
                        physical_location=(m.PhysicalLocation("РГБ"),),
                        shelf_locator=("A 1", "A 2"),
                    ),
                )
            ),
            [
                ("Online", "https://example.org/", "Full text"),
                ("Online", "https://example.org/2", "free"),
                ("Online", "https://example.org/3", ""),
                ("Holding library", "РГБ", ""),
                ("Shelf mark", "A 1", ""),
                ("Shelf mark", "A 2", ""),
            ],
        ),
        (
            m.Mods(
                record_info=(
                    m.RecordInfo(
                        record_identifier=(m.RecordIdentifier("17", source="NLR"), m.RecordIdentifier("18")),
                        record_creation_date=(m.Date("1990"),),
                    ),
                )
            ),
            [("Record number", "17", "NLR"), ("Record number", "18", ""), ("Made on", "1990", "")],
        ),
    ],
)
def test_each_value_is_listed_with_its_label_and_remark(mods, expected):
    assert rows(mods) == expected


@pytest.mark.parametrize(
    ("property_", "in_english", "in_russian"),
    [
        ("http://purl.org/dc/terms/relation", "Relation", "Связь"),
        ("http://id.loc.gov/ontologies/bibframe/custodialHistory", "Custodial history", "История владения"),
        ("https://example.org/terms/donor", "Donor", "Donor"),
        (None, "Note", "Примечание"),
    ],
)
def test_a_note_that_states_a_property_is_called_as_the_property(property_, in_english, in_russian):
    mods = m.Mods(note=(m.Note("Дар Иванова", type_uri=property_),))
    assert [value.label for value in fields.values(mods, ENGLISH)] == [in_english]
    assert [value.label for value in fields.values(mods, RUSSIAN)] == [in_russian]


def test_values_are_in_the_order_of_the_headings_and_each_has_its_path():
    mods = m.Mods(
        title_info=(title("a"), title("b")),
        genre=(m.Genre("c"), m.Genre("d")),
        origin_info=(m.OriginInfo(), m.OriginInfo(place=(m.Place((m.PlaceTerm("e"),)),), date_issued=(m.Date("1"),))),
        record_info=(m.RecordInfo(record_change_date=(m.Date("2"),)),),
    )
    found = fields.values(mods, ENGLISH)
    assert [value.path for value in found] == [
        "title_info/0",
        "title_info/1",
        "origin_info/1/place/0",
        "origin_info/1/date_issued/0",
        "genre/0",
        "genre/1",
        "record_info/0/record_change_date/0",
    ]
    headings = [list(fields.GROUPS).index(value.group) for value in found]
    assert headings == sorted(headings)
    assert found[-1].group == fields.ABOUT_RECORD


@pytest.mark.parametrize(
    ("info", "text"),
    [
        (title("A", sub_title=("b", "c")), "A : b : c"),
        (title("A", part_number=("1",), part_name=("B",)), "A. 1, B"),
        (title("A.", part_number=("1",)), "A. 1"),
        (title("", part_number=("1",)), "1"),
        (title("A"), "A"),
    ],
)
def test_a_title_is_one_line(info, text):
    assert card.title_text(info) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (m.Name((m.NamePart("1828-1910", type="date"), m.NamePart("Толстой"), m.NamePart(""))), "Толстой, 1828-1910"),
        (m.Name((m.NamePart(""),), display_form=("Л. Н. Толстой", "гр. Толстой")), "Л. Н. Толстой; гр. Толстой"),
        (m.Name((m.NamePart("Толстой"),), display_form=("Л. Н. Толстой",)), "Толстой"),
    ],
)
def test_a_name_is_one_line_with_its_dates_last(name, text):
    assert card.name_text(name) == text


@pytest.mark.parametrize(
    ("mods", "heading", "first_name", "year"),
    [
        (m.Mods(), "", "", ""),
        (
            m.Mods(
                title_info=(title("Other", type="alternative"), title("Main")),
                name=(m.Name(TOLSTOY), m.Name((m.NamePart("Иванов"),))),
                origin_info=(
                    m.OriginInfo(date_issued=(m.Date(""),), copyright_date=(m.Date("1969"),)),
                    m.OriginInfo(date_issued=(m.Date("1970"),)),
                ),
            ),
            "Main",
            "Толстой, Лев, 1828-1910",
            "1969",
        ),
        (m.Mods(title_info=(title("Other", type="alternative"),)), "Other", "", ""),
    ],
)
def test_the_heading_is_the_main_title_the_first_name_and_the_first_year(mods, heading, first_name, year):
    assert (fields.title(mods), fields.main_name(mods), fields.year(mods)) == (heading, first_name, year)


@pytest.mark.parametrize(
    ("text", "element", "tag"),
    [
        ("Мир", None, "ru"),
        ("World", None, ""),
        ("Мир", m.Note(xml_lang="uk"), "uk"),
        ("Мир", m.Note(lang="bel"), "be"),
        ("Мир", m.Note(xml_lang='x" onload="'), "ru"),
        ("Mir", m.Note(xml_lang="ru-Latn"), "ru-Latn"),
        ("Мир", m.Note(), "ru"),
    ],
)
def test_the_language_of_a_text_is_the_stated_one_or_read_from_its_letters(text, element, tag):
    assert fields.language_of(text, element) == tag


def test_a_web_address_is_a_link_and_runs_of_blanks_are_one():
    mods = m.Mods(location=(m.Location(url=(m.Url("https://example.org/"), m.Url("ftp  or\n so"))),))
    assert [(value.text, value.address) for value in fields.values(mods, ENGLISH)] == [
        ("https://example.org/", "https://example.org/"),
        ("ftp or so", ""),
    ]


def test_a_name_links_to_its_entity_with_and_without_dates():
    for label in ("Толстой, Лев, 1828-1910", "ТОЛСТОЙ, ЛЕВ"):
        (group,) = facts.facts_of(fields.values(name(), ENGLISH), ENGLISH, {facts.folded(label): "/agent/1"})
        assert group.rows[0].facts[0].href == "/agent/1"
    (group,) = facts.facts_of(fields.values(name(), ENGLISH), ENGLISH, {facts.folded("Толстой"): "/agent/1"})
    assert group.rows[0].facts[0].href is None


def test_a_name_of_two_entities_is_no_link():
    first, second = views.PageLink("/agent/1", "A"), views.PageLink("/agent/2", "B")
    assert views.links_by_text([(first, {"a", "x", ""}), (first, {"a"}), (second, {"b", "x"})]) == {
        "a": "/agent/1",
        "b": "/agent/2",
    }


def shown_facts(mods: m.Mods, members: tuple[RecordId, ...], sources: list[ValueSource]) -> dict[str, list[facts.Fact]]:
    merged = Merged(Cluster(members[0], members), mods, tuple(sources))
    groups = facts.merged_facts(merged, fields.values(mods, ENGLISH), ENGLISH, {})
    return {row.label: list(row.facts) for group in groups for row in group.rows}


def test_a_value_has_the_letters_of_the_records_of_the_nearest_path_above_it():
    mods = m.Mods(
        title_info=(title(),),
        location=(m.Location(shelf_locator=("A 1",), url=(m.Url("B"),)),),
    )
    sources = [ValueSource("title_info/0", (ONE, OTHER)), ValueSource("location/0", (OTHER,))]
    shown = shown_facts(mods, (ONE, OTHER), sources)
    assert {label: [(fact.letters, fact.is_disputed) for fact in row] for label, row in shown.items()} == {
        "Title": [("A B", False)],
        "Online": [("B", True)],
        "Shelf mark": [("B", True)],
    }
    alone = shown_facts(mods, (OTHER,), [ValueSource("location/0", ())])
    assert all(fact.letters == "" for row in alone.values() for fact in row)


def test_the_other_forms_of_a_value_are_beside_it_with_the_records_that_have_them():
    mods = m.Mods(
        origin_info=(m.OriginInfo(place=(m.Place((m.PlaceTerm("Москва"),)),), date_issued=(m.Date("1970"),)),),
        abstract=(m.Abstract("Роман."),),
        identifier=(m.Identifier("5280010000", type="isbn"),),
    )
    sources = [
        ValueSource("origin_info/0", (ONE, OTHER)),
        ValueSource("origin_info/0/place/0#1", (OTHER,), "М."),
        ValueSource("origin_info/0#1", (OTHER,), "М. : Наука, 1970"),
        ValueSource("abstract#1", (OTHER,), "О любви."),
        ValueSource("identifier/0", (ONE, OTHER), "", (Spelling("5-280-01000-0", (OTHER,)),)),
    ]
    shown = shown_facts(mods, (ONE, OTHER), sources)
    forms = {label: [(form.text, form.letters) for form in row[0].forms] for label, row in shown.items()}
    assert forms == {
        "Place": [("М.", "B")],
        "Year": [("М. : Наука, 1970", "B")],
        "ISBN": [("5-280-01000-0", "B")],
        "Summary": [("О любви.", "B")],
    }


def test_of_many_records_only_their_number_is_shown():
    members = tuple(RecordId("rsl", f"{number:02}") for number in range(30))
    letters = facts.Letters(members)
    assert letters.of(members[:3]) == "A B C"
    assert letters.of(members[25:27]) == "Z 27"
    assert letters.of(members[:6]) == "6/30"


def test_codes_are_words_in_the_language_of_the_page():
    mods = m.Mods(
        name=(m.Name(TOLSTOY, role=(role(("code", "edt")), role(("code", "adi")))),),
        language=(m.Language((m.LanguageTerm("chu", type="code"),)),),
        type_of_resource=(m.TypeOfResource("cartographic"),),
        classification=(m.Classification("84", authority="rubbk"),),
    )
    assert [(value.label, value.text, value.remark) for value in fields.values(mods, RUSSIAN)] == [
        ("Участник", "Толстой, Лев, 1828-1910", "редактор, art director"),
        ("Язык", "церковнославянский", ""),
        ("Тип", "карта", ""),
        ("Классификация", "84", "ББК"),
    ]


def test_records_side_by_side_show_where_they_differ():
    one = m.Mods(
        title_info=(title("Том."),),
        note=(m.Note("a"), m.Note("b")),
        record_info=(m.RecordInfo(record_creation_date=(m.Date("1"),)),),
    )
    other = m.Mods(
        title_info=(title("ТОМ"),),
        origin_info=(m.OriginInfo(edition=(m.Edition("2-е"),)),),
        note=(m.Note("b"), m.Note("a")),
        record_info=(m.RecordInfo(record_creation_date=(m.Date("2"),)),),
    )
    compared = views.values_side_by_side([(ONE, fields.values(one, ENGLISH)), (OTHER, fields.values(other, ENGLISH))])
    assert compared.records == (ONE, OTHER)
    assert [(label, [len(cell.values) for cell in cells], cells[0].differs) for label, cells in compared.rows] == [
        ("Title", [1, 1], False),
        ("Edition", [0, 1], True),
        ("Note", [2, 2], False),
        ("Made on", [1, 1], False),
    ]


@pytest.mark.parametrize(
    ("iri", "text"),
    [
        ("http://example.org/ns#title", "ns:title"),
        ("http://example.org/ns#", "ex:ns#"),
        ("http://example.org/a", "ex:a"),
        ("urn:other", "urn:other"),
        ("https://data.example.org/lod/agent/~D0~BB", "agent/л"),
        ("https://data.example.org/lod/agent/~ZZ", "agent/~ZZ"),
    ],
)
def test_an_iri_is_shortened_by_the_longest_prefix_or_to_its_path(iri, text):
    prefixes = {"ex": "http://example.org/", "ns": "http://example.org/ns#"}
    assert views.compact(iri, prefixes, Iris("https://data.example.org/lod/")) == text


def test_the_structured_data_contain_valid_numbers_authors_and_languages_only():
    mods = m.Mods(
        title_info=(title("Мир"),),
        name=(
            m.Name((m.NamePart("РГБ"),), type="corporate", usage="primary"),
            m.Name((m.NamePart("Толстой"),), role=(role(("code", "aut")),)),
            m.Name((m.NamePart("Иванов"),), role=(role(("code", "edt")),)),
        ),
        origin_info=(
            m.OriginInfo(publisher=(m.Publisher("Наука"), m.Publisher(""))),
            m.OriginInfo(publisher=(m.Publisher("Наука"),)),
        ),
        identifier=(
            m.Identifier("1", type="isbn"),
            m.Identifier("2", type="isbn", invalid="yes"),
            m.Identifier("3", type="issn"),
        ),
        language=(
            m.Language((m.LanguageTerm("rus", type="code"), m.LanguageTerm("Russian", type="text"))),
            m.Language((m.LanguageTerm("rus", type="code"), m.LanguageTerm("", type="code"))),
        ),
    )
    reference = reference_of(mods, "urn:x")
    linked = structured.LinkedThings({"толстой": "urn:agent"})
    assert structured.publication(reference, "urn:page", linked, ["urn:y"]) == {
        "@context": "https://schema.org",
        "@type": "Book",
        "@id": "urn:x",
        "url": "urn:page",
        "name": "Мир",
        "author": [
            {"@type": "Organization", "name": "РГБ"},
            {"@type": "Person", "@id": "urn:agent", "name": "Толстой"},
        ],
        "editor": [{"@type": "Person", "name": "Иванов"}],
        "publisher": [{"@type": "Organization", "name": "Наука"}],
        "isbn": ["1"],
        "inLanguage": "ru",
        "sameAs": ["urn:y"],
    }


def test_the_structured_data_name_each_person_once_with_the_iri_and_other_forms():
    agents = [
        ("urn:tolstoi", ["Толстой, Лев Николаевич, граф", "Tolstoĭ, Lev Nikolaevich, graf, 1828-1910"]),
        ("urn:lotman", ["Лотман, Юрий Михайлович"]),
    ]
    names = [
        m.Name((m.NamePart(text),), role=(role(("code", code)),), type="personal")
        for text, code in (
            ("Лотман, Ю. М.", "aut"),
            ("Lotman, I͡Uriĭ Mikhaĭlovich", "aut"),
            ("Толстой, Л. Н.", "aut"),
            ("Лотман, Юрий Михайлович", "edt"),
            ("Лотман, Михаил Юрьевич", "edt"),
        )
    ]
    reference = reference_of(m.Mods(title_info=(title("Мир"),), name=tuple(names)), "urn:x")
    found = structured.publication(reference, "urn:page", structured.LinkedThings({}, agents), [])
    assert found["author"] == [
        {
            "@type": "Person",
            "@id": "urn:lotman",
            "name": "Ю. М. Лотман",
            "familyName": "Лотман",
            "givenName": "Ю. М.",
            "alternateName": ["Lotman, I͡Uriĭ Mikhaĭlovich"],
        },
        {
            "@type": "Person",
            "@id": "urn:tolstoi",
            "name": "Л. Н. Толстой",
            "familyName": "Толстой",
            "givenName": "Л. Н.",
        },
    ]
    assert [each.get("@id") for each in found["editor"]] == ["urn:lotman", None]


def test_names_with_one_entity_are_one_also_if_the_reference_has_both():
    agents = [("urn:a", ["Чайковский, Пётр Ильич", "Tchaikovsky, Peter"])]
    people = (Person("Чайковский", "Пётр"), Person("Tchaikovsky", "Peter"))
    reference = Reference("urn:x", title="Мир", authors=people)
    found = structured.publication(reference, "urn:page", structured.LinkedThings({}, agents), [])
    (author,) = found["author"]
    assert (author["@id"], author["name"], author["alternateName"]) == (
        "urn:a",
        "Пётр Чайковский",
        ["Peter Tchaikovsky"],
    )


def test_a_name_that_two_entities_have_is_none_of_them():
    headings = [("urn:a", ["Толстой, Алексей Константинович"]), ("urn:b", ["Толстой, Алексей Николаевич"])]
    assert find_person(Person("Толстой", "А."), headings) == ""
    assert find_person(Person("Толстой", "А. Н."), headings) == "urn:b"
    assert find_person(Person("Толстой", "Лев"), headings) == ""
    assert find_person(Person("?"), [("urn:a", ["!"])]) == ""
    assert find_person(Person("РГБ", is_organisation=True), [("urn:c", ["РГБ"]), *headings]) == "urn:c"


def test_the_structured_data_find_publishers_with_abbreviated_names():
    goslit, detgiz = ("urn:goslit", ["Художественная литература"]), ("urn:detgiz", ["Детская литература"])
    linked = structured.LinkedThings({}, publishers=[goslit, detgiz])

    def publishers(names, linked):
        found = structured.publication(Reference("urn:x", title="Мир", publishers=names), "urn:page", linked, [])
        return [(each["name"], each.get("@id")) for each in found["publisher"]]

    names = ("Худож. лит.", 'Изд-во "Детская литература"', "Наука", "Художественная литература")
    assert publishers(names, linked) == [
        ("Худож. лит.", "urn:goslit"),
        ('Изд-во "Детская литература"', "urn:detgiz"),
        ("Наука", None),
    ]
    assert publishers(("?", "Наука"), structured.LinkedThings({}, publishers=[("urn:x", ["!"])])) == [
        ("?", None),
        ("Наука", None),
    ]
    assert publishers(("Тип. Т. Рисъ",), structured.LinkedThings({}, publishers=[("urn:ris", ["Рис"])])) == [
        ("Тип. Т. Рисъ", "urn:ris")
    ]


def test_the_main_name_is_in_the_script_of_the_title():
    latin, cyrillic, other = (
        m.Name((m.NamePart(text),), type="personal") for text in ("Lotman, I͡U. M.", "Лотман, Ю. М.", "Минц, З. Г.")
    )
    russian = (title("Анализ текста"),)
    assert fields.main_name(m.Mods(title_info=russian, name=(latin, other, cyrillic))) == "Лотман, Ю. М."
    assert fields.main_name(m.Mods(title_info=russian, name=(latin, other))) == "Lotman, I͡U. M."
    assert fields.main_name(m.Mods(title_info=(title("Analysis"),), name=(cyrillic, latin))) == "Lotman, I͡U. M."
    assert fields.main_name(m.Mods(title_info=russian, name=(cyrillic, latin))) == "Лотман, Ю. М."
    assert fields.main_name(m.Mods(title_info=russian)) == ""
