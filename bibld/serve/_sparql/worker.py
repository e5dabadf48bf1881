"""The process that evaluates queries. It is started by its path and imports nothing of bibld, so that it starts fast.

Standard input brings jobs, standard output takes answers. A job is its length (4 bytes, big-endian) and a JSON object;
an answer is the length of a JSON object, the object, and then as many bytes as its ``size`` says. The process ends when
its input ends. It may be killed at any moment.
"""

from __future__ import annotations

import ctypes
import errno
import io
import json
import os
import platform
import resource
import struct
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO

import pyoxigraph

_MEBIBYTE = 1 << 20
_NICENESS = 5
_NEW_USER_AND_NETWORK_NAMESPACE = 0x10000000 | 0x40000000
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_LOAD, _JUMP_IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_REFUSE, _ALLOW = 0x00050000, 0x7FFF0000
_SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""Machine → its name in Linux's audit.h, and the number of the system call ``socket``."""


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
    os.nice(_NICENESS)  # documents come before queries
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
    """A second lock beside the lexer: the process cannot make a socket (Linux; elsewhere the lexer stands alone)."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None)
    libc.unshare(_NEW_USER_AND_NETWORK_NAMESPACE)  # many hosts refuse it, hence the filter
    if platform.machine() not in _SOCKET_CALLS:
        return
    architecture, number = _SOCKET_CALLS[platform.machine()]
    program = b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (_LOAD, 0, 0, 4),
            (_JUMP_IF_EQUAL, 0, 3, architecture),
            (_LOAD, 0, 0, 0),
            (_JUMP_IF_EQUAL, 0, 1, number),
            (_RETURN, 0, 0, _REFUSE | errno.EACCES),
            (_RETURN, 0, 0, _ALLOW),
        )
    )
    held = ctypes.create_string_buffer(program)
    filtering = struct.pack("@HP", len(program) // 8, ctypes.addressof(held))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(filtering), 0, 0)


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
