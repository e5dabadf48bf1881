"""Why an entity may be what a record of an authority file describes, in the language of a page."""

from __future__ import annotations

from bibld.serve._language import Language, message
from bibld.serve._pages.phrases import VALUES, in_words
from bibld.serve._phrases import Phrases

_RIVALS = message("other records that fit, too: %(rivals)s")

EVIDENCE = (
    message("both have the number %(number)s"),
    message("the same name: %(name)s"),
    message("the same family name and initials: %(name)s"),
    message("the same family name, given names that fit: %(name)s"),
    message("the same name in another spelling: %(name)s"),
    message("the same single name: %(name)s"),
    message("its records state different years"),
    message("born %(year)s in both"),
    message("died %(year)s in both"),
    message("no dates to compare; %(others)s other people of this name are to be expected"),
    message("the file is too small to show how rare the name is"),
    message("only one of the headings names the generation"),
    message("others had this title before or after"),
    message("title of a work in both: %(title)s"),
    message("the authority record is for more than one person of this name"),
    message("heading equal: %(name)s"),
    message("heading the same in another spelling: %(name)s"),
    message("heading equal but for a qualifier: %(name)s"),
    message("other form equal: %(name)s"),
    message("other form the same in another spelling: %(name)s"),
    message("other form equal but for a qualifier: %(name)s"),
    message("the name has only words that many organisations have"),
    message("the file does not state what the record describes"),
    message("the file does not state whether the record describes a place"),
    message("a short heading, of which the file does not state what it means"),
    message("class mark %(mark)s of the same classification"),
    message("the records take it from the scheme %(scheme)s"),
    message("the language of a heading is not known"),
    message("the languages differ: %(languages)s"),
    ("another scheme (none)", message("another scheme: it is in none here")),
    message("another scheme (%(scheme)s)"),
    ("%(rivals)s other record fits, too", _RIVALS),
    ("%(rivals)s other records fit, too", _RIVALS),
    message("the records state %(numbers)s"),
    message("accepted by a person"),
)
_PHRASES = Phrases(EVIDENCE, VALUES)


def evidence_words(sentence: str, language: Language) -> tuple[str, str]:
    """Return a sentence of evidence in a language, and the tag of its language: English where it has no translation."""
    words = in_words(_PHRASES, sentence, language)
    return words, language.tag if words != sentence else "en"
