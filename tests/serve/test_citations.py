"""Publications as references: a catalogue description, and what a reader puts into a list of literature."""

from __future__ import annotations

import json
import re
from itertools import accumulate
from urllib.parse import parse_qs

import msgspec
import pytest
from hypothesis import given

from bibld.model import mods as m
from bibld.model.linkage import ValueSource
from bibld.model.origin import RecordId
from bibld.serve._citations.files import FILES, STYLES, coins, csl_item
from bibld.serve._citations.reference import Person, Reference, reference_of
from tests.strategies import mods

IRI = "https://data.example.org/resource/rsl/1"


def name(heading: str, role: str = "", **attributes: str) -> m.Name:
    roles = (m.Role((m.RoleTerm(value=role, type="code"),)),) if role else ()
    return m.Name(name_part=(m.NamePart(value=heading),), role=roles, type="personal", **attributes)


def origin(place: str, publisher: str, year: str, edition: str = "") -> m.OriginInfo:
    return m.OriginInfo(
        place=(m.Place((m.PlaceTerm(value=place, type="text"),)),),
        publisher=(m.Publisher(value=publisher),),
        date_issued=(m.Date(value=year),),
        edition=(m.Edition(value=edition),) if edition else (),
    )


def extent(text: str) -> tuple[m.PhysicalDescription, ...]:
    return (m.PhysicalDescription(extent=(m.Extent(value=text),)),)


NOVEL = m.Mods(
    title_info=(m.TitleInfo(title="Анна Каренина", sub_title=("роман в восьми частях",)),),
    name=(name("Толстой, Лев Николаевич", "aut", usage="primary"), name("Жданов, Владимир Александрович", "edt")),
    origin_info=(origin("Москва", "Наука", "1970", "2-е изд."),),
    physical_description=extent("911 с., 8 л. ил. : портр. ; 22 см"),
    language=(m.Language((m.LanguageTerm(value="rus", type="code"),)),),
    related_item=(
        m.RelatedItem(m.Mods(title_info=(m.TitleInfo("Литературные памятники"),)), type="series"),
        m.RelatedItem(m.Mods(title_info=(m.TitleInfo("Собрание"),)), type="otherVersion"),
    ),
    identifier=(m.Identifier(value="5020000000", type="isbn"), m.Identifier(value="1", type="isbn", invalid="yes")),
)
ARTICLE = m.Mods(
    title_info=(m.TitleInfo(title="Греческая литература", sub_title=("два принципа",)),),
    name=(name("Аверинцев, Сергей Сергеевич", "aut"),),
    related_item=(
        m.RelatedItem(
            m.Mods(
                title_info=(m.TitleInfo("Вопросы литературы"),),
                identifier=(m.Identifier(value="0042-8795", type="issn"),),
                part=(
                    m.Part(
                        detail=(m.Detail(number=("8",), type="issue"),),
                        extent=(m.PartExtent("40", "68"),),
                        date=(m.Date(value="1971"),),
                    ),
                ),
            ),
            type="host",
        ),
    ),
)
FOUR = m.Mods(
    title_info=(m.TitleInfo("Экономика : учебник"),),
    name=tuple(name(f"{family}, Иван Петрович", "aut") for family in ("Алов", "Белов", "Волков", "Гуров")),
    origin_info=(origin("СПб.", "Питер", "2001"),),
)
ENCYCLOPAEDIA = m.Mods(
    title_info=(m.TitleInfo(title="Большая советская энциклопедия", part_number=("Т. 1",), part_name=("А - Ангоб",)),),
    note=(m.Note(value="гл. ред. А. М. Прохоров", type="statement of responsibility"),),
    origin_info=(origin("Москва", "Сов. энцикл.", "1969", "3-е изд."),),
)
ENGLISH = m.Mods(
    title_info=(m.TitleInfo(title="Master and Margarita", non_sort="The "),),
    name=(name("Bulgakov, Mikhail", usage="primary"), name("Ginsburg, Mirra", "trl")),
    origin_info=(origin("New York", "Grove Press", "1967", "Third edition 3"),),
    physical_description=extent("402 p."),
)


@pytest.mark.parametrize(
    ("described", "style", "cited"),
    [
        (
            NOVEL,
            "gost",
            "Толстой Л. Н. Анна Каренина : роман в восьми частях. 2-е изд. М. : Наука, 1970. 911 с."
            " (Литературные памятники). ISBN 5-02-000000-0.",
        ),
        (
            NOVEL,
            "gost-description",
            "Толстой, Л. Н. Анна Каренина : роман в восьми частях / Л. Н. Толстой. — 2-е изд. — Москва : Наука, 1970."
            " — 911 с. — (Литературные памятники). — ISBN 5-02-000000-0. — Текст : непосредственный.",
        ),
        (
            ARTICLE,
            "gost-description",
            "Аверинцев, С. С. Греческая литература : два принципа / С. С. Аверинцев. — Текст : непосредственный //"
            " Вопросы литературы. — 1971. — № 8. — С. 40–68.",
        ),
        (
            FOUR,
            "gost-description",
            "Экономика : учебник / И. П. Алов, И. П. Белов, И. П. Волков, И. П. Гуров. — Санкт-Петербург : Питер, 2001."
            " — Текст : непосредственный.",
        ),
        (NOVEL, "apa", "Толстой, Л. Н. (1970). Анна Каренина: роман в восьми частях (2nd ed.). Наука."),
        (
            NOVEL,
            "chicago",
            "Толстой, Лев Николаевич. Анна Каренина: роман в восьми частях. 2nd ed. Литературные памятники."
            " Москва: Наука, 1970.",
        ),
        (
            ARTICLE,
            "gost",
            "Аверинцев С. С. Греческая литература : два принципа // Вопросы литературы. 1971. № 8. С. 40–68.",
        ),
        (
            ARTICLE,
            "apa",
            "Аверинцев, С. С. (1971). Греческая литература: два принципа. Вопросы литературы, (8), 40–68.",
        ),
        (
            ARTICLE,
            "chicago",
            "Аверинцев, Сергей Сергеевич. “Греческая литература: два принципа.” Вопросы литературы no. 8 (1971):"
            " 40–68.",
        ),
        (FOUR, "gost", "Экономика : учебник / И. П. Алов [и др.]. СПб. : Питер, 2001."),
        (FOUR, "apa", "Алов, И. П., Белов, И. П., Волков, И. П., & Гуров, И. П. (2001). Экономика : учебник. Питер."),
        (
            ENCYCLOPAEDIA,
            "gost",
            "Большая советская энциклопедия / гл. ред. А. М. Прохоров. Т. 1. А - Ангоб. 3-е изд."
            " М. : Сов. энцикл., 1969.",
        ),
        (ENCYCLOPAEDIA, "apa", "Большая советская энциклопедия (3rd ed., Т. 1. А - Ангоб). (1969). Сов. энцикл."),
        (ENGLISH, "gost", "Bulgakov M. The Master and Margarita. Third edition 3. N. Y. : Grove Press, 1967. 402 p."),
        (
            ENGLISH,
            "chicago",
            "Bulgakov, Mikhail. The Master and Margarita. Translated by Mirra Ginsburg. 3rd ed."
            " New York: Grove Press, 1967.",
        ),
    ],
)
def test_a_publication_is_cited_as_the_style_asks(described, style, cited):
    assert STYLES[style](reference_of(described, IRI)) == cited


def test_of_a_merged_description_the_place_and_publisher_of_one_record_are_cited():
    rsl, nlr = RecordId("rsl", "1"), RecordId("nlr", "2")
    info = with_publishers(NOVEL.origin_info[0], m.Publisher(value="Наука"), m.Publisher(value='Изд-во "Наука"'))
    merged = m.Mods(title_info=NOVEL.title_info, origin_info=(info,))
    sources = [
        ValueSource("origin_info/0/publisher/0", (rsl,)),
        ValueSource("origin_info/0/publisher/1", (nlr,)),
    ]
    assert reference_of(merged, IRI, sources).publishers == ("Наука",)
    both = [ValueSource(source.path, (rsl,)) for source in sources]
    assert reference_of(merged, IRI, both).publishers == ("Наука", 'Изд-во "Наука"')


def with_publishers(info: m.OriginInfo, *publishers: m.Publisher) -> m.OriginInfo:
    return m.OriginInfo(place=info.place, publisher=publishers, date_issued=info.date_issued)


def test_a_name_in_two_scripts_is_one_author_in_the_script_of_the_title():
    two = (name("Mandelʹshtam, Osip", usage="primary"), name("Мандельштам, Осип Эмильевич", "aut"))
    assert reference_of(m.Mods(title_info=(m.TitleInfo("Стихи"),), name=two), IRI).authors == (
        Person("Мандельштам", "Осип Эмильевич", other_forms=("Mandelʹshtam, Osip",)),
    )
    assert reference_of(m.Mods(title_info=(m.TitleInfo("Stikhi"),), name=two), IRI).authors == (
        Person("Mandelʹshtam", "Osip", other_forms=("Мандельштам, Осип Эмильевич",)),
    )


def test_a_name_without_role_is_an_author_if_the_title_page_lists_it_first():
    names = (name("Стругацкий, Аркадий", usage="primary"), name("Стругацкий, Борис"), name("Мигунов, Евгений"))
    note = m.Note(value="А. и Б. Стругацкий ; рис. Е. Мигунова", type="statement of responsibility")
    found = reference_of(m.Mods(title_info=(m.TitleInfo("Понедельник"),), name=names, note=(note,)), IRI)
    assert [person.given for person in found.authors] == ["Аркадий", "Борис"]


@pytest.mark.parametrize(
    ("given", "initials"),
    [("Лев Николаевич", "Л. Н."), ("Л.Н.", "Л. Н."), ("Жан-Жак", "Ж.-Ж."), ("Людвиг ван", "Л. ван"), ("", "")],
)
def test_given_names_become_initials(given, initials):
    assert Person("Толстой", given).initials == initials


def test_bibtex_escapes_what_tex_reads_and_numbers_equal_keys():
    one = Reference(IRI, title="50 % & {более} C# _ $", authors=(Person("Толстой", "Лев"),), year="1970")
    organisation = Reference(IRI, title="X", authors=(Person("Наука и жизнь", is_organisation=True),))
    text = FILES["bib"]([one, one, organisation])
    assert r"title = {50 \% \& \textbraceleft{}более\textbraceright{} C\# \_ \$}" in text
    assert "author = {{Наука и жизнь}}" in text
    keys = re.findall(r"(?m)^@book\{(.*),$", text)
    assert keys[1] == f"{keys[0]}-2"
    assert all(key.isascii() for key in keys)


def depths(text: str) -> list[int]:
    """The depth after each brace, as BibTeX counts: whether a backslash is before it or not."""
    return list(accumulate({"{": 1, "}": -1}[brace] for brace in re.findall(r"[{}]", text)))


def test_braces_of_a_value_never_end_its_field_of_bibtex():
    evil = 'A } @misc(evil, title="x") {'
    text = FILES["bib"]([Reference(IRI, title=evil, authors=(Person(evil, evil),), doi=evil, year=evil)])
    assert depths(text)[-1] == 0
    assert min(depths(text)[:-1]) == 1
    (title,) = re.findall(r"(?m)^  title = \{(.*)\},$", text)
    assert title == 'A \\textbraceright{} @misc(evil, title="x") \\textbraceleft{}'


def test_files_for_reference_managers_hold_every_field():
    reference = reference_of(NOVEL, IRI)
    ris = FILES["ris"]([reference]).split("\r\n")
    assert ris[0] == "TY  - BOOK"
    assert ris[-2:] == ["ER  - ", ""]
    assert {"AU  - Толстой, Лев Николаевич", "PY  - 1970", "SN  - 5020000000", f"ID  - {IRI}"} <= set(ris)
    (item,) = json.loads(FILES["csl.json"]([reference]))
    assert item == csl_item(reference)
    assert item["author"] == [{"family": "Толстой", "given": "Лев Николаевич"}]
    assert item["issued"] == {"date-parts": [[1970]]}
    assert parse_qs(coins(reference))["rft.btitle"] == ["Анна Каренина : роман в восьми частях"]
    assert parse_qs(coins(reference_of(ARTICLE, IRI)))["rft.jtitle"] == ["Вопросы литературы"]


@given(described=mods())
def test_any_description_can_be_cited(described):
    reference = reference_of(described, IRI)
    for style in STYLES.values():
        assert "\n" not in style(reference)
    lines = FILES["ris"]([reference]).split("\r\n")
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines[:-1])
    text = FILES["bib"]([reference])
    assert depths(text)[-1] == 0
    json.loads(FILES["csl.json"]([reference]))
    assert coins(reference).isascii()


@pytest.mark.parametrize(
    "url",
    [
        m.Url("https://example.org/cover.jpg"),
        m.Url("https://example.org/1.PNG?size=2"),
        m.Url("https://example.org/1", note="Обложка"),
        m.Url("https://example.org/1", display_label="Table of contents"),
        m.Url("https://example.org/1", display_label="Оглавление и предисловие"),
        m.Url("https://example.org/1", access="preview"),
        m.Url("not an address"),
    ],
)
def test_addresses_of_covers_and_contents_are_not_cited(url):
    own = m.Url("https://example.org/text.pdf", display_label="Полный текст")
    title = (m.TitleInfo("Мир"),)
    assert reference_of(m.Mods(title_info=title, location=(m.Location(url=(url,)),)), IRI).url == ""
    both = m.Mods(title_info=title, location=(m.Location(url=(url, own)),))
    assert reference_of(both, IRI).url == own.value


def test_a_volume_without_imprint_has_that_of_its_set():
    of_set = m.Mods(title_info=(m.TitleInfo("Война и мир"),), origin_info=(origin("Москва", "Дрофа", "2003"),))
    item = m.RelatedItem(of_set, type="host", other_type="set")
    volume = m.Mods(
        title_info=(m.TitleInfo("Война и мир", part_number=("Т. 1",)),),
        origin_info=(m.OriginInfo(date_issued=(m.Date("2004"),)),),
        related_item=(item,),
    )
    found = reference_of(volume, IRI)
    assert (found.places, found.publishers, found.year) == (("Москва",), ("Дрофа",), "2004")
    own = msgspec.structs.replace(volume, origin_info=(origin("Ленинград", "Наука", "1970"),))
    assert reference_of(own, IRI).publishers == ("Наука",)


@pytest.mark.parametrize(
    ("stated", "numbers"),
    [
        ("752 с. ; 21 см", {"number-of-pages": "752"}),
        ("xii, 366, [2] p.", {"number-of-pages": "366"}),
        ("[16] с.", {"number-of-pages": "16"}),
        ("3 т.", {"number-of-volumes": "3"}),
        ("1 электрон. опт. диск", {}),
        ("С. 76-132", {}),
    ],
)
def test_numbers_of_pages_and_volumes_have_no_unit_in_csl(stated, numbers):
    item = csl_item(reference_of(m.Mods(physical_description=extent(stated)), IRI))
    assert {name: value for name, value in item.items() if name.startswith("number-of")} == numbers


@pytest.mark.parametrize(
    ("style", "end"),
    [
        ("gost", "М. : Наука, 1970. URL: https://example.org/a.pdf (дата обращения: 29.11.2026)."),
        (
            "gost-description",
            "1970. — URL: https://example.org/a.pdf (дата обращения: 29.11.2026). — Текст : электронный.",
        ),
    ],
)
def test_an_address_is_cited_with_the_day_on_which_it_was_read(style, end):
    described = m.Mods(
        title_info=(m.TitleInfo("Отчёт"),),
        origin_info=(origin("Москва", "Наука", "1970"),),
        physical_description=(m.PhysicalDescription(form=(m.Form(value="electronic"),)),),
        location=(m.Location(url=(m.Url(value="https://example.org/a.pdf"),)),),
    )
    assert STYLES[style](reference_of(described, IRI, (), "2026-11-29")).endswith(end)
