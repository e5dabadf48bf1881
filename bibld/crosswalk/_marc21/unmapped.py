"""Why no rule reads some subfields of MARC 21 that records contain."""

from __future__ import annotations

_REASONS = (
    ("012*", "not in MARC 21 today: local use of CONSER libraries"),
    ("018* 355* 357*", "a fee for copies, and who may see a secret document or have it sent"),
    ("022$[02] 023$2", "the ISSN centre that gave the number"),
    ("033$[bc]", "the place as a class of LCC; field 518 names it in words"),
    ("034$a", "the kind of the scale, which $b and field 255 state"),
    ("035$b", "not in MARC 21: the code of the system is in $a"),
    ("038* 040$[cd$] 042* 066* 788* 88[2-5]*", "about the record: who transcribed, changed or checked it"),
    ("08[2-4]$q", "the agency that chose the class mark"),
    ("085*", "how a number of Dewey was built; the number is in field 082"),
    ("0[67]1*", "class marks of copies in one library, which are those of the resource"),
    ("086$z", "a class mark that was withdrawn or is wrong"),
    ("110$g", "an addition of the German authority file, which the heading's number identifies"),
    ("210$2", "the list of abbreviated titles"),
    ("243*", "a title made up to file collected works, not a title of this publication"),
    ("246$0", "the title in capitals, as the National Library of Medicine of the USA wrote it"),
    ("247$g", "words of a cataloguer about the title"),
    ("263*", "a date of publication that was planned"),
    ("26[04]$3", "the issues to which the imprint applies; the newest imprint is published"),
    ("33[678]$3 34?$3 353$3", "the part of the resource that has this form: the form is one of the resource's"),
    ("270* 307*", "where and when somebody can be reached"),
    ("334* 335* 387*", "the mode of issuance, which leader/07 states, and what would be usual for the work"),
    ("490$[3l]", "the volumes that are in the series, and its class mark"),
    ("7[678]?$7 8[013]?$7", "the type of record of the linked resource"),
    ("773$0", "the number of a record in another system"),
    ("85[345]$[n-z]", "how the parts of a serial are numbered and how often they appear, not which ones a library has"),
    ("856*", "how a file is transferred, and by which mail address it is asked for"),
    ("880$4", "the role is in the field of the same name in Latin letters"),
    ("*$5", "the library whose copy the field describes"),
    ("050$u 060$f 082$c 100$h 245$e 300$[4n] 554* 650$e 852$=", "not in MARC 21: errors, and fields of older formats"),
    ("035$[az]", "a control number that does not name its system"),
    ("240$0 130$0", "a number of a title that does not name its authority file"),
    ("856$7", "the access to one address, where others differ or field 506 states it"),
)  # fmt: skip

REASONS = {pattern: reason for patterns, reason in _REASONS for pattern in patterns.split()}
"""Patterns of subfields (``*``: anything) → why no rule reads them."""
