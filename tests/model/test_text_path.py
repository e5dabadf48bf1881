"""Paths of MODS that make a description with one text."""

import pytest

from bibld.model.mods import Classification, Mods, Note, Subject, TitleInfo, Topic
from bibld.model.text_path import TextPath


@pytest.mark.parametrize(
    ("path", "mods"),
    [
        ("note", Mods(note=(Note("Ex libris"),))),
        ("note[@type=ownership]", Mods(note=(Note("Ex libris", type="ownership"),))),
        (
            "note[@xml:lang=la][@typeURI=https://x.y/z]",
            Mods(note=(Note("Ex libris", type_uri="https://x.y/z", xml_lang="la"),)),
        ),
        ("subject[@authority=bbk]/topic", Mods(subject=(Subject(parts=(Topic("Ex libris"),), authority="bbk"),))),
        ("titleInfo[@type=alternative]/title", Mods(title_info=(TitleInfo("Ex libris", type="alternative"),))),
        ("classification[@authority=rubbk]", Mods(classification=(Classification("Ex libris", authority="rubbk"),))),
    ],
)
def test_a_path_makes_the_description_with_its_text(path, mods):
    assert TextPath.parse(path).build("Ex libris") == mods


@pytest.mark.parametrize(
    ("path", "fault"),
    [
        ("", "is no path of MODS"),
        ("note/", "is no path of MODS"),
        ("note[type=x]", "is no path of MODS"),
        ("recordInfo/recordIdentifier", "does not describe the resource"),
        ("title", '"title" cannot have it'),
        ("titleInfo", '"titleInfo" cannot have it'),
        ("note/topic", '"note/topic" cannot have it'),
        ("note[@kind=x]", '"note/@kind" cannot have it'),
    ],
)
def test_a_path_of_no_text_is_refused(path, fault):
    with pytest.raises(ValueError, match="MODS") as caught:
        TextPath.parse(path)
    assert fault in str(caught.value)
