"""A real server of TLS on the loopback: certificates, versions, credentials, and redirects that lose encryption."""

import contextlib
import ssl

import pytest

from tests.harvest import certificates
from tests.harvest.hostile_oai import HostileServer, Reply, running, serving
from tests.harvest.small_oai import Library
from tests.harvest.test_doubtful_lists import Table
from tests.harvest.test_hostile_oai import configured, fetch
from tests.harvest.test_oaipmh import titles


@pytest.fixture(scope="module")
def root():
    return certificates.authority("Root of the tests")


@pytest.fixture(scope="module")
def between(root):
    return certificates.authority("Between", root)


@pytest.fixture
def library():
    found = Library()
    for number in range(1, 6):
        found.put(number, f"Title {number}")
    return found


class SecureServer(HostileServer):
    """The server of the tests over TLS; the handshake is done in the thread of the request."""

    context: ssl.SSLContext

    def get_request(self):
        socket, address = super().get_request()
        return self.context.wrap_socket(socket, server_side=True, do_handshake_on_connect=False), address

    @property
    def url(self):
        return super().url.replace("http:", "https:")


@contextlib.contextmanager
def serving_securely(change, folder, own, *chain, newest=ssl.TLSVersion.TLSv1_3):
    """Run a server with a certificate, which sends the chain behind it."""
    file = certificates.write(folder / "server.pem", own.pem, *(one.pem for one in chain), own.key_pem)
    server = SecureServer(change)
    server.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.context.load_cert_chain(file)
    server.context.maximum_version = newest
    with running(server):
        yield server


def answered_by(library):
    return lambda request, answer: library.answer(request)


def test_a_server_that_forgets_its_chain_is_harvested_with_a_file_of_certificates(library, root, between, tmp_path):
    own = certificates.certificate(between)
    certificates.write(tmp_path / "chain.pem", between.pem, root.pem)
    with serving_securely(answered_by(library), tmp_path, own) as server:
        result = fetch(configured(tmp_path, server.url, ca_file="chain.pem"))
        assert (result.outcome, result.stored) == ("complete", 5), result.reasons
        certificates.write(tmp_path / "chain.pem", root.pem)
        other = fetch(configured(tmp_path, server.url, ca_file="chain.pem", tries=1))
    assert other.outcome == "failed"
    assert "unable to get local issuer certificate" in other.reasons[0]


UNTRUSTED = {
    "unknown authority": (lambda root: certificates.certificate(certificates.authority("Stranger")), "issuer"),
    "another address": (lambda root: certificates.certificate(root, "127.0.0.2"), "IP address mismatch"),
    "expired": (lambda root: certificates.certificate(root, days=-1), "certificate has expired"),
    "signed by itself": (lambda root: certificates.authority("127.0.0.1"), "self-signed"),
}


@pytest.mark.parametrize("name", UNTRUSTED)
def test_a_server_that_cannot_be_trusted_gets_no_request(name, library, root, tmp_path, monkeypatch):
    monkeypatch.setenv("HARVEST_USER", "reader")
    make, message = UNTRUSTED[name]
    certificates.write(tmp_path / "root.pem", root.pem)
    user = Table('{ env = "HARVEST_USER" }')
    with serving_securely(answered_by(library), tmp_path, make(root)) as server:
        result = fetch(configured(tmp_path, server.url, ca_file="root.pem", user=user, tries=2))
    assert result.outcome == "failed"
    assert message in result.reasons[0]
    assert server.requests == []


def test_the_oldest_version_is_a_setting(library, root, tmp_path):
    own = certificates.certificate(root)
    certificates.write(tmp_path / "root.pem", root.pem)
    with serving_securely(answered_by(library), tmp_path, own, newest=ssl.TLSVersion.TLSv1_2) as server:
        refused = fetch(configured(tmp_path, server.url, ca_file="root.pem", tls_minimum="1.3", tries=1))
        assert (refused.outcome, server.requests) == ("failed", [])
        assert "version" in refused.reasons[0]
        assert fetch(configured(tmp_path, server.url, ca_file="root.pem")).outcome == "complete"


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_a_file_of_certificates_that_is_none_is_named(content, root, tmp_path):
    if content is not None:
        certificates.write(tmp_path / "root.pem", content)
    result = fetch(configured(tmp_path, "https://127.0.0.1:9/oai", ca_file="root.pem"))
    assert result.outcome == "failed"
    assert "ca_file = root.pem: cannot be used" in result.reasons[0]
    assert "name a file of certificates" in result.reasons[0]


def test_a_redirect_that_loses_encryption_is_not_followed(library, root, tmp_path, monkeypatch):
    monkeypatch.setenv("HARVEST_USER", "reader")
    monkeypatch.setenv("HARVEST_PASSWORD", "a long secret")
    certificates.write(tmp_path / "root.pem", root.pem)
    with serving(answered_by(library)) as plain:

        def change(request, answer):
            return Reply(b"", 302, {"Location": f"{plain.url}?{request.query}"})

        with serving_securely(change, tmp_path, certificates.certificate(root)) as server:
            config = configured(
                tmp_path,
                server.url,
                ca_file="root.pem",
                tries=2,
                user=Table('{ env = "HARVEST_USER" }'),
                password=Table('{ env = "HARVEST_PASSWORD" }'),
            )
            result = fetch(config)
    assert result.outcome == "failed"
    assert "without encryption, which is not followed" in result.reasons[0]
    assert "secret" not in str(result)
    assert plain.requests == []


def test_a_redirect_to_encryption_is_followed_and_keeps_the_query(library, root, tmp_path):
    certificates.write(tmp_path / "root.pem", root.pem)
    with serving_securely(answered_by(library), tmp_path, certificates.certificate(root)) as server:

        def change(request, answer):
            return Reply(b"", 301, {"Location": server.url})  # without the query

        with serving(change) as plain:
            config = configured(tmp_path, plain.url, ca_file="root.pem")
            assert fetch(config).outcome == "complete"
    assert titles(config) == library.titles()


def test_user_and_password_go_to_the_encrypted_server(library, root, tmp_path, monkeypatch):
    monkeypatch.setenv("HARVEST_USER", "reader")
    monkeypatch.setenv("HARVEST_PASSWORD", "слово")
    certificates.write(tmp_path / "root.pem", root.pem)

    def change(request, answer):
        is_known = server.authorizations[-1] == "Basic cmVhZGVyOtGB0LvQvtCy0L4="
        return library.answer(request) if is_known else Reply(b"who?", 401)

    with serving_securely(change, tmp_path, certificates.certificate(root)) as server:
        user, password = Table('{ env = "HARVEST_USER" }'), Table('{ env = "HARVEST_PASSWORD" }')
        refused = fetch(configured(tmp_path, server.url, ca_file="root.pem"))
        assert "refused with status 401" in refused.reasons[0]
        assert "state user and password" in refused.reasons[0]
        assert len(server.requests) <= 2  # a refusal is not tried again
        config = configured(tmp_path, server.url, ca_file="root.pem", user=user, password=password)
        assert fetch(config).outcome == "complete"
