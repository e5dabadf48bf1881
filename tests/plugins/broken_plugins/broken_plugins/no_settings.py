"""Lacks its Settings."""


def sniffs(head: bytes) -> bool:
    """Recognise nothing."""
    return False
