"""Keep the files of a server in the workspace: fetch what changed, and check each file before it replaces the last."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from bibld.errors import HarvestError
from bibld.harvest._files import StoredFile
from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

_PAGE = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html)\b", re.IGNORECASE)
_UNFINISHED = (".part", ".tmp", ".filepart", ".crdownload", ".partial", ".lock", "~")
_LONGEST_NAME = 80


class RemoteFile(msgspec.Struct, frozen=True):
    """A file that a server offers; ``size`` is -1, ``etag`` and ``changed`` are empty, if it does not state them."""

    name: str
    size: int = -1
    etag: str = ""
    changed: str = ""


class Transfer(msgspec.Struct, frozen=True):
    """How the transfer of a file ended: ``is_unchanged`` if the server states that it has not changed.

    ``md5`` and ``sha256`` are check sums that the server states, in hexadecimal digits; empty if it does not.
    """

    is_unchanged: bool = False
    etag: str = ""
    changed: str = ""
    md5: str = ""
    sha256: str = ""


Transmit = Callable[[RemoteFile, Path, StoredFile | None], Transfer]
"""Writes a file to a path, which may contain its beginning; the stored file is the last version. May raise
``HarvestError``."""


def is_unfinished(name: str) -> bool:
    """Whether a file has the name of one that is still being written."""
    base = name.rpartition("/")[2].lower()
    return base.endswith(_UNFINISHED) or base.startswith(".")


def mirror(visit: Visit, offered: Sequence[RemoteFile], transmit: Transmit) -> Fetched:
    """Fetch the files that changed. The harvest is complete if each file is there as the server has it.

    A file that cannot be fetched, or is a web page, empty or damaged on its way, leaves its last version in place.
    """
    store = visit.store
    if not offered:
        raise HarvestError("the server offers no file; nothing was removed")
    visit.progress.stage("harvest", "files", len(offered))
    reasons = []
    for remote in offered:
        try:
            change = _fetch(visit, remote, transmit)
        except HarvestError as error:
            reasons.append(f"{remote.name}: {str(error).removeprefix(f'{remote.name}: ')}")
        else:
            with store.commit():
                store.count(change)
        visit.progress.advance()
    if not reasons:
        with store.commit():
            store.count("removed", store.files.drop_others({remote.name for remote in offered}))
    if reasons:
        return Fetched("partial" if store.files.all() else "failed", tuple(reasons))
    return Fetched("complete")


def _fetch(visit: Visit, remote: RemoteFile, transmit: Transmit) -> str:
    """Fetch one file if it changed; return ``new``, ``changed`` or ``unchanged``."""
    files = visit.store.files
    known = files.known(remote.name)
    if known is not None and not known.path.exists():
        known = None
    if known is not None and not visit.options.full and _is_same(remote, known):
        return "unchanged"
    folder = files.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / f"{hashlib.sha256(remote.name.encode()).hexdigest()[:12]}.part"
        transfer = transmit(remote, part, known)
        if transfer.is_unchanged and known is not None:
            return "unchanged"
        digest = _proven(part, remote, transfer)
        path = folder / f"{_harmless(remote.name)}.{digest[:12]}"
        part.replace(path)
    except OSError as error:
        raise HarvestError(f"cannot be written: {error.strerror or error}; free some space") from error
    etag, changed = transfer.etag or remote.etag, transfer.changed or remote.changed
    with visit.store.commit():
        is_new = files.keep(remote.name, path, etag=etag, changed=changed, sha256=digest)
    return ("new" if known is None else "changed") if is_new else "unchanged"


def _is_same(remote: RemoteFile, known: StoredFile) -> bool:
    """Whether what the list of the server states shows that a file has not changed."""
    if remote.etag:
        return (remote.etag, remote.size) == (known.etag, known.bytes)
    return bool(remote.changed) and (remote.changed, remote.size) == (known.changed, known.bytes)


def _proven(part: Path, remote: RemoteFile, transfer: Transfer) -> str:
    """Return the check sum of a file that arrived; raises ``HarvestError`` and deletes it if it cannot be right."""
    sha256, md5 = hashlib.sha256(), hashlib.md5(usedforsecurity=False)
    size, head = 0, b""
    with part.open("rb") as file:
        while data := file.read(1 << 20):
            head = head or data[:512]
            size += len(data)
            sha256.update(data)
            md5.update(data)
    fault = ""
    if not size:
        fault = "is empty"
    elif remote.size >= 0 and size != remote.size:
        fault = f"{size:,} bytes came of {remote.size:,}; it changed, or was cut off"
    elif transfer.sha256 and transfer.sha256.lower() != sha256.hexdigest():
        fault = "its SHA-256 check sum is wrong; it changed, or was damaged on its way"
    elif transfer.md5 and transfer.md5.lower() != md5.hexdigest():
        fault = "its MD5 check sum is wrong; it changed, or was damaged on its way"
    elif _PAGE.match(head):
        fault = "is a web page, not data"
    if fault:
        part.unlink(missing_ok=True)
        raise HarvestError(f"{fault}; the last version stays")
    return sha256.hexdigest()


def _harmless(name: str) -> str:
    """Return a name for a file on disk: of letters, digits, points and hyphens, the end of the server's name."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", name).lstrip(".")[-_LONGEST_NAME:] or "file"
