"""Texts as records write them: full stops of abbreviations, marks of ISBD, brackets, references to characters."""

from __future__ import annotations

import pytest

from bibld.crosswalk._texts import chop, chop_extent, chop_name, with_balanced_brackets, with_characters
from bibld.model.marc import DataField, Subfield

KEPT = """
    Toronto, Ont. : | Cambridge, Mass., | [Ottawa, Ont. : | Skokie, Ill. : | Cleveland, O., | Kallmünz, Opf. :
    New York, N.Y. : | Washington, D. C. : | Frankfurt a. M. : | Ростов н/Д. : | М. : | СПб. : | Л. ; | S.l. :
    2. éd. | Rev. ed. | 3., durchges. Aufl. | Neuaufl. | Orig.-Ausg. | 2. éd. rev. et aug. | Изд. 2-е, стер.
    Изд. 3-е, перераб. и доп. | 2-е вид. | 2. vyd. | 3. uppl. | 2a ed., ampl. | Als Ms. gedr. | 6.-10. Tsd.
    Noyes Pub. Co., | Acme Inc., | Harth-Musik-Verl., | Худож. лит., | Сенатская тип., | Gos. izd., | A.-G.,
    The A. A. A. | The sign of the U.S. | Рассказы и др. | в 3 т. | до н. э. | 1990 г. | Gods, graves, etc. /
    Works. 2d ser. | Dollars &c. | Mrs. | Ph.D. | Hrsg. | и т. п.
"""
REMOVED = """
    The mentally ill. | High mass. | Never again no. | Vitamin C. | План Б. | Он и я. | Louis XIV. | Ridder a smrt.
    The house of the U.S.) . | Windows 3.1. | vaccines.gov. | USSR. | СССР. | ГПНТБ. | Education Act. | Nové město Krk.
    Paris. | 1990. | Записки охотника. | [et al.]. | Bach in C. | Sculpture, Art. | Le verb. | Новый вид. | 100 km.
"""


@pytest.mark.parametrize("text", [text.strip() for line in KEPT.strip().splitlines() for text in line.split("|")])
def test_the_full_stop_of_an_abbreviation_is_kept(text: str) -> None:
    assert chop(text) == text.rstrip(" :;,/")


@pytest.mark.parametrize("text", [text.strip() for line in REMOVED.strip().splitlines() for text in line.split("|")])
def test_the_full_stop_after_other_words_is_removed(text: str) -> None:
    assert chop(text) == text.rstrip(" .")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kemble, E. W.", "Kemble, E. W."),
        ("by Emily St. John Mandel.", "by Emily St. John Mandel"),
        ("Smith [et al.].", "Smith [et al.]"),
        ("Novák, Jan.", "Novák, Jan"),
        ("Co-operative Union (U.S.).", "Co-operative Union (U.S.)"),
        ("Little, Brown & Co.,", "Little, Brown & Co."),
        (", 1799-1814 (Napoléon I),", "1799-1814 (Napoléon I)"),
        ("П. И. Оглоблин ;", "П. И. Оглоблин"),
    ],
)
def test_a_name_keeps_a_final_initial(text: str, expected: str) -> None:
    assert chop_name(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x, 198 p. : ill. ; 24 cm.", "x, 198 p. : ill. ; 24 cm"),
        ("325 p.", "325 p."),
        ("349, [2] с. :", "349, [2] с."),
        ("3 v. ;", "3 v."),
        ("XI, 300 S. : graph. Darst.", "XI, 300 S. : graph. Darst."),
        ("1 score (20 pages).", "1 score (20 pages)"),
        ("23 см.", "23 см"),
        ("1 volume (various pagings) : illustrations.", "1 volume (various pagings) : illustrations"),
        ("[12] л. ил.", "[12] л. ил."),
        ("1 sound disc : 33 1/3 rpm, stereo. ; 12 in. +", "1 sound disc : 33 1/3 rpm, stereo. ; 12 in."),
    ],
)
def test_an_extent_keeps_the_full_stop_of_its_unit(text: str, expected: str) -> None:
    assert chop_extent(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("= Parallel title /", "Parallel title"),
        (": a novel =", "a novel"),
        (". OSHA 3989-03", "OSHA 3989-03"),
        (". . . and ladies of the club.", ". . . and ladies of the club"),
        ("...", "..."),
        ("To be continued...", "To be continued..."),
        (".NET for all", ".NET for all"),
        ("/", ""),
    ],
)
def test_marks_of_isbd_are_removed_at_both_ends(text: str, expected: str) -> None:
    assert chop(text) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["[Ottawa :", "Collège,", "1910]"], ["[Ottawa] :", "[Collège],", "[1910]"]),
        (["[Cambridge,", "Mass.] :", "Press"], ["[Cambridge],", "[Mass.] :", "Press"]),
        (["[S.l. :", "s.n.,", "[1880]"], ["[S.l.] :", "s.n.,", "[1880]"]),
        (["Paris :", "Didot,", "1833?]"], ["Paris :", "Didot,", "[1833?]"]),
        (["Pamplona [Spain :", "Viana],", "1981"], ["Pamplona [Spain] :", "[Viana],", "1981"]),
        (["Cairo, [", "1473]"], ["Cairo,", "[1473]"]),
        (["Шамил Усманов (1898-1938", "очерк"], ["Шамил Усманов (1898-1938)", "очерк"]),
        (["(Mainz :", "Schott)"], ["(Mainz :", "Schott)"]),
        (["a) first", "b) second"], ["a) first", "b) second"]),
        (["[Paris] :", "Didot [etc.]"], ["[Paris] :", "Didot [etc.]"]),
    ],
)
def test_brackets_are_closed_in_the_subfield_that_opens_them(values: list[str], expected: list[str]) -> None:
    field = DataField("260", subfields=tuple(Subfield("a", value) for value in values))
    assert [subfield.value for subfield in with_balanced_brackets(field).subfields] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("L&#x2019;art &amp; la vie", "L’art & la vie"),
        ("&amp;#1071;", "Я"),
        ("&amp;amp;quot;A&amp;amp;quot;", '"A"'),
        ("Caf&eacute;", "Café"),
        ("https://example.org/?a=1&amp;b=2", "https://example.org/?a=1&b=2"),
        ("R & D; AT&T;", "R & D; AT&T;"),
        ("&#xD800; &#0; &notaname; &#x2019", "&#xD800; &#0; &notaname; &#x2019"),
    ],
)
def test_references_become_the_characters(text: str, expected: str) -> None:
    assert with_characters(text) == expected
