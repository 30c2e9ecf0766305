"""Certificates for a loopback endpoint: sound, expired, for another host, self-signed."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

__all__ = ["Certificate", "authority", "certificate", "tls_server"]

Certificate = Literal["sound", "expired", "another host", "self-signed"]
_Key = ec.EllipticCurvePrivateKey
_PEM = serialization.Encoding.PEM


def _builder(subject: str, issuer: str, key: _Key, days: int) -> x509.CertificateBuilder:
    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])

    now = datetime.datetime.now(datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name(issuer))
    builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
    begin = now - datetime.timedelta(days=30)
    return builder.not_valid_before(begin).not_valid_after(now + datetime.timedelta(days=days))


def authority(folder: Path) -> tuple[_Key, Path]:
    """An authority of our own, and the file to trust it by."""
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder("test authority", "test authority", key, 30)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    path = folder / "authority.pem"
    path.write_bytes(builder.sign(key, hashes.SHA256()).public_bytes(_PEM))
    return key, path


def certificate(folder: Path, kind: Certificate, signer: _Key, name: str | None = None) -> Path:
    """A certificate with its key, for 127.0.0.1 unless it is for another host, or for a name."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = kind == "self-signed"
    builder = _builder(
        "endpoint", "endpoint" if own else "test authority", key, -1 if kind == "expired" else 30
    )
    host = ipaddress.ip_address("127.0.0.2" if kind == "another host" else "127.0.0.1")
    known = x509.IPAddress(host) if name is None else x509.DNSName(name)
    builder = builder.add_extension(x509.SubjectAlternativeName([known]), critical=False)
    cert = builder.sign(key if own else signer, hashes.SHA256())
    private = key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "endpoint.pem"
    path.write_bytes(cert.public_bytes(_PEM) + private)
    return path


@contextlib.contextmanager
def tls_server(path: Path) -> Iterator[str]:
    """Shakes hands with whoever comes, and says no more."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)

    def serve(listening: socket.socket) -> None:
        while True:
            try:
                plain = listening.accept()[0]
            except OSError:  # closed: that is all
                return
            with plain, contextlib.suppress(OSError):
                context.wrap_socket(plain, server_side=True).close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=serve, args=(listening,), daemon=True)
        thread.start()
        yield f"https://127.0.0.1:{listening.getsockname()[1]}/v1"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
