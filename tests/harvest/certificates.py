"""A certificate authority for tests: a root, an intermediate authority, and certificates for names and times."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAY = datetime.timedelta(days=1)


class Signed(NamedTuple):
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def authority(name: str, issuer: Signed | None = None) -> Signed:
    """Return an authority, signed by another one or by itself."""
    return _sign(name, issuer, x509.BasicConstraints(ca=True, path_length=None), [])


def certificate(issuer: Signed, address: str = "127.0.0.1", *, days: int = 30) -> Signed:
    """Return the certificate of a server at an address; it ends in ``days``, or ended then."""
    names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(address))]
    return _sign(address, issuer, x509.BasicConstraints(ca=False, path_length=None), names, days)


def _sign(
    name: str, issuer: Signed | None, constraints: x509.BasicConstraints, names: list[x509.GeneralName], days: int = 30
) -> Signed:
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    signer = issuer.key if issuer else key
    signer_id = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    builder = (
        x509.CertificateBuilder()
        .subject_name(own)
        .issuer_name(issuer.certificate.subject if issuer else own)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 60 * _DAY)
        .not_valid_after(now + days * _DAY)
        .add_extension(constraints, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(signer_id, critical=False)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return Signed(builder.sign(signer, hashes.SHA256()), key)


def write(path: Path, *parts: bytes) -> Path:
    """Write a file of certificates and keys; return its path."""
    path.write_bytes(b"".join(parts))
    return path
