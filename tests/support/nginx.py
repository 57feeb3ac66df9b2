"""Runs nginx with the sample file from deploy/, with a new certificate and free ports."""

import ipaddress
import os
import shutil
import ssl
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from support.programs import free_port, missing, spawn, started, wait_until

SAMPLE = Path(__file__).parents[2] / "deploy" / "nginx.conf"
#: The host name in the sample file.
HOST = "finance.example.org"
_TEMPORARY = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx:
    """nginx in front of two services: HTTPS on ``port``, plain HTTP on ``plain_port``."""

    def __init__(self, program: str, directory: Path, services: Sequence[int]) -> None:
        self._program = program
        self._directory = directory
        # nginx's worker runs as another user.
        directory.chmod(0o755)
        self.port, self.plain_port = free_port(), free_port()
        certificate, key = _self_signed(directory)
        self.tls = ssl.create_default_context(cafile=certificate)
        self._file = directory / "nginx.conf"
        self._file.write_text(self._adapted(services, certificate, key))

    def _adapted(self, services: Sequence[int], certificate: Path, key: Path) -> str:
        """Return the sample file, adapted to this machine."""
        text = SAMPLE.read_text()
        paths = "".join(f"{n}_temp_path {self._directory}/{n};\n" for n in _TEMPORARY)
        for old, new in {
            "127.0.0.1:6543": f"127.0.0.1:{services[0]}",
            "127.0.0.1:6544": f"127.0.0.1:{services[1]}",
            "listen 443 ": f"listen 127.0.0.1:{self.port} ",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen [::]:443 ssl http2;": "",
            "listen [::]:80;": "",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(certificate),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(key),
            "/run/nginx.pid": f"{self._directory}/pid",
            "/var/log/nginx/": f"{self._directory}/",
            "http {\n": f"http {{\n{paths}",
            # One worker, so that its memory is that of all connections.
            "worker_processes auto;": "worker_processes 1;",
        }.items():
            assert old in text, old
            text = text.replace(old, new)
        # Only root may switch to another user.
        return text if os.geteuid() == 0 else text.replace("user www-data;", "")

    def start(self) -> None:
        command = [self._program, "-c", self._file, "-g", "daemon off;"]
        self._process = spawn(command, self._directory / "nginx.out")
        wait_until(lambda: self._process.poll() is not None or bool(self.worker))
        assert self._process.poll() is None, self.said

    def stop(self) -> None:
        self._process.terminate()
        assert self._process.wait(60) == 0, self.said

    @property
    def worker(self) -> psutil.Process | None:
        """Return the worker process, which has the connections."""
        children = psutil.Process(self._process.pid).children()
        return children[0] if children else None

    @property
    def said(self) -> str:
        names = ("nginx.out", "error.log", "access.log")
        paths = [self._directory / name for name in names]
        return "".join(path.read_text() for path in paths if path.exists())


def nginx(services: Sequence[int]) -> AbstractContextManager[Nginx]:
    """Run nginx. Skips the test if nginx is not installed."""
    # On Debian, only root has nginx on the path.
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin") or missing("nginx")
    return started(lambda directory: Nginx(program, directory, services))


def _self_signed(directory: Path) -> tuple[Path, Path]:
    """Make a certificate for HOST and 127.0.0.1. Return the paths of its file and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    addresses = [x509.DNSName(HOST), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
        .sign(key, hashes.SHA256())
    )
    paths = directory / "certificate.pem", directory / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return paths
