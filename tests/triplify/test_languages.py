"""In which language a title of another resource is."""

import pytest

from bibld.model.mods import Language, LanguageTerm, Mods, RelatedItem, TitleInfo
from bibld.model.rdf import literal
from bibld.triplify import cluster_statements
from tests.triplify.merged_book import BASE, IRIS, Quads, alone


def language(code: str, part: str | None = None) -> Language:
    return Language((LanguageTerm(code, type="code", authority="iso639-2b"),), object_part=part)


def related_title(item: RelatedItem, *languages: Language) -> list[str]:
    made = Quads(cluster_statements(alone(Mods(language=languages, related_item=(item,))), [], IRIS).quads)
    kinds = ("#original", "#otherversion", "#host")
    (node,) = [subject for subject in made.subjects() if any(kind in subject for kind in kinds)]
    return made.values("dcterms:title", node)


def series_label(title: TitleInfo, *languages: Language) -> tuple[str, str]:
    item = RelatedItem(type="series", mods=Mods(title_info=(title,)))
    made = cluster_statements(alone(Mods(language=languages, related_item=(item,))), [], IRIS)
    (claim,) = made.claims
    assert claim.entity.startswith(f"{BASE}series/")
    return claim.value.label.text, claim.value.label.language


def item(title: str, type: str = "original", **more) -> RelatedItem:
    return RelatedItem(type=type, mods=Mods(title_info=(TitleInfo(title, **more),)))


def test_an_original_title_is_in_the_language_from_which_was_translated():
    languages = (language("rus"), language("fre", "translation"))
    assert related_title(item("Le petit prince"), *languages) == ["Le petit prince@fr"]
    translation_of = RelatedItem(type="otherVersion", other_type="translationOf", mods=item("Le petit prince").mods)
    assert related_title(translation_of, *languages) == ["Le petit prince@fr"]


def test_with_two_languages_of_originals_none_is_guessed():
    languages = (language("rus"), language("fre", "translation"), language("eng", "translation"))
    assert related_title(item("Le petit prince"), *languages) == ["Le petit prince"]


def test_an_original_in_romanised_russian_is_tagged_as_such():
    languages = (language("eng"), language("rus", "translation"))
    assert related_title(item("Voĭna i mir"), *languages) == ["Voĭna i mir@ru-latn"]


def test_a_series_has_a_blank_after_its_article():
    assert series_label(TitleInfo("Book of art", non_sort="The"), language("rus"))[0] == "The Book of art"


def test_latin_titles_of_series_and_hosts_of_russian_books_are_no_romanisations():
    assert series_label(TitleInfo("Brown University Slavic reprint"), language("rus")) == (
        "Brown University Slavic reprint",
        "",
    )
    assert related_title(item("Collected works", "host"), language("rus")) == ["Collected works"]


def test_a_title_that_is_paired_or_stated_or_written_in_cyrillic_has_a_tag():
    paired = TitleInfo("Literaturnye pami͡atniki", script="Latn", alt_rep_group="01")
    assert series_label(paired, language("rus"))[1] == "ru-latn"
    assert series_label(TitleInfo("Reprints", lang="eng"), language("rus"))[1] == "en"
    assert series_label(TitleInfo("Литературные памятники"), language("eng"))[1] == "ru"
    assert series_label(TitleInfo("Литературные памятники"), language("bul"))[1] == "bg"
    assert series_label(TitleInfo("Бібліотека їжака"), language("eng"))[1] == "und-cyrl"


def test_a_related_item_that_states_its_language_is_believed():
    stated = RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Nature"),), language=(language("eng"),)))
    assert related_title(stated, language("rus")) == ["Nature@en"]


@pytest.mark.parametrize("tag", ["ru-Latn", "ru-latn", "RU-LATN"])
def test_tags_are_written_in_lower_case_as_stores_keep_them(tag):
    assert literal("Voĭna", tag) == '"Voĭna"@ru-latn'
