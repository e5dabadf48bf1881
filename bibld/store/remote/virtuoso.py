"""Virtuoso 7 (open source and commercial). Tested against the real server, Debian's ``virtuoso-opensource-7``.

Updates go to ``/sparql-auth`` and ``/sparql-graph-crud-auth`` with Digest authentication. Virtuoso has no default graph
apart from the named ones: its quads are in the graph ``default`` beside the others. A query without a dataset clause
sees all graphs of the server, therefore bibld names those of the dataset with each query.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import msgspec

from bibld.errors import StoreError, StoreUnavailableError
from bibld.model.rdf import XSD, iri
from bibld.protocols import RemoteAccess, TriplesFile
from bibld.store.remote import Endpoints, SparqlStore, StoreResponse, joined

_GRAPHS_KNOWN_SECONDS = 60.0
_LOADERS = 2
_SQL_SECONDS = 3600.0
_SHOWN = 500
_BAD_LOGIN = "Bad login\nat line 0 of Top-Level:"
_NO_CONNECTION = ("Connect failed", "Lost connection", "Disconnected")
_BOOLEANS = {"1": "true", "0": "false"}


class Settings(msgspec.Struct, frozen=True):
    """How files are loaded; ``url`` is the address of the web server, ``http://127.0.0.1:8890/``.

    ``sql``: address of the SQL port, such as ``127.0.0.1:1111``: the server reads the files of the first load itself.
    That needs the program ``isql`` here, and a server that may read the workspace. Without it files are sent over HTTP.
    ``isql``: the program.
    """

    sql: str = ""
    isql: str = "isql-vt"


class Virtuoso(SparqlStore):
    """Loads with ``rdf_loader_run`` where it can; see :class:`bibld.protocols.RemoteStore`."""

    name = "Virtuoso"
    authentication = "digest"
    batch = 1_000  # about 5,000 lines of SPARQL are the most that its compiler takes
    has_one_graph_an_update = True  # a DELETE DATA of two graphs leaves their literals

    def __init__(self, access: RemoteAccess, endpoints: Endpoints, settings: Settings) -> None:
        super().__init__(access, endpoints)
        self._settings = settings
        self._graphs: tuple[str, ...] = ()
        self._known_until = 0.0
        self.files_at_once = 8 if settings.sql else 1

    def dataset_parameters(self, text: str, union: bool) -> list[tuple[str, str]]:
        """Name the graphs of the dataset, since the server has others too. Not all queries need named graphs."""
        if not union:
            return super().dataset_parameters(text, union)
        graphs = self._dataset_graphs()
        parameters = [("default-graph-uri", graph) for graph in graphs]
        if "GRAPH" in text.upper():
            parameters += [("named-graph-uri", graph) for graph in graphs if graph != self.default_graph]
        return parameters

    def every_graph(self) -> list[tuple[str, str]]:
        """Name the graphs of the dataset."""
        return [("named-graph-uri", graph) for graph in self._dataset_graphs()]

    def _dataset_graphs(self) -> tuple[str, ...]:
        if time.monotonic() > self._known_until:  # DISTINCT would take up to 20 s
            rows = self._solutions("SELECT ?g { GRAPH ?g { ?s ?p ?o } } GROUP BY ?g", [])
            graphs = {row[0].value for row in rows if row[0].value.startswith(self.access.graphs)}
            self._graphs = tuple(sorted(graphs | {self.default_graph}))
            self._known_until = time.monotonic() + _GRAPHS_KNOWN_SECONDS
        return self._graphs

    def counts(self) -> dict[str, int]:
        """Count the quads of each graph, of those that have come to be too."""
        self._known_until = 0.0
        return super().counts()

    def clear_graph(self, graph: str) -> None:
        """Remove a graph row by row: as one transaction a large one does not fit in memory."""
        self._send_update(f"DEFINE sql:log-enable 3 DROP SILENT GRAPH {iri(graph)}")
        self._known_until = 0.0

    def apply(self, added: Iterable[str], removed: Iterable[str]) -> None:
        """Send updates; afterwards there may be other graphs."""
        super().apply(added, removed)
        self._known_until = 0.0

    def load_files(self, files: Sequence[TriplesFile]) -> None:
        """Have the server read the files itself, or send them."""
        self._known_until = 0.0
        if not self._settings.sql:
            super().load_files(files)
            return
        names = ", ".join(_quoted(str(each.file)) for each in files)
        forget = f"DELETE FROM DB.DBA.load_list WHERE ll_file IN ({names});\n"
        add = "".join(
            f"ld_add({_quoted(str(each.file))}, {_quoted(each.graph or self.default_graph)});\n" for each in files
        )
        self._run_sql(forget + add)
        with ThreadPoolExecutor(_LOADERS) as pool:
            list(pool.map(self._run_sql, ["rdf_loader_run();\n"] * min(_LOADERS, len(files))))
        state = f"SELECT 'FAILED', ll_file, ll_error FROM DB.DBA.load_list WHERE ll_file IN ({names}) AND "
        output = self._run_sql(f"checkpoint;\n{state} (ll_state <> 2 OR ll_error IS NOT NULL);\n{forget}")
        if "FAILED" in output:
            raise StoreError(
                f"{self._settings.sql}: the server cannot load files: {' '.join(output.split())[:_SHOWN]}; add"
                f" {files[0].file.parent} to DirsAllowed in virtuoso.ini and restart the server, or remove `sql` from"
                " the configuration, so that the files are sent"
            )

    def _run_sql(self, commands: str) -> str:
        """Run SQL; the password is given as input, because other users can see the arguments of a program."""
        access, settings = self.access, self._settings
        options = ("VERBOSE=OFF", "BANNER=OFF", "PROMPT=OFF", "ERRORS=STDOUT")
        # isql first tries the user's name as password, and asks for one if that fails.
        password = "" if access.password == access.user else f"{access.password}\n"
        try:
            ended = subprocess.run(
                [settings.isql, settings.sql, access.user, *options],
                input=f"{password}{commands}",
                capture_output=True,
                text=True,
                timeout=_SQL_SECONDS,
                check=False,
            )
        except OSError as error:
            raise StoreError(
                f"the program {settings.isql} cannot be run: {error.strerror}; install Virtuoso's client here, name it"
                " with `isql`, or remove `sql` from the configuration, so that the files are sent"
            ) from error
        except subprocess.TimeoutExpired as error:
            raise StoreUnavailableError(f"{settings.sql}: no answer in {_SQL_SECONDS:g} s; run again later") from error
        output = f"{ended.stdout}{ended.stderr}".replace("Enter password for", "\nEnter password for")
        lines = [line for line in output.splitlines() if line.strip() and not line.startswith("Enter password for")]
        text = "\n".join(lines)
        _, _, after_login = text.rpartition(_BAD_LOGIN)
        words = " ".join(after_login.split())[:_SHOWN]
        if any(sign in words for sign in _NO_CONNECTION):
            raise StoreUnavailableError(f"{settings.sql}: no answer ({words}); is the server running?")
        if text.count(_BAD_LOGIN) != bool(password):  # without the output: it can contain the password
            raise StoreError(f"{settings.sql}: wrong user or password; check them in the configuration")
        if "*** Error" in after_login or ended.returncode:
            raise StoreError(f"{settings.sql}: {words}; look into the server's log")
        return after_login

    def repair_results(self, response: StoreResponse) -> bytes:
        """Write booleans as true and false; refuse results that the server has cut."""
        if response.headers.get("x-sql-state", "").startswith("S1TAT"):
            raise StoreUnavailableError(f"{self.endpoints.query}: the query took too long and its result is incomplete")
        found: dict[str, Any] = msgspec.json.decode(response.body)
        rows = found.get("results", {}).get("bindings", [])
        limit = response.headers.get("x-sparql-maxrows", "")
        if limit.isdigit() and len(rows) >= int(limit):
            raise StoreError(
                f"{self.endpoints.query}: the result was cut after {limit} rows; raise ResultSetMaxRows in"
                " virtuoso.ini, or add LIMIT to the query"
            )
        for row in rows:
            for term in row.values():
                if term["type"] == "typed-literal":
                    term["type"] = "literal"
                    if term["datatype"] == f"{XSD}boolean":
                        term["value"] = _BOOLEANS.get(term["value"], term["value"])
        return msgspec.json.encode(found)


def open_remote(access: RemoteAccess, settings: Settings) -> Virtuoso:
    """Return the store at an address."""
    paths = (joined(access.url, path) for path in ("sparql", "sparql-auth", "sparql-graph-crud-auth"))
    return Virtuoso(access, Endpoints(*paths), settings)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
