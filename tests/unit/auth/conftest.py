"""Key files of JSON Web Tokens."""

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from support.jwt_keys import key_set


@pytest.fixture(scope="module")
def rsa_key():
    return rsa.generate_private_key(65_537, 2_048)


@pytest.fixture
def key_file(tmp_path):
    """Return a function that writes a key file from entries or text, and returns its path."""
    path = tmp_path / "keys.json"

    def write(content):
        text = content if isinstance(content, str | bytes) else key_set(*content)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    return write
