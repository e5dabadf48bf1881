"""Authority files of every format are read; other files are refused with a message that states what to do."""

import gzip
import re

import pytest
import zstandard

from bibld.errors import ConfigError, HarvestError
from bibld.link._files import open_authority, read_authority
from bibld.link._values import AuthorityLabel

TAGS = "ar be bg bn ca cs da de el en eo es fi fr hy ja ka ru zh x-not-a-real-tag-of-any-kind"
LANGUAGES = TAGS.split()
SKOS = "http://www.w3.org/2004/02/skos/core#"
TURTLE = """\
@prefix gndo: <https://d-nb.info/standards/elementset/gnd#> .
@prefix gnd: <https://d-nb.info/gnd/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
gnd:118624822 a gndo:DifferentiatedPerson ; gndo:preferredNameForThePerson "Twain, Mark" ;
  gndo:dateOfBirth "1835-11-30" ; gndo:publication "Tom Sawyer. - 1876" .
gnd:141568992 a gndo:UndifferentiatedPerson ; gndo:preferredNameForThePerson "Twain, Mark" .
gnd:118624822 gndo:variantNameForThePerson "Clemens, Samuel" ; gndo:dateOfDeath "1910" ;
  owl:sameAs <http://viaf.org/viaf/50566653> .
"""
MARC21 = """\
=LDR  00506cz  a2200145n  4500
=001  n  50025113
=008  800718n| acannaabn           |n aaa
=010  \\\\$an  50025113
=024  7\\$ahttp://viaf.org/viaf/17$2uri
=100  1\\$aHawkins, John,$cSir,$d1719-1789
=400  1\\$aHawkins, J.
=670  \\\\$aHis General history of music, 1776.

=LDR  00506cz  a2200145n  4500
=001  sh 85028571
=010  \\\\$ash 85028571
=150  \\\\$aComputers$xLaw and legislation
=450  \\\\$aComputer law

"""
UNIMARC = """\
=LDR  00506cx  a2200145   4500
=001  RU\\NLR\\AUTH\\7712345
=003  https://example.org/auth/7712345
=100  \\\\$a20000101arusy0102    ca
=200  \\1$aКузнецов$bП. И.$gПётр Ильич$f1901-1970
=400  \\1$aKuznetsov$bP. I.
=810  \\\\$aЕго Стихи, 1930

"""


def written(tmp_path, name, content):
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def records_of(file, template=""):
    return [record for record in read_authority(open_authority(file, template)) if record is not None]


def test_turtle_with_statements_about_one_subject_in_two_places(tmp_path):
    pieces = records_of(written(tmp_path, "gnd.ttl", TURTLE))
    assert [(one.iri[-9:], one.kind, one.born, one.died, one.is_undifferentiated) for one in pieces] == [
        ("118624822", "person", 1835, None, False),
        ("141568992", "person", None, None, True),
        ("118624822", "person", None, 1910, False),
    ]
    assert pieces[0].works == ("Tom Sawyer. - 1876",)
    assert pieces[2].numbers == ("http://viaf.org/viaf/50566653",)
    assert pieces[2].labels == (AuthorityLabel("Clemens, Samuel"),)


WD, NAMES = "http://www.wikidata.org", "http://id.loc.gov/authorities/names/"
WIKIDATA = f"""\
<{WD}/entity/Q7245> <http://www.w3.org/2000/01/rdf-schema#label> "Mark Twain"@en .
<{WD}/entity/Q7245> <http://www.w3.org/2004/02/skos/core#altLabel> "Samuel Clemens"@en .
<{WD}/entity/Q7245> <{WD}/prop/direct/P31> <{WD}/entity/Q5> .
<{WD}/entity/Q7245> <{WD}/prop/direct/P569> "1835-11-30T00:00:00Z" .
<{WD}/entity/Q7245> <{WD}/prop/direct/P570> "1910-04-21T00:00:00Z" .
<{WD}/entity/Q7245> <{WD}/prop/direct-normalized/P214> <http://viaf.org/viaf/50566653> .
"""
SCHEMA = """\
<http://viaf.org/viaf/50566653> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Person> .
<http://viaf.org/viaf/50566653> <http://schema.org/name> "Mark Twain"@en .
<http://viaf.org/viaf/50566653> <http://schema.org/alternateName> "Samuel Clemens"@en .
<http://viaf.org/viaf/50566653> <http://schema.org/birthDate> "1835-11-30" .
<http://viaf.org/viaf/50566653> <http://schema.org/deathDate> "1910-04-21" .
<http://viaf.org/viaf/50566653> <http://schema.org/sameAs> <http://viaf.org/viaf/50566653> .
"""
MADS = f"""\
<{NAMES}n1> a <http://www.loc.gov/mads/rdf/v1#PersonalName> .
<{NAMES}n1> <http://www.loc.gov/mads/rdf/v1#authoritativeLabel> "Mark Twain"@en .
<{NAMES}n1> <http://www.loc.gov/mads/rdf/v1#variantLabel> "Samuel Clemens"@en .
<{NAMES}n1> <http://www.loc.gov/mads/rdf/v1#birthDate> "1835" .
<{NAMES}n1> <http://www.loc.gov/mads/rdf/v1#deathDate> "1910" .
<{NAMES}n1> <http://www.w3.org/2004/02/skos/core#exactMatch> <http://viaf.org/viaf/50566653> .
"""


@pytest.mark.parametrize("content", [WIKIDATA, SCHEMA, MADS], ids=["wikidata", "viaf", "mads"])
def test_vocabularies_of_authority_files(tmp_path, content):
    (person,) = records_of(written(tmp_path, "people.nt", content))
    assert (person.kind, person.born, person.died) == ("person", 1835, 1910)
    assert person.labels == (AuthorityLabel("Mark Twain", "en", True), AuthorityLabel("Samuel Clemens", "en"))
    assert person.numbers == ("http://viaf.org/viaf/50566653",)


def test_marc21_authority_records(tmp_path):
    person, topic = records_of(written(tmp_path, "loc.mrk", MARC21))
    assert (person.iri, person.kind, person.born, person.died) == ("http://viaf.org/viaf/17", "person", 1719, 1789)
    assert person.heading == "Hawkins, John, Sir, 1719-1789"
    assert person.works == ("General history of music",)
    assert (topic.iri, topic.kind, topic.heading) == (
        "http://id.loc.gov/authorities/subjects/sh85028571",
        "topic",
        "Computers--Law and legislation",
    )


def test_unimarc_and_rusmarc_authority_records(tmp_path):
    (person,) = records_of(written(tmp_path, "nlr.mrk", UNIMARC))
    assert (person.iri, person.kind, person.born) == ("https://example.org/auth/7712345", "person", 1901)
    assert person.heading == "Кузнецов, Пётр Ильич"
    (by_template,) = records_of(written(tmp_path, "nlr.mrk", UNIMARC), "https://nlr.example.org/{}")
    assert by_template.iri.startswith("https://nlr.example.org/RU")


def test_csv_with_languages_numbers_and_dates(tmp_path):
    table = (
        "id;label;born;died;type;language;same_as\n"
        '7;"Twain, Mark|Clemens, Samuel";1835;1910;Personal;en;http://viaf.org/viaf/50566653\n;x;;;;;\n'
    )
    (person,) = records_of(written(tmp_path, "people.csv", table), "https://example.org/{}")
    assert (person.iri, person.born, person.died, person.kind) == ("https://example.org/7", 1835, 1910, "person")
    assert person.labels == (AuthorityLabel("Clemens, Samuel", "en"), AuthorityLabel("Twain, Mark", "en", True))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.ZstdCompressor().compress])
@pytest.mark.parametrize(("name", "content", "count"), [("a.ttl", TURTLE, 3), ("a.mrk", MARC21, 2)])
def test_compressed_files(tmp_path, pack, name, content, count):
    assert len(records_of(written(tmp_path, f"{name}.gz", pack(content.encode())))) == count


def test_labels_in_twenty_languages_and_one_of_ten_megabytes(tmp_path):
    lines = [f'<http://example.org/1> <{SKOS}prefLabel> "Label {tag}"@{tag} .\n' for tag in LANGUAGES]
    lines.append(f'<http://example.org/1> <{SKOS}altLabel> "{"x" * 10_000_000}" .\n')
    lines.append(f"<http://example.org/1> <{SKOS}exactMatch> <http://example.org/1> .\n")
    (record,) = records_of(written(tmp_path, "a.nt", "".join(lines)))
    assert len(record.labels) == 21


REFUSED = {
    "empty": (b"", "is empty"),
    "blank": (b" \n\0\0", "is empty"),
    "html": (b"<!DOCTYPE html><html><body>Not found</body></html>", "is an HTML page"),
    "binary": (bytes(range(256)) * 4, "is of no known format"),
    "rdfxml": (b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="x"/>', "is RDF/XML"),
    "cut gzip": (gzip.compress(b"id,label\n" * 100)[:20], "cut off"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_none_is_refused(tmp_path, name):
    content, message = REFUSED[name]
    with pytest.raises(ConfigError, match=message):
        open_authority(written(tmp_path, "file", content))


DAMAGED = {
    "wrong columns": ("a.csv", "file,record\nx,1\n", "is a table without the column id and label"),
    "no iri": ("a.csv", "id,label\n7,Twain\n", "line 2: the id '7' is not an IRI; name a template"),
    "syntax": (
        "a.nt",
        f'<http://example.org/1> <{SKOS}prefLabel> "x" .\n<http://example.org/1> <oops\n',
        "is not valid",
    ),
    "bibliographic": (
        "a.mrk",
        "=LDR  00000nam a2200000   4500\n=001  1\n=245  10$aA book.\n\n",
        "record 1 is bibliographic .leader/06 'a'.",
    ),
    "no heading": ("a.mrk", "=LDR  00000nz  a2200000n  4500\n=001  1\n=040  \\\\$aX\n\n", "no heading, or no IRI"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_file_is_refused_where_the_damage_is(tmp_path, name):
    file, content, message = DAMAGED[name]
    with pytest.raises(HarvestError, match=message):
        records_of(written(tmp_path, file, content))


def test_a_gzip_file_that_is_cut_off_later_names_itself(tmp_path):
    lines = "".join(f'<http://example.org/{n}> <{SKOS}prefLabel> "{n * 7919}" .\n' for n in range(20_000))
    file = written(tmp_path, "cut.nt.gz", gzip.compress(lines.encode())[:-5000])
    with pytest.raises(HarvestError, match=re.escape("cut.nt.gz: the compressed file is cut off")):
        records_of(file)


def test_a_missing_file_a_folder_and_a_template_without_braces(tmp_path):
    with pytest.raises(ConfigError, match="not found"):
        open_authority(tmp_path / "missing.nt")
    with pytest.raises(ConfigError, match="is a folder"):
        open_authority(tmp_path)
    with pytest.raises(ConfigError, match=re.escape("has no {} for the id")):
        open_authority(written(tmp_path, "a.csv", "id,label\n"), "https://example.org/")
