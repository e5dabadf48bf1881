"""Links of a workspace to authority files: add a file, look at links, decide about them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from bibld import link as linking
from bibld._api.configured import ConfiguredWorkspace, PathName, check_choice, run_time
from bibld._api.review import checked_reason, person_name
from bibld._api.tables import Table
from bibld.catalog import Catalog, StoredLink, Verdicts
from bibld.catalog.engines import check_newest_is_local, missing_results
from bibld.errors import ConfigError
from bibld.link import REVIEW, THRESHOLD, LinkOptions, LinkReport
from bibld.model.iris import Iris
from bibld.model.review import PersonVerdict

Status = Literal["accepted", "review", "disagreement"]


class Links:
    """Links from the entities of a workspace to authority files, and the verdicts of people about them.

    Links and verdicts are published by the next run. Verdicts may be given while a run is in progress.
    """

    def __init__(self, workspace: ConfiguredWorkspace) -> None:
        self._workspace = workspace

    def update(
        self,
        files: PathName | Iterable[PathName] = (),
        *,
        template: str = "",
        name: str = "",
        threshold: float = THRESHOLD,
        review: float = REVIEW,
        limit: int | None = None,
        dry_run: bool = False,
    ) -> LinkReport:
        """Add authority files and link all entities to them; without files, link the entities that changed.

        ``template`` makes an IRI of an id that is none (``https://example.org/{}``), ``name`` is that of the only file.
        Links with a confidence of ``threshold`` or more are published, those of ``review`` or more wait for a person.
        ``limit``: at most this many entities now, the others in the next run. ``dry_run``: store no link. Raises
        ``ConfigError`` for a file that cannot be used, ``HarvestError`` for a damaged one.

        >>> workspace.links.update("authorities.nt", dry_run=True)  # doctest: +SKIP
        """
        paths = [files] if isinstance(files, str | os.PathLike) else files
        options = LinkOptions(
            files=tuple(Path(path) for path in paths),
            template=template,
            name=name,
            threshold=threshold,
            review=review,
            limit=limit,
            dry_run=dry_run,
        )
        with self._opened(read_only=dry_run) as catalog:
            return linking.add_and_link(catalog, self._workspace.config, options, run_time(), self._workspace.progress)

    def remove(self, name: str) -> LinkReport:
        """Remove an authority file and all links to it; raises ``ConfigError`` for an unknown name.

        >>> workspace.links.remove("viaf")  # doctest: +SKIP
        """
        with self._opened() as catalog:
            return linking.remove_file(catalog, self._workspace.config, name, self._workspace.progress)

    def table(self, status: Status = "accepted", limit: int | None = None) -> Table[StoredLink]:
        """Return the links of a status, the most probable first.

        ``accepted``: published; ``review``: a person has to decide; ``disagreement``: the records state another number.

        >>> len(workspace.links.table())
        0
        """
        check_choice(status, "status", list(get_args(Status)))
        with self._workspace.catalog() as catalog:
            return Table(StoredLink, islice(catalog.links.with_status(status), limit))

    def export_csv(self, out: PathName) -> int:
        """Write what waits for a person (review and disagreement) into a new CSV file; return the number of rows.

        Its column ``decision`` is to be filled in: accepted or rejected. Raises ``ConfigError`` if the file exists.

        >>> workspace.links.export_csv("links.csv")
        0
        """
        with self._workspace.catalog() as catalog:
            rows = (link for status in ("review", "disagreement") for link in catalog.links.with_status(status))
            return linking.write_links(Path(out), rows, self._workspace.words)

    def import_csv(self, table: PathName, person: str | None = None) -> int:
        """Take the verdicts of a table that people filled in; return how many are new. Raises ``ConfigError``.

        >>> workspace.links.import_csv("links.csv")  # doctest: +SKIP
        """
        verdicts = linking.read_link_verdicts(Path(table), self._iris, person_name(person))
        return self._store(verdicts)

    def decide(self, entity: str, target: str, decision: str, *, reason: str = "", person: str | None = None) -> bool:
        """Accept, reject or withdraw the verdict about a link; return whether that is new. Raises ``ConfigError``.

        >>> workspace.links.decide("agent/viaf-96987389", "http://viaf.org/viaf/1", "rejected")  # doctest: +SKIP
        """
        try:
            verdict = linking.link_verdict(
                entity, target, decision, person_name(person), checked_reason(reason), self._iris
            )
        except ValueError as error:
            raise ConfigError([str(error)]) from error
        return self._store([verdict]) > 0

    @property
    def _iris(self) -> Iris:
        return Iris(self._workspace.config.dataset.base)

    def _store(self, new: list[PersonVerdict]) -> int:
        config = self._workspace.config
        with Verdicts(config.workspace, config_file=self._workspace.path) as verdicts, verdicts.transaction():
            return len(verdicts.add(new, run_time().isoformat()))

    def _opened(self, read_only: bool = False) -> Catalog:
        workspace = self._workspace.config.workspace
        if not (workspace / "catalog.db").is_file():
            raise missing_results(workspace, self._workspace.path)
        if not read_only:
            check_newest_is_local(workspace, self._workspace.path)
        return Catalog(workspace, read_only=read_only, config_file=self._workspace.path)
