"""How much memory does the language server hold after a day of typing?

    python -m benchmarks.server_memory [--edits N]

A real `mllint server` over its pipes: a file of 1,000 lines with 18 training loops is opened in a project of three,
edited, and its diagnostics are asked for after each edit, as an editor does. Each text also holds a name that was never
there before, so that whatever is kept for each name shows. The server does not wait for more typing, which it else does
when answers take long. Printed is the resident memory (Linux) as the edits go by.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.server import DATA, MODEL, edits, long_file, write

SERVER = """
from mllint.server import workspace_folder
from mllint.server.app import serve
workspace_folder._DELAY_SECONDS = 0.0
serve()
"""


class Client:
    """An editor that says one thing after the other.

    Args:
        folder: the folder that it has open.
    """

    def __init__(self, folder: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder
        )
        self._asked = 0
        root = Path(folder).as_uri()
        abilities = {
            "textDocument": {"diagnostic": {}},
            "workspace": {"diagnostics": {"refreshSupport": True}},
        }
        self.ask("initialize", processId=None, rootUri=root, capabilities=abilities)
        self.tell("initialized")

    def tell(self, method: str, **params: Any) -> None:
        """Send a notification."""
        self._send(method=method, params=params)

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request and wait for its answer; what the server sends meanwhile is passed over."""
        self._asked += 1
        self._send(id=self._asked, method=method, params=params)
        while True:
            message = self._receive()
            if "method" not in message and message.get("id") == self._asked:
                return message["result"]
            if "method" in message and "id" in message:  # a request of the server
                self._send(id=message["id"], result=None)

    def memory(self) -> float:
        """Resident memory of the server in MB."""
        for line in Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise OSError("the server has ended")

    def close(self) -> None:
        """End the server."""
        self.ask("shutdown")
        self.tell("exit")
        self._process.wait(30)

    def _send(self, **message: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        stream = self._process.stdout
        assert stream is not None
        size = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        found: dict[str, Any] = json.loads(stream.read(size))
        return found


def main() -> int:
    """Edit and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--edits", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        text = long_file()
        write({"train.py": text, "data.py": DATA, "model.py": MODEL.format(n="")})
        uri = Path(folder, "train.py").as_uri()
        client = Client(folder)
        document = {"uri": uri, "languageId": "python", "version": 0, "text": text}
        client.tell("textDocument/didOpen", textDocument=document)
        client.ask("textDocument/diagnostic", textDocument={"uri": uri})
        print(f"{text.count(chr(10))} lines, opened: {client.memory():.0f} MB", flush=True)
        for number, edited in enumerate(edits(text, options.edits), 1):
            change = {"text": f"{edited}\nversion_{number} = {number}\n"}
            client.tell("textDocument/didChange", textDocument={"uri": uri, "version": number}, contentChanges=[change])
            client.ask("textDocument/diagnostic", textDocument={"uri": uri})
            if number in (100, 200, 500) or number % 1000 == 0:
                print(f"{number:6} edits: {client.memory():.0f} MB", flush=True)
        client.close()
        os.chdir("/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
