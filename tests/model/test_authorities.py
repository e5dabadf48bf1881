"""Numbers of authority files: how records write them, the IRIs they have, and numbers with a wrong check digit."""

import pytest

from bibld.model.authorities import AUTHORITIES, read_authority_iri, read_authority_number


@pytest.mark.parametrize(
    ("organisation", "number", "iri"),
    [
        ("DE-588", "118540238", "https://d-nb.info/gnd/118540238"),
        ("DE-588", "12240209x", "https://d-nb.info/gnd/12240209X"),
        ("DE-588c", "4075739-0", "https://d-nb.info/gnd/4075739-0"),
        ("gnd", "2020952-6", "https://d-nb.info/gnd/2020952-6"),
        ("isni", "0000 0001 2103 2683", "https://isni.org/isni/0000000121032683"),
        ("orcid", "0000-0002-1825-0097", "https://orcid.org/0000-0002-1825-0097"),
        ("orcid", "0000000218250097", "https://orcid.org/0000-0002-1825-0097"),
        ("DLC", "n  79068416", "http://id.loc.gov/authorities/names/n79068416"),
        ("DLC", "no2006012190", "http://id.loc.gov/authorities/names/no2006012190"),
        ("DLC", "sh 85000001", "http://id.loc.gov/authorities/subjects/sh85000001"),
        ("DLC", "sj 96004713", "http://id.loc.gov/authorities/childrensSubjects/sj96004713"),
        ("DLC", "gf2014026101", "http://id.loc.gov/authorities/genreForms/gf2014026101"),
        ("DLC", "dg2015060001", "http://id.loc.gov/authorities/demographicTerms/dg2015060001"),
        ("DLC", "mp2013015001", "http://id.loc.gov/authorities/performanceMediums/mp2013015001"),
        ("OCoLC", "fst01202395", "http://id.worldcat.org/fast/1202395"),
        ("OCLC FAST", "1202395", "http://id.worldcat.org/fast/1202395"),
        ("DNLM", "D008345Q000009", "http://id.nlm.nih.gov/mesh/D008345Q000009"),
        ("CStmoGRI", "aat300028094", "http://vocab.getty.edu/aat/300028094"),
        ("CStmoGRI", "aatgf300028094", "http://vocab.getty.edu/aat/300028094"),
        ("CStmoGRI", "500115588", "http://vocab.getty.edu/ulan/500115588"),
        ("tgn", "7008038", "http://vocab.getty.edu/tgn/7008038"),
        ("IdRef", "02686018X", "http://www.idref.fr/02686018X/id"),
        ("idref", "02686018x", "http://www.idref.fr/02686018X/id"),
        ("FrPBN", "FRBNF11907966", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("frbnf", "119079660000009", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("bnf", "cb11907966z", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("bnf", "ark:/12148/cb11907966z", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("SpMaBN", "XX1718747", "http://datos.bne.es/resource/XX1718747"),
        ("NL-LeOCL", "068364229", "http://data.bibliotheken.nl/id/thes/p068364229"),
        ("viaf", "96987389", "http://viaf.org/viaf/96987389"),
        ("wikidata", "Q7243", "http://www.wikidata.org/entity/Q7243"),
        ("geonames", "524901", "https://sws.geonames.org/524901/"),
    ],
)
def test_a_number_of_a_known_file_has_one_iri(organisation, number, iri):
    found = read_authority_number(organisation, number)
    assert found is not None
    assert found.iri == iri
    assert read_authority_iri(iri) == found


@pytest.mark.parametrize(
    ("stated", "iri"),
    [
        ("https://id.loc.gov/authorities/names/n2006012190,", "http://id.loc.gov/authorities/names/n2006012190"),
        (
            "https://id.loc.gov/authorities/subjects/sh85000001.html",
            "http://id.loc.gov/authorities/subjects/sh85000001",
        ),
        ("https://catalogue.bnf.fr/ark:/12148/cb11907966z", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("http://data.bnf.fr/ark:/12148/cb11907966z#about", "http://data.bnf.fr/ark:/12148/cb11907966z"),
        ("https://www.idref.fr/02686018X", "http://www.idref.fr/02686018X/id"),
        ("http://vocab.getty.edu/page/ulan/500115588", "http://vocab.getty.edu/ulan/500115588"),
        ("https://www.wikidata.org/wiki/Q7243", "http://www.wikidata.org/entity/Q7243"),
        ("https://id.worldcat.org/fast/fst00838915/", "http://id.worldcat.org/fast/838915"),
        ("http://www.yso.fi/onto/yso/p5727", "http://www.yso.fi/onto/yso/p5727"),
        ("https://id.nlm.nih.gov/mesh/2023/D009369", "http://id.nlm.nih.gov/mesh/D009369"),
    ],
)
def test_the_addresses_of_a_thing_are_one_iri(stated, iri):
    found = read_authority_iri(stated)
    assert found is not None
    assert found.iri == iri


@pytest.mark.parametrize(
    ("organisation", "number"),
    [
        ("DE-588", "118540239"),
        ("DE-588", "4075739-1"),
        ("gnd", "2020952-5"),
        ("isni", "0000000121032684"),
        ("orcid", "0000-0002-1825-0098"),
        ("idref", "026860181"),
        ("nta", "068364228"),
        ("bnf", "cb11907966k"),
    ],
)
def test_a_number_with_a_wrong_check_digit_has_no_iri(organisation, number):
    found = read_authority_number(organisation, number)
    assert found is not None
    assert (found.number, found.iri) == ("", "")


@pytest.mark.parametrize(
    ("organisation", "number"),
    [
        ("DE-101", "040757390"),
        ("OCoLC", "1202395"),
        ("DLC", "79068416"),
        ("DLC", "n1"),
        ("viaf", "not a number"),
        ("CaQQLa", "201-0380908"),
        ("idref", "2686018"),
        ("", ""),
    ],
)
def test_other_numbers_are_of_no_known_file(organisation, number):
    assert read_authority_number(organisation, number) is None


def test_no_address_is_of_two_files():
    for name, authority in AUTHORITIES.items():
        assert [other for other in AUTHORITIES.values() if other.dataset == authority.dataset] == [authority], name
