"""SRU of the sample, as systems for cataloguing ask it: Koha, VuFind, yaz-client, and bibld's own harvester."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx
import pytest
from lxml import etree

import bibld
from bibld import harvest, ingest
from bibld.progress import Silent
from tests.configuration import load_config

pytestmark = pytest.mark.server

DC = "{http://purl.org/dc/elements/1.1/}"
PUBLICATIONS = 202


@pytest.fixture(scope="module")
def http(server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server, timeout=600) as client:
        yield client


def search(http: httpx.Client, query: str, **arguments: str) -> etree._Element:
    sent = {"version": "1.1", "operation": "searchRetrieve", "query": query, **arguments}
    answer = http.get("sru", params=sent)
    assert answer.status_code == 200
    return etree.fromstring(answer.content)


def hits(root: etree._Element) -> int:
    assert not [each.text for each in root.findall("{*}diagnostics//{*}message")]
    return int(root.findtext("{*}numberOfRecords"))


def titles(root: etree._Element) -> list[str]:
    return [record.findtext(f".//{DC}title") for record in root.iter("{*}recordData")]


@pytest.mark.parametrize(
    ("query", "number", "first"),
    [
        ("cql.allRecords = 1", PUBLICATIONS, ""),
        ('dc.title = "война и мир"', 5, "Война и миръ"),
        ('dc.title == "война и мир"', 2, "Война и миръ"),
        ('dc.title = "voina i mir"', 5, ""),
        ('dc.title = "мастер и маргарита"', 5, "Мастер и Маргарита : Роман"),
        ('dc.title = "^война"', 5, ""),
        ("dc.creator = толстой and dc.date < 1900", 1, "Война и миръ"),
        ('bath.name == "Толстой, Лев Николаевич"', 6, ""),
        ("bath.name = tolstoi not dc.title = война", 1, "Анна Каренина : роман в восьми частях"),
        ('"война и мир" or "анна каренина"', 6, ""),
        ("bath.issn = 0042-8795", 1, "Вопросы литературы : журнал критики и литературоведения"),
        ("dc.publisher = наука and dc.date = 1979", 1, "Поэтика древнерусской литературы"),
        ('dc.date within "1965 1970"', 24, ""),
        ("dc.language = eng", 10, ""),
        ("rec.identifier = 01004039769", 1, "Анна Каренина : роман в восьми частях"),
        (r'rec.identifier = "RU\\NLR\\bibl\\538692"', 1, "Анна Каренина : роман в восьми частях"),
        (
            'rec.identifier = "http://localhost:8000/resource/rsl/01004039769"',
            1,
            "Анна Каренина : роман в восьми частях",
        ),
        (
            'rec.identifier = "http://localhost:8000/resource/nlr/RU~5CNLR~5Cbibl~5C538692"',  # it was absorbed
            1,
            "Анна Каренина : роман в восьми частях",
        ),
        ('rec.identifier = "http://localhost:8000/record/rsl/01004039769"', 1, "Анна Каренина : роман в восьми частях"),
        ("dc.title = nothing", 0, ""),
    ],
)
def test_queries_find_what_they_ask_for(http, query, number, first):
    found = search(http, query, recordSchema="dc")
    assert hits(found) == number
    assert (titles(found)[0] if first else "") == first


def test_results_are_sorted(http):
    found = search(http, "dc.creator = толстой sortBy dc.date/sort.descending", recordSchema="mods")
    years = [int(year) for year in re.findall(r"<dateIssued[^>]*keyDate[^>]*>(\d{4})", etree.tostring(found).decode())]
    assert years == sorted(years, reverse=True)


# -- Koha: the fields of a server of type SRU ("SRU search field mapping"), and the queries that Koha makes of them

KOHA = {
    "title": "dc.title",
    "isbn": "bath.isbn",
    "issn": "bath.issn",
    "author": "dc.author",
    "subject": "dc.subject",
    "srchany": "cql.anywhere",
    "lccall": "bath.lccn",
    "controlnumber": "rec.identifier",
    "stdid": "bath.standardIdentifier",
    "publicationyear": "dc.date",
}


def koha_query(fields: Mapping[str, str]) -> str:
    """A query of Koha's form for searching targets: the fields in the order of their names."""
    return " and ".join(f'{KOHA[name]}="{value}"' for name, value in sorted(fields.items()))


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"isbn": "9785280005136"}, None),
        ({"issn": "0042-8795"}, 1),
        ({"title": "Анна Каренина"}, 1),
        ({"author": "Толстой", "title": "война"}, 5),
        ({"subject": "literature"}, 5),
        ({"srchany": "маргарита"}, None),
        ({"stdid": "0042-8795"}, 1),
        ({"controlnumber": "01004039769"}, 1),
        ({"publicationyear": "1970", "author": "Толстой"}, 1),
        ({"lccall": "2003060055"}, None),
    ],
)
def test_the_fields_of_koha_are_found(http, fields, number):
    found = search(http, koha_query(fields), recordSchema="marcxml", startRecord="1", maximumRecords="20")
    assert number is None or hits(found) == number
    records = list(found.iter("{http://www.loc.gov/MARC21/slim}record"))
    assert all(record.find("{*}controlfield[@tag='001']").text for record in records)


@pytest.mark.parametrize("field", KOHA)
def test_each_field_of_koha_is_an_index(http, field):
    assert hits(search(http, koha_query({field: "1970"}), maximumRecords="0")) >= 0


# What Koha does with the settings of a server of type SRU: the libraries, their options and their order are those of
# its search of targets (C4::Breeding).
SEARCH_OF_KOHA = r"""
use strict; use warnings; use ZOOM; use MARC::Record; use MARC::File::XML (BinaryEncoding => "UTF-8");
binmode STDOUT, ":utf8";
my ($address, $schema, $syntax, $query) = @ARGV;
my $options = ZOOM::Options->new();
my %values = (async => 1, elementSetName => "F", preferredRecordSyntax => $syntax, timeout => 60,
              sru => "get", sru_version => "1.1", schema => $schema);
$options->option($_ => $values{$_}) for sort keys %values;
my $connection = ZOOM::Connection->create($options);
$connection->connect($address);
my $result = $connection->search(ZOOM::Query::CQL->new($query));
while (ZOOM::event([$connection])) { last if $connection->last_event() == ZOOM::Event::ZEND; }
my ($error, $message) = $connection->error_x();
die "$error $message" if $error;
for my $position (0 .. $result->size() - 1) {
    my $record = MARC::Record->new_from_xml($result->record($position)->raw(), "UTF-8", $syntax);
    print $record->field("001")->data, " ", $record->subfield($syntax eq "UNIMARC" ? "200" : "245", "a"), "\n";
}
"""


def has_libraries_of_koha() -> bool:
    command = ["perl", "-MZOOM", "-MMARC::File::XML", "-e", "1"]
    return shutil.which("perl") is not None and subprocess.run(command, capture_output=True).returncode == 0


@pytest.mark.skipif(
    not has_libraries_of_koha(),
    reason="needs the Perl modules of Koha (Debian: libnet-z3950-zoom-perl libmarc-xml-perl)",
)
@pytest.mark.parametrize(
    ("schema", "syntax", "query", "number", "title"),
    [
        ("own-marcxml", "USMARC", 'bath.issn="0042-8795"', "01006471111", "Вопросы литературы"),
        ("own-marcxml", "USMARC", 'rec.identifier="01004039769"', "01004039769", "Анна Каренина"),
        ("own-marcxchange", "UNIMARC", 'rec.identifier="RU\\\\NLR\\\\bibl\\\\495639"', "495639", "Война и мир"),
    ],
)
def test_the_libraries_of_koha_read_the_records(server, schema, syntax, query, number, title):
    command = ["perl", "-e", SEARCH_OF_KOHA, f"{server}sru", schema, syntax, query]
    done = subprocess.run(command, capture_output=True, timeout=600, stdin=subprocess.DEVNULL)
    assert not done.returncode, done.stderr.decode()
    (line,) = done.stdout.decode().splitlines()
    assert number in line
    assert title in line


# -- VuFind: the parameters that its connector sends


@pytest.mark.parametrize(
    "query", ['dc.title any "анна каренина"', 'bath.isbn all "9785280005136"', 'cql.serverChoice all "толстой"']
)
def test_the_requests_of_vufind_are_answered(http, query):
    sent = {"startRecord": "1", "maximumRecords": "20", "recordSchema": "marcxml", "sortKeys": ""}
    for method in (http.get, lambda address, params: http.post(address, data=params)):
        answer = method("sru", params={"version": "1.1", "operation": "searchRetrieve", "query": query, **sent})
        assert hits(etree.fromstring(answer.content)) >= 0


# -- yaz-client

YAZ = shutil.which("yaz-client")


@pytest.mark.skipif(YAZ is None, reason="yaz-client is not installed (Debian: yaz)")
@pytest.mark.parametrize("version", ["1.1", "1.2", "2.0"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_yaz_client_searches_shows_and_scans(server, tmp_path, version, method):
    lines = [f"sru {method} {version}", f"open {server}sru", "querytype cql", "schema mods"]
    lines += ['find dc.title="война и мир"', "show 1+2", "scan dc.title=война", "find dc.title=a prox b", "quit"]
    script = tmp_path / "script"
    script.write_text("\n".join([*lines, ""]), encoding="utf-8")
    environment = {"LC_ALL": "C.UTF-8", "PATH": str(Path(YAZ or "").parent)}
    done = subprocess.run(
        [YAZ or "", "-f", str(script)], capture_output=True, timeout=600, env=environment, stdin=subprocess.DEVNULL
    )
    output = done.stdout.decode()
    assert output.count("Number of hits: 5") == 2
    assert output.count("schema=info:srw/schema/1/mods-v3.8") == 2
    assert "<mods:title>Война и миръ</mods:title>" in output
    assert "война: 5" in output
    assert "info:srw/diagnostic/1/39" in output


# -- bibld's own harvester


@pytest.mark.parametrize(
    ("schema", "outcome", "stored"),
    [
        ("mods", "complete", PUBLICATIONS),
        ("marcxml", "complete", PUBLICATIONS),
        ("marcxchange", "complete", PUBLICATIONS),
        ("dc", "complete", PUBLICATIONS),
        ("own-marcxchange", "complete", PUBLICATIONS),
    ],
)
def test_the_harvester_fetches_every_publication(server, tmp_path, schema, outcome, stored):
    keys = f'url = "{server}sru"\nschema = "{schema}"\nportion = 50\n'
    config = load_config(tmp_path, f'[[source]]\nid = "copy"\nharvest = "sru"\n{keys}')
    result = harvest.fetch_source(config, config.sources[0], Silent())
    assert (result.outcome, result.stored) == (outcome, stored), result.line
    records = [record for file in ingest.source_files(config, config.sources[0]) for record in bibld.read([file])]
    assert len(records) == stored
    assert not [record for record in records if isinstance(record, bibld.Reject)]


def test_the_harvester_divides_a_query_by_years(server, tmp_path):
    keys = f'url = "{server}sru"\nschema = "mods"\nlimit = 100\nsplit = "dc.date"\nsplit_range = [1500, 2100]\n'
    config = load_config(tmp_path, f'[[source]]\nid = "copy"\nharvest = "sru"\n{keys}')
    result = harvest.fetch_source(config, config.sources[0], Silent())
    assert (result.outcome, result.stored) == ("complete", PUBLICATIONS), result.line
