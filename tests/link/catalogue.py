"""A catalogue of a few books, and authority files about the people in them."""

from __future__ import annotations

from pathlib import Path

from tests.configuration import write_config

BOOKS = """\
=LDR  00000nam a2200000   4500
=001  1
=008  800101s1950    xxua     b    000 0 eng  
=100  1\\$aTwain, Mark,$d1835-1910.
=245  10$aThe adventures of Tom Sawyer.
=650  \\7$aBoys$2fast
=650  \\0$aRivers

=LDR  00000nam a2200000   4500
=001  2
=008  800101s1950    xxua     b    000 0 eng  
=100  1\\$aSmith, John.
=245  10$aPlumbing for everybody.
=700  1\\$aКузнецов, Пётр Ильич,$d1901-1970.
=710  2\\$aNational Library.

=LDR  00000nam a2200000   4500
=001  3
=008  800101s1950    xxua     b    000 0 eng  
=100  1\\$aNumbered, Nora,$d1900-1980.$0http://viaf.org/viaf/555
=245  10$aA book with a number.

"""  # noqa: W291 - positions of field 008

TWAIN = "http://viaf.org/viaf/50566653"
AUTHORITY = f"""\
id,label,variants,dates,kind,numbers
{TWAIN},"Twain, Mark","Clemens, Samuel Langhorne|Твен, Марк",1835-1910,person,
http://viaf.org/viaf/7,"Twain, Michael",,1835-1911,person,
http://viaf.org/viaf/1,"Smith, John",,1920-1990,person,
http://viaf.org/viaf/2,"Smith, John",,1950-,person,
http://viaf.org/viaf/3,"Kuznetsov, Petr Ilʹich",,1901-1970,person,
http://viaf.org/viaf/4,National Library,,,organisation,
http://viaf.org/viaf/5,"Numbered, Nora",,1900-1980,person,
"""
FAST = """\
<http://id.worldcat.org/fast/1> <http://www.w3.org/2004/02/skos/core#prefLabel> "Boys" .
<http://id.worldcat.org/fast/1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Intangible> .
<http://id.worldcat.org/fast/2> <http://www.w3.org/2004/02/skos/core#prefLabel> "Rivers" .
<http://id.worldcat.org/fast/2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://schema.org/Intangible> .
"""


def write_catalogue(folder: Path) -> Path:
    """Write records, authority files and a configuration into a folder; return the configuration."""
    (folder / "books.mrk").write_text(BOOKS, encoding="utf-8")
    (folder / "people.csv").write_text(AUTHORITY, encoding="utf-8")
    (folder / "topics.nt").write_text(FAST, encoding="utf-8")
    return write_config(folder, a="books.mrk")
