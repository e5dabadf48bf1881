"""What OAI-PMH servers do wrong, in words for their owners."""

from __future__ import annotations

from bibld.harvest._faults import ServerFault

_XML = "XML 1.0, 2.2"
_PMH = "OAI-PMH 2.0"

ILLEGAL_CHARACTERS = ServerFault(
    "illegal-characters",
    "sends characters that XML cannot contain, raw or as references",
    f"{_XML}: allowed are tab, line feed, carriage return and the characters from U+0020 on, but for surrogates and"
    " U+FFFE, U+FFFF",
    "replaced them with U+FFFD",
)
WRONG_CHARSET = ServerFault(
    "wrong-charset",
    "sends bytes that are not in the charset that it declares",
    f"{_PMH}, 3.2: XML responses are in UTF-8",
    "decoded them by what they are",
)
NOT_UTF8 = ServerFault(
    "not-utf8",
    "sends another charset than UTF-8",
    f"{_PMH}, 3.2: XML responses are in UTF-8",
    "decoded the charset that it declares",
)
JUNK_BEFORE = ServerFault(
    "junk-before",
    "sends text before the XML declaration",
    "XML 1.0, 2.8: nothing precedes the XML declaration",
    "left the text out",
)
JUNK_AFTER = ServerFault(
    "junk-after",
    "sends text after the end of the answer",
    "XML 1.0, 2.1: only comments, processing instructions and blanks follow the root element",
    "left the text out",
)
INNER_DECLARATION = ServerFault(
    "inner-declaration",
    "sends XML declarations inside the answer",
    "XML 1.0, 2.8: the XML declaration is at the beginning only",
    "removed them",
)
BARE_AMPERSAND = ServerFault(
    "bare-ampersand",
    "sends bare ampersands or entities of HTML",
    "XML 1.0, 2.4 and 4.1: & is written as &amp;, and XML knows five named entities",
    "read them as characters",
)
UNDECLARED_PREFIX = ServerFault(
    "undeclared-prefix",
    "uses prefixes of namespaces that it does not declare",
    "Namespaces in XML 1.0, 5",
    "declared the usual namespace",
)
BROKEN_RECORD = ServerFault(
    "broken-record",
    "sends records that are not well-formed XML",
    "XML 1.0, 2.1",
    "read the other records one by one; the broken ones are kept and not used",
)
DOCTYPE = ServerFault(
    "doctype",
    "sends a document type with entities",
    f"{_PMH}, 3.2: responses are validated by XML schemas",
    "left it out",
)
WRONG_NAMESPACE = ServerFault(
    "wrong-namespace",
    "answers in another namespace than that of OAI-PMH 2.0, or in none",
    f"{_PMH}, 3.2: http://www.openarchives.org/OAI/2.0/",
    "matched the names of the elements",
)
METADATA_AS_TEXT = ServerFault(
    "metadata-as-text",
    "sends metadata as escaped text or CDATA",
    f"{_PMH}, 2.5: the metadata part is a single XML element",
    "parsed the text",
)
NO_METADATA = ServerFault(
    "no-metadata",
    "sends records without metadata that are not marked as deleted",
    f"{_PMH}, 2.5",
    "rejected them; an earlier version stays",
)
NO_HEADER = ServerFault(
    "no-header",
    "sends records without header or identifier",
    f"{_PMH}, 2.5: the header has the identifier and the datestamp",
    "rejected them",
)
NOT_OAI = ServerFault(
    "not-oai",
    "answers with something that is not OAI-PMH, such as a web page",
    f"{_PMH}, 3.2",
    "asked again",
)
CUT_OFF = ServerFault(
    "cut-off",
    "sends answers that end before </OAI-PMH>",
    "XML 1.0, 2.1",
    "asked again",
)
EMPTY_ANSWER = ServerFault("empty-answer", "sends empty answers", f"{_PMH}, 3.2", "asked again")
UNKNOWN_ERROR = ServerFault(
    "unknown-error",
    "answers with error codes outside the standard",
    f"{_PMH}, 3.6",
    "asked again",
)
ERROR_BESIDE_LIST = ServerFault(
    "error-beside-list",
    "sends an error beside a list",
    f"{_PMH}, 3.2: either errors or the answer to the request",
    "used the records",
)
ERROR_STATUS = ServerFault(
    "error-status",
    "answers with an HTTP error where the protocol has an answer",
    f"{_PMH}, 3.1.2 and 3.6: errors of the protocol have status 200",
    "used the answer",
)
REPEATED_TOKEN = ServerFault(
    "repeated-token",
    "repeats resumption tokens or pages, so that the list never ends",
    f"{_PMH}, 3.5: the last part of a list has an empty resumption token",
    "stopped the list",
)
BAD_TOKEN = ServerFault(
    "bad-token",
    "does not accept resumption tokens that it has just given",
    f"{_PMH}, 3.5",
    "began the list again once",
)
UNUSUAL_TOKEN = ServerFault(
    "unusual-token",
    "accepts resumption tokens only in a form that the standard does not have",
    f"{_PMH}, 3.1.1.3 and 3.5: the token is an exclusive argument and is percent-encoded",
    "found the form that works and uses it from now on",
)
TOKEN_TO_NOTHING = ServerFault(
    "token-to-nothing",
    "gives a resumption token on the last part of a list",
    f"{_PMH}, 3.5: the last part of a list has an empty resumption token",
    "read it as the end of the list",
)
WRONG_SIZE = ServerFault(
    "wrong-size",
    "states a completeListSize that differs from the number of records",
    f"{_PMH}, 3.5: completeListSize is the cardinality of the complete list",
    "did not rely on it where the list ended twice at the same number",
)
FOREIGN_RECORDS = ServerFault(
    "foreign-records",
    "forgets set, dates or metadata format of a list in its later parts",
    f"{_PMH}, 3.5",
    "stopped the list",
)
IGNORES_DATES = ServerFault(
    "ignores-dates",
    "ignores the argument from",
    f"{_PMH}, 2.7.1 and 4.5",
    "harvests the full list each time",
)
OTHER_GRANULARITY = ServerFault(
    "other-granularity",
    "refuses dates in the granularity that it states",
    f"{_PMH}, 3.3",
    "used the other granularity",
)
CLOCK = ServerFault(
    "clock",
    "has a clock that is wrong by more than five minutes",
    f"{_PMH}, 3.2: responseDate is the time of the response in UTC",
    "used the clock of the server for the next harvest",
)
BAD_IDENTIFY = ServerFault(
    "bad-identify",
    "does not answer Identify as the standard asks",
    f"{_PMH}, 4.2",
    "used usual values",
)
SERVER_ERROR = ServerFault(
    "server-error",
    "fails on a part of a list each time",
    "RFC 9110, 15.6.1",
    "divided the list by dates, and fetched the records of that part one by one",
)
OTHER_PREFIX = ServerFault(
    "other-prefix",
    "sends a record without metadata in the format that was asked for, and with them under another prefix",
    f"{_PMH}, 4.5: a record that is not deleted has its metadata in the format of metadataPrefix",
    "took the record under the other prefix",
)
DELETED_WITHIN = ServerFault(
    "deleted-within",
    "sends records as live whose metadata state that they are deleted (leader/05 is d)",
    f"{_PMH}, 2.5.1: a deleted record has the status deleted in its header",
    "deletes them",
)
UNUSUAL_DELETED = ServerFault(
    "unusual-deleted",
    'marks deleted records otherwise than by status="deleted" in the header',
    f"{_PMH}, 2.5.1",
    "deletes them",
)
NEW_IDENTIFIERS = ServerFault(
    "new-identifiers",
    "has other identifiers for most of its records than before",
    f"{_PMH}, 2.4: an identifier is persistent",
    "removed the old ones and added the new ones",
)
MISSING_SET = ServerFault(
    "missing-set",
    "does not list the set that is harvested",
    f"{_PMH}, 4.6",
    "harvested it all the same",
)
