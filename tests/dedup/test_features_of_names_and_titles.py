"""Features of names and titles: all forms of a person, and all titles of a publication."""

import pytest

from bibld.dedup import features_of
from bibld.model.mods import AlternativeName, Mods, Name, NamePart, TitleInfo


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
