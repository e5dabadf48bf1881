"""Why an entity may be what a record of an authority file describes, in the language of a page."""

from __future__ import annotations

from bibld.serve._language import Language, message
from bibld.serve._pages.phrases import Phrases

_EVIDENCE = Phrases(
    (
        (r"both have the number (?P<number>.*)", message("both have the number %(number)s")),
        (r"the same name: (?P<name>.*)", message("the same name: %(name)s")),
        (
            r"the same family name and initials: (?P<name>.*)",
            message("the same family name and initials: %(name)s"),
        ),
        (
            r"the same family name, given names that fit: (?P<name>.*)",
            message("the same family name, given names that fit: %(name)s"),
        ),
        (r"the same name in another spelling: (?P<name>.*)", message("the same name in another spelling: %(name)s")),
        (r"the same single name: (?P<name>.*)", message("the same single name: %(name)s")),
        (r"its records state different years", message("its records state different years")),
        (r"born (?P<year>\d+) in both", message("born %(year)s in both")),
        (r"died (?P<year>\d+) in both", message("died %(year)s in both")),
        (
            r"no dates to compare; (?P<others>[\d.]+) other people of this name are to be expected",
            message("no dates to compare; %(others)s other people of this name are to be expected"),
        ),
        (
            r"the file is too small to show how rare the name is",
            message("the file is too small to show how rare the name is"),
        ),
        (
            r"only one of the headings names the generation",
            message("only one of the headings names the generation"),
        ),
        (r"others had this title before or after", message("others had this title before or after")),
        (r"title of a work in both: (?P<title>.*)", message("title of a work in both: %(title)s")),
        (
            r"the authority record is for more than one person of this name",
            message("the authority record is for more than one person of this name"),
        ),
        (r"heading equal: (?P<name>.*)", message("heading equal: %(name)s")),
        (
            r"heading the same in another spelling: (?P<name>.*)",
            message("heading the same in another spelling: %(name)s"),
        ),
        (r"heading equal but for a qualifier: (?P<name>.*)", message("heading equal but for a qualifier: %(name)s")),
        (r"other form equal: (?P<name>.*)", message("other form equal: %(name)s")),
        (
            r"other form the same in another spelling: (?P<name>.*)",
            message("other form the same in another spelling: %(name)s"),
        ),
        (
            r"other form equal but for a qualifier: (?P<name>.*)",
            message("other form equal but for a qualifier: %(name)s"),
        ),
        (
            r"the name has only words that many organisations have",
            message("the name has only words that many organisations have"),
        ),
        (
            r"the file does not state what the record describes",
            message("the file does not state what the record describes"),
        ),
        (
            r"the file does not state whether the record describes a place",
            message("the file does not state whether the record describes a place"),
        ),
        (
            r"a short heading, of which the file does not state what it means",
            message("a short heading, of which the file does not state what it means"),
        ),
        (
            r"class mark (?P<mark>.*) of the same classification",
            message("class mark %(mark)s of the same classification"),
        ),
        (
            r"the records take it from the scheme (?P<scheme>.*)",
            message("the records take it from the scheme %(scheme)s"),
        ),
        (r"the language of a heading is not known", message("the language of a heading is not known")),
        (r"the languages differ: (?P<languages>.*)", message("the languages differ: %(languages)s")),
        (r"another scheme \(none\)", message("another scheme: it is in none here")),
        (r"another scheme \((?P<scheme>.*)\)", message("another scheme (%(scheme)s)")),
        (r"(?P<rivals>\d+) other records? fits?, too", message("other records that fit, too: %(rivals)s")),
        (r"the records state (?P<numbers>.*)", message("the records state %(numbers)s")),
        (r"accepted by a person", message("accepted by a person")),
    )
)


def evidence_words(sentence: str, language: Language) -> tuple[str, str]:
    """Return a sentence of evidence in a language, and the tag of its language: English where it has no translation."""
    words = _EVIDENCE.words(sentence, language)
    return words, language.tag if words != sentence else "en"
