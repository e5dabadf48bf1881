"""Features of names and titles: all forms of a person, and all titles of a publication."""

import msgspec
import pytest

from bibld.dedup.features import features_of
from bibld.model.mods import (
    AlternativeName,
    Genre,
    Identifier,
    Mods,
    Name,
    NamePart,
    RelatedItem,
    Role,
    RoleTerm,
    TitleInfo,
)
from bibld.text.keys import title_key


def person(heading, *others, **fields):
    parts = (NamePart(value=heading), *(NamePart(value=value, type="termsOfAddress") for value in others))
    return Name(name_part=parts, type="personal", **fields)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ((person("Горький, Максим"),), "gorki maksim"),
        ((person("Горький, Максим"), person("Бунин, И. А."), person("Горький, Максим")), "gorki maksim|bunin i a"),
        (
            (person("Горький, Максим", "псевд.; наст. имя Пешков Алексей"), person("Бунин, И. А.")),
            "gorki maksim|peshkov aleksei =|bunin i a",
        ),
        (
            (
                person("Tolstoy, Leo", alt_rep_group="01"),
                person("Бунин, И. А."),
                person("Толстой, Лев", alt_rep_group="01"),
            ),
            "tolstoi leo|tolstoi lev =|bunin i a",
        ),
        (
            (person("Плеханов", alternative_name=(AlternativeName(name_part=(NamePart(value="Бельтов, Н."),)),)),),
            "plehanov|beltov n =",
        ),
        ((Name(name_part=(NamePart("Толстой", type="family"), NamePart("Лев", type="given"))),), "tolstoi lev"),
        ((person("Saint-Exupéry, Antoine de"), person("Гёте, И. В. фон")), "saint eksuperi antoin de|gete i v fon"),
        ((person(""), Name()), ""),
    ],
)
def test_the_forms_of_a_person_follow_each_other(names, expected):
    assert features_of(Mods(name=names)).names == expected


@pytest.mark.parametrize("role", ["prt", "fmo", "former owner", "Publisher.", "bsl", "издатель"])
def test_printers_booksellers_and_former_owners_are_no_names_of_the_publication(role):
    made_it = person("Бунин, И. А.", role=(Role((RoleTerm("aut"),)), Role((RoleTerm(role),))))
    owned_it = person("Горький, Максим", role=(Role((RoleTerm(role),)),))
    without_role = person("Куприн, А. И.")
    assert features_of(Mods(name=(made_it, owned_it, without_role))).names == "bunin i a|kuprin a i"


def test_a_publication_without_a_title_proper_has_its_variant_title_but_a_part_that_of_its_work():
    titles = TitleInfo("[previous entry:] Il primo libro", type="alternative"), TitleInfo("Madrigals", type="uniform")
    host = RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Antologia"),)))
    assert features_of(Mods(title_info=titles)).main_title == title_key("Il primo libro")
    assert features_of(Mods(title_info=titles, related_item=(host,))).main_title == title_key("Madrigals")


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("report number", "NASA/TM 2026", "report:nasa/tm2026"),
        ("strn", "NIST-TN-1815", "report:nisttn1815"),
        ("music plate", "B. & H. 8127", "music:8127"),
        ("music publisher", "11875 (Музыка)", "music:11875"),
        ("music publisher", "12", ""),
        ("issue number", "С50—06949-50", "issue:500694950"),
        ("issue number", "80 323 S Barclay", "issue:80323"),
        ("stock number", "12345", ""),
    ],
)
def test_numbers_of_reports_and_of_music_identify_unless_they_are_short(kind, value, expected):
    assert features_of(Mods(identifier=(Identifier(value, type=kind),))).identifiers == expected


def test_a_short_number_of_a_plate_identifies_together_with_the_composer():
    def score(*names):
        return features_of(Mods(name=names, identifier=(Identifier("351", type="music plate"),))).identifiers

    assert score(person("Corelli, Arcangelo")) == score(person("Корелли, А.")) == "music:orel351"
    assert score() == ""


@pytest.mark.parametrize(
    ("hosts", "expected"),
    [
        (("Библиополе", "2015, окт."), "biblopole"),
        (("Библиополе", "№ 10"), "biblopole|n10"),
        (("Библиополе", "Т. 3, вып. 2"), "biblopole|v3|n2"),
        (("Труды института", "Вопросы химии"), "voprosi himi"),
        (("№ 10",), "|n10"),
    ],
)
def test_an_article_in_a_numbered_issue_has_the_title_of_the_serial_as_its_host(hosts, expected):
    mods = Mods(title_info=(TitleInfo("Статья"),), genre=(Genre("article"),))
    inner = None
    for title in hosts:
        related = (inner,) if inner else ()
        inner = RelatedItem(mods=Mods(title_info=(TitleInfo(title),), related_item=related), type="host")
    host = msgspec.structs.replace(mods, related_item=(inner,))
    assert features_of(host).host == expected


def test_the_titles_beside_the_main_title_are_variants_but_not_that_of_the_work():
    titles = (
        TitleInfo("Мать", part_name=("Повести",)),
        TitleInfo("The Mother", type="translated"),
        TitleInfo("Matʹ"),  # the same title romanised
        TitleInfo("Собрание сочинений. Избранное", type="uniform"),
        TitleInfo("Mat", type="abbreviated"),
        TitleInfo("Mother and son", type="alternative"),
    )
    found = features_of(Mods(title_info=titles))
    assert (found.main_title, found.variant_titles) == ("mat", "mother|mother and son|povesti")
