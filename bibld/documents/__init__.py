"""The prepared documents of a dataset: quads, title and status of each IRI that answers, in every release that is kept.

The database ``published.db`` of a workspace has one row for each IRI and each period of releases in which its document
stays the same, so all releases that are kept share what they have in common. The part ``documents`` of a release
writes it (:func:`fill`, :func:`update`); the server and other parts read it (:func:`open_published`).

The dataset, its named graphs and the ontology have no document here: the server describes these itself.
"""

from __future__ import annotations

from bibld.documents._lines import LABELS as LABELS
from bibld.documents._lines import Lines as Lines
from bibld.documents._lines import read_literal as read_literal
from bibld.documents._view import Change as Change
from bibld.documents._view import ChangeKind as ChangeKind
from bibld.documents._view import Document as Document
from bibld.documents._view import DocumentEntry as DocumentEntry
from bibld.documents._view import PublishedView as PublishedView
from bibld.documents._view import compare_documents as compare_documents
from bibld.documents._view import open_published as open_published
from bibld.documents._view import published_releases as published_releases
from bibld.documents._writer import ReleaseState as ReleaseState
from bibld.documents._writer import fill as fill
from bibld.documents._writer import has_documents as has_documents
from bibld.documents._writer import remove_unneeded as remove_unneeded
from bibld.documents._writer import update as update
