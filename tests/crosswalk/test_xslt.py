"""The crosswalk ``xslt`` runs a stylesheet, which reaches nothing but the files of its folder."""

from __future__ import annotations

import pickle
from contextlib import suppress

import pytest

import bibld
from bibld import crosswalk
from bibld.config import load as load_config
from bibld.crosswalk import xslt
from bibld.errors import ConfigError, CrosswalkError
from bibld.model.marc_writers import to_iso2709
from tests.crosswalk.test_rusmarc import record

MODS = "http://www.loc.gov/mods/v3"
START = (
    f'<xsl:stylesheet version="1.0" xmlns="{MODS}" xmlns:xsl="http://www.w3.org/1999/XSL/Transform" '
    'xmlns:marc="http://www.loc.gov/MARC21/slim" xmlns:exsl="http://exslt.org/common" '
    'extension-element-prefixes="exsl" exclude-result-prefixes="marc">'
)
TITLE = """<titleInfo><title><xsl:value-of select="//marc:datafield[@tag='245']/*[@code='a']"/></title></titleInfo>"""
TEMPLATE = f'<xsl:template match="/"><mods>{TITLE}</mods></xsl:template>'
BOOK = record("001 7", "245 10$aA < B & Ё", "500 ##$aNote", leader="00000nam a2200000 i 4500")


@pytest.fixture
def settings(tmp_path):
    """Return a function that stores a stylesheet and returns the settings that name it."""

    def store(body, start=START):
        path = tmp_path / "own" / "style.xsl"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{start}{body}</xsl:stylesheet>", encoding="utf-8")
        return xslt.Settings(str(path))

    yield store
    xslt._compiled.cache_clear()


def test_the_stylesheet_makes_the_mods(settings):
    chosen = settings(TEMPLATE)
    mods = xslt.convert(BOOK, chosen).mods
    assert [info.title for info in mods.title_info] == ["A < B & Ё"]
    assert xslt.convert(BOOK, pickle.loads(pickle.dumps(chosen))).mods == mods
    assert crosswalk.sniff(BOOK) == "marc21"


def test_a_collection_of_one_record_is_that_record_and_what_mods_has_not_is_named(settings):
    body = f'<xsl:template match="/"><modsCollection><mods>{TITLE}<x/></mods></modsCollection></xsl:template>'
    converted = xslt.convert(BOOK, settings(body))
    assert converted.mods.title_info
    assert converted.warnings == ("x: MODS 3.8 has no place for it; left out",)


@pytest.mark.parametrize("href", ["utils.xsl", "http://www.loc.gov/standards/marcxml/xslt/utils.xsl", "../utils.xsl"])
@pytest.mark.parametrize("element", ["include", "import"])
def test_files_of_the_folder_are_included_under_any_address(settings, tmp_path, element, href):
    chosen = settings(f'<xsl:{element} href="{href}"/>')
    (tmp_path / "utils.xsl").write_text("not this one")
    with pytest.raises(ConfigError, match=r"utils\.xsl into the folder"):
        xslt.identity(chosen)
    (tmp_path / "own" / "utils.xsl").write_text(f"{START}{TEMPLATE}</xsl:stylesheet>", encoding="utf-8")
    assert xslt.convert(BOOK, chosen).mods.title_info


@pytest.mark.parametrize(
    "reach",
    [
        "<xsl:value-of select=\"document('{secret}')\"/>",
        "<xsl:value-of select=\"document('file://{secret}')\"/>",
        "<xsl:value-of select=\"document('http://127.0.0.1:9/x')\"/>",
        '<exsl:document href="{written}">x</exsl:document>',
    ],
)
def test_a_stylesheet_reaches_no_other_file_and_no_network(settings, tmp_path, reach):
    secret, written = tmp_path / "secret.xml", tmp_path / "written.xml"
    secret.write_text("<a>secret</a>")
    reach = reach.format(secret=secret, written=written)
    body = f'<xsl:template match="/"><mods>{TITLE}<note>[{reach}]</note></mods></xsl:template>'
    try:
        converted = xslt.convert(BOOK, settings(body))
    except CrosswalkError:
        converted = None
    assert converted is None or "secret" not in str(converted)
    assert not written.exists()


def test_entities_of_a_stylesheet_are_not_read(settings, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    start = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]>{START}'
    body = f'<xsl:template match="/"><mods>{TITLE}<note>&e;</note></mods></xsl:template>'
    with suppress(ConfigError, CrosswalkError):
        assert "secret" not in str(xslt.convert(BOOK, settings(body, start)))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ('<xsl:template match="/"><html/></xsl:template>', r"style\.xsl writes <.*html>, not one <mods>"),
        ('<xsl:template match="/"/>', "writes nothing"),
        ('<xsl:template match="/"><mods/></xsl:template>', "writes an empty <mods>"),
        (
            '<xsl:template match="/"><xsl:message terminate="yes">no title</xsl:message></xsl:template>',
            r"style\.xsl failed: .*no title",
        ),
        ('<xsl:template match="/"><xsl:apply-templates select="/"/></xsl:template>', r"style\.xsl failed"),
    ],
)
def test_a_record_on_which_the_stylesheet_fails_is_rejected_by_name(settings, body, reason):
    with pytest.raises(CrosswalkError, match=rf"001 7: the stylesheet {reason}|001 7: the .*{reason}"):
        xslt.convert(BOOK, settings(body))


@pytest.mark.parametrize("body", ["<xsl:nothing/>", "<xsl:template/>", "<"])
def test_what_is_no_stylesheet_is_an_error_of_the_configuration(settings, body):
    with pytest.raises(ConfigError, match=r"crosswalk\.xslt\.stylesheet: style\.xsl"):
        xslt.identity(settings(body))


@pytest.mark.parametrize(("name", "reason"), [("", "missing; name the stylesheet"), ("none.xsl", "cannot be read")])
def test_a_stylesheet_that_is_missing_is_an_error_of_the_configuration(name, reason):
    with pytest.raises(ConfigError, match=reason):
        crosswalk.convert(BOOK, "xslt", lambda _: xslt.Settings(name))


def test_the_identity_changes_with_the_stylesheet_and_what_it_includes(settings, tmp_path):
    chosen = settings(TEMPLATE)
    first = xslt.identity(chosen)
    assert xslt.identity(chosen) == first
    (tmp_path / "own" / "utils.xsl").write_text("x")
    assert xslt.identity(chosen) != first


CONFIG = """
workspace = "w"
[dataset]
base = "https://data.example.org/"
title = {{ en = "T" }}
license = "https://creativecommons.org/publicdomain/zero/1.0/"
publisher = "P"
[[source]]
id = "a"
path = "a.mrc"
crosswalk = "xslt"
[crosswalk.{table}]
{key}
"""


def test_a_source_is_converted_by_the_stylesheet_of_the_configuration(settings, tmp_path):
    settings(TEMPLATE)
    (tmp_path / "a.mrc").write_bytes(to_iso2709(BOOK))
    (tmp_path / "bibld.toml").write_text(CONFIG.format(table="xslt", key='stylesheet = "own/style.xsl"'))
    config = load_config(tmp_path / "bibld.toml")
    assert config.crosswalk_settings(config.sources[0])["xslt"].stylesheet == str(tmp_path / "own" / "style.xsl")
    (mods,) = bibld.to_mods(tmp_path / "a.mrc", profile=str(tmp_path / "own" / "style.xsl"))
    assert [info.title for info in mods.title_info] == ["A < B & Ё"]
    assert not mods.note


@pytest.mark.parametrize(
    ("key", "advice"),
    [
        ('profile = "loc"', 'crosswalk.marc21.profile: must be "std"; .*crosswalk = "xslt".*stylesheet ='),
        ("corrections = { names_tidied = false }", "crosswalk.marc21.corrections: cannot be chosen any more"),
    ],
)
def test_settings_that_were_removed_are_reported_with_what_to_write(tmp_path, key, advice):
    (tmp_path / "bibld.toml").write_text(CONFIG.format(table="marc21", key=key))
    with pytest.raises(ConfigError, match=f"bibld.toml:13: {advice}"):
        load_config(tmp_path / "bibld.toml")
    (tmp_path / "bibld.toml").write_text(CONFIG.format(table="marc21", key='profile = "std"'))
    assert load_config(tmp_path / "bibld.toml")


def test_mods_and_rows_are_no_matter_of_a_stylesheet(settings):
    chosen = settings(TEMPLATE)
    mods = xslt.convert(BOOK, chosen).mods
    assert crosswalk.convert(mods, "xslt", lambda _: chosen) == ("mods", crosswalk.convert(mods)[1])
