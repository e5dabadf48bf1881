"""The diagnostics of SRU that this server sends, with the numbers and messages of the list of the standard."""

from __future__ import annotations

from enum import IntEnum

_URI = "info:srw/diagnostic/1/"


class SruFault(IntEnum):
    """A number of the SRU Diagnostics List (OASIS searchRetrieve, part 2, annex)."""

    message: str

    def __new__(cls, number: int, message: str) -> SruFault:
        """Make a member of its number, with the message of the list."""
        member = int.__new__(cls, number)
        member._value_ = number
        member.message = message
        return member

    SYSTEM_ERROR = 1, "General system error"
    UNAVAILABLE = 2, "System temporarily unavailable"
    OPERATION = 4, "Unsupported operation"
    VERSION = 5, "Unsupported version"
    PARAMETER_VALUE = 6, "Unsupported parameter value"
    MISSING_PARAMETER = 7, "Mandatory parameter not supplied"
    PARAMETER = 8, "Unsupported parameter"
    SYNTAX = 10, "Query syntax error"
    QUERY_TYPE = 11, "Unsupported query type"
    QUERY_LENGTH = 12, "Too many characters in query"
    CONTEXT_SET = 15, "Unsupported context set"
    INDEX = 16, "Unsupported index"
    RELATION = 19, "Unsupported relation"
    RELATION_MODIFIER = 20, "Unsupported relation modifier"
    RELATION_OF_INDEX = 22, "Unsupported combination of relation and index"
    TERM_LENGTH = 23, "Too many characters in term"
    ESCAPE = 26, "Non special character escaped in term"
    EMPTY_TERM = 27, "Empty term unsupported"
    MASK = 28, "Masking character not supported"
    MASKED_WORD = 29, "Masked words too short"
    MASKS = 30, "Too many masking characters in term"
    ANCHOR = 31, "Anchoring character not supported"
    ANCHOR_POSITION = 32, "Anchoring character in unsupported position"
    MASK_IN_PHRASE = 33, "BooleanCondition of proximity/adjacency and masking characters not supported"
    TERM_FORMAT = 36, "Term in invalid format for index or relation"
    BOOLEANS = 38, "Too many boolean operators in query"
    PROXIMITY = 39, "Proximity not supported"
    BOOLEAN_MODIFIER = 46, "Unsupported boolean modifier"
    RESULT_SETS = 50, "Result sets not supported"
    POSITION = 61, "First record position out of range"
    SCHEMA = 66, "Unknown schema for retrieval"
    RECORD_IN_SCHEMA = 67, "Record not available in this schema"
    PACKING = 71, "Unsupported record packing"
    XPATH = 72, "XPath retrieval unsupported"
    SORT_KEYS = 84, "Too many sort keys to sort"
    SORT_PATH = 88, "Unsupported path for sort"
    SORT_DIRECTION = 90, "Unsupported direction value"
    SORT_MODIFIER = 91, "Unsupported case value"
    STYLESHEETS = 110, "Stylesheets not supported"
    SCAN_POSITION = 120, "Response position out of range"

    @property
    def uri(self) -> str:
        """The identifier of the diagnostic."""
        return f"{_URI}{self.value}"


class SruDiagnosticError(Exception):
    """A request that is answered with a diagnostic; ``details`` name the part of the request that is meant."""

    def __init__(self, fault: SruFault, details: str = "") -> None:
        super().__init__(f"{fault.message}: {details}" if details else fault.message)
        self.fault = fault
        self.details = details
