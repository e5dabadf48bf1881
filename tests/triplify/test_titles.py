"""The preferred title of a publication, its forms in other scripts, and variants; not the titles of works."""

from __future__ import annotations

import pytest

from bibld.model.mods import Language, LanguageTerm, Mods, TitleInfo
from tests.triplify.merged_book import RESOURCE, WORK, Quads, describe

RUSSIAN = (Language(language_term=(LanguageTerm("rus", type="code"),)),)


def described(*titles: TitleInfo) -> Quads:
    return describe(Mods(title_info=titles, language=RUSSIAN))


@pytest.mark.parametrize(
    ("titles", "proper", "variants"),
    [
        ((TitleInfo("Война и мир"), TitleInfo("Мир и покой")), ["Война и мир@ru"], ["Мир и покой@ru"]),
        ((TitleInfo("Мир", sub_title=("роман в 2 ч.",)), TitleInfo("Мир", sub_title=("Роман",))), ["Мир@ru"], []),
        ((TitleInfo("Война и мир"), TitleInfo("Мир", type="alternative")), ["Война и мир@ru"], ["Мир@ru"]),
        ((TitleInfo("Война и мир"), TitleInfo("Voĭna i mir")), ["Voĭna i mir@ru-latn", "Война и мир@ru"], []),
        ((TitleInfo("Война и мир"), TitleInfo("War and peace")), ["Война и мир@ru"], ["War and peace"]),
        (
            (TitleInfo("Мир", alt_rep_group="01"), TitleInfo("Peace", alt_rep_group="01", script="Latn")),
            ["Peace@ru-latn", "Мир@ru"],
            [],
        ),
        ((TitleInfo("Мир"), TitleInfo("мир.", type="alternative")), ["Мир@ru"], []),
        ((TitleInfo("Мир"), TitleInfo("Том", type="alternative")), ["Мир@ru"], ["Том@ru"]),
    ],
)
def test_a_publication_has_one_title_proper_in_each_script(titles, proper, variants):
    made = described(*titles)
    assert sorted(made.values("dcterms:title")) == proper
    assert made.values("dcterms:alternative") == variants


def test_a_uniform_title_is_that_of_the_work():
    made = described(TitleInfo("Роман о войне"), TitleInfo("Война и мир", type="uniform"))
    assert made.values("dcterms:title") == ["Роман о войне@ru"]
    assert made.values("dcterms:alternative") == []
    assert len(made.values("bf:title")) == 1
    assert made.values("rdfs:label", WORK) == ["Война и мир@ru"]


@pytest.mark.parametrize(
    ("variant", "alternative"),
    [
        ("Europäische Schriften", "Europäische Schriften@de"),
        ("Publications universitaires", "Publications universitaires"),
        ("Der neue Titel", "Der neue Titel"),
    ],
)
def test_a_variant_is_in_the_language_of_the_title_only_if_it_has_a_word_of_it(variant, alternative):
    titles = (TitleInfo("Europäische Hochschulschriften der Kunst"), TitleInfo(variant, type="alternative"))
    german = (Language(language_term=(LanguageTerm("ger", type="code"),)),)
    made = describe(Mods(title_info=titles, language=german))
    assert made.values("dcterms:alternative") == [alternative]


@pytest.mark.parametrize("type_", ["alternative", "uniform"])
def test_a_key_title_is_one_even_where_it_is_the_title_proper(type_):
    made = described(TitleInfo("Мир"), TitleInfo("Мир", type=type_, display_label="key title"))
    assert made.values("rdf:type", f"{RESOURCE}#title2") == ["http://id.loc.gov/ontologies/bibframe/KeyTitle"]
    assert made.values("rdfs:label", WORK) == ["Мир@ru"]
