"""Which languages are published, and which texts are tagged with one."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bibld.model.mods import (
    Abstract,
    Language,
    LanguageTerm,
    Location,
    Mods,
    Name,
    OriginInfo,
    PhysicalLocation,
    Place,
    PlaceTerm,
    Publisher,
    RecordInfo,
    RelatedItem,
    Subject,
    TitleInfo,
    Topic,
)
from bibld.model.rdf import literal
from bibld.triplify import cluster_statements
from bibld.triplify._languages import Languages
from tests.strategies import any_texts
from tests.triplify.merged_book import BASE, IRIS, alone, describe, person


def language(code: str, part: str | None = None) -> Language:
    return Language((LanguageTerm(code, type="code", authority="iso639-2b"),), object_part=part)


def related_title(item: RelatedItem, *languages: Language) -> list[str]:
    made = describe(Mods(language=languages, related_item=(item,)))
    kinds = ("#original", "#otherversion", "#host")
    (node,) = [subject for subject in made.subjects() if any(kind in subject for kind in kinds)]
    return made.values("dcterms:title", node)


def series_label(title: TitleInfo, *languages: Language) -> tuple[str, str]:
    item = RelatedItem(type="series", mods=Mods(title_info=(title,)))
    made = cluster_statements(alone(Mods(language=languages, related_item=(item,))), [], IRIS)
    (claim,) = [claim for claim in made.claims if claim.kind == "series"]
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
    assert series_label(TitleInfo("Литературные памятники"), language("bul"))[1] == "bg"


def test_a_cyrillic_title_of_a_series_has_no_tag_if_no_language_or_more_than_one_of_the_book_is_cyrillic():
    assert series_label(TitleInfo("Литературные памятники"), language("eng"))[1] == ""
    assert series_label(TitleInfo("Бібліотека їжака"), language("rus"), language("ukr"))[1] == ""


def test_a_related_item_that_states_its_language_is_believed():
    stated = RelatedItem(type="host", mods=Mods(title_info=(TitleInfo("Nature"),), language=(language("eng"),)))
    assert related_title(stated, language("rus")) == ["Nature@en"]


@pytest.mark.parametrize("tag", ["ru-Latn", "ru-latn", "RU-LATN"])
def test_tags_are_written_in_lower_case_as_stores_keep_them(tag):
    assert literal("Voĭna", tag) == '"Voĭna"@ru-latn'


LATIN_FORM = {"script": "Latn", "alt_rep_group": "02"}


@pytest.mark.parametrize(
    ("codes", "text", "title", "tag"),
    [
        (("rus",), "Война и мир", TitleInfo(), "ru"),
        (("rus", "eng"), "Война и мир", TitleInfo(), "ru"),
        (("rus", "eng"), "War and peace", TitleInfo(), None),
        (("rus", "eng"), "Istoriia Rossii", TitleInfo(), None),
        (("lat", "srp"), "Srpska istorija", TitleInfo(), None),
        (("rus", "ukr"), "Война и мир", TitleInfo(), None),
        (("eng", "lat"), "Metamorphoses", TitleInfo(), None),
        (("eng",), "Война и мир", TitleInfo(), None),
        (("fre",), "Guerre et paix", TitleInfo(), "fr"),
        ((), "Guerre et paix", TitleInfo(), None),
        (("rus",), "Guerre et paix", TitleInfo(lang="fre"), "fr"),
        (("rus",), "Voĭna i mir", TitleInfo(), "ru-Latn"),
        (("rus",), "Voĭna i mir", TitleInfo(**LATIN_FORM), "ru-Latn"),
        (("rus", "eng"), "Voĭna i mir", TitleInfo(**LATIN_FORM), "ru-Latn"),
        (("rus", "ukr"), "Voĭna i mir", TitleInfo(**LATIN_FORM), "und-Latn"),
        (("eng",), "Voĭna i mir", TitleInfo(**LATIN_FORM), "und-Latn"),
        (("rus",), "1984", TitleInfo(), "ru"),
        (("jpn",), "戦争と平和", TitleInfo(), "ja"),
        (("rus",), "Война / War", TitleInfo(), None),
    ],
)
def test_a_title_is_in_the_only_language_of_the_text_that_is_written_in_its_script(codes, text, title, tag):
    assert in_languages(*codes).tag_own(text, title) == tag


def test_an_agency_that_catalogues_in_cyrillic_only_does_not_romanise_titles():
    assert in_languages("rus", cataloguing=("rus",)).tag_own("Homo sapiens", TitleInfo()) is None
    assert in_languages("rus", "eng", cataloguing=("rus",)).tag_own("War and peace", TitleInfo()) == "en"
    assert in_languages("rus", cataloguing=("rus", "eng")).tag_own("Voĭna i mir", TitleInfo()) == "ru-Latn"


@pytest.mark.parametrize(
    ("codes", "text", "name", "tag"),
    [
        (("bel",), "РГБ", Name(), None),
        (("chu",), "Москва", Name(), None),
        (("rus",), "Толстой, Лев", Name(), None),
        (("rus",), "Tolstoĭ, Lev", Name(**LATIN_FORM), "und-Latn"),
        (("rus",), "Tolstoĭ, Lev", Name(lang="rus", **LATIN_FORM), "ru-Latn"),
        (("eng",), "Толстой, Лев", Name(xml_lang="ru"), "ru"),
        (("eng",), "Tolstoy, Leo", Name(), None),
    ],
)
def test_a_name_has_no_language_but_the_one_that_is_stated(codes, text, name, tag):
    assert in_languages(*codes).tag_other(text, name) == tag


@pytest.mark.parametrize(
    ("cataloguing", "text", "tag"),
    [
        (("rus",), "вампиры", "ru"),
        (("rus",), "Татар әдәбияты", None),
        (("tat",), "Татар әдәбияты", "tt"),
        (("tat",), "Татарская литература", None),
        (("jpn",), "戦争と平和", "ja"),
        (("rus", "eng"), "вампиры", "ru"),
        (("rus", "ukr"), "вампиры", None),
        ((), "вампиры", None),
        (("eng",), "вампиры", None),
        (("eng",), "Vampires", None),
    ],
)
def test_a_heading_without_a_scheme_is_in_the_language_of_cataloguing(cataloguing, text, tag):
    assert in_languages("bel", cataloguing=cataloguing).tag_catalogued(text, Topic(text)) == tag


def in_languages(*codes: str, cataloguing: tuple[str, ...] = ()) -> Languages:
    info = RecordInfo(language_of_cataloging=tuple(map(language, cataloguing)))
    return Languages.from_mods(Mods(language=tuple(map(language, codes)), record_info=(info,)))


@given(any_texts(), any_texts(6), st.sampled_from([None, "Latn", "Cyrl", "?"]), st.lists(st.text(max_size=4)))
def test_a_tag_is_always_legal(text, stated, script, codes):
    element = TitleInfo(lang=stated, script=script, alt_rep_group="01")
    own = in_languages(*codes, cataloguing=tuple(codes))
    for choose in (own.tag_own, own.tag_other, own.tag_catalogued, own.tag_related):
        tag = choose(text, element)
        if tag is not None:
            assert re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", tag)
            literal(text, tag)


def test_the_language_of_the_text_is_on_titles_and_on_no_name_place_library_or_subject():
    mods = Mods(
        title_info=(TitleInfo("Людзі на балоце"),),
        name=(person("Мележ, Іван"),),
        origin_info=(
            OriginInfo(place=(Place((PlaceTerm("Мінск", type="text"),)),), publisher=(Publisher("Беларусь"),)),
        ),
        language=(language("bel"),),
        abstract=(Abstract("Роман о жизни полесской деревни."),),
        subject=(Subject((Topic("белорусская литература"),)),),
        location=(Location(physical_location=(PhysicalLocation("Городская библиотека"),)),),
        record_info=(RecordInfo(language_of_cataloging=(language("rus"),)),),
    )
    made = cluster_statements(alone(mods), [], IRIS)
    assert {
        (claim.value.label.text, claim.value.label.language) for claim in made.claims if claim.kind != "scheme"
    } == {
        ("Людзі на балоце", "be"),
        ("Мележ, Іван", ""),
        ("Мінск", ""),
        ("Беларусь", ""),
        ("Городская библиотека", ""),
        ("белорусская литература", "ru"),
    }
    quads = describe(mods)
    assert quads.values("dcterms:title") == ["Людзі на балоце@be"]
    assert quads.values("dcterms:abstract") == ["Роман о жизни полесской деревни.@ru"]


@pytest.mark.parametrize(
    ("part", "code", "property", "value"),
    [
        (None, "rus", "dcterms:language", "rus"),
        ("sung or spoken text", "rus", "dcterms:language", "rus"),
        ("translation", "fre", "bibld:originalLanguage", "fre"),
        ("original", "fre", "bibld:originalLanguage", "fre"),
        ("intermediate translation", "ger", "bibld:intermediateLanguage", "ger"),
        ("summary", "eng", "bibld:summaryLanguage", "eng"),
        ("table of contents", "eng", "bibld:contentsLanguage", "eng"),
        ("libretto", "ita", "bibld:librettoLanguage", "ita"),
        ("subtitles", "eng", "bibld:subtitleLanguage", "eng"),
        ("captions", "eng", "bibld:subtitleLanguage", "eng"),
        ("accompanying material", "eng", "bibld:accompanyingLanguage", "eng"),
        ("translation", "scr", "bibld:originalLanguage", "hrv"),
        ("translation", "und", "bibld:originalLanguage", None),
        ("translation", "xxx", "bibld:originalLanguage", None),
        ("preface", "eng", "dcterms:language", None),
    ],
)
def test_languages_of_the_text_of_its_original_and_of_parts_have_a_property_each(part, code, property, value):
    made = describe(Mods(language=(language(code, part),)))
    expected = [] if value is None else [f"http://id.loc.gov/vocabulary/iso639-2/{value}"]
    assert made.values(property) == expected


@pytest.mark.parametrize(
    ("term", "languages", "tags"),
    [
        (LanguageTerm("zh-Hant", type="code", authority="rfc3066"), ["chi"], ["zh-hant"]),
        (LanguageTerm("yue", type="code", authority="iso639-3"), [], ["yue"]),
        (LanguageTerm("mul", type="code", authority="iso639-2b"), [], []),
        (LanguageTerm("Russian", type="text"), ["rus"], []),
        (LanguageTerm("Klingon", type="text"), [], []),
    ],
)
def test_a_language_has_its_code_and_a_tag_that_is_more_precise(term, languages, tags):
    made = describe(Mods(language=(Language((term,)),)))
    assert made.values("dcterms:language") == [f"http://id.loc.gov/vocabulary/iso639-2/{code}" for code in languages]
    assert [tag.lower() for tag in made.values("schema:inLanguage")] == tags


@pytest.mark.parametrize(
    ("code", "proper", "variant", "tag"),
    [
        ("ger", "Europäische Hochschulschriften", "Publications universitaires européennes", ""),
        ("ger", "Europäische Hochschulschriften", "Hochschulschriften", "@de"),
        ("srp", "Istoriski časopis", "Revue historique", ""),
        ("rus", "История", "Летопись", "@ru"),
        ("rus", "История", "Annales", ""),
    ],
)
def test_a_variant_in_latin_letters_has_the_language_of_the_text_if_it_has_a_word_of_the_title(
    code, proper, variant, tag
):
    titles = (TitleInfo(proper), TitleInfo(variant, type="alternative"))
    mods = Mods(title_info=titles, language=(language(code),))
    made = describe(mods)
    assert made.values("dcterms:alternative") == [variant + tag]
