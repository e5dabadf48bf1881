"""What those who run a site add about persons by their numbers in Wikidata: nothing by default."""

import msgspec
import pytest

from bibld.errors import ConfigError
from bibld.serve._persons import Persons
from bibld.serve.settings import Settings
from tests.serve.test_pages import AUTHOR, RESOURCE, Page

HOST = "https://upload.example.org"
TABLE = f"""wikidata;description_ru;description_en;image;credit
Q7243;русский писатель, автор «Войны и мира»;Russian writer;{HOST}/tolstoy.jpg;С. Прокудин-Горский, PD
Q1;Вселенная;;;
"""


def shown(running, site, settings: Settings, language: str = "ru"):
    with running(msgspec.structs.replace(site, settings=settings)) as client:
        answer = client.get(f"{AUTHOR}?lang={language}", "text/html")
        other = client.get(RESOURCE, "text/html").headers["content-security-policy"]
    return Page(answer.text), answer.headers["content-security-policy"], other


def test_a_person_has_two_lines_and_a_portrait_if_its_host_may_be_asked(running, site, client, tmp_path):
    file = tmp_path / "persons.csv"
    file.write_text(TABLE, encoding="utf-8-sig")
    before = client.get(AUTHOR, "text/html")
    assert not Page(before.text).of("img")
    allowed = msgspec.structs.replace(site.settings, persons=str(file), portraits=(HOST,))
    seen, policy, of_others = shown(running, site, allowed)
    assert "русский писатель, автор «Войны и мира»" in seen.text
    assert "С. Прокудин-Горский, PD" in seen.text
    (picture,) = seen.of("img")
    assert (picture["src"], picture["referrerpolicy"]) == (f"{HOST}/tolstoy.jpg", "no-referrer")
    assert f"img-src 'self' {HOST};" in policy
    assert HOST not in of_others
    assert "Russian writer" in shown(running, site, allowed, "en")[0].text
    seen, policy, _ = shown(running, site, msgspec.structs.replace(allowed, portraits=()))
    assert "русский писатель" in seen.text
    assert not seen.of("img")
    assert policy == before.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        ("wikidata,image\nQ1,https://a.org/x.jpg\n", "line 2: the portrait has no credit"),
        ("wikidata,image,credit\nQ1,javascript:1,PD\n", 'line 2: the image "javascript:1" is no web address'),
        ("wikidata,description\nTolstoy,writer\n", 'line 2: "Tolstoy" is no number of Wikidata'),
        ("wikidata,text\nQ1,writer\n", 'has the unknown column "text"'),
        ("description\nwriter\n", "has no column wikidata"),
        ("", "has no column wikidata"),
    ],
)
def test_a_faulty_table_is_refused(tmp_path, table, fault):
    file = tmp_path / "persons.csv"
    file.write_text(table, encoding="utf-8")
    with pytest.raises(ConfigError, match=fault.replace("(", r"\(")):
        Persons.read(str(file), ())


def test_a_table_that_is_missing_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"serve\.persons: .*nothing\.csv cannot be read"):
        Persons.read(str(tmp_path / "nothing.csv"), ())


@pytest.mark.parametrize("host", ["a.org", "https://a.org/x", "https://a.org; script-src *", "*", "data:"])
def test_hosts_of_portraits_cannot_change_the_policy(host):
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"portraits": [host]}, Settings)
