"""The prepared documents of a dataset: quads, title and status of each IRI that answers, in every release that is kept.

The database ``published.db`` of a workspace has one row for each IRI and each period of releases in which its document
stays the same, so all releases that are kept share what they have in common. The part ``documents`` of a release
writes it (:func:`fill`, :func:`update`); the server and other parts read it (:func:`open_published`).

The dataset, its named graphs and the ontology have no document here: the server describes these itself.
"""

from __future__ import annotations

from bibld.documents._lines import LABELS, Lines, read_literal
from bibld.documents._view import (
    Change,
    ChangeKind,
    Document,
    DocumentEntry,
    PublishedView,
    compare_documents,
    open_published,
    published_releases,
)
from bibld.documents._writer import ReleaseState, fill, has_documents, remove_unneeded, update

__all__ = [
    "LABELS",
    "Change",
    "ChangeKind",
    "Document",
    "DocumentEntry",
    "Lines",
    "PublishedView",
    "ReleaseState",
    "compare_documents",
    "fill",
    "has_documents",
    "open_published",
    "published_releases",
    "read_literal",
    "remove_unneeded",
    "update",
]
