"""`mllint check --watch`: check again whenever a file changes.

Twice a second the files of the run are looked for and their stamps compared, with those of configurations and of lock
files: no library, no limits of the operating system, and new files count. Each run is a process of its own, so that
nothing of one stays for the next; what has not changed comes from the cache.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mllint.cli.terminal import FAILED, INTERRUPTED, complain
from mllint.errors import MllintError

if TYPE_CHECKING:
    from mllint.cli.options import Options

__all__ = ["watch"]

_PAUSE = 0.5
_CLEAR = "\x1b[2J\x1b[H"


def watch(arguments: Sequence[str], options: Options) -> int:
    """Check until somebody interrupts; gives the exit code.

    Args:
        arguments: the command line behind `check`.
        options: what it says.
    """
    words = [word for word in arguments if word != "--watch"]
    before: dict[str, object] | None = None
    try:
        while True:
            now = _look(options)
            if now != before:
                terminal = sys.stdout.isatty()
                what = "" if before is None else _changed(before, now)
                if terminal:
                    sys.stdout.write(_CLEAR)
                    sys.stdout.flush()
                elif what and not options.quiet:
                    complain(what)
                _run(words)
                if not options.quiet and not what:
                    complain("watching for changes, Ctrl-C ends")
                elif not options.quiet and terminal:  # what was said is no longer on the screen
                    complain(f"{what}, checked again at {time.strftime('%H:%M:%S')}; Ctrl-C ends")
                before = now
            time.sleep(_PAUSE)
    except KeyboardInterrupt:
        return INTERRUPTED


def _look(options: Options) -> dict[str, object]:
    """What a run rests on: each file with its stamp."""
    from mllint.cli.check import settings_for
    from mllint.config.files import candidates
    from mllint.project.discovery import discover

    paths = options.paths or ["."]
    stamps: dict[str, object] = {path: _stamp(path) for path in candidates(paths)}
    try:
        settings = settings_for(options)
        found = discover([*paths, *([options.context] if options.context else [])], settings)
    except MllintError as error:
        return {**stamps, "": str(error)}  # the run tells it; what repairs it is a change
    stamps.update(zip(found.files, found.stamps, strict=True))
    layers = [layer for one in found.config.all for layer in one.layers]
    stamps.update((layer.path, _stamp(layer.path)) for layer in layers if layer.path)
    return stamps


def _stamp(path: str) -> object:
    from mllint.project.discovery import stamp

    try:
        return stamp(os.stat(path))
    except OSError:
        return None


def _changed(before: dict[str, object], now: dict[str, object]) -> str:
    from mllint.config.files import shown

    names = sorted(shown(path) for path in {*before, *now} if path and before.get(path) != now.get(path))
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"{names[0] if names else 'something'}{more} changed"


def _run(words: Sequence[str]) -> None:
    """Check once, in a process of its own."""
    if not hasattr(os, "fork"):
        import subprocess

        apart = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C is for whoever watches, who ends the run
        command = [sys.executable, "-m", "mllint", "check", *words]
        subprocess.run(command, check=False, creationflags=apart, start_new_session=not apart)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        _be_the_run(words)
    try:
        os.waitpid(child, 0)
    except KeyboardInterrupt:
        import contextlib
        import signal

        with contextlib.suppress(ProcessLookupError, ChildProcessError):  # it may have ended just now
            os.kill(child, signal.SIGTERM)
            os.waitpid(child, 0)
        raise


def _be_the_run(words: Sequence[str]) -> None:
    import signal

    from mllint.cli.app import main

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever watches says what there is to say
    code = FAILED
    try:
        code = main(["check", *words])
        sys.stdout.flush()
    except MllintError as error:
        complain(f"error: {error}")
    finally:
        sys.stderr.flush()
        os._exit(code)
