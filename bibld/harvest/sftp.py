"""Files on a server of SFTP (OpenSSH and others), by the library paramiko (``pip install 'bibld[sftp]'``)."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec

from bibld.config import Secret
from bibld.errors import HarvestError
from bibld.harvest._mirror import Offer, RemoteFile, Transfer, arriving, is_chosen, is_disk_full, mirror
from bibld.harvest._records import MAX_FILE_BYTES, StoredFile, check_size
from bibld.harvest._settings import as_tuple
from bibld.harvest._visit import Visit
from bibld.protocols import Fetched

_CHUNK = 256 * 1024
_SPECIAL = frozenset("*?[")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """``host``: the server; ``port``: that of SSH; ``path``: a file or a pattern in one folder, such as
    ``/export/*.mrc.gz``, or a list; ``user``: the environment variable that contains the user's name,
    ``{ env = "NAME" }``; ``password``: the one that contains the password; ``key_file``: a private key instead,
    relative to the configuration; ``key_password``: the environment variable that contains that of the key;
    ``known_hosts``: the file of keys of servers, ``~/.ssh/known_hosts`` by default, a server that is not in it is
    refused; ``deadline``: seconds without an answer; ``tries``: how often a file is asked for, from where it was
    interrupted; ``max_file_bytes``: the most bytes of one file.
    """

    host: str
    path: str | tuple[str, ...]
    port: Annotated[int, msgspec.Meta(ge=1, le=65535)] = 22
    user: Secret | None = None
    password: Secret | None = None
    key_file: str = ""
    key_password: Secret | None = None
    known_hosts: str = ""
    deadline: Annotated[float, msgspec.Meta(gt=0)] = 60.0
    tries: Annotated[int, msgspec.Meta(ge=1)] = 5
    max_file_bytes: Annotated[int, msgspec.Meta(ge=1)] = MAX_FILE_BYTES

    @property
    def url(self) -> str:
        """The address, for reports."""
        return f"sftp://{self.host}:{self.port}"


class _Version(msgspec.Struct, frozen=True):
    """The version of a file whose transfer was interrupted."""

    size: int
    changed: str


def faults(folder: Path, settings: Settings) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with the settings themselves: pairs of key and message."""
    if not as_tuple(settings.path):
        yield "path", "names no file"
    for path in as_tuple(settings.path):
        if _SPECIAL & set(path.rpartition("/")[0]):
            yield "path", f'"{path}" has a pattern in the name of a folder; only the last part may be one'
    if settings.key_file and not (folder / settings.key_file).expanduser().is_file():
        yield "key_file", f"{settings.key_file} not found"


def probe(visit: Visit, settings: Settings) -> str:
    """Connect, and list the files."""
    with _connected(visit, settings) as client:
        found = _listed(client, settings).files
        return f"{len(found)} files" + (f", such as {found[0].name}" if found else "")


def fetch(visit: Visit, settings: Settings) -> Fetched:
    """Fetch the files that changed."""
    visit.begin("full", f"{settings.url} {as_tuple(settings.path)}")
    with _connected(visit, settings) as client:
        offered = _listed(client, settings)

    def transmit(remote: RemoteFile, path: Path, known: StoredFile | None) -> Transfer:
        fault = ""
        for _ in range(settings.tries):
            try:
                with _connected(visit, settings) as client:
                    return _transfer(visit, client, remote, path, settings.max_file_bytes)
            except _Interrupted as error:
                fault = str(error)
        raise HarvestError(f"{fault} ({settings.tries} tries)")

    return mirror(visit, offered, transmit, settings.max_file_bytes)


class _Interrupted(Exception):  # noqa: N818 - the transfer is continued
    """The connection was lost."""


def _transfer(visit: Visit, client: Any, remote: RemoteFile, path: Path, most: int) -> Transfer:  # noqa: ANN401
    """Write a file to a path, from where an earlier transfer of the same version ended."""
    version, name = _Version(remote.size, remote.changed), f"part {path.name}"
    if visit.store.value(name, _Version) != version:
        path.unlink(missing_ok=True)
        with visit.store.commit():
            visit.store.set_value(name, version)
    with path.open("ab") as out:
        try:
            with client.open(remote.name, "rb") as file:
                file.seek(out.tell())
                while data := file.read(_CHUNK):
                    out.write(data)
                    check_size(out.tell(), most)
            after = client.stat(remote.name)
        except HarvestError:
            path.unlink()
            raise
        except Exception as error:
            if is_disk_full(error):
                raise HarvestError("cannot be written: the disk is full; free some space") from error
            raise _Interrupted(f"the transfer broke off: {_words(error)}") from error
    if (after.st_size, str(int(after.st_mtime or 0))) != (remote.size, remote.changed):
        path.unlink()
        raise HarvestError("changed while it was being fetched; the next run fetches it")
    with visit.store.commit():
        visit.store.set_value(name, None)
    return Transfer(changed=remote.changed)


def _listed(client: Any, settings: Settings) -> Offer:  # noqa: ANN401
    """Return the files in the order of the list, matches of a pattern by name.

    A path without a file is a reason to remove nothing; raises ``HarvestError`` if no path has one.
    """
    found: dict[str, RemoteFile] = {}
    reasons: list[str] = []
    for path in as_tuple(settings.path):
        folder, _, pattern = path.rpartition("/")
        try:
            if _SPECIAL & set(pattern):
                entries = [(f"{folder}/{one.filename}", one) for one in client.listdir_attr(folder or "/")]
            else:
                entries = [(path, client.stat(path))]
        except OSError as error:
            reasons.append(f"{settings.url}{path}: {error.strerror or error}; is the path right?")
            continue
        files = [
            (name, one)
            for name, one in sorted(entries, key=lambda entry: str(entry[0]))
            if stat.S_ISREG(one.st_mode or 0)
        ]
        matches = {
            name: RemoteFile(name, one.st_size, changed=str(int(one.st_mtime or 0)))
            for name, one in files
            if name == path or is_chosen(name, [pattern])
        }
        found |= matches
        reasons += [reason for name, _ in files if name != path and (reason := arriving(name, [pattern]))]
        if not matches:
            reasons.append(f"{settings.url}: no file matches {path}")
    if not found:
        raise HarvestError("; ".join(reasons))
    return Offer(tuple(found.values()), tuple(dict.fromkeys(reasons)))


@contextmanager
def _connected(visit: Visit, settings: Settings) -> Iterator[Any]:
    """Connect to the server; raises ``HarvestError`` if it is unknown, refuses, or does not answer."""
    try:
        import paramiko  # an extra
    except ImportError as error:
        raise HarvestError("the library paramiko is not installed; run `pip install 'bibld[sftp]'`") from error
    known = visit.folder / settings.known_hosts if settings.known_hosts else Path("~/.ssh/known_hosts").expanduser()
    key = str((visit.folder / settings.key_file).expanduser()) if settings.key_file else None
    with closing(paramiko.SSHClient()) as client:
        try:
            if known.exists():
                client.load_host_keys(str(known))
            client.set_missing_host_key_policy(paramiko.RejectPolicy())
            client.connect(
                settings.host,
                settings.port,
                username=settings.user.read() if settings.user else None,
                password=settings.password.read() if settings.password else None,
                key_filename=key,
                passphrase=settings.key_password.read() if settings.key_password else None,
                timeout=settings.deadline,
                banner_timeout=settings.deadline,
                auth_timeout=settings.deadline,
                allow_agent=key is None and settings.password is None,
                look_for_keys=key is None and settings.password is None,
            )
            session = client.open_sftp()
            session.get_channel().settimeout(settings.deadline)
        except paramiko.BadHostKeyException as error:
            reason = f"the key of the server is not the one in {known}; ask its owner"
            raise HarvestError(f"{settings.url}: {reason}") from error
        except paramiko.AuthenticationException as error:
            raise HarvestError(f"{settings.url}: the server refuses user, password or key; ask its owner") from error
        except (paramiko.SSHException, OSError) as error:
            if "not found in known_hosts" in str(error):
                scan = f"ssh-keyscan -p {settings.port} {settings.host} >> {known}"
                remedy = f"compare its key with its owner's, then add it: {scan}"
                raise HarvestError(f"{settings.url}: the server is not in {known}; {remedy}") from error
            raise HarvestError(f"{settings.url}: no connection: {_words(error)}") from error
        try:
            yield session
        except (paramiko.SSHException, EOFError) as error:
            raise HarvestError(f"{settings.url}: the connection broke off: {_words(error)}") from error


def _words(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
