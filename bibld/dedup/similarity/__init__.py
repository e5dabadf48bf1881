"""How similar two records are: some forty numbers for each pair, which the scorer ``model`` weighs.

A similarity is a number from 0 (differs) to 1 (equal) where that makes sense. It is ``MISSING`` where one record or
both lack the value: missing is not different.
"""

NAMES = {
    "main_title": "Bigrams that the main titles share (Jaccard).",
    "full_title": "Bigrams that main titles with remainders share (Jaccard).",
    "any_title": "The best of the similarities of titles with and without remainder, set titles, part names, variants.",
    "whole_title": "Bigrams that the titles share with all that belongs to them (Jaccard).",
    "title_start": "How much of the shorter main title begins the longer one.",
    "title_edits": "1 less the edits per character of the first 64 characters of the main titles.",
    "title_words": "Weight of the words that all titles share, by the weight of the side that has less.",
    "all_title_words": "Weight of the words that all titles share, by the weight of all their words.",
    "titles_found": "Weight of one side's title words that the other has in any title, series or name; the lesser.",
    "other_words": "1 less a third of the weight of title words that the other side lacks; of the side with fewer.",
    "title_numbers": "Numbers in titles: 1 the same, 0.75 more on one side, 0.5 on one side only, 0.25 some, 0 others.",
    "title_weight": "The sum of the weights of the words of the shorter title.",
    "title_length": "Characters of the shorter main title, by 64.",
    "remainder": "Bigrams that the remainders share (Jaccard), or the share of common words, whichever is more.",
    "part_name": "Share of common words of the names of the parts, by weight.",
    "part_number": "Part numbers: 1 the same, 0.7 one contains the other, 0.5 on one side only, 0 others.",
    "set_title": "Similarity of set titles, of the set title of one side and the main title or series of the other.",
    "name": "Similarity of the two most similar names.",
    "first_name": "Similarity of the first names, in all their forms.",
    "given_names": "0 for one family name with other given names; 1 where the most similar names agree.",
    "names": "Share of the names of the side that has less which the other side has too.",
    "names_present": "1 both sides have names, 0.5 one, 0 none.",
    "name_in_statement": "The family name of a side's first name in the other's titles or statement: 1, 0.8 inflected.",
    "statement": "Weight of the words that the statements of responsibility share, by that of the shorter one.",
    "year": "1 less a tenth for each year between the times of publication; at least 0.9 where they meet.",
    "last_year": "1 less a tenth for each year between first or last years; missing for a year in a longer time.",
    "pages": "1 less the difference of the pages by the greater number.",
    "pages_apart": "1 less a twentieth for each page of difference.",
    "volumes": "Volumes counted: 1 the same number, 0 others.",
    "height": "1 less a tenth for each centimetre of difference.",
    "edition": "Edition numbers: 1 the same, 0.9 one is a first, 0.5 a later one on one side only, 0 others.",
    "edition_text": "Share of common words of the edition statements, by weight.",
    "publisher": "Share of common words of the two most similar publishers.",
    "place": "Share of common words of the two most similar places.",
    "series": "Share of common words of the two most similar series.",
    "series_number": "Whether the series numbers meet.",
    "language": "Whether a language is the same.",
    "carrier": "Whether the carrier is the same.",
    "level": "Levels: 1 the same, 0.5 a monograph against a volume or a set, 0.2 volume against set, 0 others.",
    "isbn": "Whether an ISBN, or the number of a standard, is the same.",
    "other_identifier": "Whether an identifier of the same other kind is the same (that of a set: 0.5).",
    "host": "Share of common words of the titles of the hosts, by weight; 0.9 where one is the acronym of the other.",
    "host_numbers": "Volume and issue in the host: the share of those that both state and that are the same.",
    "host_page": "Whether the first page in the host is the same.",
    "set_or_volume": "0 for a volume and a complete set, 1 where both are the one or the other.",
}
"""The similarities in their order in arrays, with their descriptions."""

COUNT = len(NAMES)
(
    MAIN_TITLE, FULL_TITLE, ANY_TITLE, ALL_TITLES, TITLE_START, TITLE_EDITS, TITLE_WORDS, ALL_TITLE_WORDS,
    TITLES_FOUND, OTHER_WORDS, TITLE_NUMBERS, TITLE_WEIGHT, TITLE_LENGTH, REMAINDER, PART_NAME, PART_NUMBER, SET_TITLE,
    NAME, FIRST_NAME, GIVEN_NAMES, ALL_NAMES, NAMES_PRESENT, NAME_IN_STATEMENT, STATEMENT, YEAR, LAST_YEAR, PAGES,
    PAGE_DIFFERENCE, VOLUMES, HEIGHT, EDITION, EDITION_TEXT, PUBLISHER, PLACE, SERIES, SERIES_NUMBER, LANGUAGE, CARRIER,
    LEVEL, ISBN, OTHER_IDENTIFIER, HOST, HOST_NUMBERS, HOST_PAGE, SET_OR_VOLUME,
) = range(COUNT)  # fmt: skip
"""The positions of the similarities in arrays."""
