"""Searches of the current release, as the site answers them."""

from __future__ import annotations

from contextlib import closing

import msgspec

from bibld import pipeline
from bibld.config import Config
from bibld.errors import StageError
from bibld.model.brief import brief
from bibld.search import FoundPublication, SearchRequest, has_search, open_search, results_of

MAX_RESULTS = 1000


class FoundResults(msgspec.Struct, frozen=True):
    """The result of a search: the numbers of publications and of works, and the first results.

    ``works`` is None if each publication is a result; it is an estimate if ``is_estimate``. ``searched``: what was
    searched for instead of ``text``, if nothing was found for it.
    """

    text: str
    total: int
    works: int | None
    is_estimate: bool
    searched: str
    results: tuple[FoundPublication, ...]

    __repr__ = brief


def search_release(config: Config, text: str, limit: int, fold: bool) -> FoundResults:
    """Search the current release; raises ``StageError`` if there is none, or it has no index."""
    release, _ = pipeline.current_release(config)
    if not has_search(release):
        raise StageError(f"{release}: the release has no index for searches; run `bibld run {config.file}` again")
    request = SearchRequest(text, per_page=min(limit, MAX_RESULTS), with_facets=False, is_folded=fold)
    with closing(open_search(release)) as view:
        found = view.search(request)
    searched = found.correction.text if found.correction is not None else ""
    results = results_of(found, config.dataset.base)
    return FoundResults(text, found.total, found.works, found.is_estimate, searched, results)
