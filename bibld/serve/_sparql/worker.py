"""The process that evaluates queries, started by the path of this file.

Messages to it (standard input) are their length (4 bytes, big-endian) and a JSON value: first a ``Setup``, then jobs.
Its answers (standard output) are the length of a JSON object, the object, and as many bytes as its ``size`` states. The
process ends when its input ends. It may be killed at any moment.
"""

from __future__ import annotations

import ctypes
import errno
import io
import json
import os
import platform
import resource
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from bibld.config import Remote, RemoteConfig
from bibld.errors import BadQueryError, NotAcceptableError, QueryTimeoutError, StoreError, StoreUnavailableError
from bibld.protocols import Query, ReadableStore, adapters

_T = TypeVar("_T")
_MEBIBYTE = 1 << 20
_NICENESS = 10
_NEW_USER_AND_NETWORK_NAMESPACE = 0x10000000 | 0x40000000
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2
_SET_SIGNAL_OF_PARENTS_END = 1
_LOAD, _JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_FIRST_X32_CALL, _IO_URING_SETUP = 0x40000000, 425
_REFUSE, _ALLOW = 0x00050000, 0x7FFF0000
_SOCKET_CALLS = {"x86_64": (0xC000003E, 41), "aarch64": (0xC00000B7, 198)}
"""Machine → its name in Linux's audit.h, and the number of the system call ``socket``."""


class StoreCopy(msgspec.Struct, frozen=True, tag="copy"):
    """The copy of a triple store in a release: the adapter that made it, its folder, and the adapter's settings."""

    backend: str
    folder: str
    settings: Any

    @property
    def location(self) -> str:
        return self.folder

    def open(self) -> ReadableStore:
        """Open the copy for reading; raises ``StoreError``."""
        adapter = adapters.load_adapter("store", self.backend)
        settings = msgspec.convert(msgspec.to_builtins(self.settings), adapter.Settings)
        store: ReadableStore = adapter.open_copy(Path(self.folder), settings)
        return store


class RemoteSource(msgspec.Struct, frozen=True, tag="remote"):
    """A remote store, its adapter's settings, and what the IRIs of the dataset begin with.

    The credentials are not in it: each process reads them from its environment.
    """

    config: RemoteConfig
    settings: Any
    base: str

    @property
    def location(self) -> str:
        return self.config.url

    def open(self) -> ReadableStore:
        """Return the store; raises ``ConfigError`` where its credentials are not in the environment."""
        adapter = adapters.load_adapter("store.remote", self.config.kind)
        settings = msgspec.convert(msgspec.to_builtins(self.settings), adapter.Settings)
        return Remote(self.config, settings).open(self.base)


class Setup(msgspec.Struct, frozen=True):
    """The store to open, and the MiB that queries may take beside it."""

    store: StoreCopy | RemoteSource
    memory: int


class QueryJob(msgspec.Struct, frozen=True):
    """A query, the seconds of processor time that it may take, and the bytes that its result may have."""

    query: Query
    seconds: float
    limit: int


class TooLargeError(Exception):
    """The result is larger than allowed."""


class _Bounded(io.BytesIO):
    """Takes bytes up to a limit."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self._limit = limit

    def write(self, data: Any, /) -> int:  # noqa: ANN401
        if self.tell() + len(data) > self._limit:
            raise TooLargeError
        return super().write(data)


def main() -> None:
    """Open the store, then answer jobs until the input ends."""
    _end_with_server()
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    setup = _receive(source, Setup)
    assert setup is not None
    os.nice(_NICENESS)  # documents come before queries
    is_isolated = not isinstance(setup.store, StoreCopy) or _leave_network()  # a remote store is behind the network
    store = setup.store.open()
    _limit_memory(setup.memory)
    _send(sink, {"status": "ready", "is_isolated": is_isolated}, b"")
    while job := _receive(source, QueryJob):
        _limit_processor_time(job.seconds)
        _send(sink, *_answer(store, job))


def _end_with_server() -> None:
    """Let the kernel end this process when the server process is killed, even during a query (on Linux)."""
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_SET_SIGNAL_OF_PARENTS_END, signal.SIGKILL, 0, 0, 0)


def _leave_network() -> bool:
    """Forbid connections to this process, besides the check of the query text; return whether they are forbidden.

    On Linux it gets a separate, empty network, which many hosts refuse, and a filter of system calls.
    """
    if not sys.platform.startswith("linux"):
        return False
    libc = ctypes.CDLL(None)
    has_own_network: bool = libc.unshare(_NEW_USER_AND_NETWORK_NAMESPACE) == 0
    if platform.machine() not in _SOCKET_CALLS:
        return has_own_network
    architecture, number = _SOCKET_CALLS[platform.machine()]
    program = b"".join(
        struct.pack("=HBBI", *instruction)
        for instruction in (
            (_LOAD, 0, 0, 4),
            (_JUMP_IF_EQUAL, 0, 5, architecture),  # calls of another architecture are refused
            (_LOAD, 0, 0, 0),
            (_JUMP_IF_AT_LEAST, 3, 0, _FIRST_X32_CALL),  # so are the second numbers of the same calls
            (_JUMP_IF_EQUAL, 2, 0, number),
            (_JUMP_IF_EQUAL, 1, 0, _IO_URING_SETUP),  # it can open sockets too
            (_RETURN, 0, 0, _ALLOW),
            (_RETURN, 0, 0, _REFUSE | errno.EACCES),
        )
    )
    buffer = ctypes.create_string_buffer(program)
    filtering = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    is_filtered: bool = libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(filtering), 0, 0) == 0
    return is_filtered or has_own_network


def _limit_memory(mebibytes: int) -> None:
    statm = Path("/proc/self/statm")
    taken = int(statm.read_text().split()[0]) * resource.getpagesize() if statm.exists() else 0
    limit = taken + mebibytes * _MEBIBYTE
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _limit_processor_time(seconds: float) -> None:
    """Let the kernel end a query for which nobody waits any more."""
    limit = int(time.process_time() + seconds) + 2
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _answer(store: ReadableStore, job: QueryJob) -> tuple[dict[str, Any], bytes]:
    out = _Bounded(job.limit)
    try:
        kind = store.answer(job.query, out)
        return {"status": "ok", "kind": kind, "media_type": job.query.media_type(kind)}, out.getvalue()
    except BadQueryError as error:
        return {"status": "bad query", "detail": str(error), "line": error.line, "column": error.column}, b""
    except NotAcceptableError as error:
        return {"status": "not acceptable", "detail": str(error)}, b""
    except (StoreUnavailableError, QueryTimeoutError) as error:
        return {"status": "unavailable", "detail": str(error)}, b""
    except StoreError as error:
        return {"status": "failed", "detail": str(error)}, b""
    except TooLargeError:
        return {"status": "too large"}, b""
    except MemoryError:
        return {"status": "memory"}, b""


def _receive(source: BinaryIO, kind: type[_T]) -> _T | None:
    head = source.read(4)
    return msgspec.json.decode(source.read(struct.unpack(">I", head)[0]), type=kind) if head else None


def _send(sink: BinaryIO, response: dict[str, Any], body: bytes) -> None:
    head = json.dumps({**response, "size": len(body)}).encode()
    sink.write(struct.pack(">I", len(head)) + head)
    sink.write(body)
    sink.flush()


if __name__ == "__main__":
    main()
