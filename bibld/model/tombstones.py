"""What the tombstone of a record states as the cause, in English and Russian (text and language tag)."""

from __future__ import annotations

DELETED = (("The record was deleted from its source.", "en"), ("Запись удалена из источника.", "ru"))
"""The source no longer has the record."""

WITHDRAWN = (("The record was withdrawn from publication.", "en"), ("Запись снята с публикации.", "ru"))
"""The record must not be published; its tombstone is in no dump and in no store."""
