"""The process that evaluates queries. It is started by its path and imports nothing of bibld, so that it starts fast.

Standard input brings jobs, standard output takes answers. A job is its length (4 bytes, big-endian) and a JSON object;
an answer is the length of a JSON object, the object, and then as many bytes as its ``size`` says. The process ends when
its input ends. It may be killed at any moment.
"""

from __future__ import annotations

import ctypes
import io
import json
import resource
import struct
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph

_MEBIBYTE = 1 << 20
_NEW_USER_AND_NETWORK_NAMESPACE = 0x10000000 | 0x40000000


class _TooLarge(Exception):
    """The answer is larger than it may be."""


class _Bounded(io.BytesIO):
    """Takes bytes up to a limit."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any, /) -> int:  # noqa: ANN401
        if self.tell() + len(data) > self._limit:
            raise _TooLarge
        return super().write(data)


def main(store: str, memory: str) -> None:
    """Answer jobs over the store in this folder; ``memory`` is how many MiB evaluation may take."""
    _leave_network()
    opened = pyoxigraph.Store.read_only(store)
    _limit_memory(int(memory))
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    _send(sink, {"status": "ready"}, b"")
    while head := source.read(4):
        job = json.loads(source.read(struct.unpack(">I", head)[0]))
        _limit_processor_time(job["seconds"])
        answer, body = _answer(opened, job)
        _send(sink, answer, body)


def _leave_network() -> None:
    """A second lock beside the lexer: in a namespace of its own the process has no network. Some hosts refuse it."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "unshare"):
        libc.unshare(_NEW_USER_AND_NETWORK_NAMESPACE)


def _limit_memory(mebibytes: int) -> None:
    statm = Path("/proc/self/statm")
    taken = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    limit = taken + mebibytes * _MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _limit_processor_time(seconds: float) -> None:
    """The kernel ends a query that nobody waits for any more."""
    limit = int(time.process_time() + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(store: pyoxigraph.Store, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    try:
        return _evaluate(store, job)
    except SyntaxError as error:
        return {"status": "syntax", "detail": str(error.msg or error)}, b""
    except _TooLarge:
        return {"status": "too large"}, b""
    except MemoryError:
        return {"status": "memory"}, b""
    except (ValueError, RuntimeError, OSError) as error:
        return {"status": "refused", "detail": str(error)}, b""


def _evaluate(store: pyoxigraph.Store, job: dict[str, Any]) -> tuple[dict[str, Any], bytes]:
    defaults: list[Any] = [pyoxigraph.NamedNode(each) for each in job["default_graphs"]]
    named: list[Any] = [pyoxigraph.NamedNode(each) for each in job["named_graphs"]]
    if defaults or named:
        results = store.query(job["query"], base_iri=job["base"], default_graph=defaults, named_graphs=named)
    else:
        results = store.query(job["query"], base_iri=job["base"], use_default_graph_as_union=job["union"])
    out = _Bounded(job["limit"])
    is_graph = isinstance(results, pyoxigraph.QueryTriples)
    media_type = job["graph"] if is_graph else job["table"]
    kind = "graph" if is_graph else "boolean" if isinstance(results, pyoxigraph.QueryBoolean) else "table"
    if media_type is None:
        return {"status": "not acceptable", "kind": kind}, b""
    if isinstance(results, pyoxigraph.QueryTriples):
        graph_format = pyoxigraph.RdfFormat.from_media_type(media_type)
        pyoxigraph.serialize(results, out, format=graph_format, prefixes=job["prefixes"])
    else:
        results.serialize(out, format=pyoxigraph.QueryResultsFormat.from_media_type(media_type))
    return {"status": "ok", "kind": kind, "media_type": media_type}, out.getvalue()


def _send(sink: BinaryIO, answer: dict[str, Any], body: bytes) -> None:
    head = json.dumps({**answer, "size": len(body)}).encode()
    sink.write(struct.pack(">I", len(head)) + head)
    sink.write(body)
    sink.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
