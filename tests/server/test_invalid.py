"""What a client is answered that sends something else than the protocol says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls", reason="the extra `server` is not installed")

from tests.server.client import SECONDS

INVALID_PARAMS = -32602  # JSON-RPC 2.0, section 5.1


class Raw:
    """A server that is sent whatever a test writes."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "mllint", "server"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder
        )

    def ask(self, number: int, method: str, params: Any) -> dict[str, Any]:
        """Send a request and wait for what answers it."""
        self.send({"id": number, "method": method, "params": params})
        while (message := self.read()).get("id") != number or "method" in message:
            pass
        return message

    def send(self, message: dict[str, Any]) -> None:
        """Send a message, whatever it holds."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self) -> dict[str, Any]:
        """The next message of the server."""
        assert self.process.stdout is not None
        length = 0
        while line := self.process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        message: dict[str, Any] = json.loads(self.process.stdout.read(length))
        return message


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Raw]:
    raw = Raw(tmp_path)
    raw.ask(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    yield raw
    raw.process.kill()
    raw.process.wait(SECONDS)


DOCUMENT = {"uri": "file:///train.py"}


@pytest.mark.parametrize(
    "params",
    [
        None,
        [1, 2],
        {"textDocument": DOCUMENT},
        {"textDocument": DOCUMENT, "position": {"line": -1, "character": 0}},
        {"textDocument": DOCUMENT, "position": {"line": "a", "character": None}},
    ],
)
def test_a_hover_with_invalid_parameters_is_answered_with_an_error(server: Raw, params: Any) -> None:
    assert server.ask(2, "textDocument/hover", params)["error"]["code"] == INVALID_PARAMS
    assert server.ask(3, "shutdown", None)["result"] is None, "the server works on"


def test_a_hover_below_the_end_of_a_file_shows_nothing(server: Raw) -> None:
    server.send({"method": "initialized", "params": {}})
    opened = {**DOCUMENT, "languageId": "python", "version": 1, "text": "import torch\n"}
    server.send({"method": "textDocument/didOpen", "params": {"textDocument": opened}})
    position = {"line": 10**9, "character": 0}
    assert server.ask(2, "textDocument/hover", {"textDocument": DOCUMENT, "position": position})["result"] is None
