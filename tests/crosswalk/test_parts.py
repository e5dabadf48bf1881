"""Where a part is in its host: volume, issue, date and pages as catalogues of many languages write them."""

from __future__ import annotations

import pytest

from bibld.crosswalk._parts import is_pages, parse_part

# Reference: volume, part and issue (v p i), date, pages, and what is not understood.
REFERENCES = [
    ("Vol. 24, pt. B no. 9 (Sept. 1993), p. 235-48", "v24 pB i9", "Sept. 1993", "235-248", ""),
    ("Vol. 65, no. 1 (Jan. 1987), p. 41-66", "v65 i1", "Jan. 1987", "41-66", ""),
    ("Vol. 2, no. 3 (Dec. 5, 1987), p. A12-A15", "v2 i3", "Dec. 5, 1987", "A12-A15", ""),
    ("Vol. 12(3), 45-67", "v12 i3", "", "45-67", ""),
    ("24(3): 12-45", "v24 i3", "", "12-45", ""),
    ("Vol. 3, Oct.-Dec. 1987, pp. 12-14", "v3", "Oct.-Dec. 1987", "12-14", ""),
    ("Jg. 12 (1998), H. 3, S. 5-20", "v12 i3", "1998", "5-20", ""),
    ("Bd. 9, Nr. 2 (1951), S. 12 ff.", "v9 i2", "1951", "12", ""),
    ("12 (1998) 3, S. 5-20", "v12 i3", "1998", "5-20", ""),
    ("Band 5, Heft 12 (15. März 1999), Seite 3-8", "v5 i12", "15. März 1999", "3-8", ""),
    ("T. 5, n° 2 (mars 1998), p. 12-45", "v5 i2", "mars 1998", "12-45", ""),
    ("Roč. 5, č. 2 (1999), s. 10-12", "v5 i2", "1999", "10-12", ""),
    ("2003. - № 4. - С. 12-18", "i4", "2003", "12-18", ""),
    ("Т. 5, вып. 2. - С. 3-9", "v5 i2", "", "3-9", ""),
    ("2003. № 3 (1745)", "i3 (1745)", "2003", "", ""),
    ("1905. 12 янв. (№ 11)", "i11", "1905 12 янв.", "", ""),
    ("22 наурыз (№ 12). - Б. 4-6", "i12", "22 наурыз", "4-6", ""),
    ("Т. 92, № 3. С. 535-536", "v92 i3", "", "535-536", ""),
    ("2010, № 3-4, с. 12—18, 25", "i3-4", "2010", "с. 12—18, 25", ""),
    ("volume:12", "v12", "", "", ""),
    ("year:1998", "", "1998", "", ""),
    ("pages:5-20", "", "", "5-20", ""),
    ("Т. 1, ч. 2", "v1 p2", "", "", ""),
    ("f. 12v-15", "", "", "12v-15", ""),
    ("Suppl. to v. 24, p. 5-9", "", "", "5-9", "Suppl. to v. 24"),
    ("Письма 1887 г. - С. 12-18", "", "", "12-18", "Письма 1887 г."),
    ("Mitteilungen, Bd 3", "", "", "", "Mitteilungen, Bd 3"),
    ("15", "", "", "", "15"),
    ("p. 198-7", "", "", "198-7", ""),
    ("", "", "", "", ""),
]


@pytest.mark.parametrize(("reference", "details", "dates", "pages", "rest"), REFERENCES, ids=[r[0] for r in REFERENCES])
def test_a_reference_is_read(reference: str, details: str, dates: str, pages: str, rest: str) -> None:
    part = parse_part([reference])
    numbers = [f"{(detail.type or '')[:1]}{number}" for detail in part.detail for number in detail.number]
    assert " ".join(numbers) == details
    assert " ".join(date.value for date in part.date) == dates
    stated = [extent.list or "-".join(filter(None, (extent.start, extent.end))) for extent in part.extent]
    assert " ".join(stated) == pages
    assert " ".join(text.value for text in part.text) == rest


@pytest.mark.parametrize(
    "text", ["С. 239-371", "p. 12-45", "P. 5", "[С. 121-130]", "239-371 с.", "S. 41 - 66", "fol. 9v"]
)
def test_a_text_states_which_pages(text: str) -> None:
    assert is_pages(text)


@pytest.mark.parametrize("text", ["371 с.", "xii, 325 p.", "3 v.", "300 S.", "[2] л.", "1 sound disc", "с. м.", "V. 2"])
def test_a_text_counts_pages_or_something_else(text: str) -> None:
    assert not is_pages(text)
